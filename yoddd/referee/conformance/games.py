"""Whole games against an examiner that plays random legal turns."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from yoddd.notation import NotationError, format_turn, parse_turn
from yoddd.protocol.controller import Handshake
from yoddd.protocol.errors import one_line
from yoddd.referee.conformance.law import Moves
from yoddd.referee.conformance.script import Failed, Interview, Script, Skipped
from yoddd.referee.conformance.terms import Knowledge, small_game
from yoddd.referee.game.clock import NO_LIMIT
from yoddd.referee.game.engine_requests import EngineState, Purpose, set_up
from yoddd.referee.game.engine_text import turn_hint
from yoddd.rules import (
    GAMES,
    PASS,
    SWAP,
    Colour,
    Position,
    PositionLike,
    Rules,
    Turn,
    TurnKind,
    make_rules,
)

_PASSES: Final = 0.1
_SINGLES: Final = 0.3
"""The parts of the examiner's random turns that are passes or swaps, and single stones."""

NAMES: Final = tuple(GAMES)
Run = Callable[[Interview, Knowledge], Script[str]]


class Misjudged(Failed):
    """The engine takes a legal turn for illegal, an illegal one for legal, or counts wrongly.

    Attributes:
        position: in which it does.
        turn: the turn; None if it is unknown.
    """

    def __init__(self, text: str, position: PositionLike, turn: Turn | None = None) -> None:
        super().__init__(text)
        self.position = position
        self.turn = turn


def runs(name: str) -> Iterator[tuple[Colour, Run]]:
    """The scripts of the game called ``name``, the engine beginning as either colour."""
    for colour in Colour:
        yield colour, partial(_run, name=name, colour=colour)


def _run(interview: Interview, knowledge: Knowledge, *, name: str, colour: Colour) -> Script[str]:
    declared = knowledge.declared.games
    if declared and name not in declared and not knowledge.terms.games:
        raise Skipped(f"refuses {name}: attaches with games={','.join(declared)}")
    if name in knowledge.refused:
        raise Skipped(f"refuses {name}: {knowledge.refused[name]}")
    rules = next((rules for rules in knowledge.games if rules.game.name == name), None)
    if rules is None:
        raise Skipped("not asked for" if knowledge.terms.games else "lists no `game`, plays Yodd")
    rules_of(knowledge)
    return (yield from _play(interview, knowledge, rules, colour))


def rules_of(knowledge: Knowledge) -> Rules:
    """The first game of the examination.

    Raises:
        Skipped: there is none, or the engine plays one of several and cannot be told which.
    """
    if not knowledge.games:
        raise Skipped("refuses all games")
    if not knowledge.lists("game") and len(knowledge.games) > 1:
        raise Skipped("lists no `game`; name the one that it plays with --game")
    return knowledge.games[0]


def shake_hands(interview: Interview, knowledge: Knowledge) -> Script[None]:
    """Ask an engine for its name and its commands."""
    handshake = Handshake()
    while handshake.command is not None:
        reply, _ = yield from interview.ask(handshake.command)
        if not reply.ok or not reply.text:
            raise Failed(f"`{reply.command}`: no answer")
        knowledge.engine = handshake.answer(reply)


def find_games(interview: Interview, knowledge: Knowledge) -> Script[None]:
    """Ask an engine that lists ``game`` which games it plays, unless they were asked for.

    It declares them by its answers: a refusal is no fault, if it plays another. One that attaches
    with ``games=`` has declared them, and is asked for those alone.
    """
    if knowledge.terms.games is not None or not knowledge.lists("game"):
        return
    accepted: list[Rules] = []
    declared = knowledge.declared
    names = declared.games or NAMES
    for name in names:
        boards = [rules.geometry for rules in (small_game(name), make_rules(name))]
        fitting = [one for one in boards if declared.has_board(one)]
        others = [low for low, _ in declared.boards if low.shape in GAMES[name].boards]
        knowledge.refused[name] = f"attaches with {' '.join(declared.words)}"
        for board in fitting or others:
            rules = make_rules(name, board.name)
            request = f"game {name} {rules.geometry.name}"
            reply, _ = yield from interview.ask(request)
            if reply.ok:
                accepted.append(rules)
                break
            knowledge.refused[name] = one_line(reply.text)[:60]
        if accepted and accepted[-1].game.name == name:
            knowledge.refused.pop(name, None)
    knowledge.accepted = tuple(accepted)
    if not accepted:
        raise Failed(f"lists `game`, but refuses every game: {knowledge.refused[names[0]]}")


