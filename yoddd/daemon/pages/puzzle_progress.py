"""``/api/puzzles``: what the user of an account has solved, for each of their browsers.

No request has a body here, so a page sends its figures and the puzzles that it has solved since as
parameters.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs
from twisted.web.http import BAD_REQUEST, UNAUTHORIZED
from twisted.web.server import Request

from yoddd.daemon.base.journal import Journal
from yoddd.daemon.net.websocket.upgrade import Origins
from yoddd.daemon.pages.browser_sessions import BrowserResource
from yoddd.daemon.pages.json_resource import METHODS
from yoddd.daemon.pages.paced_resource import Reply
from yoddd.daemon.pages.parameters import PUZZLES_PARAMETERS, ApiError, Values, read_parameters
from yoddd.store import puzzles
from yoddd.store.values import Account, Scores


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

    async def get(self, request: Request) -> Reply:
        """The figures and the solved puzzles; null for those who have not logged in."""
        account = await self.account_of(request)
        return 200, {"puzzles": None} if account is None else await self._stored(account)

    async def _add(self, request: Request) -> Reply:
        account = await self.account_of(request)
        if account is None:
            raise ApiError(UNAUTHORIZED, "log in first")
        values = read_parameters(request, PUZZLES_PARAMETERS)
        first: list[str] = values.pop("first", [])
        later: list[str] = values.pop("later", [])
        if "rating" not in values:
            raise ApiError(BAD_REQUEST, "rating: expected a number")
        solved = {**dict.fromkeys(later, False), **dict.fromkeys(first, True)}
        await self._journal.do(puzzles.keep_puzzles, account.id, Scores(**values), solved)
        return 200, await self._stored(account)

    async def _stored(self, account: Account) -> Values:
        scores = await self._journal.ask(puzzles.find_scores, account.id)
        if scores is None:
            return {"puzzles": {"solved": {}}}
        solved: Mapping[str, bool] = await self._journal.ask(puzzles.find_solved, account.id)
        return {"puzzles": {**attrs.asdict(scores), "solved": dict(solved)}}
