"""The commands that read and write SGF."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from yoddd.notation import (
    NotationError,
    SgfGame,
    parse_sgf,
    position_to_sgf,
    read_sgf_game,
    write_sgf,
)
from yoddd.notation.text import decode_sgf, describe_error, recode
from yoddd.protocol.arguments import parse_number
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import ANY, Args, CommandGroup, refuse_syntax
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.replies import TaskReply
from yoddd.protocol.turn_entry import TurnEntry
from yoddd.rules import PositionLike

_MAX_TURN: Final = 10**6

COMMANDS: Final = CommandGroup("set up")


@COMMANDS.command(
    "loadsgf",
    "SGF|FILE [N]",
    "set up the game of an SGF text, or the position before its turn N",
    8,
    arity=(1, ANY),
)
def _loadsgf(client: ClientState, args: Args) -> TaskReply:
    """Read the text, or the file, and play its turns in a task."""
    read, last = _source(client, args)

    def take(position: PositionLike) -> str:
        client.entry = TurnEntry(position)
        return ""

    return TaskReply(lambda _stop: _load(read, last), take)


def _source(client: ClientState, args: Args) -> tuple[Callable[[], str | bytes], int | None]:
    """Return a reader of the text, and how many turns to play; None means all."""
    words = list(args)
    with_number = len(words) > 1 and words[-1].isdigit()
    last = parse_number("turn", words.pop(), 1, _MAX_TURN) - 1 if with_number else None
    text = " ".join(words)
    if text.startswith("("):
        return lambda: text, last
    read_file = client.config.services.read_file
    if read_file is None:
        refuse_syntax("expected SGF text; this server opens no files")
    return lambda: read_file(text), last


def _load(read: Callable[[], str | bytes], last: int | None) -> PositionLike:
    try:
        game = _read_game(read())
    except (OSError, ValueError) as error:
        raise PeerError(Code.CANNOT_LOAD, describe_error(error)) from None
    for turn in game.turns[:last]:
        game.start.play(turn)
    return game.start


def _read_game(text: str | bytes) -> SgfGame:
    """Return the first game of an SGF text, which may contain no error anywhere."""
    problems: list[NotationError] = []
    if isinstance(text, bytes):
        charset, parts = decode_sgf([text])
        text, problems = recode("".join(parts), charset)
    trees, errors = parse_sgf(text)
    if not trees:
        errors.append(NotationError("no game tree"))
    _raise_first([*problems, *errors])
    game = read_sgf_game(trees[0])
    _raise_first(game.errors)
    return game


def _raise_first(errors: Sequence[NotationError]) -> None:
    if errors:
        raise errors[0]


@COMMANDS.command("printsgf", "", "the game so far as SGF", 64)
def _printsgf(client: ClientState, _args: Args) -> str:
    return write_sgf([position_to_sgf(client.position)])