def _play(interview: Interview, knowledge: Knowledge, rules: Rules, colour: Colour) -> Script[str]:
    """One game; after a swap the engine has the other colour."""
    yield from set_up_game(interview, knowledge, rules)
    rng = random.Random(knowledge.terms.seed)
    position, mine = Position(rules), colour
    while not position.is_over:
        interview.position = position
        if position.player is mine:
            turn = yield from engine_turn(interview, position, knowledge.terms.move)
        else:
            turn = random_turn(position, rng)
            token = format_turn(turn, rules)
            reply, _ = yield from interview.ask(f"play {position.player.letter} {token}")
            if not reply.ok:
                raise Misjudged(
                    f"turn {position.number}: the legal `{reply.command}` is refused: "
                    f"{reply.text[:60]}",
                    position,
                    turn,
                )
        position.play(turn)
        if turn.kind is TurnKind.SWAP:
            mine = mine.opponent
    yield from interview.demand("clear_board")
    yield from engine_turn(interview, Position(rules), knowledge.terms.move)
    return f"{len(position.history)} turns on {rules.geometry.name}"


def random_turn(position: Position, rng: random.Random) -> Turn:
    """A random legal turn; not uniform, since to list all pairs of a large board takes a second."""
    others = [turn for turn in (PASS, SWAP) if position.is_legal(turn)]
    stones = position.legal_stones()
    if not stones or (others and rng.random() < _PASSES):
        return rng.choice(others)
    first = rng.choice(stones)
    seconds = position.legal_seconds(first)
    single = Turn.drop(first)
    if position.is_legal(single) and (not seconds or rng.random() < _SINGLES):
        return single
    return Turn.drop(first, rng.choice(seconds))


def drawn_turn(position: Position, rng: random.Random) -> Turn:
    """A random legal turn, as `random_turn`; White swaps half of the time."""
    if position.is_legal(SWAP) and rng.random() < 1 / 2:
        return SWAP
    return random_turn(position, rng)


def drawn_game(rules: Rules, rng: random.Random, turns: int) -> Position:
    """The position after so many random turns, or fewer if they end the game."""
    position = Position(rules)
    while not position.is_over and len(position.history) < turns:
        position.play(drawn_turn(position, rng))
    return position


def begun_game(rules: Rules, rng: random.Random, turns: int) -> Position:
    """The position after so many random turns, or after fewer, before the game ends."""
    position = drawn_game(rules, rng, turns)
    while position.is_over:
        position.undo()
    return position


def moves_of(position: PositionLike) -> Moves:
    """The turns of a game, with their players."""
    replayed = Position(position.rules)
    moves = []
    for turn in position.history:
        moves.append((replayed.player, format_turn(turn, position.rules)))
        replayed.play(turn)
    return tuple(moves)


def set_up_game(interview: Interview, knowledge: Knowledge, rules: Rules) -> Script[None]:
    """Set up a game on the empty board."""
    if knowledge.engine is None:
        return
    params = knowledge.terms.params
    state = EngineState(
        rules=rules, control=NO_LIMIT, start=None, turns=(), seed=None, params=params
    )
    for request in set_up(knowledge.engine, state):
        if request.purpose not in (Purpose.HINT, Purpose.RULES):
            yield from interview.demand(request.command)


def engine_turn(interview: Interview, position: PositionLike, limit: float) -> Script[Turn]:
    """The turn that the engine chooses, which has to be legal."""
    interview.position = position
    where = f"turn {position.number}"
    request = f"genmove {position.player.letter}"
    stuck = "; only `pass` is legal on a full board" if position.is_full else ""
    try:
        reply, _ = yield from interview.ask(request, limit)
    except Failed as failure:
        raise Failed(f"{failure}{stuck}") from None
    shown = one_line(reply.text)[:60]
    if not reply.ok:
        raise Misjudged(f"{where}: `genmove` refused: {shown}{stuck}", position)
    if not shown:
        raise Failed(f"{where}: `genmove` answers without a turn")
    try:
        turn = parse_turn(reply.text, position.rules, position.player)
    except NotationError as error:
        hint = turn_hint(reply.text, position.rules.geometry)
        text = f"{where}: {shown!r} is no turn: {error.reason}{hint}"
        raise Misjudged(text, position) from None
    problem = position.illegality(turn)
    if problem is not None:
        raise Misjudged(f"{where}: {shown} is illegal: {problem}", position, turn)
    if turn.kind is TurnKind.RESIGN and position.number <= len(Colour):
        raise Failed(f"{where}: resigned in its first turn")
    return turn
