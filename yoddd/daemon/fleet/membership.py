"""The lease of this node in its fleet, and the directories that the nodes publish.

Each node renews its lease and publishes a *directory* of its users and games. It mirrors the
directories of the other nodes, and reads them again whenever PostgreSQL notifies it of a change.
The oldest node takes over the games of a node whose lease has expired. Engines are relayed to it,
whichever node they have connected to, so that any two of them can be paired.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, Protocol

from sqlalchemy import Connection
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from yoddd.daemon.fleet.directory import Directory, NodeDirectory
from yoddd.daemon.fleet.node_links import NodeLinks
from yoddd.daemon.fleet.notifications import Notifications
from yoddd.daemon.lobby.games_in_play import GamesInPlay
from yoddd.daemon.lobby.ledger import Ledger
from yoddd.daemon.play.game_services import GameServices
from yoddd.store import fleet as shared
from yoddd.store import games
from yoddd.store.errors import StoreError
from yoddd.store.fleet import Process
from yoddd.store.values import GameRow

RENEWALS: Final = 4
"""How often a lease is renewed before it would expire."""

PUBLISH_INTERVAL: Final = 0.5
"""Seconds between two checks whether the directory has changed."""

REFRESH_PATIENCE: Final = 2.0
"""Seconds that a client waits for the store at most before it gets the mirror as it is."""


class LocalGames(Protocol):
    """The part of the lobby of this node that its membership uses."""

    in_play: GamesInPlay

    def lose(self) -> None:
        """Give up the games that the store keeps: they belong to another node now."""


class Membership:
    """The lease of this node, and the directories that it publishes and mirrors.

    Attributes:
        number: the number of this node; 0 before it joins, and unchanged from then on.
        secret: the token that the other nodes log in with over their links to this node; drawn
            when this is created, and published by `join`.
        links: the links to the other nodes; those to a node close when its lease expires.
        directory: the mirror of the other directories; updated by each renewal and notification.
    """

    log = Logger()

    def __init__(
        self,
        games: GameServices,
        ledger: Ledger,
        lobby: LocalGames,
        directory: NodeDirectory,
        *,
        lease: float,
        matches: Callable[[], Sequence[str]],
    ) -> None:
        """Create it; the node has not joined yet.

        Args:
            games: the engines and games of this node.
            ledger: its rated games.
            lobby: plays the rated games that this node takes over, and gives up those that it
                loses.
            directory: the mirror to fill.
            lease: seconds after which a lease that is not renewed expires.
            matches: gives the lines of ``matches`` of this node.
        """
        self.number = 0
        self.secret = secrets.token_urlsafe(32)
        self.directory = directory
        self.links = NodeLinks(games.reactor, directory.find_node)
        self._games = games
        self._ledger = ledger
        self._lobby = lobby
        self._lease = lease
        self._matches = matches
        # The endpoint string by which other nodes reach this one; empty before `join`.
        self._address = ""
        # The directory that was published last, as JSON; None before the first time, after the
        # store has failed, and after the lease has expired: it must be published again then.
        self._published: str | None = None
        # Whether the directories are being read because of a notification or a `refresh`.
        self._is_reading = False
        # Those who wait for the read that follows the one in progress.
        self._waiting: list[Deferred[None]] = []
        # Whether the node is joining again after its lease has expired; the results of renewals
        # are ignored meanwhile.
        self._is_joining = False
        # Whether the node is leaving, for good; nothing is read or published from then on.
        self._is_leaving = False
        # Whether a renewal may have taken games over that are not yet played here: set when its
        # result is lost or names games, cleared once the store has been read.
        self._may_have_taken = False
        # Listens from `join` to `leave`.
        self._notifications = Notifications(games.reactor, ledger.journal, self._notified)
        # The timers of the renewals and of the checks of the own directory; both run from `join`
        # to `leave`.
        self._renewals = self._looping(self._renew)
        self._checks = self._looping(self.publish)

    # -- joining and leaving ----------------------------------------------------------------

    async def join(self, address: str) -> None:
        """Join the fleet, and renew the lease from now on.

        Args:
            address: the endpoint string by which the other nodes reach this one.

        Raises:
            StoreError: the store fails.
        """
        self._address = address
        await self._join(None)
        await self._renew()
        await self._notifications.start()
        self._renewals.start(self._lease / RENEWALS, now=False)
        self._checks.start(PUBLISH_INTERVAL, now=False)

    def _looping(self, call: Callable[[], Coroutine[Deferred[Any], Any, None]]) -> LoopingCall:
        async def once() -> None:
            try:
                await call()
            except Exception:  # noqa: BLE001 — without renewals all games would be lost
                self.log.failure("the membership failed, and goes on")

        looping = LoopingCall(lambda: Deferred.fromCoroutine(once()))
        looping.clock = self._games.reactor
        return looping

    async def _join(self, number: int | None) -> None:
        self._published = None
        journal, lease = self._ledger.journal, self._lease
        self.number = await journal.do(shared.join, self._address, self.secret, lease, number)
        self._ledger.owner = self.number
        self.log.info("joined the fleet as node {number}", number=self.number)

    async def leave(self) -> None:
        """Leave the fleet; the oldest of the other nodes takes over the games at once."""
        self._is_leaving = True
        for calls in (self._renewals, self._checks):
            if calls.running:
                calls.stop()
        self._notifications.stop()
        self.links.close_except(())
        if self.number:
            try:
                await self._ledger.journal.do(shared.leave, self.number)
            except StoreError as error:
                self.log.warn("could not leave the fleet: {error}", error=str(error))  # noqa: G010 — Twisted's name

    # -- the other directories --------------------------------------------------------------

    async def find_owner(self, game_id: str) -> int | None:
        """Return the other node that has a game, or None; reads the store if need be.

        Raises:
            StoreError: the store fails.
        """
        found = self.directory.find_owner(game_id)
        if found is None:
            await self._read_directories()
            found = self.directory.find_owner(game_id)
        return found

    async def _read_directories(self) -> None:
        self._update_directory(await self._ledger.journal.read(shared.alive))

    def refresh(self) -> Deferred[None]:
        """Mirror all that was published before this call.

        One read serves all who ask while another is in progress. Fires after `REFRESH_PATIENCE` at
        the latest, and also if the store fails.
        """
        if self._is_leaving:
            return succeed(None)
        done: Deferred[None] = Deferred()
        done.addTimeout(REFRESH_PATIENCE, self._games.reactor, lambda *_: None)
        self._waiting.append(done)
        if not self._is_reading:
            self._is_reading = True
            read = Deferred.fromCoroutine(self._read_while_wanted())
            read.addErrback(lambda failure: self.log.failure("directories not read", failure))
        return done

    def _notified(self, number: int) -> None:
        """Read the directories because one has changed."""
        if number != self.number and not self._is_leaving:
            self.refresh()

    async def _read_while_wanted(self) -> None:
        try:
            while self._waiting:
                await self._read_for(self._waiting)
        finally:
            self._is_reading = False

    async def _read_for(self, waiting: list[Deferred[None]]) -> None:
        self._waiting = []
        try:
            await self._read_directories()
        except StoreError as error:  # the next renewal reads them, or warns
            self.log.debug("directories not read: {error}", error=str(error))
        finally:
            for done in waiting:
                done.callback(None)

    def _update_directory(self, alive: tuple[Process, ...]) -> None:
        for changed in self.directory.update(self.number, alive):
            self._ledger.users.logged_in_elsewhere(changed.users)
        self.links.close_except(self.directory.others)

    # -- the own directory ------------------------------------------------------------------

    def own_directory(self) -> Directory:
        """Return the directory of this node as it is now."""
        users = {game.live.id: game.users for game in self._lobby.in_play.kept}
        latest = self._games.live.latest
        return Directory(
            users=self._ledger.users.logged_in,
            engines=list(self._games.engines.names),
            games={live.id: (live.describe(), users.get(live.id, [])) for live in latest},
            matches=list(self._matches()),
        )

    async def publish(self) -> None:
        """Publish the directory of this node, if it has changed.

        While the store fails nothing is published; the renewals warn of that.
        """
        text = self.own_directory().dump()
        if text != self._published and self.number and not self._is_leaving:
            self._published = text
            try:
                await self._beat(text)
            except StoreError:
                self._published = None

    # -- the lease --------------------------------------------------------------------------

    async def _renew(self) -> None:
        try:
            await self._beat(None)
        except StoreError as error:
            self.log.warn("the lease was not renewed: {error}", error=str(error))  # noqa: G010 — Twisted's name

    async def _beat(self, directory: str | None) -> None:
        """Renew the lease, and publish ``directory`` unless it is None.

        Raises:
            StoreError: the store fails.
        """
        journal = self._ledger.journal
        try:
            beat = await journal.do(shared.beat, self.number, self._lease, directory)
        except StoreError:
            self._may_have_taken = True  # it may be committed, and only its result lost
            raise
        if self._is_leaving or self._is_joining:
            return
        if beat is None:
            await self._rejoin()
            return
        self._update_directory(beat.alive)
        if beat.taken or self._may_have_taken:
            self._may_have_taken = True
            await self._restore_taken()
            self._may_have_taken = False

    async def _restore_taken(self) -> None:
        """Play the games that this node has by the store and does not play yet."""
        fences = self._ledger.fences
        before = dict(fences)
        ours, rows = await self._ledger.journal.read(_games_of, self.number)
        # A game that has begun or ended here while the store was read was not taken over.
        taken = {n: new for n, new in ours.items() if new not in (before.get(n), fences.get(n))}
        fences |= taken
        self._lobby.in_play.restore(row for row in rows if row.number in taken)
        if taken:
            ids = ", ".join(map(str, taken))
            self.log.info("games taken over: {games}", games=ids)

    async def _rejoin(self) -> None:
        """Give up the games and join again, because the lease has expired.

        Idle engines are disconnected, so that they attach again and are relayed to the oldest node.
        """
        self.log.error("the lease of node {number} has expired", number=self.number)
        self._is_joining = True
        self._lobby.lose()
        try:
            await self._join(self.number)
        finally:
            self._is_joining = False
        await self._read_directories()
        self._games.engines.disconnect_free()


def _games_of(connection: Connection, number: int) -> tuple[dict[int, int], list[GameRow]]:
    """Return the fencing numbers of a node's games in play, and the games."""
    fences = shared.fences(connection, number)
    return fences, games.games_in_play(connection, sorted(fences)) if fences else []
