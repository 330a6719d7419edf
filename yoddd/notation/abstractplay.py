"""Abstract Play's JSON game record, both ways.

Source: the schema ``gamerecord/1-0-0`` of the project's ``recranks`` repository. A record has a
header and rounds of one move per seat. Yodd on hexhex and on square boards is one game there, its
moves are spelled as ours are, and a game ends with a full board. The header may hold additional
keys: ``yoddd`` keeps what the schema has no place for. Only the pair, leg and attempt of a
tournament game are lost.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from yoddd.notation.errors import NotationError
from yoddd.notation.imports import Found, conclude
from yoddd.notation.positions import parse_position
from yoddd.notation.records import GameRecord, decode_object, rules_of, start_of
from yoddd.notation.turns import parse_turn
from yoddd.rules import GAMES, Colour, IllegalTurn, Position, PositionLike, RulesError, make_rules

SITE: Final = "Abstract Play"
"""The site in records that the server itself wrote."""

OUR_SITE: Final = "yoddd"

_BOARD: Final = re.compile(r"(hex|square)[^0-9]{0,20}([0-9]{1,2})", re.ASCII | re.IGNORECASE)
_KEPT: Final = ("times", "reason", "detail", "score", "clock", "opening", "seed")
_SEATS: Final = 2
_TIMEOUT: Final = "timeout"
"""The move that the server writes for a turn that was not played in time."""


def record_to_abstractplay(record: GameRecord, generated: str) -> dict[str, Any]:
    """The JSON object of a record.

    Args:
        record: a finished game.
        generated: when this is written, as ISO 8601.
    """
    rules = rules_of(record)
    where = rules.geometry
    kept = {key: getattr(record, key) for key in _KEPT}
    header: dict[str, Any] = {
        "game": {"name": _title(record.game), "variants": [f"{where.shape}-{where.size}"]},
        "site": {"name": OUR_SITE, "gameid": record.id},
        "date-start": record.started,
        "date-end": record.ended,
        "date-generated": generated,
        "players": [
            {"name": record.black, "result": int(record.winner == "b")},
            {"name": record.white, "result": int(record.winner == "w")},
        ],
        "yoddd": {"game": record.game, "options": rules.options(), **kept},
    }
    if record.position:
        header["startingPosition"] = record.position
    # Seats alternate without exception, also at a swap, so rounds of two seats always fit.
    seats: list[str | None] = [None] if start_of(record).player is Colour.WHITE else []
    seats += record.turns
    rounds = [seats[at : at + _SEATS] for at in range(0, len(seats), _SEATS)]
    return {"header": header, "moves": rounds}


def _title(game: str) -> str:
    return GAMES["yodd" if game == "xodd" else game].title


def load_abstractplay(text: str, fallback_id: str, on: type[PositionLike] = Position) -> GameRecord:
    """Read the JSON object of one game.

    Args:
        text: the object.
        fallback_id: names the game where the file does not.
        on: the class of positions that the turns are played on.

    Raises:
        NotationError: not JSON, not such a record, or a game that we do not know or that is not
            decided; line and column of invalid JSON are counted from the object's beginning.
    """
    value = decode_object(text)
    try:
        return _Reader(value, fallback_id, on).record()
    except NotationError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        # The input is not validated against the schema, so any of its keys may be missing.
        raise NotationError(f"not a game record: {error!r}") from None


class _Reader:
    """Interprets one object."""

    def __init__(self, value: dict[str, Any], fallback_id: str, on: type[PositionLike]) -> None:
        self._header = value["header"]
        self._ours = self._header.get("yoddd") or {}
        self._moves = value["moves"]
        self._fallback_id = fallback_id
        self._on = on

    def record(self) -> GameRecord:
        header = self._header
        start = self._start()
        final, forfeit = self._play(start)
        site = header["site"]
        names = [str(player["name"]) for player in header["players"]]
        if len(names) != _SEATS:
            raise NotationError(f"{len(names)} players")
        kept = {key: self._ours[key] for key in _KEPT if self._ours.get(key) is not None}
        if "times" in kept:
            kept["times"] = tuple(kept["times"])
        if forfeit:
            kept.setdefault("reason", forfeit)
        return conclude(
            Found(
                id=str(site.get("gameid") or self._fallback_id),
                start=start,
                final=final,
                black=names[0],
                white=names[1],
                winner=self._winner(),
                started=str(header["date-start"]),
                ended=str(header["date-end"]),
                **kept,
            )
        )

    def _start(self) -> PositionLike:
        line = self._header.get("startingPosition")
        if line is not None:
            return parse_position(str(line), self._on)
        board = self._board()
        name = self._ours.get("game") or str(self._header["game"]["name"]).lower()
        if name == "yodd" and board and board.startswith("square"):
            name = "xodd"
        options = self._ours.get("options", {})
        if self._header["site"]["name"] == SITE and name in ("yodd", "xodd"):
            options = {"end_on_full": "on"}
        try:
            return self._on(make_rules(name, board, options))
        except RulesError as error:
            raise NotationError(str(error)) from None

    def _board(self) -> str | None:
        for variant in self._header["game"].get("variants", ()):
            match = _BOARD.search(str(variant))
            if match:
                return match[1].lower() + match[2]
        return None

    def _play(self, start: PositionLike) -> tuple[PositionLike, str | None]:
        """The final position, and the reason of the end if the game was cut short."""
        position = start.copy()
        for entry in (entry for seats in self._moves for entry in seats if entry is not None):
            token = "".join(str(entry["move"] if isinstance(entry, dict) else entry).split())
            if token.lower() == _TIMEOUT:
                return position, "time"
            try:
                position.play(parse_turn(token, position.rules, position.player))
            except (IllegalTurn, NotationError) as error:
                raise NotationError(f"turn {position.number}, {token}: {error.reason}") from None
        return position, None

    def _winner(self) -> str | None:
        first, second = (player["result"] for player in self._header["players"])
        return None if first == second else "b" if first > second else "w"


def dump_abstractplay(record: GameRecord, generated: str) -> str:
    """The record as one line of ASCII."""
    return json.dumps(record_to_abstractplay(record, generated), separators=(",", ":"))
