"""Presence: whether the human who has a seat is connected, and what follows if not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

import attrs
from twisted.internet.interfaces import IDelayedCall

from yoddd.daemon.lobby.directory import Seated
from yoddd.daemon.play.game_runner import GameRunner
from yoddd.daemon.play.game_services import GameServices
from yoddd.protocol.effects import ConnectionHandle
from yoddd.referee import Reason, forfeit
from yoddd.referee.hosted.events import Present, Terminate, Withdraw
from yoddd.referee.hosted.state import Phase

GRACE: Final = 20.0
"""Seconds without an observing connection, as while a page is reloaded or connects again."""

AWAY: Final = 3.0
"""Seconds without a connection after which the game is told."""


@attrs.define(eq=False)
class Presence:
    """Counts the connections of the holder of each place, and tells the game of changes.

    Of a place that has had no connection no game is told: its holder may be a program that sends
    its turns without observing the game.
    """

    # The games of the daemon, for its clock and its settings.
    _games: GameServices
    # Is called with a game that was told.
    _told: Callable[[GameRunner], None]
    # The connections of each holder now; never 0.
    _present: Counter[Seated] = attrs.Factory(Counter)
    # Those among them that do not observe, by place, the latest last; none while another observes.
    _held: dict[Seated, dict[ConnectionHandle, None]] = attrs.Factory(dict)
    # When the last connection of each other place stopped.
    _left: dict[Seated, float] = attrs.Factory(dict)
    # By place, the calls for those whose last connection has stopped.
    _alarms: dict[Seated, list[IDelayedCall]] = attrs.Factory(dict)

    def observe(self, place: Seated) -> None:
        """Count a connection that observes, until `remove`, instead of those that do not observe.

        A client that has begun to observe is gone when it observes no more, whatever its other
        connections do.
        """
        self._present[place] -= len(self._held.pop(place, ()))
        self._arrive(place)

    def hold(self, place: Seated, connection: ConnectionHandle) -> None:
        """Count a connection of the holder of ``place`` until it is lost, or one observes."""
        held = self._held.get(place, {})
        if connection in held or self._present[place] > len(held):
            return
        self._held.setdefault(place, {})[connection] = None
        self._arrive(place)
        connection.on_disconnect(
            lambda: self._let_go(place, connection), lambda: self._is_needed(place, connection)
        )

    def _is_needed(self, place: Seated, connection: ConnectionHandle) -> bool:
        """Whether a connection is the latest of the holder of a place in a game in play."""
        latest = next(reversed(self._held.get(place, {})), None)
        return latest is connection and place[0].game.is_running

    def _let_go(self, place: Seated, connection: ConnectionHandle) -> None:
        held = self._held.get(place, {})
        if connection in held:
            del held[connection]
            self.remove(place)

    def miss(self, place: Seated) -> None:
        """Note that the holder is away from now on, as after a restart."""
        self._left[place] = self._games.reactor.seconds()
        self._tell(place, self._left[place])

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
            now, call = self._games.reactor.seconds(), self._games.reactor.callLater
            self._left[place] = now
            self._alarms[place] = [
                call(AWAY, self._tell, place, now),
                call(GRACE, self._withdraw, place),
                call(GRACE + self._games.challenge_idle, self._end_challenge, place),
            ]

    def forget(self, place: Seated) -> None:
        """Drop a place of a game that is over."""
        self._present.pop(place, None)
        self._held.pop(place, None)
        self._left.pop(place, None)
        self._cancel_alarms(place)

    def _arrive(self, place: Seated) -> None:
        """Count a connection; the game is told last, for it may end by that and be forgotten."""
        self._present[place] += 1
        self._cancel_alarms(place)
        if self._left.pop(place, None) is not None:
            self._tell(place, None)

    def _tell(self, place: Seated, since: float | None) -> None:
        """Tell a game that the holder of a seat is away since a moment, or back."""
        runner, seat = place
        runner.handle(Present(seat, since, self._games.settings.limits.claim))
        self._told(runner)

    def _withdraw(self, place: Seated) -> None:
        """Withdraw the offer of an owner who is absent, unless it expires by itself."""
        runner, _ = place
        if runner.game.phase is Phase.OFFERED and runner.game.terms.expires is None:
            runner.handle(Withdraw(None))

    def _end_challenge(self, place: Seated) -> None:
        """Let a challenger lose who stays away, but not by the day."""
        runner, seat = place
        if runner.game.terms.is_challenge and not runner.game.by_day:
            detail = f"left and not back within {self._games.challenge_idle:g} s"
            runner.handle(Terminate(forfeit(seat, Reason.DISCONNECT, detail)))

    def _cancel_alarms(self, place: Seated) -> None:
        for alarm in self._alarms.pop(place, ()):
            if alarm.active():
                alarm.cancel()
