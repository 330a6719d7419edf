"""A turn in the making, and the parity helper: the effect of each further stone."""

from __future__ import annotations

import attrs

from yoddd.engine.halfturns import HalfTurns
from yoddd.rules import Colour, PositionLike, Stone, Turn, parity_text


@attrs.frozen
class Effect:
    """The effect of one more stone.

    Attributes:
        merges: how many groups of its colour it joins.
        before: groups of its colour before it.
        total: groups of both colours after it.
        legal: whether the turn with it is legal.
        completable: whether some legal turn continues from it.
    """

    merges: int
    before: int
    total: int
    legal: bool
    completable: bool

    @property
    def after(self) -> int:
        """Groups of its colour after it."""
        return self.before + 1 - self.merges


class Draft:
    """The stones of a turn that is not played yet.

    Attributes:
        position: where the turn begins; not changed.
        stones: those dropped so far, in the order of their dropping; at most what the turn allows.
    """

    def __init__(self, position: PositionLike) -> None:
        """No stone is dropped yet."""
        self.position = position
        self.stones: tuple[Stone, ...] = ()

    # -- changing ---------------------------------------------------------------------------

    @property
    def colours(self) -> tuple[Colour, ...]:
        """The colours that may be dropped."""
        return (self.position.player,) if self.position.rules.only_own else tuple(Colour)

    @property
    def remaining(self) -> int:
        """The number of stones that the turn still takes."""
        if self.position.is_over:
            return 0
        rules = self.position.rules
        most = 2 if rules.two_stones and self.position.number > 1 else 1
        return most - len(self.stones)

    def tap(self, cell: int, colour: Colour) -> None:
        """Drop a stone; a pending one changes its colour first and is then taken back.

        On a third cell the last stone moves there. An occupied cell, or a finished game, changes
        nothing; where only one colour may be dropped, it is that one.
        """
        if self.position.is_over or self.position.cells[cell] is not None:
            return
        chosen = colour if colour in self.colours else self.colours[0]
        there = next((stone for stone in self.stones if stone.cell == cell), None)
        kept = tuple(stone for stone in self.stones if stone is not there)
        if there is None:
            self.stones = (*(kept if self.remaining else kept[:-1]), Stone(chosen, cell))
        elif there.colour is chosen and len(self.colours) > 1:
            self._repaint(there, chosen.opponent)
        else:
            self.stones = kept

    def place(self, cell: int, colour: Colour) -> None:
        """Drop a stone of exactly this colour, or give the pending stone there this colour."""
        if colour not in self.colours:
            return
        there = next((stone for stone in self.stones if stone.cell == cell), None)
        if there is None:
            self.tap(cell, colour)
        else:
            self._repaint(there, colour)

    def _repaint(self, old: Stone, colour: Colour) -> None:
        new = Stone(colour, old.cell)
        self.stones = tuple(new if stone is old else stone for stone in self.stones)

    def back(self) -> None:
        """Take the last stone back, if there is one."""
        self.stones = self.stones[:-1]

    # -- asking -----------------------------------------------------------------------------

    @property
    def turn(self) -> Turn:
        """The turn so far; at least one stone must be there."""
        return Turn.drop(*self.stones)

    @property
    def problem(self) -> str | None:
        """Why the turn may not be played as it is; None if it may."""
        return self.position.illegality(self.turn) if self.stones else "no stone yet"

    @property
    def cells(self) -> list[Colour | None]:
        """The board with the pending stones on it."""
        cells = list(self.position.cells)
        for stone in self.stones:
            cells[stone.cell] = stone.colour
        return cells

    def counts(self) -> tuple[int, int]:
        """Black's and White's groups with the pending stones."""
        counts = list(self.position.count())
        half = HalfTurns(self.position)
        for stone in self.stones:
            move = _move(half, stone)
            counts[stone.colour] += 1 - half.joins(move)
            half.apply(move)
        return counts[0], counts[1]

    def fits(self) -> frozenset[Stone]:
        """The stones that may come next: they begin a legal turn, or complete one that has begun.

        Empty where the turn takes no more stones.
        """
        if not self.remaining:
            return frozenset()
        half = self._half()
        return frozenset(
            Stone(Colour(move // half.cells), move % half.cells)
            for move in half.moves()
            if move < half.end
        )

    @property
    def completes(self) -> bool:
        """Whether `fits` are second stones."""
        return bool(self.stones) and self.remaining > 0

    def effect(self, stone: Stone) -> Effect | None:
        """The effect of ``stone`` as the next one; None if it cannot be dropped."""
        if (
            not self.remaining
            or self.cells[stone.cell] is not None
            or stone.colour not in self.colours
        ):
            return None
        half = self._half()
        merges = half.joins(_move(half, stone))
        counts = self.counts()
        turn = Turn.drop(*self.stones, stone)
        legal = self.position.is_legal(turn)
        return Effect(
            merges=merges,
            before=counts[stone.colour],
            total=sum(counts) + 1 - merges,
            legal=legal,
            completable=legal or (not self.stones and self.position.completable(stone)),
        )

    def _half(self) -> HalfTurns:
        half = HalfTurns(self.position)
        for stone in self.stones:
            half.apply(_move(half, stone))
        return half


def _move(half: HalfTurns, stone: Stone) -> int:
    return stone.colour * half.cells + stone.cell


# -- texts ----------------------------------------------------------------------------------


def effect_text(effect: Effect | None, *, odd_total: bool) -> str:
    """A line of the helper, such as ``6 → 7, total 12 even  +1``.

    The sign at its end is ✓ if the turn is legal, +1 if a second stone must follow, and ✗ if no
    legal turn has the stone.

    Args:
        effect: of the stone; None if it cannot be dropped.
        odd_total: whether parity rules the game.
    """
    if effect is None:
        return "-"
    same = effect.before == effect.after
    change = f"stays {effect.after}" if same else f"{effect.before} → {effect.after}"
    if not odd_total:
        return f"{change}, total {effect.total}"
    parity = "odd" if effect.total % 2 else "even"
    sign = "✓" if effect.legal else "+1" if effect.completable else "✗"
    return f"{change}, total {effect.total} {parity}  {sign}"


def verdict_text(draft: Draft) -> str:
    """The result of the position as it stands, such as ``If both pass now: Black wins 3-4``."""
    black, white = draft.counts()
    rules = draft.position.rules
    outcome = draft.position.outcome()
    if outcome is not None:
        how = "by resignation" if outcome.reason == "resign" else f"with {black}-{white} groups"
        return f"{outcome.winner.title} has won {how}"
    if black + white == 0:
        return "The board is empty"
    if not rules.has_pass:
        return "Count when the board is full"
    if (black + white) % 2 == 0:
        return f"No pass: {parity_text(black + white)}"
    winner = Colour.BLACK if black < white else Colour.WHITE
    own, rival = (black, white) if winner is Colour.BLACK else (white, black)
    return f"If both pass now: {winner.title} wins {own}-{rival}"
