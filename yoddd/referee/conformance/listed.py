"""Checks of the commands that an engine may leave out: what it lists has to do what it says."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from yoddd.notation import NotationError, format_position, format_turn, parse_position
from yoddd.protocol.reports import parse_report
from yoddd.referee.conformance.games import (
    Misjudged,
    begun_game,
    engine_turn,
    moves_of,
    rules_of,
    set_up_game,
)
from yoddd.referee.conformance.script import (
    Advised,
    Failed,
    Interview,
    Script,
    Skipped,
    Slow,
)
from yoddd.referee.conformance.terms import Knowledge
from yoddd.referee.game.clock import parse_clock
from yoddd.rules import Position, PositionLike

NONSENSE: Final = "yoddd-check-nonsense"
"""The name of no command and of no parameter."""

TRIES: Final = 3
"""Turns that are asked for while they come late."""

_GROSS: Final = 2
"""How many times too long two turns are for a third not to be asked for."""

_OPENING: Final = 5
"""Turns of the games that are not played to their end."""


def _begin(
    interview: Interview, knowledge: Knowledge, command: str, turns: int = 0
) -> Script[Position]:
    """Set up the first game, if the engine lists the command and plays it, and begin to play it."""
    if not knowledge.lists(command):
        raise Skipped(f"lists no `{command}`")
    rules = rules_of(knowledge)
    yield from set_up_game(interview, knowledge, rules)
    position = begun_game(rules, random.Random(knowledge.terms.seed), turns)
    for player, token in moves_of(position):
        yield from interview.demand(f"play {player.letter} {token}")
    return position


def check_position(interview: Interview, knowledge: Knowledge) -> Script[str]:
    """Set positions by turns and as a line, and ask for them and for a turn."""
    position = yield from _begin(interview, knowledge, "position", _OPENING)
    tokens = [token for _, token in moves_of(position)]
    for how in ("startpos moves " + " ".join(tokens), format_position(position)):
        yield from interview.demand("clear_board")
        yield from interview.demand(f"position {how}")
        yield from _compare(interview, position, f"after `position {how}`")
        yield from engine_turn(interview, position, knowledge.terms.move)
    return f"after {len(tokens)} turns"


def _compare(interview: Interview, position: PositionLike, when: str) -> Script[None]:
    """Compare the position that the engine has with the right one."""
    reply, _ = yield from interview.ask("position")
    if not reply.ok:
        return  # without arguments it is no command that an engine has to have
    found, expected = reply.text, format_position(position)
    try:
        same = format_position(parse_position(found)) == expected
    except NotationError as error:
        raise Failed(f"{when}: `position` answers {found!r}: {error.reason}") from None
    if not same:
        raise Failed(f"{when}: `position` answers {found!r}, expected {expected!r}")


def check_legal(interview: Interview, knowledge: Knowledge) -> Script[str]:
    """Ask for the number of legal turns on the empty board and in a game."""
    counts = []
    for number in (0, _OPENING):
        position = yield from _begin(interview, knowledge, "legal", number)
        expected = position.count_turns()
        found = yield from interview.demand("legal count")
        if found != str(expected):
            raise Misjudged(f"`legal count` answers {found!r}, expected {expected}", position)
        turns = yield from interview.demand("legal turns from=0 limit=1")
        if turns.split("\n")[0] != f"total {expected}":
            raise Failed(f"`legal turns`: begins with {turns[:40]!r}, expected 'total {expected}'")
        counts.append(found)
    return f"{' and '.join(counts)} turns"


def check_undo(interview: Interview, knowledge: Knowledge) -> Script[str]:
    """Take a turn back, and play it again."""
    position = yield from _begin(interview, knowledge, "undo", _OPENING)
    player, token = moves_of(position)[-1]
    position.undo()
    for back in range(2):
        yield from interview.demand("undo")
        if knowledge.lists("position"):
            yield from _compare(interview, position, "after `undo`")
        if back == 0:
            yield from interview.demand(f"play {player.letter} {token}")
    yield from engine_turn(interview, position, knowledge.terms.move)
    return ""


def check_time_left(interview: Interview, knowledge: Knowledge) -> Script[str]:
    """Leave a second of five minutes, and ask for a turn."""
    if not knowledge.lists("time_left") or not knowledge.lists("time_settings"):
        raise Skipped("lists no `time_left`, or no `time_settings`")
    yield from _begin(interview, knowledge, "time_left")
    requests = ("time_settings 300 0 0", "time_left b 1 0")
    return (yield from timed_turns(interview, knowledge, requests, "300+0, of which 1 s is left"))


def timed_turns(
    interview: Interview, knowledge: Knowledge, requests: Sequence[str], clock: str
) -> Script[str]:
    """Ask for a turn that has to come within a second, as a match would under the same clock.

    The machine may have delayed one turn, or two: only what is late again and again is a fault.
    """
    declared, control = knowledge.declared, parse_clock(clock.partition(",")[0])
    if not declared.has_clock(control):
        raise Skipped(f"plays no clock {control}: attaches with {declared.words[-1]}")
    margin = knowledge.terms.margin
    took: list[float] = []
    while len(took) < TRIES:
        yield from interview.demand("clear_board")
        for request in requests:
            yield from interview.demand(request)
        reply, seconds = yield from interview.ask("genmove b", knowledge.terms.move)
        if not reply.ok:
            raise Failed(f"`genmove b` refused: {reply.text}")
        took.append(seconds)
        if seconds <= 1 + margin or (len(took) > 1 and min(took) > _GROSS * (1 + margin)):
            break
    shown = " and ".join(f"{seconds:.2f} s" for seconds in took)
    if took[-1] > 1 + margin:
        raise Failed(
            f"loses on time under {clock} (margin {margin:g} s): took {shown} of 1 s; answer "
            "earlier, or play with a margin (--clock move=1,margin=0.5)"
        )
    if len(took) > 1:
        raise Slow(f"took {shown} of 1 s")
    return f"took {shown} of 1 s"


def check_analyze(interview: Interview, knowledge: Knowledge) -> Script[str]:
    """Read a line of an analysis, and stop it."""
    position = yield from _begin(interview, knowledge, "analyze", _OPENING)
    line = yield from interview.first_line(f"analyze {position.player.letter} 10")
    try:
        candidates = parse_report(line, position.rules, position.player)
    except ValueError as error:
        raise Failed(f"`analyze`: {line[:60]!r}: {error}") from None
    if not candidates:
        raise Failed(f"`analyze`: {line[:60]!r} is no report")
    for candidate in candidates:
        problem = position.illegality(candidate.turn)
        if problem is not None:
            token = format_turn(candidate.turn, position.rules)
            raise Failed(f"`analyze`: {token} is illegal: {problem}")
        if not 0 <= candidate.winrate <= 1:
            raise Failed(f"`analyze`: winrate {candidate.winrate:g}, expected from 0 to 1")
    yield from interview.demand("name")
    return f"{len(candidates)} candidates"


def check_set_param(interview: Interview, knowledge: Knowledge) -> Script[str]:
    """Set what `list_params` lists to the values that it has, and read them again."""
    yield from _begin(interview, knowledge, "set_param")
    listed = 0
    if knowledge.lists("list_params"):
        for line in (yield from interview.demand("list_params")).split("\n"):
            listed += 1
            name, value = (*line.split(" "), "")[:2]
            yield from interview.demand(f"set_param {name} {value}")
            yield from _get_param(interview, knowledge, name, value)
            if name == "seed":
                yield from interview.demand("set_param seed 4711")
                yield from _get_param(interview, knowledge, name, "4711")
    reply, _ = yield from interview.ask(f"set_param {NONSENSE} 1")
    if reply.ok:
        raise Advised(f"`set_param {NONSENSE} 1` is accepted, so that no misspelling is noticed")
    return f"{listed} parameters"


def _get_param(interview: Interview, knowledge: Knowledge, name: str, value: str) -> Script[None]:
    if knowledge.lists("get_param"):
        found = yield from interview.demand(f"get_param {name}")
        if found != value:
            raise Failed(f"`get_param {name}` answers {found!r}, expected {value!r}")
