"""Reading the lines of an analysis, which `yoddd.protocol.commands.analysis` writes.

The grammar is KataGo's. Unknown keys are ignored, so that engines may add their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from yoddd.engine import Candidate, FirstStone
from yoddd.notation import NotationError, parse_turn
from yoddd.rules import Colour, Rules, Turn, TurnKind

_BEGIN: Final = "info"
_LINE: Final = "pv"
_AFTER: Final = frozenset(("rootInfo", "ownership"))
"""The words that end the last candidate."""


def parse_report(line: str, rules: Rules, player: Colour) -> tuple[Candidate, ...]:
    """Return the candidates of a line, best first; none if it is no report.

    Args:
        line: such as ``info move 1d4 visits 9 winrate 0.5 prior 0.1 order 0 pv 1d4 pass``.
        rules: the rules of the game.
        player: the player to move.

    Raises:
        NotationError: it begins as a report, but lacks a key or has an unreadable value.
    """
    words = line.split()
    words = words[: next((at for at, word in enumerate(words) if word in _AFTER), None)]
    if words[:1] != [_BEGIN]:
        return ()
    starts = [at for at, word in enumerate(words) if word == _BEGIN]
    parts = [words[one + 1 : two] for one, two in zip(starts, [*starts[1:], None], strict=True)]
    found = [_candidate(part, rules, player) for part in parts]
    return tuple(candidate for _, candidate in sorted(found, key=lambda pair: pair[0]))


def _candidate(words: Sequence[str], rules: Rules, player: Colour) -> tuple[int, Candidate]:
    """Return one candidate and its place in the order."""
    end = words.index(_LINE) if _LINE in words else len(words)
    values = dict(zip(words[:end:2], words[1:end:2], strict=False))
    try:
        turn = parse_turn(values["move"], rules, player)
        pv = tuple(_line(words[end + 1 :], rules, player)) or (turn,)
        return int(values.get("order", 0)), Candidate(
            turn,
            int(values["visits"]),
            float(values["winrate"]),
            float(values.get("prior", 1.0)),
            pv,
            _number(values, "scoreLead"),
            _first(values),
            int(values["distance"]) if "proven" in values else None,
            _number(values, "scoreStdev"),
        )
    except KeyError as error:
        raise NotationError(f"{error} is missing") from None
    except NotationError:
        raise
    except ValueError as error:
        raise NotationError(str(error)) from None


def _number(values: Mapping[str, str], key: str) -> float | None:
    return float(values[key]) if key in values else None


def _first(values: Mapping[str, str]) -> FirstStone | None:
    """Return the values of the first stone; None unless all are there."""
    try:
        visits, winrate, lead = (values[f"first{name}"] for name in ("Visits", "Winrate", "Lead"))
    except KeyError:
        return None
    return FirstStone(int(visits), float(winrate), float(lead))


def _line(tokens: Sequence[str], rules: Rules, player: Colour) -> Iterator[Turn]:
    for token in tokens:
        turn = parse_turn(token, rules, player)
        yield turn
        # After a swap White is to move again.
        if turn.kind is not TurnKind.SWAP:
            player = player.opponent
