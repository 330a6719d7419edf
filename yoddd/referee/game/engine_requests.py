"""The requests that the referee sends to an engine, and what a refusal of each one means."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs

from yoddd.notation.reasons import Reason
from yoddd.protocol.controller import GENMOVE_ANALYZE, EngineInfo, ReplyReceived
from yoddd.referee.game.clock import Clock, TimeControl, told_left, told_settings
from yoddd.referee.game.engine_text import shorten
from yoddd.referee.game.terminations import Termination, forfeit
from yoddd.referee.seat import Seat
from yoddd.rules import Colour, DescriptionError, Rules, RulesError, described
from yoddd.rules.facts import difference
from yoddd.rules.game import rules_of
from yoddd.rules.games import read_described

OWN_MEMORY: Final = 128
"""MiB that a program may need besides its search."""

_INTERVAL: Final = 20
"""Hundredths of a second between two reports of a search."""

_SCORE: Final = re.compile(r"([bw])\+.*", re.ASCII | re.IGNORECASE)


class Purpose(enum.Enum):
    """Why a request is sent; it decides what the reply means."""

    DUTY = "duty"
    """A refusal is a fault of the engine."""
    HINT = "hint"
    """A refusal changes nothing: time settings, time left, the seed."""
    SETTING = "setting"
    """A parameter that the organiser has set; a refusal makes the game void."""
    RULES = "rules"
    """The reply is the description by which the engine plays; other rules make the game void."""
    VERDICT = "verdict"
    """The engine's opinion who has won; a refusal is no opinion."""
    GENMOVE = "genmove"
    """The reply is a turn."""


@attrs.frozen
class EngineRequest:
    """One request to one engine."""

    purpose: Purpose
    command: str


@attrs.frozen
class EngineState:
    """The state that an engine is brought to before it plays on.

    Attributes:
        rules: the game, the board and the options.
        control: the time control of the engine's seat.
        start: the position line that the game began from; None for the empty board.
        turns: the turns since then, each with the colour that played it.
        seed: the seed of the engine's random choices; None for no seed.
        params: further parameters, by name.
        memory: the limit of the engine's memory in MiB; None without one.
    """

    rules: Rules
    control: TimeControl
    start: str | None
    turns: Sequence[tuple[Colour, str]]
    seed: int | None
    params: Mapping[str, str] = attrs.Factory(dict)
    memory: int | None = None


def can_start(engine: EngineInfo, start: str | None) -> bool:
    """Whether the engine can be given the start position."""
    return start is None or "position" in engine.commands


def set_up(engine: EngineInfo, state: EngineState) -> Iterator[EngineRequest]:
    """The requests that bring an engine to ``state``, using the commands that it lists.

    An engine without ``game`` is told the board's size only and has to play the right game on the
    right shape by itself; one without ``position`` is sent every turn by ``play``.
    """
    rules = state.rules
    if "game" in engine.commands:
        options = [f"{name}={value}" for name, value in rules.chosen_options().items()]
        if described(rules.game) is not None and "describe" in engine.commands:
            yield EngineRequest(Purpose.RULES, f"describe {rules.game.name}")
        words = ["game", rules.game.name, rules.geometry.name, *options]
        yield EngineRequest(Purpose.DUTY, " ".join(words))
    else:
        yield EngineRequest(Purpose.DUTY, f"boardsize {rules.geometry.size}")
    yield EngineRequest(Purpose.DUTY, "clear_board")
    if state.memory is not None and "set_param" in engine.commands:
        yield EngineRequest(Purpose.HINT, f"set_param memory {tree_memory(state.memory)}")
    for name, value in state.params.items():
        yield EngineRequest(Purpose.SETTING, f"set_param {name} {value}")
    if state.seed is not None and "set_param" in engine.commands:
        yield EngineRequest(Purpose.HINT, f"set_param seed {state.seed}")
    settings = told_settings(state.control, engine.commands)
    if settings is not None:
        yield EngineRequest(Purpose.HINT, settings)
    if "info_lines" in engine.commands:
        yield EngineRequest(Purpose.HINT, "info_lines on")
    yield from _go_to(engine, state)


