"""``/api/session``: the log-in of a browser to an account, kept in a cookie.

Where the operator allows it, a visitor without an account makes one here.

The page never has the secret of the cookie. It logs in over the WebSocket with the ticket that this
resource gives for it. Requests of other sites change nothing: the cookie is for this site only, the
credentials are in a header that another site may not set, and the origin is checked.
"""

from __future__ import annotations

import base64
import binascii
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from datetime import timedelta
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final, Protocol

import attrs
from sqlalchemy import Connection
from twisted.internet.defer import Deferred
from twisted.web.http import BAD_REQUEST, CONFLICT, FORBIDDEN, UNAUTHORIZED
from twisted.web.resource import IResource
from twisted.web.server import Request

from yoddd.daemon.base.admission.admission import host_of, place_of
from yoddd.daemon.base.admission.sliding_window import SlidingWindow
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.store.journal import Journal
from yoddd.daemon.net.websocket.transport import Origins
from yoddd.daemon.pages.json_resource import METHODS, PacedResource
from yoddd.daemon.pages.negotiation import add_vary
from yoddd.daemon.pages.parameters import (
    PUZZLES_PARAMETERS,
    SESSION_PARAMETERS,
    ApiError,
    Values,
    read_parameters,
)
from yoddd.daemon.pages.reply_types import Session
from yoddd.daemon.pages.run_pages import Runs
from yoddd.protocol.arguments import NAME_RULE, is_name
from yoddd.store import accounts, games
from yoddd.store.errors import NameTaken
from yoddd.store.values import TICKET, TOKEN_BYTES, Account, Scores, digest, ticket_of

COOKIE: Final = "yoddd"
LASTS: Final = timedelta(days=30)
"""The time after which a browser has to log in again."""

WINDOW: Final = 3600.0
"""Seconds in which the accounts of an address are counted."""

KEYS: Final = b"yoddd-keys"
"""The header with the keys of the games that a visitor has played without an account."""

_MOST_KEYS: Final = 40

_MOST: Final = 256
"""Characters of a name and a token at most."""

Change = Callable[[Request], Coroutine[Deferred[Any], Any, Mapping[str, Any]]]
"""Carries out a request that changes something, and returns the values of the reply."""


class Tokens(Protocol):
    """The checks of tokens that the resource needs."""

    async def check_token(self, host: str | None, name: str, token: str) -> Account:
        """The account that a token is valid for; a failure of ``host`` is counted.

        Raises:
            PeerError: it is valid for none.
            StoreError: the store fails.
        """

    async def end_revoked(self) -> set[str]:
        """Disconnect those whose tokens are not valid any more."""


class BrowserResource(PacedResource):
    """A resource for the pages of this site, whose replies depend on the cookie of the log-in.

    Subclasses have ``get`` and may have further ``changes``, by method.
    """

    isLeaf = True

    def __init__(self, journal: Journal, origins: Origins) -> None:
        """Create it.

        Args:
            journal: the store of the sessions.
            origins: whose pages may change anything.
        """
        super().__init__()
        self._journal = journal
        self._origins = origins
        self.changes: Mapping[bytes, Change] = {}

    async def get(self, request: Request) -> Mapping[str, Any]:
        """The values of the reply to GET."""
        raise NotImplementedError

    def render(self, request: Request) -> int:
        """Reply; only pages of this site may send requests that change anything."""
        change = self.changes.get(request.method)
        if change is None:
            return super().render(request)
        return self.pace(request, lambda: self._checked(request, change))

    def render_GET(self, request: Request) -> int:
        """Reply with the facts about the user for the browser."""
        read_parameters(request, {})
        return self.pace(request, lambda: self.get(request))

    async def _checked(self, request: Request, change: Change) -> Mapping[str, Any]:
        origin, host = _header(request, "origin"), _header(request, "host")
        if not self._origins.allow(origin, host):
            raise ApiError(FORBIDDEN, "this page may not log in here")
        return await change(request)


