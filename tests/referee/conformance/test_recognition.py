"""Bots with one misreading each: the check of a game names it, and never another one."""

from __future__ import annotations

import random
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.referee.conformance.examiner import SMALL, Examiner, MemoryEngine
from yoddd.rules import make_rules

BOT: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[3] / "clients/python/bot.py"))
BOARDS = {"yodd": "hex3", "xodd": "square4", "odd": "hex3", "yoin": "hex3", "product": "hex2"}
PlainBot: Any = BOT["Bot"]
Beside = dict[str, list[str]]
Stones = tuple[str, ...]


@attrs.frozen
class Habit:
    """One misreading, as changes of the bot: each is called instead of what the bot does.

    Attributes:
        game: in which it shows.
        named: words by which it is named; empty if it may not be named at all.
        beside: the adjacent cells, given the right ones.
        odd: whether the number of groups is odd with some stones added.
        choose: a turn, or None for one that the bot chooses.
        refuses: whether a turn is illegal.
    """

    game: str
    named: str
    beside: Callable[[Beside], Beside] | None = None
    odd: Callable[[Any, Stones], bool] | None = None
    choose: Callable[[Any], str | None] = lambda _bot: None
    refuses: Callable[[Any, str, str], bool] = lambda _bot, _colour, _turn: False


class MisreadBot(PlainBot):  # type: ignore[misc]  # a script has no types
    """The bot of the clients with a habit."""

    stones: dict[str, str]

    def __init__(self, habit: Habit) -> None:
        self.habit = habit
        super().__init__()
        self.rng = random.Random(3)

    def do_clear_board(self) -> str:
        if self.habit.beside is not None:
            self.beside = self.habit.beside(BOT["cells_of"](self.board))
        return str(super().do_clear_board())

    def do_play(self, player: str, turn: str) -> str:
        if player != "own" and self.habit.refuses(self, BOT["colour_of"](player), turn):
            raise BOT["Refused"]("illegal move")
        return str(super().do_play("b" if player == "own" else player, turn))

    def do_genmove(self, player: str) -> str:
        self.mover = BOT["colour_of"](player)
        turn = self.habit.choose(self) or self.choose(self.mover)
        for _ in range(99):
            if self.habit.refuses(self, self.mover, turn):
                turn = self.choose(self.mover)
        stones = "" if turn in ("pass", "swap", "resign") else turn.split(",")
        for stone in stones:
            own = stone if stone[0] in "12" else self.mover + stone
            self.stones[own[1:]] = own[0]
        self.turns += 1
        return str(turn)

    def is_odd_with(self, *stones: str) -> bool:
        return bool(self.habit.odd(self, stones) if self.habit.odd else self.count(stones) % 2)

    def count(self, stones: Stones, seen_as: str = "12") -> int:
        """The groups of stones that are seen as other colours or, by a space, not at all."""
        before: dict[str, str] = self.stones
        colours = {stone[1:]: stone[0] for stone in stones}
        seen = {cell: seen_as[int(colour) - 1] for cell, colour in (before | colours).items()}
        self.stones = {cell: colour for cell, colour in seen.items() if colour != " "}
        total = int(self.groups())
        self.stones = before
        return total

    def drop(self, *sizes: int) -> str | None:
        """Stones of any colours on empty cells."""
        empty = [cell for cell in self.beside if cell not in self.stones]
        cells = self.rng.sample(empty, min(len(empty), self.rng.choice(sizes)))
        return ",".join(self.rng.choice("12") + cell for cell in cells) or None


