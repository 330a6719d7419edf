"""The users of a server: log-ins to accounts, where a new one ends the old, and checks of names."""

from __future__ import annotations

from collections import deque
from collections.abc import Set as AbstractSet
from typing import Final

import attrs

from yoddd.daemon.base.admission.admission import place_of
from yoddd.daemon.base.admission.sliding_window import SlidingWindow
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.replies import answer_when_done
from yoddd.daemon.base.store.journal import Journal
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.protocol.effects import Attach, ConnectionHandle, ResultCallback
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.protocol.origin import Origin, fold
from yoddd.store import accounts, ratings
from yoddd.store.errors import StoreError, UnknownName
from yoddd.store.values import TICKET, Account, AccountRating, digest

WINDOW: Final = 60.0
"""Seconds in which failed log-ins are counted."""


@attrs.frozen(eq=False)
class Grant:
    """The use of a token.

    Attributes:
        name: of the account.
        is_page: whether the token is the ticket of a browser's session. The log-ins of pages do not
            replace each other: a browser may show several.
        connections: those of the sessions and engines that have shown the token.
    """

    name: str
    is_page: bool = False
    connections: set[ConnectionHandle] = attrs.Factory(set)

    def add(self, connection: ConnectionHandle) -> None:
        """Add a connection, until it is lost."""
        if connection not in self.connections:
            self.connections.add(connection)
            connection.on_disconnect(lambda: self.connections.discard(connection))


