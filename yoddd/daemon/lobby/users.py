"""Who has logged in, and who may; the newest log-in to an account wins."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from twisted.internet.defer import Deferred

from yoddd.daemon.base.admission import network_of
from yoddd.daemon.base.deferred_reply import answer_when_done
from yoddd.daemon.base.journal import Journal
from yoddd.daemon.base.limits import CurrentLimits
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.protocol.effects import Answer, Guest
from yoddd.protocol.errors import Code, PeerError
from yoddd.store import accounts, ratings
from yoddd.store.errors import UnknownName
from yoddd.store.values import Account, Standing, fold

WINDOW: Final = 60.0
"""Seconds in which failed log-ins are counted."""


class Attempts:
    """Counts failed log-ins by address.

    Not by account: whoever wants to lock somebody out would only have to guess badly.
    """

    def __init__(self, now: Callable[[], float], limits: CurrentLimits) -> None:
        """Create it without failures; ``limits.failed_logins`` holds within `WINDOW`."""
        self._now = now
        self._limits = limits
        self._failures: dict[object, deque[float]] = {}

    def check(self, host: str | None) -> None:
        """Refuse an address that has failed too often.

        Raises:
            PeerError: it may try again later.
        """
        times = self._recent(host)
        if len(times) >= self._limits.value.failed_logins:
            wait = times[0] + WINDOW - self._now()
            raise PeerError(Code.DENIED, f"too many failed log-ins, wait {wait:.0f} s")

    def failed(self, host: str | None) -> None:
        """Count one."""
        for key in [key for key in self._failures if not self._fresh(key)]:
            del self._failures[key]
        self._failures.setdefault(_place(host), deque()).append(self._now())

    def _recent(self, host: str | None) -> deque[float]:
        return self._fresh(_place(host))

    def _fresh(self, key: object) -> deque[float]:
        times = self._failures.get(key, deque())
        while times and times[0] <= self._now() - WINDOW:
            times.popleft()
        return times


def _place(host: str | None) -> object:
    return None if host is None else network_of(host)


class Users:
    """The `Accounts` of a daemon."""

    def __init__(
        self,
        journal: Journal,
        engines: EngineRegistry,
        limits: CurrentLimits,
        now: Callable[[], float],
        *,
        login_required: bool = False,
        elsewhere: Callable[[], Sequence[tuple[str, str]]] = tuple,
    ) -> None:
        """Create it; no user has logged in.

        Args:
            journal: the store of the accounts.
            engines: the attached engines.
            limits: how many failed log-ins are allowed.
            now: a clock in seconds that never jumps.
            login_required: whether engines need an account to attach, as clients do to be served.
            elsewhere: gives name and kind of every user and engine at the other nodes of a fleet.
        """
        self._journal = journal
        self._engines = engines
        self._login_required = login_required
        self._elsewhere = elsewhere
        # By folded name: the account's name, its connection, and since when by the calendar.
        self._here: dict[str, tuple[str, Guest, float]] = {}
        self._attempts = Attempts(now, limits)

    # -- Accounts ---------------------------------------------------------------------------

    def log_in(self, guest: Guest, name: str, token: str, answer: Answer) -> None:
        """Log a peer in, and whoever else is logged in to that account out."""
        answer_when_done(answer, self._log_in(guest, name, token))

    def who(self) -> Sequence[str]:
        """A line for each person and engine."""
        others = self._elsewhere()
        people = {*self.people, *(name for name, kind in others if kind == "person")}
        engines = {*self._engines.names, *(name for name, kind in others if kind == "engine")}
        lines = [f"{name} person" for name in sorted(people)]
        return lines + [f"{name} engine" for name in sorted(engines)]

    @property
    def people(self) -> dict[str, float]:
        """Who has logged in here, and when by the calendar."""
        return {name: since for name, _, since in self._here.values()}

    def logged_in_elsewhere(self, people: Mapping[str, float]) -> None:
        """Part from those who have logged in to another daemon of the fleet since."""
        for name, since in people.items():
            here = self._here.get(fold(name))
            if here is not None and here[2] < since:
                here[1].dismiss("logged in elsewhere")

    def leaderboard(self, game: str, board: str, answer: Answer) -> None:
        """The lines of a leaderboard."""
        answer_when_done(answer, self._lines(game, board))

    async def _lines(self, game: str, board: str) -> list[str]:
        found = await self._journal.read(ratings.standings, game, board)
        return [describe(place, standing) for place, standing in enumerate(found, 1)]

    # -- for the lobby ----------------------------------------------------------------------

    def is_here(self, name: str) -> bool:
        """Whether somebody has logged in to the account called ``name``."""
        if fold(name) in self._here:
            return True
        return any(fold(name) == fold(one) for one, kind in self._elsewhere() if kind == "person")

    async def check_name(self, user: str | None, name: str) -> None:
        """Refuse to let anybody play under the name of an account but who has logged in to it.

        Raises:
            PeerError: the name is somebody else's.
        """
        if user is not None:
            if fold(user) != fold(name):
                raise PeerError(Code.DENIED, f"you are logged in as {user}")
        elif await self.account(name) is not None:
            raise PeerError(Code.DENIED, f"{name} is an account: log in")

    async def account(self, name: str) -> Account | None:
        """The account called ``name``, if there is one."""
        try:
            return await self._journal.read(accounts.find_account, name)
        except UnknownName:
            return None

    # -- engines ----------------------------------------------------------------------------

    def gate(self, guest: Guest, name: str, token: str | None) -> Deferred[str | None]:
        """Whether an engine may attach; the answer says why not.

        The name of an account needs its token, so that an engine in a rated game is the one that
        it says. Other names are free, unless everybody has to log in.
        """
        return Deferred.fromCoroutine(self._gate(guest, name, token))

    async def _gate(self, guest: Guest, name: str, token: str | None) -> str | None:
        try:
            if token is not None:
                await self._authenticate(guest, name, token)
            elif self._login_required:
                return f"{Code.LOGIN}: attach needs a token"
            else:
                await self.check_name(None, name)
        except PeerError as error:
            return error.text
        except Exception:  # noqa: BLE001 — an engine must not get in by a failure
            return str(Code.INTERNAL)
        return None

    # -- within -----------------------------------------------------------------------------

    async def _log_in(self, guest: Guest, name: str, token: str) -> str:
        account = await self._authenticate(guest, name, token)
        key = fold(account.name)
        for other, (_, holder, _since) in list(self._here.items()):
            if holder is guest:
                del self._here[other]
            elif other == key:
                holder.dismiss("logged in elsewhere")
        self._here[key] = account.name, guest, time.time()
        guest.on_leave(lambda: self._left(key, guest))
        return account.name

    async def _authenticate(self, guest: Guest, name: str, token: str) -> Account:
        self._attempts.check(guest.host)
        account = await self._journal.read(accounts.log_in, name, token)
        if account is None:
            self._attempts.failed(guest.host)
            raise PeerError(Code.DENIED, "wrong name or token")
        return account

    def _left(self, key: str, guest: Guest) -> None:
        if key in self._here and self._here[key][1] is guest:
            del self._here[key]


def describe(place: int, standing: Standing) -> str:
    """A line of ``leaderboard``."""
    elo, error = f"{standing.elo:.0f}", f"{standing.error:.0f}"
    words = [str(place), standing.name, elo, error, str(standing.games), str(standing.won)]
    return " ".join([*words, *(["anchor"] if standing.anchor else [])])
