"""The commands that set up a game: the game, the board, the position and the time control."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Final

from yoddd.board import BoardError, Geometry, geometry
from yoddd.engine import MOST, UNTIMED, StopFlag, TimeLeft, TimeSettings, balanced_start
from yoddd.kernel import best_position
from yoddd.notation import NotationError, format_position, parse_position
from yoddd.protocol.arguments import (
    number_setting,
    parse_decimal,
    parse_number,
    parse_player,
    parse_seconds,
    parse_settings,
)
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, CommandGroup, refuse_illegal, refuse_syntax
from yoddd.protocol.commands.play import replace_after
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.parameters import MAX_SEED
from yoddd.protocol.replies import CommandReply, TaskReply
from yoddd.protocol.turn_entry import TurnEntry
from yoddd.rules import IllegalPosition, Position, Rules, find_game, make_rules
from yoddd.rules.game import rules_of

_MAX_SIZE: Final = 10**9

COMMANDS: Final = CommandGroup("set up")


@COMMANDS.command("game", "NAME [BOARD] [OPTION=VALUE...]", "start a game on an empty board", 2)
def _game(client: ClientState, args: Args) -> str:
    name, *rest = args
    board = rest.pop(0) if rest and "=" not in rest[0] else None
    if board is not None:
        _board(board)
    client.start_game(make_rules(name, board, parse_settings(rest)))
    return ""


def _board(name: str) -> Geometry:
    try:
        return geometry(name)
    except BoardError as error:
        raise PeerError(Code.SIZE, str(error)) from None


@COMMANDS.command(
    "boardsize", "N", "the same game and options on an empty board of another size", 2
)
def _boardsize(client: ClientState, args: Args) -> str:
    side = parse_number("size", args[0], 0, _MAX_SIZE)
    rules = client.rules
    try:
        chosen = client.spelling.rules_for_side(side)
    except BoardError as error:
        raise PeerError(Code.SIZE, str(error)) from None
    if chosen is None:
        raise PeerError(Code.SIZE, f"GoGui draws hexagons of an odd number of columns, not {side}")
    client.start_game(rules_of(rules.game, chosen.geometry.name, rules.options()))
    return ""


@COMMANDS.command("clear_board", "", "back to the empty board")
def _clear_board(client: ClientState, _args: Args) -> str:
    client.start_game(client.rules)
    return ""


@COMMANDS.command("komi", "X", "accepted for Go programs, without effect")
def _komi(_client: ClientState, args: Args) -> str:
    try:
        float(args[0])
    except ValueError:
        refuse_syntax(f"komi {args[0]!r}: expected a number")
    return ""


@COMMANDS.command("rules", "", "the rules in force, as JSON", 4)
def _rules(client: ClientState, _args: Args) -> str:
    return json.dumps(describe(client.rules), ensure_ascii=False)


@COMMANDS.command("describe", "NAME", "the description of a game, as JSON", 4)
def _describe(_client: ClientState, args: Args) -> str:
    return json.dumps(find_game(args[0]).description())


def describe(rules: Rules) -> dict[str, object]:
    """Return the rules in the form of protocol/schemas/rules.schema.json."""
    game, where = rules.game, rules.geometry
    return {
        "game": game.name,
        "title": game.title,
        "designer": game.designer,
        "board": where.name,
        "shape": str(where.shape),
        "size": where.size,
        "cells": where.cells,
        "options": rules.options(),
        "min_stones": rules.facts.stones[0],
        "max_stones": rules.facts.stones[1],
        "first_turn_stones": rules.facts.first,
        "odd_total": rules.facts.groups == "odd",
        "own_colour": rules.only_own,
        "pass": rules.has_pass,
        "swap": rules.pie,
    }


@COMMANDS.command(
    "position",
    "[startpos|POSITION [moves TURN...]|random [fill=F] [seed=N]]",
    "print the position, or set one up and play turns on it, or fill a part of the board",
    64,
)
def _position(client: ClientState, args: Args) -> CommandReply:
    if not args:
        return format_position(client.position)
    lowered = [word.lower() for word in args]
    if lowered[0] == "random":
        return _random_start(client, lowered[1:])
    cut = lowered.index("moves") if "moves" in lowered else len(args)
    start = _start(client, lowered[:cut])
    moves = [(None, token) for token in args[cut + 1 :]]
    return replace_after(client, start, moves)


def _start(client: ClientState, words: list[str]) -> TurnEntry:
    if words == ["startpos"]:
        return TurnEntry(best_position()(client.rules))
    try:
        return TurnEntry(parse_position(" ".join(words), best_position()))
    except NotationError as error:
        refuse_syntax(f"column {error.column}: {error.reason}")


def _random_start(client: ClientState, words: list[str]) -> TaskReply:
    settings = parse_settings(words, ("fill", "seed"))
    fill = parse_decimal("fill", settings.get("fill", "0.5"), 0, MOST)
    drawn = client.parameters.search_seed(1, client.config.services)
    seed = number_setting(settings, "seed", drawn, MAX_SEED)
    rules, searcher = client.rules, client.config.services.engines[client.parameters.engine]()

    def work(stop: StopFlag) -> Position:
        try:
            return balanced_start(rules, fill, seed, searcher, stop)
        except IllegalPosition as error:
            refuse_illegal(str(error))

    def finish(found: Position) -> str:
        replace_after(client, TurnEntry(found), ())
        return format_position(client.position)

    return TaskReply(work, finish)


_LONGEST: Final = 1e9
_MAX_STONES: Final = 10_000

CLOCK: Final = CommandGroup("engine")


def _seconds(text: str) -> float:
    return parse_seconds("time", text, _LONGEST)


def _stones(text: str) -> int:
    return parse_number("stones", text, 0, _MAX_STONES)


def _overtime(main: float, period: float, stones: int) -> TimeSettings:
    """Read GTP's settings: a period without stones is no limit, no period is absolute time."""
    if period and not stones:
        return UNTIMED
    return TimeSettings(main, 0.0, period, stones if period else 0)


