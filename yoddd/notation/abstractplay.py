"""Abstract Play's JSON game record, both ways.

Sources: the schema ``gamerecord/1-0-0`` and the raters of the project's ``recranks`` repository;
``yodd.ts``, ``product.ts`` and ``_base.ts`` of its ``gameslib``. A record has a header and rounds
of one move per seat. Yodd on hexhex and on square boards is one game there, its moves are spelled
as ours are, and a game ends with a full board: passes after it are left out and come back by the
option that demands them. Draws that were agreed and abandoned games are void. Either player may
resign at any time; the results say who has. Product has a pie there, and the first player wins
at equal products; before it had the pie, the second one did. A pie is no move: the header says
``pied``, and the players stand in their final order. The header may hold additional keys:
``yoddd`` keeps what the schema has no place for. Only the pair, leg and attempt of a tournament
game are lost.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any, Final, TypeVar

import attrs

from yoddd.notation.errors import NotationError
from yoddd.notation.imports import conclude
from yoddd.notation.positions import parse_position
from yoddd.notation.records import (
    GameRecord,
    decode_object,
    dump_record,
    rules_of,
    start_of,
)
from yoddd.notation.turns import parse_turn
from yoddd.rules import (
    GAMES,
    PASS,
    SWAP,
    Colour,
    DescriptionError,
    IllegalTurn,
    Position,
    PositionLike,
    RulesError,
    find_game,
)
from yoddd.rules.game import Game
from yoddd.rules.game import rules_of as settle_rules
from yoddd.rules.games import read_described

_T = TypeVar("_T")

_NAMES = {dict: "an object", list: "a list", str: "a string", int: "a whole number"}


@attrs.frozen
class JsonPath:
    """A value and the path that leads to it, such as ``header.players[0].name``."""

    value: Any
    path: str = ""

    def error(self, reason: str) -> NotationError:
        """The error of this value."""
        return NotationError(f"{self.path}: {reason}" if self.path else reason)

    def expect(self, kind: type[_T]) -> _T:
        """The value itself.

        Raises:
            NotationError: it is of another type.
        """
        if type(self.value) is not kind:
            raise self.error(f"expected {_NAMES[kind]}")
        return self.value

    def get(self, key: str) -> JsonPath | None:
        """The value of a key of an object; None where it is absent or null."""
        value = self.expect(dict).get(key)
        return None if value is None else self._inner(value, key)

    def __getitem__(self, key: str) -> JsonPath:
        found = self.get(key)
        if found is None:
            raise self._inner(None, key).error("missing")
        return found

    def _inner(self, value: object, key: str) -> JsonPath:
        return JsonPath(value, f"{self.path}.{key}" if self.path else key)

    def items(self) -> Iterator[JsonPath]:
        """The values of a list."""
        for at, value in enumerate(self.expect(list)):
            yield JsonPath(value, f"{self.path}[{at}]")


SITE: Final = "Abstract Play"
"""The site in records that the server itself wrote."""

OUR_SITE: Final = "yoddd"

_BOARD: Final = re.compile(r"(hex|square|size)[^0-9]{0,20}([0-9]{1,2})", re.ASCII | re.IGNORECASE)
_YOPP: Final = re.compile(r"\byopp\b", re.IGNORECASE)
_ONE_GROUP: Final = re.compile(r"\b(1|one)[- ]group\b", re.IGNORECASE)
_DEFAULT: Final = re.compile(r"#|\bdefault\b|\btwo groups\b", re.IGNORECASE)
"""The variants that are no change of the rules."""

_KEPT: Final = ("rules_hash", "times", "reason", "detail", "score", "clock", "opening", "seed")
_Ending = tuple[str, str]
_NO_STONES: Final = ("pass", "swap", "resign")
_SEATS: Final = 2
_SWAP_TURN: Final = 2
_RESIGN: Final = "resign"
_ENDINGS: Final = {
    "timeout": ("time", ""),
    "draw": ("void", "a draw was agreed"),
    "abandoned": ("void", "the game was abandoned"),
}
"""The moves that the server writes where a game ends off the board: our reason, and its detail."""

_UNKNOWN: Final = "?"
"""The name of a participant whom the source of a record does not name."""


# -- writing --------------------------------------------------------------------------------


def record_to_abstractplay(record: GameRecord, generated: str) -> dict[str, Any]:
    """The JSON object of a record.

    Args:
        record: a finished game.
        generated: when this is written, as ISO 8601.
    """
    pied = "swap" in record.turns
    players = [_player(record, "b"), _player(record, "w")]
    header: dict[str, Any] = {
        "game": {"name": _title(record), "variants": _variants(record)},
        "site": {"name": OUR_SITE, "gameid": _site_id(record)},
        "date-start": record.started,
        "date-end": record.ended,
        "date-generated": generated,
        "players": players[::-1] if pied else players,
        "yoddd": _kept(record),
    }
    if record.winner is None:
        header["unrated"] = True
    if pied:
        header["pied"] = True
    if record.position:
        header["startingPosition"] = record.position
    return {"header": header, "moves": _rounds(record)}


def _title(record: GameRecord) -> str:
    return GAMES["yodd"].title if record.game == "xodd" else rules_of(record).game.title


def _variants(record: GameRecord) -> list[str]:
    rules = rules_of(record)
    shape = "size" if record.game == "product" else str(rules.geometry.shape)
    on = rules.chosen_options()
    named = [("yopp", "own_colour" in on), ("1-group", "one_group" in on)]
    return [f"{shape}-{rules.geometry.size}", *(name for name, is_on in named if is_on)]


def _site_id(record: GameRecord) -> str:
    """The id of the record with its digest: ids such as ``m-1`` are unique in one run only."""
    return f"{record.id}-{hashlib.sha256(dump_record(record).encode()).hexdigest()[:16]}"


def _player(record: GameRecord, seat: str) -> dict[str, Any]:
    name = record.black if seat == "b" else record.white
    player: dict[str, Any] = {"name": name, "result": int(record.winner == seat)}
    if name != _UNKNOWN:
        player["userid"] = name
    if record.pair is not None:  # only engines play tournaments
        player["is_ai"] = True
    return player


def _kept(record: GameRecord) -> dict[str, Any]:
    kept = {key: getattr(record, key) for key in _KEPT}
    if record.description is not None:
        kept["description"] = record.description
    return {"id": record.id, "game": record.game, "options": rules_of(record).options(), **kept}


def _rounds(record: GameRecord) -> list[list[str | None]]:
    # Without the swap the colours alternate without exception, so rounds of two seats always fit.
    start = start_of(record)
    seats: list[str | None] = [None] if start.player is Colour.WHITE else []
    seats += [turn for turn in _until_full(record, start) if turn != "swap"]
    return [seats[at : at + _SEATS] for at in range(0, len(seats), _SEATS)]


def _until_full(record: GameRecord, start: PositionLike) -> tuple[str, ...]:
    """The turns without the passes that our game demands of a full board."""
    stones = sum(turn.count(",") + 1 for turn in record.turns if turn not in _NO_STONES)
    if record.reason != "groups" or stones < start.cells.count(None):
        return record.turns
    last = max(at for at, turn in enumerate(record.turns) if turn not in _NO_STONES)
    return record.turns[: last + 1]


def dump_abstractplay(record: GameRecord, generated: str) -> str:
    """The record as one line of ASCII."""
    return json.dumps(record_to_abstractplay(record, generated), separators=(",", ":"))


# -- reading --------------------------------------------------------------------------------


def load_abstractplay(text: str, fallback_id: str, on: type[PositionLike] = Position) -> GameRecord:
    """Read the JSON object of one game.

    Args:
        text: the object.
        fallback_id: names the game where the file does not.
        on: the class of positions that the turns are played on.

    Raises:
        NotationError: not JSON, not such a record, or a game that we do not know or that is not
            decided; the reason names the game and the path inside the object. Line and column of
            invalid JSON are counted from the object's beginning.
    """
    root = JsonPath(decode_object(text))
    name = fallback_id
    try:
        name = _own_id(root["header"]) or fallback_id
        return _Reader(root, name, on).record()
    except NotationError as error:
        raise NotationError(f"game {name}: {error.reason}") from None
    except (TypeError, ValueError) as error:
        # Only the values of our own key are not checked one by one.
        raise NotationError(f"game {name}: header.yoddd: {error!r}") from None


def _own_id(header: JsonPath) -> str | None:
    ours = header.get("yoddd")
    found = (ours and ours.get("id")) or header["site"].get("gameid")
    return str(found.value) if found else None


class _Reader:
    """Interprets one object."""

    def __init__(self, root: JsonPath, name: str, on: type[PositionLike]) -> None:
        self._name = name
        self._header = root["header"]
        self._ours = self._header.get("yoddd") or JsonPath({}, "header.yoddd")
        self._moves = root["moves"]
        self._on = on
        pied = self._header.get("pied") or self._header.get("pie-invoked")
        self._pied = pied is not None and pied.value is True

    def record(self) -> GameRecord:
        start, final, ending = self._game("black")
        players = self._players(start)
        if self._is_product and _decided(final) not in (None, _winner(players)):
            start, final, ending = self._game("white")
        kept = {key: found.value for key in _KEPT if (found := self._ours.get(key))}
        if "times" in kept:
            kept["times"] = tuple(kept["times"])
        if ending is not None and "reason" not in kept:
            kept["reason"], kept["detail"] = ending
        black, white = (player["name"].expect(str) for player in players)
        started, ended = (self._date(name) for name in ("date-start", "date-end"))
        return conclude(
            start,
            final,
            id=self._name,
            black=black,
            white=white,
            winner=_winner(players),
            started=started or ended,
            ended=ended,
            **kept,
        )

    def _date(self, key: str) -> str:
        found = self._header.get(key)
        return found.expect(str) if found else ""

    def _game(self, tie: str) -> tuple[PositionLike, PositionLike, _Ending | None]:
        """The first and the final position, and reason and detail of an end off the board.

        Args:
            tie: who wins at equal products in Product: the first player since the server has had
                the pie, the second one before.
        """
        start = self._start(tie)
        final, ending = self._play(start)
        if self._ours.get("options"):
            while final.is_full and not final.is_over and ending is None:
                final.play(PASS)  # left out: see `_until_full`
        return start, final, ending

    def _players(self, start: PositionLike) -> list[JsonPath]:
        """The participants by the colour that they began with."""
        players = list(self._header["players"].items())
        if len(players) != _SEATS:
            raise self._header["players"].error(f"{len(players)} players")
        return players[::-1] if self._swaps(start) else players

    def _swaps(self, start: PositionLike) -> bool:
        """Whether the pie is a turn of its own, as it is in games whose rules have one."""
        return self._pied and start.rules.pie

    @property
    def _is_theirs(self) -> bool:
        return self._header["site"]["name"].expect(str) == SITE

    @property
    def _is_product(self) -> bool:
        title = self._header["game"]["name"].expect(str)
        return self._is_theirs and title == GAMES["product"].title

    def _start(self, tie: str) -> PositionLike:
        line, own = self._header.get("startingPosition"), self._own_game()
        if line is not None:
            try:
                return parse_position(line.expect(str), self._on, own)
            except NotationError as error:
                raise line.error(error.reason) from None
        board, options = self._variants()
        game = self._header["game"]["name"]
        ours = self._ours.get("game")
        name = ours.expect(str) if ours else game.expect(str).lower()
        if name == "yodd" and board and board.startswith("square"):
            name = "xodd"
        try:
            found = own or find_game(name)
            return self._on(settle_rules(found, board, self._options(name, tie) | options))
        except RulesError as error:
            raise game.error(str(error)) from None

    def _own_game(self) -> Game | None:
        """The game that our own key describes."""
        found = self._ours.get("description")
        if found is None:
            return None
        try:
            return read_described(found.expect(dict))
        except DescriptionError as error:
            raise found.error(error.reason) from None

    def _options(self, game: str, tie: str) -> dict[str, str]:
        given = self._ours.get("options")
        if given is not None:
            return given.expect(dict)
        if self._is_product:
            return {"pie": "on", "tie": tie}
        return {"end_on_full": "on"} if self._is_theirs and game in ("yodd", "xodd") else {}

    def _variants(self) -> tuple[str | None, dict[str, str]]:
        """The board and the options that the variants name."""
        board, options = None, {}
        variants = self._header["game"].get("variants")
        for variant in variants.items() if variants else ():
            text = variant.expect(str)
            if match := _BOARD.search(text):
                board = match[1].lower().replace("size", "hex") + match[2]
            elif _YOPP.search(text):
                options["own_colour"] = "on"
            elif _ONE_GROUP.search(text):
                options["one_group"] = "on"
            elif not _DEFAULT.search(text):
                raise variant.error(f"no variant {text!r} is known")
        return board, options

    def _play(self, start: PositionLike) -> tuple[PositionLike, _Ending | None]:
        """The final position, and reason and detail of an end off the board."""
        position = start.copy()
        pied = self._swaps(start)
        for entry in self._entries():
            if pied and position.number == _SWAP_TURN:
                self._turn(position, entry, "swap")
            token = "".join(_move(entry).split())
            if token.lower() in _ENDINGS:
                return position, _ENDINGS[token.lower()]
            if token.lower() == _RESIGN and self._has_won(position, start):
                return position, ("resign", "out of turn")
            self._turn(position, entry, token)
        if pied and position.number == _SWAP_TURN:
            position.play(SWAP)
        return position, None

    def _has_won(self, position: PositionLike, start: PositionLike) -> bool:
        """Whether the results say that the player to move has won."""
        return _winner(self._players(start)) == position.seat_of(position.player).letter

    def _entries(self) -> list[JsonPath]:
        entries = [entry for seats in self._moves.items() for entry in seats.items()]
        return [entry for entry in entries if entry.value is not None]

    def _turn(self, position: PositionLike, entry: JsonPath, token: str) -> None:
        try:
            position.play(parse_turn(token, position.rules, position.player))
        except (IllegalTurn, NotationError) as error:
            raise entry.error(f"turn {position.number}, {token}: {error.reason}") from None


def _decided(final: PositionLike) -> str | None:
    """The winning seat by the board; None if the game was cut short."""
    outcome = final.outcome()
    return None if outcome is None else final.seat_of(outcome.winner).letter


def _move(entry: JsonPath) -> str:
    return (entry["move"] if isinstance(entry.value, dict) else entry).expect(str)


def _winner(players: list[JsonPath]) -> str | None:
    first, second = (player["result"].expect(int) for player in players)
    return None if first == second else "b" if first > second else "w"
