"""Turns, positions, records and diagrams as text (layer 2)."""

from yoddd.notation.archives import ArchiveFormat, read_archive, write_archive
from yoddd.notation.errors import NotationError
from yoddd.notation.positions import diagram, format_position, parse_position
from yoddd.notation.reasons import FORFEITS, REASONS
from yoddd.notation.records import (
    GameRecord,
    dump_record,
    load_record,
    read_records,
    replay,
    rules_of,
)
from yoddd.notation.sgf import Node, parse_sgf, write_sgf
from yoddd.notation.sgf_games import SgfGame, position_to_sgf, read_sgf_game, record_to_sgf
from yoddd.notation.sgf_records import sgf_to_record
from yoddd.notation.turns import format_stone, format_turn, parse_stone, parse_turn

__all__ = [
    "FORFEITS",
    "REASONS",
    "ArchiveFormat",
    "GameRecord",
    "Node",
    "NotationError",
    "SgfGame",
    "diagram",
    "dump_record",
    "format_position",
    "format_stone",
    "format_turn",
    "load_record",
    "parse_position",
    "parse_sgf",
    "parse_stone",
    "parse_turn",
    "position_to_sgf",
    "read_archive",
    "read_records",
    "read_sgf_game",
    "record_to_sgf",
    "replay",
    "rules_of",
    "sgf_to_record",
    "write_archive",
    "write_sgf",
]
