"""This daemon as one of several that share a store: its lease, and what the others have to offer.

Each process renews its lease and publishes a *directory*: who is here and which games it has. It
mirrors those of the others, and reads them anew whenever PostgreSQL tells it of a change. The
oldest process takes over the games of one that has died; engines dial in to it, whatever process
they have reached, so that any two of them can be paired.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Final

import attrs
from sqlalchemy import Connection
from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from yoddd.daemon.connections.hub import Hub
from yoddd.daemon.fleet.node_links import Links
from yoddd.daemon.fleet.notifications import Wakeups
from yoddd.daemon.lobby.games_in_play import Boards
from yoddd.daemon.lobby.ledger import Ledger
from yoddd.store import fleet as shared
from yoddd.store import games
from yoddd.store.errors import StoreError
from yoddd.store.fleet import Process
from yoddd.store.values import GameRow

BEATS: Final = 4
"""How often a lease is renewed before it would run out."""

PUBLISH: Final = 0.5
"""Seconds between two looks at whether the directory has changed."""


@attrs.frozen
class Directory:
    """What a process has to offer.

    Attributes:
        people: who has logged in, and when by its calendar.
        engines: those that have dialled in.
        games: the id of each game, its line of ``games``, and the folded names of those who play
            it and could `resume` it.
        matches: the lines of ``matches``.
    """

    people: dict[str, float] = attrs.Factory(dict)
    engines: list[str] = attrs.Factory(list)
    games: dict[str, tuple[str, list[str]]] = attrs.Factory(dict)
    matches: list[str] = attrs.Factory(list)

    def dump(self) -> str:
        """As it is kept."""
        return json.dumps(attrs.asdict(self, recurse=False), separators=(",", ":"))

    @classmethod
    def load(cls, text: str) -> Directory:
        """What another process has kept; whatever a newer one has besides is left out."""
        raw: dict[str, Any] = json.loads(text)
        names = [field.name for field in attrs.fields(cls)]
        return cls(**{name: raw[name] for name in names if name in raw})


class Fleet:
    """The life of this process among the others.

    Attributes:
        number: of this process; 0 before it has joined.
        secret: what the others have to say when they link to us.
        links: to the others.
        on_lost: is called when this process was struck off: its games are others' now.
    """

    log = Logger()

    def __init__(self, hub: Hub, ledger: Ledger, boards: Boards, lease: float) -> None:
        """Not joined yet; ``lease`` is in seconds."""
        self.number = 0
        self._matches = hub.config.services.list_matches
        self.secret = secrets.token_urlsafe(32)
        self.links = Links(hub.reactor, self._find)
        self.on_lost: Callable[[], None] = lambda: None
        self._hub = hub
        self._ledger = ledger
        self._boards = boards
        self._lease = lease
        self._address = ""
        self._alive: tuple[Process, ...] = ()
        self._others: dict[int, Directory] = {}
        self._raw: dict[int, str] = {}
        self._said: str | None = None
        self._is_reading = self._is_stale = self._is_joining = self._is_leaving = False
        self._may_have_taken = False
        self._wakeups = Wakeups(hub.reactor, ledger.journal, self._told)
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
        await self._wakeups.start()
        self._beats.start(self._lease / BEATS, now=False)
        self._looks.start(PUBLISH, now=False)

    def _looping(self, call: Callable[[], Coroutine[Deferred[Any], Any, None]]) -> LoopingCall:
        async def once() -> None:
            try:
                await call()
            except Exception:  # noqa: BLE001 — whatever it is, without beats all games would be lost
                self.log.failure("something failed, the fleet goes on")

        found = LoopingCall(lambda: Deferred.fromCoroutine(once()))
        found.clock = self._hub.reactor
        return found

    async def _join(self, number: int | None) -> None:
        self._said = None
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
        self._wakeups.stop()
        self.links.keep(())
        if self.number:
            try:
                await self._ledger.journal.do(shared.leave, self.number)
            except StoreError as error:
                self.log.warn("could not leave the fleet: {error}", error=str(error))  # noqa: G010 — Twisted's name

    # -- what the others have -----------------------------------------------------------------

    @property
    def known(self) -> Iterable[tuple[int, Directory]]:
        """The number and the directory of each of the others."""
        return self._others.items()

    @property
    def others(self) -> Iterable[Directory]:
        """The directories of the others."""
        return self._others.values()

    @property
    def oldest(self) -> Process | None:
        """The process that engines dial in to; None if that is this one."""
        first = self._alive[0] if self._alive else None
        return None if first is None or first.number == self.number else first

    def home_of(self, game_id: str) -> int | None:
        """The other process that has a game, as far as we know."""
        return next((number for number, one in self._others.items() if game_id in one.games), None)

    async def find(self, game_id: str) -> int | None:
        """The other process that has a game; asks the store if need be."""
        found = self.home_of(game_id)
        if found is None:
            await self._read()
            found = self.home_of(game_id)
        return found

    def _find(self, number: int) -> Process | None:
        return next((one for one in self._alive if one.number == number), None)

    async def _read(self) -> None:
        """Read what the others offer."""
        self._see(await self._ledger.journal.read(shared.alive))

    def _told(self, number: int) -> None:
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
        self._alive = alive
        others = {one.number: one.directory for one in alive if one.number != self.number}
        for number, text in others.items():
            if self._raw.get(number) != text:
                self._others[number] = found = Directory.load(text)
                self._ledger.users.logged_in_elsewhere(found.people)
        for number in set(self._others) - set(others):
            del self._others[number]
        self._raw = others
        self.links.keep(tuple(others))

    def elsewhere(self) -> list[tuple[str, str]]:
        """Name and kind of whoever is at another process."""
        found = [(name, "person") for one in self.others for name in one.people]
        return found + [(name, "engine") for one in self.others for name in one.engines]

    # -- what we have -------------------------------------------------------------------------

    def directory(self) -> Directory:
        """What there is here."""
        hub = self._hub
        rated = {board.live.id: board.people for board in self._boards.rated}
        lines = {live.id: (live.describe(), rated.get(live.id, [])) for live in hub.live.latest}
        people = self._ledger.users.people
        return Directory(people, list(hub.registry.names), lines, list(self._matches()))

    async def publish(self) -> None:
        """Let the others know what there is here, if anything has changed.

        A store that is away is complained of by the beats; they hear of it once it is back.
        """
        text = self.directory().dump()
        if text != self._said and self.number and not self._is_leaving:
            self._said = text
            try:
                await self._renew(text)
            except StoreError:
                self._said = None

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
        self._boards.restore(row for row in rows if row.number in taken)
        if taken:
            ids = ", ".join(f"r{number}" for number in taken)
            self.log.info("games taken over: {games}", games=ids)

    async def _lost(self) -> None:
        """We were struck off: our games are others' now. Begin anew, without them.

        Engines that have nothing to do dial in again, and so reach whoever is the oldest now.
        """
        self.log.error("process {number} was struck off: its lease had run out", number=self.number)
        self._is_joining = True
        self.on_lost()
        try:
            await self._join(self.number)
        finally:
            self._is_joining = False
        await self._read()
        self._hub.registry.part_from_free()


def _games_of(connection: Connection, number: int) -> tuple[dict[int, int], list[GameRow]]:
    """The fencing numbers of a process's games in play, and the games."""
    fences = shared.fences(connection, number)
    return fences, games.games_in_play(connection, sorted(fences)) if fences else []
