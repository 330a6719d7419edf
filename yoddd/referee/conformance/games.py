"""Whole games against an examiner that plays random legal turns."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from yoddd.notation import NotationError, format_turn, parse_turn
from yoddd.referee.clock import NO_LIMIT
from yoddd.referee.conformance.script import Failed, Interview, Script, Skipped
from yoddd.referee.conformance.terms import Knowledge
from yoddd.referee.engine_requests import EngineState, Purpose, set_up
from yoddd.rules import GAMES, Colour, Position, PositionLike, Rules, Turn, TurnKind

NAMES: Final = tuple(GAMES)
Run = Callable[[Interview, Knowledge], Script[str]]


def runs(name: str) -> Iterator[tuple[Colour, Run]]:
    """The scripts of the game called ``name``, the engine beginning as either colour."""
    for colour in Colour:
        yield colour, partial(_run, name=name, colour=colour)


def _run(interview: Interview, knowledge: Knowledge, *, name: str, colour: Colour) -> Script[str]:
    rules = next((rules for rules in knowledge.terms.games if rules.game.name == name), None)
    if rules is None:
        raise Skipped("not asked for")
    rules_of(knowledge)
    return (yield from _play(interview, knowledge, rules, colour))


def rules_of(knowledge: Knowledge) -> Rules:
    """The first game of the examination.

    Raises:
        Skipped: the engine plays one of several, and cannot be told which.
    """
    if not knowledge.lists("game") and len(knowledge.terms.games) > 1:
        raise Skipped("lists no `game`; say with --game what it plays")
    return knowledge.terms.games[0]


def _play(interview: Interview, knowledge: Knowledge, rules: Rules, colour: Colour) -> Script[str]:
    """One game; after a swap the engine has the other colour."""
    yield from set_up_game(interview, knowledge, rules)
    rng = random.Random(knowledge.terms.seed)
    position, mine = Position(rules), colour
    while not position.is_over:
        if position.player is mine:
            turn = yield from engine_turn(interview, position, knowledge.terms.move)
        else:
            turn = rng.choice(list(position.legal_turns()))
            token = format_turn(turn, rules)
            yield from interview.demand(f"play {position.player.letter} {token}")
        position.play(turn)
        if turn.kind is TurnKind.SWAP:
            mine = mine.opponent
    yield from interview.demand("name")
    return f"{len(position.history)} turns on {rules.geometry.name}"


def set_up_game(interview: Interview, knowledge: Knowledge, rules: Rules) -> Script[None]:
    """Set up a game on the empty board."""
    if knowledge.engine is None:
        return
    params = knowledge.terms.params
    state = EngineState(
        rules=rules, control=NO_LIMIT, start=None, turns=(), seed=None, params=params
    )
    for request in set_up(knowledge.engine, state):
        if request.purpose is not Purpose.HINT:
            yield from interview.demand(request.command)


def engine_turn(interview: Interview, position: PositionLike, limit: float) -> Script[Turn]:
    """The turn that the engine chooses, which has to be legal."""
    where = f"turn {position.number}"
    reply, _ = yield from interview.ask(f"genmove {position.player.letter}", limit)
    if not reply.ok:
        raise Failed(f"{where}: `genmove` refused: {reply.text[:60]}")
    try:
        turn = parse_turn(reply.text, position.rules, position.player)
    except NotationError as error:
        raise Failed(f"{where}: {reply.text[:60]!r} is no turn: {error.reason}") from None
    problem = position.illegality(turn)
    if problem is not None:
        raise Failed(f"{where}: {reply.text[:60]} is illegal: {problem}")
    if turn.kind is TurnKind.RESIGN and position.number <= len(Colour):
        raise Failed(f"{where}: resigned in its first turn")
    return turn
