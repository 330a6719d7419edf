"""Users: the log-ins to accounts, of which the newest wins, and the checks of names."""

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
from yoddd.protocol.effects import ConnectionHandle, ResultCallback
from yoddd.protocol.errors import Code, PeerError
from yoddd.store import accounts, ratings
from yoddd.store.errors import UnknownName
from yoddd.store.values import Account, Standing, fold

WINDOW: Final = 60.0
"""Seconds in which failed log-ins are counted."""


class Attempts:
    """Counts failed log-ins by network address.

    Not by account: otherwise anyone could lock a user out by wrong guesses.
    """

    def __init__(self, now: Callable[[], float], limits: CurrentLimits) -> None:
        """Create it without failures; ``limits`` gives how many are allowed within `WINDOW`."""
        self._now = now
        self._limits = limits
        # By network, the times of the failures of the last `WINDOW`; older ones are dropped when
        # they are looked at.
        self._failures: dict[object, deque[float]] = {}

    def check(self, host: str | None) -> None:
        """Refuse an address that has failed too often.

        Raises:
            PeerError: the limit is reached; the text says for how long.
        """
        times = self._recent(host)
        if len(times) >= self._limits.value.failed_logins:
            wait = times[0] + WINDOW - self._now()
            raise PeerError(Code.DENIED, f"too many failed log-ins, wait {wait:.0f} s")

    def failed(self, host: str | None) -> None:
        """Count a failure of an address."""
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
    """The `Accounts` of a daemon: who has logged in here, and which names are whose."""

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
            now: a monotonic clock in seconds.
            login_required: whether engines need an account to attach, as clients do to be served.
            elsewhere: gives name and kind of every user and engine at the other nodes of a fleet.
        """
        self._journal = journal
        self._engines = engines
        self._login_required = login_required
        self._elsewhere = elsewhere
        # By folded name: the account's name, its connection, and the calendar time of the log-in
        # in seconds. An entry lasts until its connection closes or logs in to another account, or
        # another connection logs in to this one.
        self._here: dict[str, tuple[str, ConnectionHandle, float]] = {}
        # The failed log-ins, which limit further ones.
        self._attempts = Attempts(now, limits)

    # -- Accounts ---------------------------------------------------------------------------

    def log_in(
        self, connection: ConnectionHandle, name: str, token: str, answer: ResultCallback
    ) -> None:
        """Log a client in; another client that is logged in to that account is disconnected."""
        answer_when_done(answer, self._log_in(connection, name, token))

    def who(self) -> Sequence[str]:
        """A line for each user who has logged in and each attached engine, of all nodes."""
        others = self._elsewhere()
        users = {*self.logged_in, *(name for name, kind in others if kind == "person")}
        engines = {*self._engines.names, *(name for name, kind in others if kind == "engine")}
        lines = [f"{name} person" for name in sorted(users)]
        return lines + [f"{name} engine" for name in sorted(engines)]

    @property
    def logged_in(self) -> dict[str, float]:
        """The users who have logged in at this node, with the calendar times in seconds."""
        return {name: since for name, _, since in self._here.values()}

    def logged_in_elsewhere(self, users: Mapping[str, float]) -> None:
        """Disconnect those who have logged in at another node since they did here."""
        for name, since in users.items():
            here = self._here.get(fold(name))
            if here is not None and here[2] < since:
                here[1].disconnect("logged in elsewhere")

    def leaderboard(self, game: str, board: str, answer: ResultCallback) -> None:
        """Give the lines of a leaderboard."""
        answer_when_done(answer, self._lines(game, board))

    async def _lines(self, game: str, board: str) -> list[str]:
        found = await self._journal.read(ratings.standings, game, board)
        return [describe(place, standing) for place, standing in enumerate(found, 1)]

    # -- for the lobby ----------------------------------------------------------------------

    def is_here(self, name: str) -> bool:
        """Whether a user of this name has logged in, at any node."""
        if fold(name) in self._here:
            return True
        return any(fold(name) == fold(one) for one, kind in self._elsewhere() if kind == "person")

    async def check_name(self, user: str | None, name: str) -> None:
        """Refuse the name of an account, except to the user who has logged in to it.

        Args:
            user: the account that the client has logged in to; None if it has not.
            name: the name to play under.

        Raises:
            PeerError: the name belongs to another account than ``user``, or is not that user's.
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

    def gate(
        self, connection: ConnectionHandle, name: str, token: str | None
    ) -> Deferred[str | None]:
        """Check an engine that attaches; fires with the text of a refusal, or None.

        The name of an account needs its token, so that an engine in a rated game is the one that
        its name says. Other names are free, unless a log-in is required.
        """
        return Deferred.fromCoroutine(self._gate(connection, name, token))

    async def _gate(self, connection: ConnectionHandle, name: str, token: str | None) -> str | None:
        try:
            if token is not None:
                await self._authenticate(connection, name, token)
            elif self._login_required:
                return f"{Code.LOGIN}: attach needs a token"
            else:
                await self.check_name(None, name)
        except PeerError as error:
            return error.text
        except Exception:  # noqa: BLE001 — a failure must not admit an engine
            return str(Code.INTERNAL)
        return None

    # -- within -----------------------------------------------------------------------------

    async def _log_in(self, connection: ConnectionHandle, name: str, token: str) -> str:
        account = await self._authenticate(connection, name, token)
        key = fold(account.name)
        for other, (_, holder, _since) in list(self._here.items()):
            if holder is connection:
                del self._here[other]
            elif other == key:
                holder.disconnect("logged in elsewhere")
        self._here[key] = account.name, connection, time.time()
        connection.on_disconnect(lambda: self._left(key, connection))
        return account.name

    async def _authenticate(self, connection: ConnectionHandle, name: str, token: str) -> Account:
        self._attempts.check(connection.host)
        account = await self._journal.read(accounts.log_in, name, token)
        if account is None:
            self._attempts.failed(connection.host)
            raise PeerError(Code.DENIED, "wrong name or token")
        return account

    def _left(self, key: str, connection: ConnectionHandle) -> None:
        if key in self._here and self._here[key][1] is connection:
            del self._here[key]


def describe(place: int, standing: Standing) -> str:
    """The line of ``leaderboard`` for the standing at a place, from 1."""
    elo, error = f"{standing.elo:.0f}", f"{standing.error:.0f}"
    words = [str(place), standing.name, elo, error, str(standing.games), str(standing.won)]
    words += ["anchor"] if standing.anchor else []
    words += ["provisional"] if standing.provisional else []
    return " ".join(words)
