"""Presence: whether the participant who has a seat is connected, and since when not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

import attrs
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from yoddd.daemon.play.live_games import Spectator
from yoddd.protocol.effects import ConnectionHandle

GRACE: Final = 20.0
"""Seconds without an observing connection, as while a page is reloaded or connects again."""


AWAY: Final = 3.0
"""Seconds without a connection after which the others are told."""

Place = TypeVar("Place", bound=Hashable)
"""A seat of a game, of which presence is counted."""


class Presence(Generic[Place]):
    """Counts the connections of the holder of each place, and reports changes.

    A place that has had no connection is never reported: its holder may be a program that sends its
    turns without observing the game.
    """

    def __init__(
        self,
        reactor: IReactorTime,
        gone: Callable[[Place], None],
        changed: Callable[[Place], None] = lambda _: None,
        grace: float = GRACE,
    ) -> None:
        """Create it without places.

        Args:
            reactor: Twisted's clock.
            gone: is called with a place, ``grace`` seconds after its last connection has stopped.
            changed: is called with a place whose holder is away for `AWAY` seconds, or back.
            grace: in seconds.
        """
        self._reactor = reactor
        self._gone = gone
        self._changed = changed
        self._grace = grace
        # The connections of each holder now; never 0.
        self._present: Counter[Place] = Counter()
        # Those among them that do not observe, by place; none while another one observes.
        self._held: dict[Place, set[ConnectionHandle]] = {}
        # When the last connection of each other place stopped.
        self._left: dict[Place, float] = {}
        # Those among them that were reported as changed.
        self._away: set[Place] = set()
        # By place, the calls that report those whose last connection has stopped.
        self._alarms: dict[Place, list[IDelayedCall]] = {}

    def away(self, place: Place) -> float | None:
        """Seconds for which the holder has been away; None if present, or never seen."""
        if place not in self._away:
            return None
        return self._reactor.seconds() - self._left[place]

    def add(self, place: Place, spectator: Spectator) -> KeyHolder[Place]:
        """Count a connection that observes for ``place`` instead of those that do not observe.

        A client that has begun to observe is gone when it observes no more, whatever its other
        connections do.
        """
        self._arrive(place)
        self._present[place] -= len(self._held.pop(place, ()))
        return KeyHolder(self, place, spectator)

    def hold(self, place: Place, connection: ConnectionHandle) -> None:
        """Count a connection of the holder of ``place`` until it is lost, or one observes."""
        held = self._held.get(place, set())
        if connection in held or self._present[place] > len(held):
            return
        self._arrive(place)
        self._held.setdefault(place, set()).add(connection)
        connection.on_disconnect(lambda: self._let_go(place, connection))

    def _let_go(self, place: Place, connection: ConnectionHandle) -> None:
        held = self._held.get(place, set())
        if connection in held:
            held.discard(connection)
            self.remove(place)

    def miss(self, place: Place) -> None:
        """Note that the holder is away from now on, as after a restart."""
        self._left[place] = self._reactor.seconds()
        self._away.add(place)

    def touch(self, place: Place) -> None:
        """Note a sign of life of a holder who may have no connection that is counted."""
        if place in self._left:
            self._arrive(place)
            self.remove(place)

    def remove(self, place: Place) -> None:
        """Count off a connection that has stopped; the last one starts the time of grace."""
        if place not in self._present:
            return
        self._present[place] -= 1
        if self._present[place] == 0:
            del self._present[place]
            self._left[place] = self._reactor.seconds()
            self._alarms[place] = [
                self._reactor.callLater(self._grace, self._gone, place),
                self._reactor.callLater(AWAY, self._report_away, place),
            ]

    def report_again(self, place: Place, seconds: float) -> None:
        """Report a place as gone again if it has no connection for ``seconds``."""
        self._alarms.setdefault(place, []).append(
            self._reactor.callLater(seconds, self._gone, place)
        )

    def forget(self, place: Place) -> None:
        """Drop a place; it is not reported any more."""
        self._present.pop(place, None)
        self._held.pop(place, None)
        self._left.pop(place, None)
        self._away.discard(place)
        self._cancel_alarms(place)

    def _arrive(self, place: Place) -> None:
        self._present[place] += 1
        self._cancel_alarms(place)
        self._left.pop(place, None)
        if place in self._away:
            self._away.discard(place)
            self._changed(place)

    def _report_away(self, place: Place) -> None:
        self._away.add(place)
        self._changed(place)

    def _cancel_alarms(self, place: Place) -> None:
        for alarm in self._alarms.pop(place, ()):
            if alarm.active():
                alarm.cancel()


@attrs.frozen(eq=False)
class KeyHolder(Generic[Place]):
    """The streaming job of ``observe`` with a key: a participant who watches the own game.

    Attributes:
        presence: counts the connection.
        place: the seat.
        spectator: the connection as a spectator.
    """

    presence: Presence[Place]
    place: Place
    spectator: Spectator

    def stop(self) -> None:
        """Stop watching."""
        self.spectator.stop()
        self.presence.remove(self.place)
