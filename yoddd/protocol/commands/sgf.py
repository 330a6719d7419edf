"""Games as SGF."""

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
from yoddd.protocol.command import ANY, Args, Client, Command, Task, refuse_syntax
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.words import parse_number
from yoddd.rules import PositionLike

_MAX_TURN: Final = 10**6


def _loadsgf(client: Client, args: Args) -> Task:
    """The text is read and played in the task; a file too."""
    read, last = _source(client, args)

    def take(position: PositionLike) -> str:
        client.position = position
        return ""

    return Task(lambda _stop: _load(read, last), take)


def _source(client: Client, args: Args) -> tuple[Callable[[], str], int | None]:
    """How to come by the text, and how many turns of it are wanted; None means all."""
    words = list(args)
    with_number = len(words) > 1 and words[-1].isdigit()
    last = parse_number("turn", words.pop(), 1, _MAX_TURN) - 1 if with_number else None
    text = " ".join(words)
    if text.startswith("("):
        return lambda: text, last
    read_file = client.config.read_file
    if read_file is None:
        refuse_syntax("expected SGF text; this server opens no files")
    return lambda: read_file(text), last


def _load(read: Callable[[], str], last: int | None) -> PositionLike:
    try:
        game = _read_game(read())
    except (OSError, ValueError) as error:
        raise PeerError(Code.CANNOT_LOAD, str(error)) from None
    for turn in game.turns[:last]:
        game.start.play(turn)
    return game.start


def _read_game(text: str) -> SgfGame:
    """The first game of an SGF text, which has to be in order from end to end."""
    trees, errors = parse_sgf(text)
    if not trees:
        errors.append(NotationError("no game tree"))
    _raise_first(errors)
    game = read_sgf_game(trees[0])
    _raise_first(game.errors)
    return game


def _raise_first(errors: Sequence[NotationError]) -> None:
    if errors:
        raise errors[0]


def _printsgf(client: Client, _args: Args) -> str:
    return write_sgf([position_to_sgf(client.position)])


COMMANDS: Final = (
    Command(
        "loadsgf",
        "set up",
        "SGF|FILE [N]",
        "set up the game of an SGF text, or the position before its turn N",
        _loadsgf,
        (1, ANY),
        8,
    ),
    Command("printsgf", "set up", "", "the game so far as SGF", _printsgf, cost=64),
)