def misfit(request: EngineRequest, reply: ReplyReceived, rules: Rules) -> str:
    """Why no game can be played by an engine that replies so; empty if one can."""
    if request.purpose is Purpose.RULES:
        return shorten(other_rules(reply, rules))
    return _refusal(reply) if request.purpose is Purpose.SETTING and not reply.ok else ""


def refused(seat: Seat, reply: ReplyReceived) -> Termination:
    """The end of a game whose engine has refused a request that it may not refuse."""
    return forfeit(seat, Reason.PROTOCOL, _refusal(reply))


def _refusal(reply: ReplyReceived) -> str:
    return f"refused {shorten(reply.command)}: {shorten(reply.text)}"


def other_rules(reply: ReplyReceived, rules: Rules) -> str:
    """The first difference of the rules by which an engine plays a game; empty without one."""
    if not reply.ok:
        return ""  # it has no such game, and will refuse it
    try:
        game = read_described(reply.text)
        theirs = rules_of(game, rules.geometry.name, rules.chosen_options())
    except (DescriptionError, RulesError) as error:
        return f"{rules.game.name}: {error}"
    found = difference(rules.facts, theirs.facts)
    return f"{rules.game.name} has other rules there: {found}" if found else ""


def tree_memory(limit: int) -> int:
    """The MiB that an engine with a limit of memory is told to use for its search.

    The parameter is the memory of the search alone; a program also needs some for itself.
    """
    return max(1, min(limit * 3 // 4, limit - OWN_MEMORY))


def _go_to(engine: EngineInfo, state: EngineState) -> Iterator[EngineRequest]:
    if "position" not in engine.commands:
        yield from (play(colour, token) for colour, token in state.turns)
    elif state.start or state.turns:
        words = ["position", state.start or "startpos"]
        if state.turns:
            words += ["moves", *(token for _, token in state.turns)]
        yield EngineRequest(Purpose.DUTY, " ".join(words))


def play(colour: Colour, token: str) -> EngineRequest:
    """The request to play a turn of the opponent on the engine's board."""
    return EngineRequest(Purpose.DUTY, f"play {colour.letter} {token}")


def verdict() -> EngineRequest:
    """The request to say who has won."""
    return EngineRequest(Purpose.VERDICT, "final_score")


def winner_in(reply: ReplyReceived) -> Colour | None:
    """The winner by the reply to `verdict`; None for no opinion."""
    match = _SCORE.fullmatch(reply.text) if reply.ok else None
    return Colour("bw".index(match[1].lower())) if match else None


def is_genmove(command: str) -> bool:
    """Whether a request asks for a turn."""
    return is_analysis(command) or command.partition(" ")[0] == "genmove"


def is_analysis(command: str) -> bool:
    """Whether a request asks for a turn and reports on the search; an engine may refuse it."""
    return command.partition(" ")[0] in GENMOVE_ANALYZE


def genmove(engine: EngineInfo, colour: Colour, clock: Clock) -> Iterator[EngineRequest]:
    """The requests for a turn: the time left, if the engine lists the command, and ``genmove``.

    An engine that writes no info lines, but lists one of `GENMOVE_ANALYZE`, is asked by that: it
    states what it thinks of its turn, too.
    """
    left = told_left(clock, colour, engine.commands)
    if left is not None:
        yield EngineRequest(Purpose.HINT, left)
    yield EngineRequest(Purpose.GENMOVE, _genmove(engine, colour))


def without_analysis(engine: EngineInfo) -> EngineInfo:
    """An engine that refused one of `GENMOVE_ANALYZE`: it is asked by ``genmove`` from now on."""
    return attrs.evolve(engine, commands=engine.commands.difference(GENMOVE_ANALYZE))


def _genmove(engine: EngineInfo, colour: Colour) -> str:
    if "info_lines" not in engine.commands:
        for name in GENMOVE_ANALYZE:
            if name in engine.commands:
                # The others report at intervals, in hundredths of a second.
                interval = "" if name.startswith("cgos-") else f" {_INTERVAL}"
                return f"{name} {colour.letter}{interval}"
    return f"genmove {colour.letter}"
