"""The private feed of an account: turns that wait for it, offers to it, and results, as Atom.

Any feed reader, and any gateway from feeds to mail, tells the user of them. Readers send neither
cookies nor tokens, so the address has a secret; the store has its digest, and no log has it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any, Final
from xml.etree import ElementTree as ET

import attrs
from twisted.web.http import NOT_FOUND, OK, UNAUTHORIZED
from twisted.web.resource import Resource
from twisted.web.server import Request

from yoddd.daemon.base.clock import iso
from yoddd.daemon.base.store.journal import Journal
from yoddd.daemon.net.websocket.transport import Origins
from yoddd.daemon.pages.browser_sessions import BrowserResource, account_of
from yoddd.daemon.pages.json_resource import HEADERS, METHODS, PacedResource, Pacer
from yoddd.daemon.pages.json_resource import NOT_FOUND as NOWHERE
from yoddd.daemon.pages.negotiation import is_cached
from yoddd.daemon.pages.parameters import ApiError, read_parameters
from yoddd.daemon.pages.reply_types import Feed
from yoddd.referee.hosted.game import HostedGame
from yoddd.store import accounts, ratings
from yoddd.store.values import Account

SECRET: Final = 24
"""The random bytes in the address of a feed."""

_LENGTH: Final = SECRET * 4 // 3
"""The letters of the secret."""

_ATOM: Final = "http://www.w3.org/2005/Atom"
_MINUTE: Final = 60.0
"""Seconds to which the time of a turn is told, so that the same turn stays the same entry."""


Awaited = Callable[[str], Iterable[tuple[HostedGame, float]]]
"""Returns the games in which a user has the turn, each with the seconds since it came."""


@attrs.frozen
class Entry:
    """One entry of a feed.

    Attributes:
        game: the id of the game.
        what: the rest of the entry's id.
        title: in words.
        updated: when that happened.
    """

    game: str
    what: str
    title: str
    updated: str


class FeedResource(BrowserResource):
    """``/api/feed``: POST makes the address of the user's feed, or renews it; DELETE ends it."""

    methods = METHODS + b", POST, DELETE"

    def __init__(self, journal: Journal, origins: Origins) -> None:
        """Create it; only pages of ``origins`` may change anything."""
        super().__init__(journal, origins)
        self.changes = {b"POST": self._renew, b"DELETE": self._end}

    async def get(self, request: Request) -> Feed:
        """Whether the user has a feed; its address is told only when it is made."""
        account = await account_of(self._journal, request)
        has_feed = account is not None and await self._journal.read_charged(
            accounts.has_feed, account.id
        )
        return {"exists": bool(has_feed), "address": None}

    async def _renew(self, request: Request) -> Feed:
        secret = self._journal.world.secret(SECRET)
        await self._set(request, secret)
        return {"exists": True, "address": f"feed/{secret}"}

    async def _end(self, request: Request) -> Feed:
        await self._set(request, None)
        return {"exists": False, "address": None}

    async def _set(self, request: Request, secret: str | None) -> None:
        account = await account_of(self._journal, request)
        if account is None:
            raise ApiError(UNAUTHORIZED, "log in first")
        await self._journal.do(accounts.set_feed, account.id, secret)


class Feeds(Resource):
    """``/feed``: the feeds by their secrets."""

    def __init__(self, journal: Journal, awaited: Awaited) -> None:
        """Create it for the games that ``awaited`` returns, and those in the store."""
        super().__init__()
        self._journal = journal
        self._awaited = awaited
        self._pacer = Pacer()

    def getChild(self, path: bytes, request: Request) -> Resource:
        """Return the feed of a secret."""
        if len(path) != _LENGTH:
            return NOWHERE.getChild(path, request)
        secret = path.decode("latin-1")
        return _Feed(self._journal, self._awaited, secret, self._pacer)