class SessionResource(BrowserResource):
    """``/api/session``: GET tells the user, POST logs in, DELETE logs out."""

    methods = METHODS + b", POST, DELETE"

    def __init__(
        self,
        journal: Journal,
        tokens: Tokens,
        origins: Origins,
        settings: CurrentSettings,
        runs: Runs | None = None,
    ) -> None:
        """Create it.

        Args:
            journal: the store of the sessions.
            tokens: checks the tokens of accounts.
            origins: whose pages may log in and out.
            settings: how many sessions an account may have, whether visitors may make accounts,
                and how many an address may make within `WINDOW`.
            runs: the tournaments that are shown; None for none.
        """
        super().__init__(journal, origins)
        self._tokens = tokens
        self._settings = settings
        self._runs = runs
        # By network, when it made accounts, `limits.registrations` at most.
        self._made = SlidingWindow(journal.world.reactor.seconds, lambda: WINDOW)
        self.changes = {b"POST": self._log_in, b"DELETE": self._log_out}

    async def get(self, request: Request) -> Session:
        """The user and the ticket of the page."""
        account, secret = await account_of(self._journal, request), secret_of(request)
        if account is None or secret is None:
            return await self._reply()
        return await self._reply(account.name, ticket_of(secret))

    async def _log_in(self, request: Request) -> Session:
        new = read_parameters(request, SESSION_PARAMETERS).get("register")
        made = None
        if new is not None:
            account, made = await self._register(request, new)
        else:
            name, token = credentials_of(request)
            host = host_of(request.getClientAddress())
            account = await self._tokens.check_token(host, name, token)
        await self._adopt(request, account)
        world = self._journal.world
        secret = world.secret(TOKEN_BYTES)
        earlier = secret_of(request)
        await self._journal.do(
            accounts.open_session,
            account.id,
            secret,
            world.wall(),
            world.wall(LASTS),
            most=self._settings.limits.sessions,
            earlier=earlier,
        )
        if earlier is not None:
            await self._tokens.end_revoked()
        _set_cookie(request, secret, LASTS)
        reply = await self._reply(account.name, ticket_of(secret))
        if made is not None:
            reply["token"] = made
        return reply

    async def _log_out(self, request: Request) -> Session:
        secret = secret_of(request)
        if secret:
            await self._journal.do(accounts.close_session, secret)
            await self._tokens.end_revoked()
        _set_cookie(request, "", timedelta())
        return await self._reply()

    async def _register(self, request: Request, name: str) -> tuple[Account, str]:
        """Make an account; it and its only token, of which the store has the digest.

        Raises:
            ApiError: that is not allowed, the name is taken or none, or the address made too many.
            StoreError: the store fails.
        """
        if not self._settings.value.registration:
            raise ApiError(FORBIDDEN, "the operator of this server gives accounts")
        if not is_name(name):
            raise ApiError(BAD_REQUEST, f"name {name[:40]!r}: {NAME_RULE}")
        times, when = self._times(request), self._journal.world.reactor.seconds()
        times.append(when)
        world = self._journal.world
        token = world.secret(TOKEN_BYTES)
        try:
            account = await self._journal.do(
                lambda connection: accounts.register(connection, name, token, world.wall())
            )
        except NameTaken:
            times.remove(when)
            raise ApiError(
                CONFLICT, f"the name {name} is taken, or looks like one that is"
            ) from None
        return account, token

    def _times(self, request: Request) -> deque[float]:
        """The times of the address of a request, which may make another account."""
        place = place_of(host_of(request.getClientAddress()))
        times = self._made.kept(place)
        if len(times) >= self._settings.limits.registrations:
            text = f"too many new accounts, wait {self._made.wait(place):.0f} s"
            raise ApiError(HTTPStatus.TOO_MANY_REQUESTS, text)
        return times

    async def _adopt(self, request: Request, account: Account) -> None:
        """Give an account the finished games whose keys the request has.

        Raises:
            StoreError: the store fails.
        """
        keys = (request.getHeader(KEYS) or b"").decode("latin-1").split()[:_MOST_KEYS]
        if keys:
            await self._journal.do(games.adopt_games, account.id, [digest(one) for one in keys])

    async def _reply(self, user: str | None = None, ticket: str | None = None) -> Session:
        runs, ladder = await self._journal.browse(self._shown)
        return {
            "accounts": True,
            "user": user,
            "ticket": ticket,
            "registration": self._settings.value.registration,
            "runs": runs,
            "ladder": ladder,
        }

    def _shown(self, connection: Connection) -> tuple[bool, bool]:
        """Whether there are runs and ratings; reads files and the store."""
        return self._runs is not None and self._runs.any(), bool(games.played_boards(connection))


def _header(request: Request, name: str) -> str | None:
    value = request.getHeader(name.encode())
    return None if value is None else value.decode("latin-1")


def secret_of(request: Request) -> str | None:
    """The secret in the cookie of a browser that has logged in; None without one."""
    cookies = SimpleCookie()
    try:
        cookies.load(_header(request, "cookie") or "")
    except CookieError:
        return None
    return cookies[COOKIE].value if COOKIE in cookies else None


async def account_of(journal: Journal, request: Request) -> Account | None:
    """The account that the browser of a request is logged in to; None without one."""
    add_vary(request, b"cookie")
    secret = secret_of(request)
    if secret is None:
        return None
    return await journal.read_charged(accounts.find_session, secret, journal.world.wall())


