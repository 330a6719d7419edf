"""The check of HTTP requests and WebSockets where a log-in is required.

The files of the board are open, because the page of the log-in is one of them, and so are the
resources of health and of the session.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from twisted.web.http import UNAUTHORIZED
from twisted.web.resource import IResource
from twisted.web.server import Request

from yoddd.daemon.base.admission import host_of
from yoddd.daemon.base.journal import Journal
from yoddd.daemon.pages.browser_sessions import Tokens, credentials_of, secret_of
from yoddd.daemon.pages.paced_resource import PacedResource
from yoddd.daemon.pages.parameters import ApiError
from yoddd.store import sessions

_CLOSED: Final = (b"api", b"ws")
_SESSION: Final = (b"api", b"session")


class LoginWall:
    """Lets a request pass that has the cookie of a session, or the name and token of an account."""

    def __init__(self, journal: Journal, tokens: Tokens) -> None:
        """Create it.

        Args:
            journal: the store of the sessions.
            tokens: checks the tokens of accounts.
        """
        self._journal = journal
        self._tokens = tokens

    def guard(self, path: Sequence[bytes], resource: IResource) -> IResource:
        """Return the resource of a request for ``path``, which checks the log-in first."""
        if path[0] not in _CLOSED or tuple(path) == _SESSION:
            return resource
        return _Guarded(self, resource)

    async def check(self, request: Request) -> None:
        """Check the log-in of a request.

        Raises:
            ApiError: it has none.
            PeerError: its name or token is wrong.
            StoreError: the store fails.
        """
        secret = secret_of(request)
        if secret is not None:
            now = self._journal.world.wall()
            account = await self._journal.ask(sessions.find_session, secret, now)
            if account is not None:
                return
        if request.getHeader(b"authorization") is None:
            raise ApiError(UNAUTHORIZED, "log in first")
        name, token = credentials_of(request)
        await self._tokens.check_token(host_of(request.getClientAddress()), name, token)


class _Guarded(PacedResource):
    """A resource behind the wall."""

    isLeaf = True

    def __init__(self, wall: LoginWall, resource: IResource) -> None:
        super().__init__()
        self._wall = wall
        self._resource = resource

    def render(self, request: Request) -> int:
        """Render the resource once the log-in is found."""
        return self.pace(request, lambda: self._wall.check(request))

    async def write(self, request: Request, found: None) -> None:
        """Render the resource."""
        del found
        request.render(self._resource)