class MemoryBot(MemoryEngine):
    """Such a bot without a process."""

    def __init__(self, *arguments: Any, habit: Habit, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._bot = MisreadBot(habit)

    def serve(self, number: str, command: str, args: list[str]) -> None:
        self.write(BOT["answer"](self._bot, number, command, args).encode())


def without(*steps: tuple[int, int]) -> Callable[[Beside], Beside]:
    """A hexhex board of three cells a side without the neighbours at some steps."""

    def point(cell: str) -> tuple[int, int]:
        r = 2 - (ord(cell[0]) - 97)
        return int(cell[1:]) - 3 + max(0, -r), r

    def are_apart(one: str, other: str) -> bool:
        (q, r), (x, y) = point(one), point(other)
        return (x - q, y - r) in steps or (q - x, r - y) in steps

    return lambda beside: {
        one: [other for other in near if not are_apart(one, other)] for one, near in beside.items()
    }


def at(*steps: tuple[int, int]) -> Callable[[Beside], Beside]:
    """Cells that differ by some steps or their opposites in letter and number are neighbours."""
    both = {*steps, *((-x, -y) for x, y in steps)}

    def near(cell: str) -> list[str]:
        return [f"{chr(ord(cell[0]) + x)}{int(cell[1:]) + y}" for x, y in sorted(both)]

    return lambda beside: {cell: [one for one in near(cell) if one in beside] for cell in beside}


def of_mover(bot: Any, stones: Stones, other: int) -> bool:
    colour = (bot.turns + other) % 2
    return bool(bot.count(stones, ("1 ", " 2")[colour]) % 2)


def apart(bot: Any, stones: Stones) -> bool:
    before = bot.count(())
    return bool((before + sum(bot.count((one,)) - before for one in stones)) % 2)


def both_colours(bot: Any, stones: Stones) -> bool:
    return bool(bot.count(stones, "11" if stones else "12") % 2)


def lonely_stones_do_not_count(bot: Any, stones: Stones) -> bool:
    cells = bot.stones | {stone[1:]: stone[0] for stone in stones}
    alone = sum(all(cells.get(n) != c for n in bot.beside[cell]) for cell, c in cells.items())
    return bool((bot.count(stones) - alone) % 2) if bot.turns else True


def sometimes(turn: Callable[[Any], str | None]) -> Callable[[Any], str | None]:
    return lambda bot: turn(bot) if bot.turns and bot.rng.random() < 0.5 else None


def colours(turn: str) -> set[str]:
    return {stone[0] for stone in turn.split(",") if stone[0] in "12"}


SQUARES, HEXAGONS, PASSING = "as squares, with four", "as hexagons, with six", "passing is always"
SIDES = ((1, 0), (0, 1))
HABITS = {
    "hexhex board read as squares": Habit("yodd", SQUARES, without((1, -1))),
    "hexhex board read as leaning squares": Habit("yodd", SQUARES, without((0, 1))),
    "no neighbours in a row": Habit("yodd", "side by side in a row", without((1, 0))),
    "upper rows": Habit("yodd", "above the middle", at((0, 1), (1, 0), (1, 1))),
    "corners": Habit("xodd", "touch at a corner", at(*SIDES, (1, 1), (1, -1))),
    "square board as hexagons": Habit("xodd", HEXAGONS, at(*SIDES, (1, 1))),
    "square board as other hexagons": Habit("xodd", HEXAGONS, at(*SIDES, (1, -1))),
    "even": Habit("yodd", "has to be even", odd=lambda bot, s: bot.count(s) % 2 == 0),
    "parity not looked at": Habit("xodd", "is not looked at", odd=lambda _bot, _stones: True),
    "count before the turn": Habit(
        "yodd", "is not looked at", odd=lambda bot, _: not bot.turns or bot.count(()) % 2 == 1
    ),
    "own groups": Habit("yodd", "player's own colour alone", odd=lambda b, s: of_mover(b, s, 0)),
    "their groups": Habit("yodd", "other player's colour", odd=lambda b, s: of_mover(b, s, 1)),
    "groups of both colours": Habit("xodd", "form groups together", odd=both_colours),
    "stones counted apart": Habit("xodd", "without the first stone", odd=apart),
    "two stones at first": Habit(
        "yodd", "first turn may drop two", choose=lambda b: None if b.turns else "1a1,1a2"
    ),
    "pass at first": Habit(
        "yodd", "first turn may be a pass", choose=lambda b: None if b.turns else "pass"
    ),
    "pass without a pass": Habit("odd", PASSING, choose=sometimes(lambda _bot: "pass")),
    "two stones in a game of one": Habit(
        "odd", "drop one or two stones", choose=sometimes(lambda b: b.drop(2))
    ),
    "one stone in a game of two": Habit(
        "product", "drop one or two stones", choose=sometimes(lambda b: b.drop(1))
    ),
    "any colour": Habit("yoin", "stones of both colours may", choose=lambda bot: bot.drop(1)),
    "swap later": Habit("yoin", "swapping is allowed later", choose=sometimes(lambda _bot: "swap")),
    "refuses the other colour": Habit(
        "odd", "only stones of the player's", refuses=lambda _, own, turn: turn[0] != own
    ),
    "refuses two stones": Habit("yodd", "one stone only", refuses=lambda _, _c, t: "," in t),
    "refuses mixed stones": Habit(
        "xodd", "of one colour", refuses=lambda _, _c, turn: len(colours(turn)) > 1
    ),
    "lonely stones do not count": Habit("yodd", "", odd=lonely_stones_do_not_count),
}

QUICK = ("corners", "even", "refuses two stones", "lonely stones do not count")
"""Those whose test is in the gate."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in QUICK else pytest.mark.whole) for name in HABITS],
)
def test_check_misreading_is_named(name: str) -> None:
    habit = HABITS[name]
    terms = attrs.evolve(SMALL, games=(make_rules(habit.game, BOARDS[habit.game]),))
    only = frozenset(f"{habit.game} as {colour}" for colour in ("Black", "White"))
    more: Any = {"habit": habit}
    report = Examiner(kind=MemoryBot, more=more).run(attrs.evolve(terms, only=only))
    found = " ".join(one.detail for one in report.findings if one.plays)
    assert report.failed
    assert habit.named in found
    assert (": as if " in found) == bool(habit.named)
