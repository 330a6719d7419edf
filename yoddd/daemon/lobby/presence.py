"""Presence: whether the participant who has a seat is connected, and since when not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

import attrs
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from yoddd.daemon.lobby.directory import Seated
from yoddd.protocol.effects import ConnectionHandle

GRACE: Final = 20.0
"""Seconds without an observing connection, as while a page is reloaded or connects again."""

AWAY: Final = 3.0
"""Seconds without a connection after which the others are told."""


@attrs.define(eq=False)
class Presence:
    """Counts the connections of the holder of each place, and reports changes.

    A place that has had no connection is never reported: its holder may be a program that sends its
    turns without observing the game.
    """

    _reactor: IReactorTime
    # Is called with a place and the moment since which its holder is away, after `AWAY` seconds;
    # and with None when the holder is back.
    _changed: Callable[[Seated, float | None], None]
    # Is called with a place, ``grace`` seconds after its last connection has stopped.
    _gone: Callable[[Seated], None]
    # Is called with it after ``patience`` seconds more.
    _lost: Callable[[Seated], None] = lambda _: None
    _grace: float = GRACE
    _patience: Callable[[], float] = lambda: 0.0
    # The connections of each holder now; never 0.
    _present: Counter[Seated] = attrs.Factory(Counter)
    # Those among them that do not observe, by place; none while another one observes.
    _held: dict[Seated, set[ConnectionHandle]] = attrs.Factory(dict)
    # When the last connection of each other place stopped.
    _left: dict[Seated, float] = attrs.Factory(dict)
    # By place, the calls that report those whose last connection has stopped.
    _alarms: dict[Seated, list[IDelayedCall]] = attrs.Factory(dict)

    def observe(self, place: Seated) -> None:
        """Count a connection that observes, until `remove`, instead of those that do not observe.

        A client that has begun to observe is gone when it observes no more, whatever its other
        connections do.
        """
        self._arrive(place)
        self._present[place] -= len(self._held.pop(place, ()))

    def hold(self, place: Seated, connection: ConnectionHandle) -> None:
        """Count a connection of the holder of ``place`` until it is lost, or one observes."""
        held = self._held.get(place, set())
        if connection in held or self._present[place] > len(held):
            return
        self._arrive(place)
        self._held.setdefault(place, set()).add(connection)
        connection.on_disconnect(lambda: self._let_go(place, connection))

    def _let_go(self, place: Seated, connection: ConnectionHandle) -> None:
        held = self._held.get(place, set())
        if connection in held:
            held.discard(connection)
            self.remove(place)

    def miss(self, place: Seated) -> None:
        """Note that the holder is away from now on, as after a restart."""
        self._left[place] = self._reactor.seconds()
        self._changed(place, self._left[place])

    def touch(self, place: Seated) -> None:
        """Note a sign of life of a holder who may have no connection that is counted."""
        if place in self._left:
            self._arrive(place)
            self.remove(place)

    def remove(self, place: Seated) -> None:
        """Count off a connection that has stopped; the last one starts the time of grace."""
        if place not in self._present:
            return
        self._present[place] -= 1
        if self._present[place] == 0:
            del self._present[place]
            now, call = self._reactor.seconds(), self._reactor.callLater
            self._left[place] = now
            self._alarms[place] = [
                call(AWAY, self._changed, place, now),
                call(self._grace, self._gone, place),
                call(self._grace + self._patience(), self._lost, place),
            ]

    def forget(self, place: Seated) -> None:
        """Drop a place; it is not reported any more."""
        self._present.pop(place, None)
        self._held.pop(place, None)
        self._left.pop(place, None)
        self._cancel_alarms(place)

    def _arrive(self, place: Seated) -> None:
        self._present[place] += 1
        self._cancel_alarms(place)
        if self._left.pop(place, None) is not None:
            self._changed(place, None)

    def _cancel_alarms(self, place: Seated) -> None:
        for alarm in self._alarms.pop(place, ()):
            if alarm.active():
                alarm.cancel()