def credentials_of(request: Request) -> tuple[str, str]:
    """The name and the token of the header ``Authorization``, by RFC 7617.

    Raises:
        ApiError: there is none, or it has a ticket, which only logs in over the WebSocket.
    """
    scheme, _, text = (_header(request, "authorization") or "").partition(" ")
    try:
        name, colon, token = base64.b64decode(text, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        colon = ""
    if scheme.lower() != "basic" or not colon or len(name) + len(token) > _MOST:
        raise ApiError(UNAUTHORIZED, "expected Authorization: Basic with a name and a token")
    if token.startswith(TICKET):
        raise ApiError(UNAUTHORIZED, "a ticket is for the WebSocket: log in with a token")
    return name, token


def _set_cookie(request: Request, secret: str, lasts: timedelta) -> None:
    secure = request.isSecure() or (_header(request, "origin") or "").startswith("https:")
    words = [
        f"{COOKIE}={secret}",
        "Path=/",
        f"Max-Age={lasts.total_seconds():.0f}",
        "HttpOnly",
        "SameSite=Strict",
        *(["Secure"] if secure else []),
    ]
    request.setHeader(b"set-cookie", "; ".join(words).encode())


class PuzzleResource(BrowserResource):
    """``/api/puzzles``: GET tells what is stored for the user, POST adds to it."""

    methods = METHODS + b", POST"

    def __init__(self, journal: Journal, origins: Origins) -> None:
        """Create it.

        Args:
            journal: the store.
            origins: whose pages may add.
        """
        super().__init__(journal, origins)
        self.changes = {b"POST": self._add}

    async def get(self, request: Request) -> Values:
        """The figures and the solved puzzles; null for those who have not logged in."""
        account = await account_of(self._journal, request)
        return {"puzzles": None} if account is None else await self._stored(account)

    async def _add(self, request: Request) -> Values:
        account = await account_of(self._journal, request)
        if account is None:
            raise ApiError(UNAUTHORIZED, "log in first")
        values = read_parameters(request, PUZZLES_PARAMETERS)
        first: list[str] = values.pop("first", [])
        later: list[str] = values.pop("later", [])
        if "rating" not in values:
            raise ApiError(BAD_REQUEST, "rating: expected a number")
        solved = {**dict.fromkeys(later, False), **dict.fromkeys(first, True)}
        await self._journal.do(accounts.keep_puzzles, account.id, Scores(**values), solved)
        return await self._stored(account)

    async def _stored(self, account: Account) -> Values:
        scores = await self._journal.read_charged(accounts.find_scores, account.id)
        if scores is None:
            return {"puzzles": {"solved": {}}}
        solved: Mapping[str, bool] = await self._journal.read_charged(
            accounts.find_solved, account.id
        )
        return {"puzzles": {**attrs.asdict(scores), "solved": dict(solved)}}


_CLOSED: Final = (b"api", b"ws")
_SESSION: Final = (b"api", b"session")


class LoginWall(PacedResource):
    """A resource for requests with the cookie of a session, or the name and token of an account.

    The files of the board are open, because the page of the log-in is one of them, and so are the
    resources of health and of the session.
    """

    isLeaf = True

    def __init__(self, journal: Journal, tokens: Tokens, behind: IResource) -> None:
        """Create it.

        Args:
            journal: the store of the sessions.
            tokens: checks the tokens of accounts.
            behind: the resource that it lets them have.
        """
        super().__init__()
        self._journal = journal
        self._tokens = tokens
        self._behind = behind

    @classmethod
    def guard(
        cls, journal: Journal, tokens: Tokens, path: Sequence[bytes], resource: IResource
    ) -> IResource:
        """Return the resource of a request for ``path``, which checks the log-in first."""
        is_open = path[0] not in _CLOSED or tuple(path) == _SESSION
        return resource if is_open else cls(journal, tokens, resource)

    def render(self, request: Request) -> int:
        """Render the resource behind once the log-in is found."""
        return self.pace(request, lambda: self._check(request))

    async def write(self, request: Request, found: None) -> None:
        """Render the resource behind."""
        del found
        request.render(self._behind)

    async def _check(self, request: Request) -> None:
        """Check the log-in of a request.

        Raises:
            ApiError: it has none.
            PeerError: its name or token is wrong.
            StoreError: the store fails.
        """
        if await account_of(self._journal, request) is not None:
            return
        if request.getHeader(b"authorization") is None:
            raise ApiError(UNAUTHORIZED, "log in first")
        name, token = credentials_of(request)
        await self._tokens.check_token(host_of(request.getClientAddress()), name, token)
