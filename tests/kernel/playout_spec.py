"""Playouts exactly as docs/lab/playouts.md defines them, in plain Python on the reference.

Every turn is played on a reference position, which refuses it if it is not legal.
"""

from collections.abc import Callable

from yoddd.rules import PASS, Colour, Position, PositionLike, Stone, Turn
from yoddd.rules.scoring import find_groups

GAMMA = 0x9E3779B97F4A7C15
WORD = 2**64 - 1
ENDGAME_CELLS = 2
PATIENCE = 64


def mix(z: int) -> int:
    z = (z + GAMMA) & WORD
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & WORD
    return z ^ z >> 31


class Pcg32:
    """The key that names the playouts of a sequence; a tree search draws from it too."""

    def __init__(self, state: int) -> None:
        self.state = state

    @classmethod
    def stream(cls, seed: int, index: int) -> "Pcg32":
        return cls(mix((mix(seed) + index * GAMMA) & WORD))

    def next(self) -> int:
        state = self.state
        x = ((state >> 18 ^ state) >> 27) & 0xFFFFFFFF
        turn = state >> 59
        self.state = (state * 6364136223846793005 + 1442695040888963407) & WORD
        return (x >> turn | x << (32 - turn)) & 0xFFFFFFFF


class Draws:
    """The generator of one playout, made from two outputs of another."""

    def __init__(self, rng: Pcg32) -> None:
        high = rng.next() << 32 | rng.next()
        self.state = high << 64 | mix(high) | 1

    def next(self) -> int:
        value = self.state >> 64
        self.state = self.state * 0xDA942042E4DD58B5 % 2**128
        return value

    def below(self, bound: int) -> int:
        return self.next() * bound >> 64


class Playout:
    """One playout of Yodd or Xodd from a position between turns; it ends finished."""

    def __init__(self, position: PositionLike, rng: Draws) -> None:
        self.position = position.copy()
        self.rules = position.rules
        self.rng = rng
        self.cells = list(position.cells)
        self.empty = [cell for cell, content in enumerate(self.cells) if content is None]
        self.stones: list[Stone] = []  # of the turn in progress
        self.dropped = 0

    def run(self) -> None:
        if self.position.number == 1 and not self.even:
            keeping = [d for d in self.numbers() if not self.flips(self.stone(d))]
            self.drop(keeping[self.rng.below(len(keeping))])
            self.end_turn()
        banned = self.quick_part()
        while self.empty:
            if not self.careful_turn(banned):
                self.position.play(PASS)
                if not self.rules.only_own or self.position.is_over:
                    break
            banned = None
        while not self.position.is_over:
            self.position.play(PASS)

    def quick_part(self) -> int | None:
        failures = 0
        while self.even or len(self.empty) > ENDGAME_CELLS:
            d = self.rng.below(len(self.numbers()))
            if self.even and not self.flips(self.stone(d)):
                failures += 1
                if failures == PATIENCE:
                    return self.restore()
                continue
            failures = 0
            self.drop(d)
            if not self.even:
                self.end_turn()
        return None

    def restore(self) -> int | None:
        flipping = [d for d in self.numbers() if self.flips(self.stone(d))]
        if flipping:
            self.drop(flipping[self.rng.below(len(flipping))])
            self.end_turn()
            return None
        stone = self.stones.pop()
        self.cells[stone.cell] = None
        self.empty.append(stone.cell)
        self.dropped -= 1
        return next(d for d in self.numbers() if self.stone(d) == stone)

    def careful_turn(self, banned: int | None) -> bool:
        firsts = list(self.numbers())
        if banned is not None:
            self.strike(firsts, banned)
        while firsts:
            f = self.rng.below(len(firsts))
            first = self.stone(firsts[f])
            if not self.flips(first):
                self.drop(firsts[f])
                self.end_turn()
                return True
            self.cells[first.cell] = first.colour
            seconds = [
                self.stone(d)
                for d in self.numbers()
                if self.stone(d).cell != first.cell and self.flips(self.stone(d))
            ]
            self.cells[first.cell] = None
            if seconds:
                second = seconds[self.rng.below(len(seconds))]
                self.drop(firsts[f])
                self.drop(next(d for d in self.numbers() if self.stone(d) == second))
                self.end_turn()
                return True
            self.strike(firsts, f)
        return False

    @staticmethod
    def strike(entries: list[int], index: int) -> None:
        last = entries.pop()
        if index < len(entries):
            entries[index] = last

    @property
    def even(self) -> bool:
        return len(find_groups(self.rules.geometry.neighbours, self.cells)) % 2 == 0

    def numbers(self) -> range:
        return range(len(self.empty) if self.rules.only_own else 2 * len(self.empty))

    def stone(self, d: int) -> Stone:
        if self.rules.only_own:
            return Stone(self.position.player, self.empty[d])
        return Stone(Colour(d & 1), self.empty[d >> 1])

    def flips(self, stone: Stone) -> bool:
        before = len(find_groups(self.rules.geometry.neighbours, self.cells))
        self.cells[stone.cell] = stone.colour
        after = len(find_groups(self.rules.geometry.neighbours, self.cells))
        self.cells[stone.cell] = None
        return (after - before) % 2 == 1

    def drop(self, d: int) -> None:
        stone = self.stone(d)
        slot = self.empty.index(stone.cell)
        self.cells[stone.cell] = stone.colour
        self.strike(self.empty, slot)
        self.stones.append(stone)
        self.dropped += 1

    def end_turn(self) -> None:
        self.position.play(Turn.drop(*self.stones))  # raises IllegalTurn
        self.stones = []


def filled(position: PositionLike, colour_of: Callable[[int], Colour]) -> PositionLike:
    """The finished game that fills the board with colours by cell."""
    cells = [colour_of(c) if old is None else old for c, old in enumerate(position.cells)]
    return Position.set_up(position.rules, cells, position.player, 0, position.number)


def fill_odd(position: PositionLike, rng: Draws) -> PositionLike:
    empty = [cell for cell, content in enumerate(position.cells) if content is None]
    colours = {}
    bits = 0
    for i, cell in enumerate(empty):
        if i % 64 == 0:
            bits = rng.next()
        colours[cell] = Colour(bits >> i % 64 & 1)
    return filled(position, colours.__getitem__)


def fill_yoin(position: PositionLike, rng: Draws) -> PositionLike:
    cells = [cell for cell, content in enumerate(position.cells) if content is None]
    theirs = len(cells) // 2
    for i in range(theirs):
        j = i + rng.below(len(cells) - i)
        cells[i], cells[j] = cells[j], cells[i]
    given = set(cells[:theirs])
    player = position.player
    return filled(position, lambda cell: player.opponent if cell in given else player)


def play_out(position: PositionLike, numbers: Pcg32) -> tuple[PositionLike, int]:
    """The finished game and how many stones the playout has placed."""
    empty = position.cells.count(None)
    if position.is_over:
        return position, 0
    rng = Draws(numbers)
    if not position.rules.has_pass and not position.rules.only_own:
        return fill_odd(position, rng), empty
    if not position.rules.has_pass:
        return fill_yoin(position, rng), empty
    playout = Playout(position, rng)
    playout.run()
    return playout.position, playout.dropped
