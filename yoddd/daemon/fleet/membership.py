"""This daemon as one of several that share a store: its lease, and what the others have to offer.

Each process renews its lease and publishes a *directory*: who is here and which games it has. It
mirrors those of the others, and reads them anew whenever PostgreSQL tells it of a change. The
oldest process takes over the games of one that has died; engines dial in to it, whatever process
they have reached, so that any two of them can be paired.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, Protocol

from sqlalchemy import Connection
from twisted.internet.defer import Deferred
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

BEATS: Final = 4
"""How often a lease is renewed before it would run out."""

PUBLISH: Final = 0.5
"""Seconds between two looks at whether the directory has changed."""


class LocalGames(Protocol):
    """The lobby of this node, as far as its membership is concerned."""

    in_play: GamesInPlay

    def lose(self) -> None:
        """Give up the games that the store keeps: they are another node's now."""


class Membership:
    """The lease of this node, and what it and the others publish.

    Attributes:
        number: of this node; 0 before it has joined.
        secret: the token that the others log in with over their links to this node.
        links: the links to the others.
        directory: what the others offer.
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
            lobby: plays them; it is told when they are another node's.
            directory: is filled with what the others publish.
            lease: seconds after which a node that was not heard of is dead.
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
        # Where the others reach this node; set by join.
        self._address = ""
        # The directory as it was published last; None if it must be published again.
        self._published: str | None = None
        # Whether the store is being read, and whether it has changed since that began.
        self._is_reading = self._is_stale = False
        # Whether the node joins again after its lease had expired; beats change nothing meanwhile.
        self._is_joining = False
        # Whether the node leaves; nothing is read or published from then on.
        self._is_leaving = False
        # Whether games may have been taken over by a beat whose answer was lost.
        self._may_have_taken = False
        self._notifications = Notifications(games.reactor, ledger.journal, self._notified)
        self._beats = self._looping(self._beat)
        self._looks = self._looping(self.publish)

    # -- life -------------------------------------------------------------------------------

    async def join(self, address: str) -> None:
        """Begin: from now on the others reach us at ``address``.

        Raises:
            StoreError: the store fails.
        """
        self._address = address
        await self._join(None)
        await self._beat()
        await self._notifications.start()
        self._beats.start(self._lease / BEATS, now=False)
        self._looks.start(PUBLISH, now=False)

    def _looping(self, call: Callable[[], Coroutine[Deferred[Any], Any, None]]) -> LoopingCall:
        async def once() -> None:
            try:
                await call()
            except Exception:  # noqa: BLE001 — whatever it is, without beats all games would be lost
                self.log.failure("something failed, the fleet goes on")

        found = LoopingCall(lambda: Deferred.fromCoroutine(once()))
        found.clock = self._games.reactor
        return found

    async def _join(self, number: int | None) -> None:
        self._published = None
        journal, lease = self._ledger.journal, self._lease
        self.number = await journal.do(shared.join, self._address, self.secret, lease, number)
        self._ledger.owner = self.number
        self.log.info("this is process {number} of the fleet", number=self.number)

    async def leave(self) -> None:
        """End: whoever is left takes our games over at once."""
        self._is_leaving = True
        for calls in (self._beats, self._looks):
            if calls.running:
                calls.stop()
        self._notifications.stop()
        self.links.keep(())
        if self.number:
            try:
                await self._ledger.journal.do(shared.leave, self.number)
            except StoreError as error:
                self.log.warn("could not leave the fleet: {error}", error=str(error))  # noqa: G010 — Twisted's name

    # -- what the others have -----------------------------------------------------------------

    async def find(self, game_id: str) -> int | None:
        """Return the other node that has a game; asks the store if need be."""
        found = self.directory.home_of(game_id)
        if found is None:
            await self._read()
            found = self.directory.home_of(game_id)
        return found

    async def _read(self) -> None:
        """Read what the others offer."""
        self._see(await self._ledger.journal.read(shared.alive))

    def _notified(self, number: int) -> None:
        """PostgreSQL says that something has changed; however often, it is read once at a time."""
        if number == self.number or self._is_leaving:
            return
        self._is_stale = True
        if not self._is_reading:
            self._is_reading = True
            done = Deferred.fromCoroutine(self._read_while_stale())
            done.addErrback(lambda failure: self.log.failure("not read", failure))

    async def _read_while_stale(self) -> None:
        try:
            while self._is_stale:
                self._is_stale = False
                await self._read()
        except StoreError as error:  # the beats will tell
            self.log.debug("not read: {error}", error=str(error))
        finally:
            self._is_reading = False

    def _see(self, alive: tuple[Process, ...]) -> None:
        for changed in self.directory.update(self.number, alive):
            self._ledger.users.logged_in_elsewhere(changed.people)
        self.links.keep(self.directory.numbers)

    # -- what we have -------------------------------------------------------------------------

    def _own_directory(self) -> Directory:
        games = self._games
        rated = {game.live.id: game.humans for game in self._lobby.in_play.rated}
        lines = {live.id: (live.describe(), rated.get(live.id, [])) for live in games.live.latest}
        people = self._ledger.users.logged_in
        return Directory(people, list(games.engines.names), lines, list(self._matches()))

    async def publish(self) -> None:
        """Let the others know what there is here, if anything has changed.

        A store that is away is complained of by the beats; they hear of it once it is back.
        """
        text = self._own_directory().dump()
        if text != self._published and self.number and not self._is_leaving:
            self._published = text
            try:
                await self._renew(text)
            except StoreError:
                self._published = None

    async def _beat(self) -> None:
        try:
            await self._renew(None)
        except StoreError as error:
            self.log.warn("the lease was not renewed: {error}", error=str(error))  # noqa: G010 — Twisted's name

    async def _renew(self, directory: str | None) -> None:
        journal = self._ledger.journal
        try:
            found = await journal.do(shared.beat, self.number, self._lease, directory)
        except StoreError:
            self._may_have_taken = True  # committed, and the connection lost with the answer
            raise
        if self._is_leaving or self._is_joining:
            return
        if found is None:
            await self._lost()
            return
        self._see(found.alive)
        if found.taken or self._may_have_taken:
            self._may_have_taken = True
            await self._take()
            self._may_have_taken = False

    async def _take(self) -> None:
        """Take up the games that are ours by the store and not yet on a board here."""
        fences = self._ledger.fences
        before = dict(fences)
        ours, rows = await self._ledger.journal.read(_games_of, self.number)
        # One that was begun or has ended here while the store was read is none of them.
        taken = {n: new for n, new in ours.items() if new not in (before.get(n), fences.get(n))}
        fences |= taken
        self._lobby.in_play.restore(row for row in rows if row.number in taken)
        if taken:
            ids = ", ".join(f"r{number}" for number in taken)
            self.log.info("games taken over: {games}", games=ids)

    async def _lost(self) -> None:
        """We were struck off: our games are others' now. Begin anew, without them.

        Engines that have nothing to do dial in again, and so reach whoever is the oldest now.
        """
        self.log.error("process {number} was struck off: its lease had run out", number=self.number)
        self._is_joining = True
        self._lobby.lose()
        try:
            await self._join(self.number)
        finally:
            self._is_joining = False
        await self._read()
        self._games.engines.disconnect_free()


def _games_of(connection: Connection, number: int) -> tuple[dict[int, int], list[GameRow]]:
    """The fencing numbers of a process's games in play, and the games."""
    fences = shared.fences(connection, number)
    return fences, games.games_in_play(connection, sorted(fences)) if fences else []
