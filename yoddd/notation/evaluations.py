"""An engine's statements about a turn of its own: the value, the effort, the expected turns.

The text form is that of ``# info`` lines (protocol/analysis.md, A2): names with one value each,
and ``pv`` with the turns after it, such as ``winrate 0.61 visits 1200 time 0.14 pv 1c3 2d4,1a1``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Final

import attrs

from yoddd.notation.errors import NotationError
from yoddd.notation.turns import format_turn, parse_turn
from yoddd.rules import Colour, Rules

LONGEST_LINE: Final = 16
"""Turns of the expected line that are kept."""

_MOST: Final = 10**15
_LONGEST: Final = 1e6
_NUMBER: Final = re.compile(r"-?[0-9]{1,16}(\.[0-9]{0,15})?(e-?[0-9]{1,2})?", re.ASCII)
_ENDS: Final = frozenset(("info", "rootinfo", "ownership"))
"""Words that cannot be turns and end the expected line, as in the lines of an analysis."""


@attrs.frozen(kw_only=True)
class Evaluation:
    """An engine's evaluation of the turn that it plays; None and empty where it states nothing.

    Attributes:
        winrate: the chance to win of the side to move, which plays the turn; 0 to 1.
        lead: by how many groups that side is expected to be ahead in the end.
        visits: of the position.
        depth: of the search, in turns.
        time: seconds that the engine counted.
        pv: the expected turns in canonical spelling, the turn itself first.
    """

    winrate: float | None = None
    lead: float | None = None
    visits: int | None = None
    depth: int | None = None
    time: float | None = None
    pv: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The text form."""
        words = [
            f"{name} {_spell(value)}"
            for name, key in _NAMES.items()
            if (value := getattr(self, key)) is not None
        ]
        return " ".join([*words, *(("pv", *self.pv) if self.pv else ())])

    def check(self) -> None:
        """Check the ranges of the numbers.

        Raises:
            NotationError: one is out of range, or there is nothing.
        """
        for name, key in _NAMES.items():
            value, (low, high) = getattr(self, key), _RANGES[key]
            if value is not None and not (math.isfinite(value) and low <= value <= high):
                raise NotationError(f"{name} {value}: expected from {low:g} to {high:g}")
        if self == _NOTHING:
            raise NotationError("it states nothing")
        if len(self.pv) > LONGEST_LINE:
            raise NotationError(f"pv: {len(self.pv)} turns, expected {LONGEST_LINE} at most")


_NOTHING: Final = Evaluation()

_NAMES: Final = {
    "winrate": "winrate",
    "scoreLead": "lead",
    "visits": "visits",
    "depth": "depth",
    "time": "time",
}
"""The attribute of each name of the text form."""

_KEYS: Final = {name.lower(): key for name, key in _NAMES.items()}

_RANGES: Final = {
    "winrate": (0, 1),
    "lead": (-1000, 1000),
    "visits": (0, _MOST),
    "depth": (0, 1000),
    "time": (0, _LONGEST),
}

_READ: Final[dict[str, Callable[[str], float]]] = {"visits": int, "depth": int}


def parse_evaluation(text: str, rules: Rules, player: Colour) -> Evaluation:
    """Read the text form; names that are not known are skipped with their value.

    Args:
        text: what follows ``# info``.
        rules: those of the game.
        player: the side to move, which plays the first turn of the line.

    Raises:
        NotationError: a value is malformed or out of range, or there is none.
    """
    found: dict[str, float] = {}
    words = iter(text.split())
    pv: tuple[str, ...] = ()
    for word in words:
        name = word.lower()
        if name in _ENDS:
            break
        if name == "pv":
            pv = tuple(_line(words, rules, player))
            break
        value = next(words, None)
        if value is None:
            raise NotationError(f"{word}: expected a value after it")
        if name in _KEYS:
            found[_KEYS[name]] = _read(word, value, _READ.get(name, float))
    evaluation = Evaluation(**found, pv=pv)  # type: ignore[arg-type]  # whole numbers are read as such
    evaluation.check()
    return evaluation


def statement_in(text: str, command: str, turn: str) -> str:
    """Return the text form of what an engine said about ``turn``, for `parse_evaluation`.

    Args:
        text: what followed ``# info``, or the last line of an analysis.
        command: the request; it tells in which numbers the analysis is.
        turn: the reply.

    Raises:
        NotationError: the analysis has another form.
    """
    kind = command.partition("-")[0]
    if kind == "cgos":
        return _of_cgos(text, turn)
    if kind not in ("kata", "lz"):
        return text
    blocks = [block.strip() for block in _BLOCKS.split(text) if block.strip()]
    named = (block for block in blocks if block.lower().startswith(f"move {turn} ".lower()))
    found = next(named, blocks[0] if blocks else "")
    return _LZ_WINRATE.sub(_to_chance, found) if kind == "lz" else found


_BLOCKS: Final = re.compile(r"(?:^|\s)info(?=\s)")
_LZ_WINRATE: Final = re.compile(r"\bwinrate ([0-9]{1,5})(?=\s|$)", re.ASCII)


def _to_chance(match: re.Match[str]) -> str:
    """A winrate of Leela Zero, in ten-thousandths, as a chance."""
    return f"winrate {int(match[1]) / 10_000:.4f}"


def _of_cgos(text: str, turn: str) -> str:
    try:
        whole = json.loads(text)
        moves = [one for one in whole.get("moves", []) if one["move"].lower() == turn.lower()]
        found = {**whole, **(moves[0] if moves else {})}
        named = {"winrate": "winrate", "score": "scoreLead", "visits": "visits", "pv": "pv"}
        return " ".join(f"{name} {found[key]}" for key, name in named.items() if key in found)
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        raise NotationError(f"{text[:40]!r}: expected an analysis in JSON") from None


def _read(name: str, value: str, kind: Callable[[str], float]) -> float:
    try:
        if _NUMBER.fullmatch(value):
            return kind(value)
    except ValueError:
        pass
    raise NotationError(f"{name} {value[:20]!r}: expected a number")


def _line(words: Iterator[str], rules: Rules, player: Colour) -> Iterator[str]:
    """The first turns of a line, in canonical spelling."""
    for _, word in zip(range(LONGEST_LINE), words, strict=False):
        if word.lower() in _ENDS:
            return
        yield format_turn(parse_turn(word, rules, player), rules)
        player = player.opponent


def describe_evaluation(evaluation: Evaluation) -> str:
    """A sentence about an evaluation, such as ``61.0 %, 1200 visits, 0.14 s; 1c3 2d4``."""
    parts = {
        "{:.1%}": evaluation.winrate,
        "lead {:+.1f}": evaluation.lead,
        "{} visits": evaluation.visits,
        "depth {}": evaluation.depth,
        "{:.2f} s": evaluation.time,
    }
    said = ", ".join(form.format(value) for form, value in parts.items() if value is not None)
    return "; ".join(filter(None, (said, " ".join(evaluation.pv))))


def _spell(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6f}".rstrip("0").rstrip(".")
