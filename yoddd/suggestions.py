"""Suggestions for misspelt names, and for those of other programs."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Final

_PAIRS: Final = "--pairs N; both games of a pair have swapped colours"

HABITS: Final[Mapping[str, str]] = {
    "affinity": "--affinity",
    "arg": "a word of the engine's command line: './bot A'",
    "args": "words of the engine's command line: './bot A B'",
    "auto": "--pairs N with --out FOLDER",
    "autosaveinterval": "nothing: each result is on the disk before the next game begins",
    "black": "the first argument of match: './bot --level 3'",
    "cmd": "an argument of match, such as './bot --level 3'",
    "compliance": "yoddd check ./bot",
    "conf": "conf:NAME, from the file of --engines",
    "config": "the same command with the same --out, or yoddd run resume FOLDER",
    "debug": "--log DIR",
    "dir": "cwd=D, with --first or --second",
    "draw": "nothing: there are no draws",
    "engine": "an argument of match, such as './bot --level 3'",
    "epdin": "--openings FILE",
    "event": "name, in the file of yoddd tournament",
    "fcp": "the first argument of match",
    "gauntlet": "format, in the file of yoddd tournament",
    "initstr": "param.NAME=VALUE, which is set before each game",
    "inc": "--clock MAIN+INCREMENT",
    "matchgames": "--games N",
    "maxmoves": "--max-turns N",
    "movetime": "--clock move=SECONDS",
    "nodes": "param.playouts=N",
    "noswap": _PAIRS,
    "option": "param.NAME=VALUE, with --first, --second or --each",
    "pgnin": "--openings FILE, an .sgf or .jsonl file of games",
    "pgnout": "--out FOLDER, with games.jsonl and an SGF file for each game",
    "plies": "--opening-turns N",
    "policy": "nothing: every encounter plays the same openings",
    "proto": "nothing: there is one protocol, GTP 2",
    "ratinginterval": "--every N",
    "recover": "--on-crash void",
    "repeat": _PAIRS,
    "report": "nothing: every report counts pairs",
    "reverse": _PAIRS,
    "rounds": _PAIRS,
    "scoreinterval": "--every N",
    "scp": "the second argument of match",
    "seeds": "the order of the engines in the file of yoddd tournament",
    "sgffile": "--out FOLDER, with an SGF file for each game",
    "site": "name, in the file of yoddd tournament",
    "size": "--board hexN",
    "srand": "--seed N",
    "st": "--clock move=SECONDS",
    "stderr": "--log DIR",
    "syzygy": "--adjudicate tables",
    "tb": "--adjudicate tables",
    "tc": "--clock 10+0.1",
    "time": "--clock 60+1",
    "timemargin": "--clock 60+1,margin=SECONDS",
    "tournament": "format, in the file of yoddd tournament",
    "use-affinity": "--affinity",
    "variant": "--game GAME@BOARD",
    "wait": "--on-crash void",
    "white": "the second argument of match",
}
"""What yoddd has for flags and keys of cutechess, fastchess, c-chess-cli and tools for GTP."""

COMMANDS: Final[Mapping[str, str]] = {
    "analyze": "analysis",
    "bayeselo": "stats",
    "compliance": "check",
    "cutechess": "match",
    "fastchess": "match",
    "ordo": "stats",
    "server": "serve",
    "sprt": "stats",
    "twogtp": "match",
    "uci": "gtp",
    "view": "show",
}
"""Our commands by names that other programs have for the same."""

CHESS: Final[Mapping[str, str]] = {
    "BLACK": "Colour.BLACK",
    "Move": "Turn",
    "WHITE": "Colour.WHITE",
    "fen": "position",
    "from_epd": "Board(text)",
    "generate_legal_moves": "legal_turns",
    "is_game_over": "is_over",
    "legal_moves": "legal_turns",
    "move_stack": "history",
    "parse_san": "parse(text)",
    "parse_uci": "parse(text)",
    "piece_at": "board[label]",
    "push_san": "push(text)",
    "push_uci": "push(text)",
    "result": "outcome()",
    "set_fen": "Board(text)",
    "turn": "player",
}
"""Our names by those of python-chess for the same."""


def ours_for(name: str) -> str:
    """Return ``; python-chess's … is …`` for one of its names, or nothing."""
    return f"; for `{name}` of python-chess there is `{CHESS[name]}`" if name in CHESS else ""


def habit(name: str) -> str:
    """Return ``; in yoddd NAME is …`` for a flag or key of another program, or nothing."""
    bare = name.lstrip("-").lower().partition("=")[0].partition(".")[0]
    return f"; in yoddd `{bare}` is {HABITS[bare]}" if bare in HABITS else ""


def did_you_mean(name: str, known: Iterable[str], likeness: float = 0.5) -> str:
    """Return ``; did you mean 'NAME'?`` with the known name that is most alike, or nothing.

    Args:
        name: as it was written.
        known: the names that exist.
        likeness: from 0 to 1, the least that the suggestion has to resemble `name`.
    """
    near = difflib.get_close_matches(name, list(known), 1, likeness)
    return f"; did you mean {near[0]!r}?" if near else ""