@attrs.define(eq=False)
class Users:
    """The `Accounts` of a daemon: who has logged in here, and which names are whose."""

    _journal: Journal
    _engines: EngineRegistry
    _settings: CurrentSettings
    # Whether engines need an account to attach, as clients do to be served.
    _login_required: bool = attrs.field(default=False, kw_only=True)
    # The grant by which each connection has logged in, until it closes or logs in to another
    # account, or another connection logs in to this one.
    _here: dict[ConnectionHandle, Grant] = attrs.Factory(dict)
    # By the digest of each token that was used since the start, whose it is and the connections
    # that use it. It stays when they close, for the games of the account go on; but of the tickets
    # of an account without a connection one is enough.
    _grants: dict[str, Grant] = attrs.Factory(dict)
    # By network, the failed log-ins and those without an answer, `failed_logins` at most.
    _failures: SlidingWindow = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Count failed log-ins by the clock of the daemon."""
        self._failures = SlidingWindow(self._journal.world.reactor.seconds, lambda: WINDOW)

    # -- Accounts ---------------------------------------------------------------------------

    def log_in(
        self, connection: ConnectionHandle, name: str, token: str, answer: ResultCallback
    ) -> None:
        """Log a client in; another client that is logged in to that account is disconnected."""
        answer_when_done(answer, self._log_in(connection, name, token))

    def leaderboard(self, game: str, board: str, answer: ResultCallback) -> None:
        """Give the lines of a leaderboard."""
        answer_when_done(answer, self._lines(game, board))

    async def _lines(self, game: str, board: str) -> list[str]:
        found = await self._journal.read_charged(ratings.standings, game, board)
        return [describe(place, standing) for place, standing in enumerate(found, 1)]

    # -- for the lobby ----------------------------------------------------------------------

    @property
    def names(self) -> AbstractSet[str]:
        """The users who have logged in."""
        return {one.name for one in self._here.values()}

    def is_here(self, name: str) -> bool:
        """Whether a user of this name has logged in."""
        return any(fold(one.name) == fold(name) for one in self._here.values())

    async def check_name(self, user: str | None, name: str) -> None:
        """Refuse the name of an account, or one that looks like it, except to its user.

        Args:
            user: the account that the client has logged in to; None if it has not.
            name: the name to play under.

        Raises:
            PeerError: the name belongs to another account than ``user``, or is not that user's.
        """
        if user is not None:
            if fold(user) != fold(name):
                raise PeerError(Subcode.ACCOUNT, f"you are logged in as {user}")
            return
        alike = await self._journal.read_charged(accounts.find_alike, name)
        if alike is not None:
            what = (
                "is an account" if fold(alike) == fold(name) else f"looks like the account {alike}"
            )
            raise PeerError(Subcode.ACCOUNT, f"{name} {what}: log in")

    async def account(self, name: str) -> Account | None:
        """The account called ``name``, if there is one."""
        try:
            return await self._journal.read_charged(accounts.find_account, name)
        except UnknownName:
            return None

    # -- engines ----------------------------------------------------------------------------

    async def gate(
        self, connection: ConnectionHandle, request: Attach, origin: Origin
    ) -> str | Origin:
        """Check an engine that attaches; the text of a refusal, or its owner.

        The name of an account needs its token, so that an engine in a rated game is the one that
        its name says. Other names are free, unless a log-in is required.
        """
        token = request.options.get("token")
        try:
            if token is not None:
                grant = await self._authenticate(connection, request.name, token)
                return attrs.evolve(origin, user=grant.name)
            if self._login_required:
                return f"{Code.LOGIN}: attach needs a token"
            await self.check_name(None, request.name)
        except PeerError as error:
            return error.text
        except StoreError:
            return f"{Code.BUSY}: the store is not available"
        except Exception:  # noqa: BLE001 — a failure must not admit an engine
            return str(Code.INTERNAL)
        return origin

    # -- within -----------------------------------------------------------------------------

    async def _log_in(self, connection: ConnectionHandle, name: str, token: str) -> str:
        grant = await self._authenticate(connection, name, token)
        for other, known in () if grant.is_page else list(self._here.items()):
            is_same = known.name == grant.name and not known.is_page
            if is_same and other is not connection:
                del self._here[other]
                other.disconnect("logged in elsewhere")
        self._here[connection] = grant

        def left() -> None:
            self._here.pop(connection, None)

        connection.on_disconnect(left)
        return grant.name

    async def check_token(self, host: str | None, name: str, token: str) -> Account:
        """The account that a token or a ticket is valid for; failures of ``host`` are counted.

        Not those of an account: otherwise anyone could lock a user out by wrong guesses. Too many
        close the connection that tries on. A valid token is accepted at any time, so that those
        behind one address do not lock each other out either: it has 256 random bits, which the
        limit need not protect.

        Raises:
            PeerError: it is valid for none.
            StoreError: the store fails.
        """
        place, now = place_of(host), self._journal.world.reactor.seconds()
        failures = self._failures.kept(place)
        refusal = PeerError(Subcode.TOKEN, "wrong name or token")
        if len(failures) < self._settings.limits.failed_logins:
            failures.append(now)  # until it is known: many attempts at once count too
        else:
            text = f"too many failed log-ins, wait {self._failures.wait(place):.0f} s"
            refusal, failures = PeerError(Code.DENIED, text, fatal=True), deque()
        is_wrong = True
        try:
            if token.startswith(TICKET):
                account = await self._journal.read_charged(
                    accounts.log_in_by_ticket, name, token, self._journal.world.wall()
                )
            else:
                account = await self._journal.read_charged(accounts.log_in, name, token)
            is_wrong = account is None
        except StoreError:
            is_wrong = False
            raise
        finally:
            if not is_wrong and now in failures:
                failures.remove(now)
        if account is None:
            raise refusal
        return account

    async def _authenticate(self, connection: ConnectionHandle, name: str, token: str) -> Grant:
        account = await self.check_token(connection.host, name, token)
        new = Grant(account.name, token.startswith(TICKET))
        grant = self._grants.setdefault(digest(token), new)
        grant.add(connection)
        if grant.is_page:
            connection.on_disconnect(lambda: self._forget_page(digest(token)))
        return grant

    def _forget_page(self, key: str) -> None:
        """Forget a ticket that no connection uses, unless it is the only one of the account."""
        grant = self._grants.get(key)
        if grant is None or grant.connections:
            return
        if any(one.name == grant.name for one in self._grants.values() if one is not grant):
            del self._grants[key]

    async def end_revoked(self) -> set[str]:
        """Disconnect users and engines whose tokens are not valid any more; returns their names.

        A user who has logged out a browser is not among them, unless the account is disabled.

        Raises:
            StoreError: the store fails.
        """
        if not self._grants:
            return set()
        invalid = await self._journal.read(accounts.invalid_tokens, tuple(self._grants))
        ended = [self._grants.pop(one) for one in invalid if one in self._grants]
        for grant in ended:
            for connection in tuple(grant.connections):
                connection.disconnect("the token is revoked, or the account disabled")
        out = {grant.name for grant in ended if grant.is_page}
        found = [await self.account(name) for name in out]
        disabled = {account.name for account in found if account is not None and account.disabled}
        return disabled | {grant.name for grant in ended if not grant.is_page}


def describe(place: int, standing: AccountRating) -> str:
    """The line of ``leaderboard`` for the standing at a place, from 1."""
    elo, error = f"{standing.elo:.0f}", f"{standing.error:.0f}"
    words = [str(place), standing.name, elo, error, str(standing.games), str(standing.won)]
    words += ["anchor"] if standing.anchor else []
    words += ["provisional"] if standing.provisional else []
    return " ".join(words)
