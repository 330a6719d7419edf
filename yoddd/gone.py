"""Names of 0.2 that are gone, with what is instead; they are read until 0.4."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Final

_SOLVED: Final = "small boards are solved when they are needed, without a setting"

GONE: Final[Mapping[str, str]] = {
    "tables": _SOLVED,
    "build_tables": _SOLVED,
    "--tables": _SOLVED,
    "--build-tables": _SOLVED,
}
"""Keys, parameters and options with a value (``--NAME``) that have no effect but a warning."""

RENAMED: Final[Mapping[str, str]] = {
    "ladder.games": "ladder.concurrency",
    "limits.tables": "limits.games",
    "limits.own_tables": "limits.own_games",
    "threads": "searches",
}
"""Keys of a daemon by their old names; they are read with a warning."""

_CLUSTER: Final = "play on several machines with --cluster"
_STILL: Final = "draw positions with --turn"
_AT_ONCE: Final = "use --concurrency"
_REPLY: Final = "use --reply"
_FORMAT: Final = "use --format"
_WEIGH: Final = "play a match against builtin:mcts"

REMOVED: Final[Mapping[str, str]] = {
    "play": "play on the page of `yoddd serve`",
    "report": "measure a game with `yoddd tournament` and `yoddd stats`",
    "setup-shell": "print the completion of a shell as docs/how-to/install.md says",
    "merge": _CLUSTER,
    "table": "look positions up with `yoddd solve`, or `probe` in `yoddd gtp`",
    "puzzles make": "solve the puzzles that come with the program",
    "check --strength": _WEIGH,
    "check --seconds": _WEIGH,
    "match --shard": _CLUSTER,
    "tournament --shard": _CLUSTER,
    "render --animate": _STILL,
    "render --seconds": _STILL,
    "show --colour": "the board is shown as text",
    "ladder": "pair attached engines with `yoddd serve --ladder GAMES`",
    "serve --threads": "use --searches",
    "match --output": _FORMAT,
    "tournament --output": _FORMAT,
    "resume --output": _FORMAT,
    "match --window": "use --resume",
    "check --patience": _REPLY,
    "tune --timeout": _REPLY,
    "tune --move": "use --seconds",
    "tune --set": "use --each param.NAME=VALUE",
    "tune --processes": _AT_ONCE,
    "train --processes": _AT_ONCE,
    "game --processes": _AT_ONCE,
    "analysis --threads": _AT_ONCE,
    "review --threads": _AT_ONCE,
}
"""Commands and options, as on a command line, that only say what to use instead."""


COMMANDS: Final[Mapping[str, str]] = {
    "attached": "`who` lists the engines too",
    "gg-undo": "use `undo N`",
    "gogui-groups": "use `groups list`",
    "gogui-last_search": "use `info_lines on` or `analyze`",
    "gogui-winrates": "use `info_lines on` or `analyze`",
    "kata-get-param": "use `get_param NAME`",
    "kata-list_time_settings": "see `help kata-time_settings`",
    "kata-set-param": "use `set_param NAME VALUE`",
    "resign": "use `play PLAYER resign`",
    "swap": "use `play w swap`",
}
"""Commands of the protocol, without a prefix, that only say what to use instead."""

_STATES: Final = "play a `State` for each game, as docs/examples/alphazero.py does"

NAMES: Final[Mapping[str, str]] = {
    "GameBatch": _STATES,
    "VectorGames": _STATES,
    "twist yoddd": "use yoddd serve, with the same options",
}
"""Names of the library, and the command of Twisted, that only say what to use instead."""


def removal(name: str, removed: Mapping[str, str] = REMOVED) -> str:
    """Return the refusal of a name of `REMOVED`, or of another table like it."""
    return f"{name.rpartition(' ')[2]} was removed: {removed[name]}"


def warning(name: str) -> str:
    """Return the warning about a name of `GONE`."""
    return f"{name} is gone and has no effect: {GONE[name]}"


def without_gone(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values without removed keys, with a FutureWarning for each of these."""
    for name in GONE.keys() & values.keys():
        warnings.warn(warning(name), FutureWarning, stacklevel=2)
    return {name: value for name, value in values.items() if name not in GONE}
