"""Preview images of links: the board that an address names, as other sites show it."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any, Final

from twisted.internet.threads import deferToThread
from twisted.web.http import NOT_FOUND, SERVICE_UNAVAILABLE
from twisted.web.server import Request

from yoddd.board import BoardError
from yoddd.daemon.base.reactor_share import charge_thread
from yoddd.daemon.pages.framed import framed
from yoddd.daemon.pages.json_reply import HEADERS
from yoddd.daemon.pages.paced_resource import RETRY_AFTER, Lost, PacedResource
from yoddd.daemon.pages.parameters import ApiError
from yoddd.daemon.pages.rasterizer import RasterizeError, Rasterizer
from yoddd.daemon.play.live_games import LiveGames
from yoddd.kernel import best_position
from yoddd.library.puzzles import Puzzle, parse_puzzles, shipped
from yoddd.notation import (
    NotationError,
    parse_position,
    parse_sgf,
    parse_turn,
    read_sgf_game,
)
from yoddd.pictures.png import has_png
from yoddd.protocol.errors import PeerError
from yoddd.rules import IllegalTurn, PositionLike, RulesError, make_rules

NAMED: Final = ("puzzle", "archive", "table", "run", "study", "position", "game")
"""The parameters that name a board, one of them in each link with a preview; the first counts."""

_FOUND: Final = ("archive", "table", "run")
"""Those whose board has to be looked up: a game of the archive, of the lobby, of a tournament."""

_SIZE: Final = (1200, 630)
"""Pixels of an image, as the Open Graph protocol's users expect it."""

_LARGEST: Final = 400_000
"""Characters of the SGF of a study; a few bytes of a link may stand for gigabytes."""

_MOST_TURNS: Final = 400

Find = Callable[[Mapping[str, str]], Awaitable[Mapping[str, str]]]
"""Returns the parameters that spell out the game that others name; raises ApiError without one."""


class PreviewResource(PacedResource):
    """``/api/preview``: the image of the board that the parameters name, as in a link's query."""

    isLeaf = True

    def __init__(self, finders: Mapping[str, Find]) -> None:
        """Create it; ``finders`` look up games, by the parameter that names one."""
        super().__init__()
        self._finders = finders
        self._rasterizer = Rasterizer()

    def render_GET(self, request: Request) -> int:
        """Write the image, unless the client has disconnected meanwhile."""
        values = {
            name.decode("utf-8", "replace"): texts[-1].decode("utf-8", "replace")
            for name, texts in (request.args or {}).items()
        }
        return self.pace(request, lambda lost: self._write(request, values, lost))

    async def _write(self, request: Request, values: Mapping[str, str], lost: Lost) -> None:
        link = await self._spelt_out(values)
        picture = await charge_thread(deferToThread, lambda: _picture(link))
        if lost:
            return
        try:
            image = await self._rasterizer.png(picture)
        except RasterizeError as error:
            request.setHeader(b"retry-after", str(RETRY_AFTER).encode())
            raise ApiError(SERVICE_UNAVAILABLE, str(error)) from None
        if lost:
            return
        headers = {**HEADERS, b"content-type": b"image/png"}
        for name, value in headers.items():
            request.setHeader(name, value)
        seconds = 60 if {"table", "live"} & set(values) else 3600  # the game may go on
        request.setHeader(b"cache-control", f"public, max-age={seconds}".encode())
        request.setHeader(b"content-length", str(len(image)).encode())
        request.write(b"" if request.method == b"HEAD" else image)
        request.finish()

    async def _spelt_out(self, values: Mapping[str, str]) -> Mapping[str, str]:
        """The parameters of a link whose game is spelt out: its own, or those that are found."""
        name = next((name for name in NAMED if name in values), "")
        if name not in _FOUND:
            return values
        find = self._finders.get(name)
        if find is None:
            raise ApiError(NOT_FOUND, f"no game {values[name][:40]!r}")
        found = dict(await find(values))
        return {**found, "at": values["at"]} if "at" in values else found


def table_finder(live: LiveGames) -> Find:
    """Return the finder of the games of the lobby."""

    async def find(values: Mapping[str, str]) -> dict[str, str]:
        try:
            game = live.find(values["table"])
        except PeerError as error:
            raise ApiError(NOT_FOUND, error.text) from None
        rules = game.rules
        link = {"game": rules.game.name, "board": rules.geometry.name, **rules.chosen_options()}
        return {**link, "turns": ".".join(game.turns)}

    return find


def _picture(values: Mapping[str, str]) -> str:
    if not has_png():
        raise ApiError(SERVICE_UNAVAILABLE, "this server draws no images")
    try:
        return preview(position_of(values))
    except (NotationError, RulesError, BoardError, IllegalTurn) as error:
        raise ApiError(NOT_FOUND, f"no such board: {error}") from None


def preview(position: PositionLike) -> str:
    """The SVG of a position, in the form of an image."""
    return framed(position, *_SIZE, side=_SIZE[1])


def link_of(record: Mapping[str, Any]) -> dict[str, str]:
    """The parameters that spell out a record, which may be that of a game in play."""
    turns = {"turns": ".".join(record["turns"])}
    if record.get("position"):
        return {"position": record["position"], **turns}
    return {"game": record["game"], "board": record["board"], **record["options"], **turns}


def position_of(values: Mapping[str, str]) -> PositionLike:
    """The position that the parameters of a link name.

    Raises:
        ApiError: they name none.
        NotationError: a position, a turn, or the SGF of a study is malformed.
        RulesError: there is no such game or option.
        BoardError: there is no such board.
        IllegalTurn: a turn is illegal.
    """
    if "puzzle" in values:
        puzzle = _puzzles().get(values["puzzle"])
        if puzzle is None:
            raise ApiError(NOT_FOUND, f"no puzzle {values['puzzle']!r}")
        return puzzle.start()
    if "study" in values:
        trees, _ = parse_sgf(_unpacked(values["study"]))
        if not trees:
            raise ApiError(NOT_FOUND, "the study has no game")
        return read_sgf_game(trees[0], best_position()).final
    if "position" in values:
        start = parse_position(values["position"], best_position())
    elif "game" in values:
        names = {"game", "board", "turns", "at", "black", "white", "clock", "pb", "pw", "analyse"}
        options = {name: text for name, text in values.items() if name not in names}
        rules = make_rules(values["game"], values.get("board"), options)
        start = best_position()(rules)
    else:
        raise ApiError(NOT_FOUND, f"nothing to draw: name one of {', '.join(NAMED)}")
    tokens = list(filter(None, values.get("turns", "").split(".")))
    at = values.get("at", "")
    shown = int(at) if at.isascii() and at.isdigit() and len(at) < 4 else len(tokens)
    for token in tokens[: min(shown, _MOST_TURNS)]:
        start.play(parse_turn(token, start.rules, start.player))
    return start


@cache
def _puzzles() -> dict[str, Puzzle]:
    return {puzzle.id: puzzle for puzzle in parse_puzzles(shipped().splitlines())}


def _unpacked(data: str) -> str:
    """The SGF of the data of a link, which is compressed.

    Raises:
        ApiError: the data is damaged.
    """
    try:
        packed = base64.urlsafe_b64decode(data + "=" * (-len(data) % 4))
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        text = unpacker.decompress(packed, _LARGEST).decode()
    except (binascii.Error, zlib.error, ValueError):
        raise ApiError(NOT_FOUND, "the study is damaged") from None
    if unpacker.unconsumed_tail:
        raise ApiError(NOT_FOUND, "the study is too long")
    return text