def _fischer(words: Args) -> TimeSettings:
    return TimeSettings(_seconds(words[0]), _seconds(words[1]))


_KINDS: Final[Mapping[str, tuple[int, Callable[[Args], TimeSettings]]]] = {
    "none": (0, lambda _words: UNTIMED),
    "absolute": (1, lambda words: TimeSettings(_seconds(words[0]))),
    "byoyomi": (
        3,
        lambda words: _overtime(
            _seconds(words[0]), _seconds(words[1]), min(1, parse_number("periods", words[2], 0, 99))
        ),
    ),
    "canadian": (
        3,
        lambda words: _overtime(_seconds(words[0]), _seconds(words[1]), _stones(words[2])),
    ),
    "fischer": (2, _fischer),
    "fischer-capped": (4, _fischer),
}
"""For each kind of time control, how many numbers follow it and how to read them.

The periods of ``byoyomi`` after the first, and the caps of ``fischer-capped``, are ignored: a
search that does not use them is never late for it.
"""


def _set(client: ClientState, settings: TimeSettings) -> str:
    client.time = settings
    client.left.clear()
    return ""


@CLOCK.command(
    "time_settings",
    "MAIN PERIOD STONES",
    "the time control: seconds, seconds of byo-yomi, turns in them",
)
def _time_settings(client: ClientState, args: Args) -> str:
    return _set(client, _overtime(_seconds(args[0]), _seconds(args[1]), _stones(args[2])))


@CLOCK.command(
    "kata-time_settings",
    "KIND [SECONDS]...",
    "the time control: none, absolute, byoyomi, canadian, fischer or fischer-capped",
)
def _kata_time_settings(client: ClientState, args: Args) -> str:
    kind, *words = args
    found = _KINDS.get(kind.lower())
    if found is None:
        refuse_syntax(f"time control {kind!r}: expected one of {', '.join(_KINDS)}")
    count, read = found
    if len(words) != count:
        refuse_syntax(f"{kind.lower()}: expected {count} numbers")
    return _set(client, read(tuple(words)))


@CLOCK.command("time_left", "PLAYER SECONDS STONES", "what a player has left")
def _time_left(client: ClientState, args: Args) -> str:
    player = parse_player(args[0])
    stones = _stones(args[2])
    # In periods of one turn, as byo-yomi has them, the number is that of the periods left.
    stones = min(1, stones) if client.time.stones == 1 else stones
    client.left[player] = TimeLeft(_seconds(args[1]), stones)
    return ""
