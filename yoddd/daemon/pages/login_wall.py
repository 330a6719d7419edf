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

from yoddd.daemon.base.admission.admission import host_of
from yoddd.daemon.base.store.journal import Journal
from yoddd.daemon.pages.browser_sessions import Tokens, account_of, credentials_of
from yoddd.daemon.pages.paced_resource import PacedResource
from yoddd.daemon.pages.parameters import ApiError

_CLOSED: Final = (b"api", b"ws")
_SESSION: Final = (b"api", b"session")


class LoginWall(PacedResource):
    """A resource for requests with the cookie of a session, or the name and token of an account."""

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
