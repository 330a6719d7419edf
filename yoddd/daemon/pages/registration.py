"""The accounts that visitors of the page make for themselves, where the operator allows it."""

from __future__ import annotations

from collections import deque
from http import HTTPStatus
from typing import Final

from twisted.web.server import Request

from yoddd.daemon.base.admission import host_of, place_of
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.journal import Journal
from yoddd.daemon.base.recent import RecentTimes
from yoddd.daemon.pages.parameters import ApiError
from yoddd.protocol.arguments import NAME_RULE, is_name
from yoddd.store import accounts, games
from yoddd.store.errors import NameTaken
from yoddd.store.values import TOKEN_BYTES, Account, digest

WINDOW: Final = 3600.0
"""Seconds in which the accounts of an address are counted."""

KEYS: Final = b"yoddd-keys"
"""The header with the keys of the games that a visitor has played without an account."""

_MOST_KEYS: Final = 40


class Registration:
    """Makes accounts, and gives them the games that their users have played before."""

    def __init__(
        self,
        journal: Journal,
        settings: CurrentSettings,
    ) -> None:
        """Create it.

        Args:
            journal: the store of the accounts.
            settings: whether the operator allows it, and how many accounts an address may make
                within `WINDOW`.
        """
        self._journal = journal
        self._settings = settings
        self._now = now = journal.world.reactor.seconds
        # By network, when it made accounts, `limits.registrations` at most.
        self._made = RecentTimes(now, lambda: WINDOW)

    @property
    def is_open(self) -> bool:
        """Whether visitors may make accounts."""
        return self._settings.value.registration

    async def register(self, request: Request, name: str) -> tuple[Account, str]:
        """Make an account; it and its only token, of which the store has the digest.

        Raises:
            ApiError: that is not allowed, the name is taken or none, or the address made too many.
            StoreError: the store fails.
        """
        if not self.is_open:
            raise ApiError(HTTPStatus.FORBIDDEN, "the operator of this server gives accounts")
        if not is_name(name):
            raise ApiError(HTTPStatus.BAD_REQUEST, f"name {name[:40]!r}: {NAME_RULE}")
        times, when = self._times(request), self._now()
        times.append(when)
        world = self._journal.world
        token = world.secret(TOKEN_BYTES)
        try:
            account = await self._journal.do(
                lambda connection: accounts.register(
                    connection, name, token, world.wall(), unlike=True
                )
            )
        except NameTaken:
            times.remove(when)
            raise ApiError(
                HTTPStatus.CONFLICT, f"the name {name} is taken, or looks like one that is"
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

    async def adopt(self, request: Request, account: Account) -> None:
        """Give an account the finished games whose keys the request has.

        Raises:
            StoreError: the store fails.
        """
        keys = (request.getHeader(KEYS) or b"").decode("latin-1").split()[:_MOST_KEYS]
        if keys:
            await self._journal.do(games.adopt_games, account.id, [digest(one) for one in keys])