class _Feed(PacedResource):
    isLeaf = True

    def __init__(self, journal: Journal, awaited: Awaited, secret: str, pacer: Pacer) -> None:
        super().__init__(pacer=pacer)
        self._journal = journal
        self._awaited = awaited
        self._secret = secret

    def render_GET(self, request: Request) -> int:
        """Reply with the entries, the latest first."""
        read_parameters(request, {})
        return self.pace(request, self._find)

    async def _find(self) -> tuple[Account, list[Entry]]:
        account = await self._journal.read_charged(accounts.account_of_feed, self._secret)
        if account is None:
            raise ApiError(NOT_FOUND, "no such feed: its address may have been renewed")
        rows = await self._journal.read_charged(ratings.news, account.id)
        found = [*self._turns(account), *(_news(account, one) for one in rows)]
        return account, sorted(found, key=lambda one: one.updated, reverse=True)

    def _turns(self, account: Account) -> Iterator[Entry]:
        now = self._journal.world.calendar()
        for game, seconds in self._awaited(account.name):
            seat = game.on_turn
            assert seat is not None  # noqa: S101 — it is not over
            number = len(game.turns) + 1
            since = now - timedelta(seconds=seconds // _MINUTE * _MINUTE)
            title = f"Your turn against {game.name_of(seat.other)}"
            title += f": turn {number}, {game.rules.game.name} {game.rules.geometry.name}"
            when = iso(since.replace(second=0, microsecond=0))
            yield Entry(game.id, f"turn/{number}", title, when)

    async def write(self, request: Request, found: tuple[Account, list[Entry]]) -> None:
        """Write the feed, without a body if the reader has it already."""
        body = _render(request, *found)
        for name, value in HEADERS.items():
            request.setHeader(name, value)
        request.setHeader(b"cache-control", b"private, no-cache")
        request.setHeader(b"content-type", b"application/atom+xml; charset=utf-8")
        request.setResponseCode(OK)
        if not is_cached(request, f'"{hashlib.sha256(body).hexdigest()[:20]}"'):
            request.setHeader(b"content-length", str(len(body)).encode())
            request.write(b"" if request.method == b"HEAD" else body)
        request.finish()


def _news(account: Account, row: Mapping[str, Any]) -> Entry:
    """The entry of an offer to an account, or of the end of its game."""
    seat = "b" if row["black_id"] == account.id else "w"
    rival = row["white_name"] if seat == "b" else row["black_name"]
    where = f"{row['game']} {row['board']}"
    game = f"{'r' if row['rated'] else 't'}{row['number']}"
    if row["ended"] is None:
        clock = row["clock"]
        title = f"{rival} offers you a game: {where}, clock {clock}"
        return Entry(game, "offer", title, row["offered"])
    result = "No result" if row["winner"] is None else "Won" if row["winner"] == seat else "Lost"
    title = f"{result} against {rival} by {row['reason']}: {where}"
    return Entry(game, "end", title, row["ended"])


def _render(request: Request, account: Account, entries: list[Entry]) -> bytes:
    """The document; links lead to the host that was asked."""
    host = (request.getHeader(b"host") or b"localhost").decode("latin-1")
    is_secure = request.isSecure() or request.getHeader(b"x-forwarded-proto") == b"https"
    base = f"{'https' if is_secure else 'http'}://{host}/"
    name = host.partition(":")[0]
    feed = ET.Element("feed", xmlns=_ATOM)

    def add(parent: ET.Element, tag: str, text: str = "", **words: str) -> ET.Element:
        element = ET.SubElement(parent, tag, words)
        element.text = text or None
        return element

    add(feed, "id", f"tag:{name},2026:account/{account.name}")
    add(feed, "title", f"yoddd: games of {account.name}")
    add(feed, "updated", entries[0].updated if entries else account.created)
    add(add(feed, "author"), "name", "yoddd")
    add(feed, "link", href=base)
    for one in entries:
        entry = add(feed, "entry")
        add(entry, "id", f"tag:{name},2026:{one.game}/{one.what}")
        add(entry, "title", one.title)
        add(entry, "updated", one.updated)
        hash_ = "join" if one.what == "offer" else "table"
        add(entry, "link", href=f"{base}#{hash_}={one.game}")
    body: bytes = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return body
