"""The games in force by their names: those of the program, and those that files add."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from yoddd.rules.description import LARGEST, DescriptionError, read_game
from yoddd.rules.facts import difference
from yoddd.rules.game import Game, Options, Rules, RulesError, rules_of

BUILT_IN: Final = ("yodd", "xodd", "odd", "yoin", "product")
"""The names of the games that come with the program."""

_VARIABLE: Final = "YODDD_RULES_"
"""With a name: the environment variable by which a process passes a game on to its children."""


def _read(path: Traversable, taken: Iterable[str] = ()) -> Game:
    with path.open("rb") as file:  # one byte more than is read, so that it is refused
        return read_game(file.read(LARGEST + 1), str(path), [*taken])


GAMES: Final[dict[str, Game]] = {
    name: _read(files("yoddd.rules").joinpath("data", f"{name}.toml")) for name in BUILT_IN
}
"""Every game by name, in the order in which everything lists them."""


def read_described(description: dict[str, Any] | str) -> Game:
    """The game of a description that a record, a peer or a parent process gives.

    Raises:
        DescriptionError: it is refused.
    """
    return _read_text(description if isinstance(description, str) else json.dumps(description))


@lru_cache
def _read_text(text: str) -> Game:
    # JSON takes up to four times the bytes of the same tables as TOML.
    return read_game(text, "description", BUILT_IN, 4 * LARGEST)


_INHERITED: Final = {
    game.name: game
    for variable, text in os.environ.items()
    if variable.startswith(_VARIABLE)
    for game in [read_described(text)]
}
GAMES.update(_INHERITED)


def add_game(game: Game) -> None:
    """Put a game in force in this process and in those that it starts from now on."""
    GAMES[game.name] = game
    if game.name not in BUILT_IN:
        os.environ[_VARIABLE + game.name] = json.dumps(game.description())


def load_game_files(paths: Iterable[Path]) -> list[Game]:
    """Put the games of files in force, or none of them.

    Raises:
        DescriptionError: one is refused, or its name is that of another game.
        OSError: one cannot be read.
    """
    found: dict[str, Game] = {}
    for path in paths:
        game = _read(path, BUILT_IN)
        other = found.get(game.name) or GAMES.get(game.name)
        if other not in (None, game, _INHERITED.get(game.name)):
            _read(path, [game.name])  # refuses the name at its line
        found[game.name] = game
    for game in found.values():
        add_game(game)
    return [*found.values()]


def load_game_file(path: str | os.PathLike[str]) -> Game:
    """Put the game of one file in force, in place of any other file's game of that name.

    Raises:
        DescriptionError: it is refused.
        OSError: it cannot be read.
    """
    game = _read(Path(path), BUILT_IN)
    add_game(game)
    return game


def compare(here: Game, there: Game) -> str:
    """The first difference between the rules of two games of one name; empty without one."""
    if found := difference(here.facts, there.facts):
        return found
    ours, theirs = ([(one.name, one.sets, one.values) for one in x.options] for x in (here, there))
    return "" if ours == theirs else "its options differ"


def meet_games(descriptions: Iterable[dict[str, Any]]) -> None:
    """Put the games of another process in force here too.

    Raises:
        RulesError: the name of one is that of a game with other rules here.
    """
    for description in descriptions:
        game = read_described(description)
        if found := compare(GAMES.setdefault(game.name, game), game):
            raise RulesError(f"{game.name} has other rules: {found}")
        add_game(GAMES[game.name])


def described(game: Game) -> dict[str, Any] | None:
    """The description that goes with the name of a game; None for one that every yoddd has."""
    return None if game.name in BUILT_IN else game.description()


def find_game(name: str) -> Game:
    """The game of this name.

    Raises:
        RulesError: there is none.
    """
    found = GAMES.get(name.lower())
    if found is None:
        raise RulesError(f"no game {name!r}: expected one of {', '.join(GAMES)}", "game")
    return found


def make_rules(
    game: str,
    board: str | None = None,
    options: Options | None = None,
    description: dict[str, Any] | None = None,
) -> Rules:
    """The rules of ``game`` on ``board`` (its default where None) with ``options``.

    An option's value is its text, such as ``on`` or ``7``, or the bool or number itself.

    Args:
        game: the name.
        board: the board.
        options: values of options by name.
        description: of the game, which need not be in force then.

    Raises:
        RulesError: an unknown game, board or option, a board of the wrong shape, or a combination
            that cannot be played or may end in a draw; or the description is of another game.
    """
    if description is None:
        return rules_of(find_game(game), board, options or {})
    try:
        found = read_described(description)
    except DescriptionError as error:
        raise RulesError(str(error), "description") from None
    if found.name != game.lower():
        raise RulesError(f"it describes {found.name}, not {game}", "description")
    return rules_of(found, board, options or {})
