"""Suggestions for misspelt names, and for those of other programs."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, NoReturn

from yoddd.gone import NAMES

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
    "csv": "--json, or report.json and games.jsonl in the folder of --out",
    "debug": "--log DIR",
    "dir": "cwd=D, with --first or --second",
    "draw": "nothing: there are no draws",
    "each": "--each KEY=VALUE, repeatable, and --clock",
    "engine": "an argument of match, such as './bot --level 3'",
    "epdin": "--openings FILE",
    "event": "name, in the file of yoddd tournament",
    "fcp": "the first argument of match",
    "gauntlet": "format, in the file of yoddd tournament",
    "initstr": "param.NAME=VALUE, which is set before each game",
    "inc": "--clock MAIN+INCREMENT",
    "komi": "nothing: no game here has one",
    "level": "param.level=N, with --first, --second or --each",
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
    "sprt": "--sprt elo0=A,elo1=B",
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
    "elo": "stats",
    "fastchess": "match",
    "ordo": "stats",
    "selfplay": "match",
    "server": "serve",
    "sprt": "stats",
    "tourney": "tournament",
    "twogtp": "match",
    "uci": "gtp",
    "view": "show",
}
"""Our commands by names that other programs have for the same."""

_CHESS: Final = {
    "Board()": "empty reset reset_board clear clear_board",
    "Board().position": "STARTING_FEN STARTING_BOARD_FEN starting_fen",
    "Board(board.position)": "clear_stack root",
    "Board(text)": "from_epd set_board_fen set_epd set_fen set_piece_at set_piece_map"
    " remove_piece_at",
    "Colour": "COLORS COLOR_NAMES Color",
    "Colour.BLACK": "BLACK",
    "Colour.WHITE": "WHITE",
    "EngineFailure": "EngineError",
    "EngineGone": "EngineTerminatedError",
    "GameRecord": "pgn",
    "IllegalTurn": "IllegalMoveError",
    "NotationError": "AmbiguousMoveError InvalidMoveError",
    "PASS": "null",
    "Stone": "Piece",
    "Turn": "Move",
    "Turn.parse(text, board)": "from_uci",
    "ask('list_params')": "options",
    "ask('name')": "ping",
    "board.svg()": "svg",
    "board.geometry.cell(label)": "parse_square square",
    "board.geometry.labels": "SQUARES SQUARE_NAMES square_name",
    "board[label]": "color_at piece_at piece_type_at",
    "close()": "quit",
    "history": "move_stack",
    "info": "id",
    "is_legal(turn)": "is_pseudo_legal",
    "is_over": "is_game_over is_variant_end",
    "legal_turns": "generate_legal_moves generate_pseudo_legal_moves legal_moves"
    " pseudo_legal_moves",
    "number": "fullmove_number ply",
    "outcome()": "is_checkmate is_stalemate is_variant_loss is_variant_win result",
    "outcome().reason": "Termination",
    "parse(text)": "find_move parse_san parse_uci parse_xboard",
    "player": "turn",
    "playouts": "depth nodes",
    "popen(command)": "popen_uci popen_xboard",
    "position": "board_fen epd fen",
    "push(text)": "push_san push_uci push_xboard san_and_push",
    "rules": "aliases uci_variant xboard_variant",
    "stones": "from_square to_square",
    "stones()": "occupied occupied_co piece_map pieces",
    "str(board)": "unicode",
    "str(turn)": "lan san uci variation_san xboard",
    "time": "black_clock black_inc white_clock white_inc",
    "yoddd.Limit": "Limit",
    "yoddd.SimpleEngine": "SimpleEngine engine",
}

CHESS: Final = {name: ours for ours, names in _CHESS.items() for name in names.split()}
"""Our names by those of python-chess for the same."""


def ours_for(name: str) -> str:
    """Return ours for a name of python-chess or of 0.2, for the end of a message, or nothing."""
    if name in NAMES:
        return f"; it was removed: {NAMES[name]}"
    return f"; for `{name}` of python-chess there is `{CHESS[name]}`" if name in CHESS else ""


def missing(owner: str, name: str) -> AttributeError:
    """The error of a module or class that has no such name."""
    return AttributeError(f"{owner} has no attribute {name!r}{ours_for(name)}")


class _AnsweringType(type):
    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> NoReturn:
            raise missing(cls.__name__, name)


class Answering(metaclass=_AnsweringType):
    """A class that answers names of python-chess, which it lacks, with ours."""

    __slots__ = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            raise missing(type(self).__name__, name)


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
