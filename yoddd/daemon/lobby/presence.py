"""Presence: whether the participant who holds a key still observes the game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

import attrs
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from yoddd.daemon.play.live_games import Spectator
from yoddd.protocol.effects import ConnectionHandle

GRACE: Final = 20.0
"""Seconds without an observing connection, as while a page is reloaded or connects again."""


class Presence:
    """Counts the connections that observe with each key, and reports a key after its last.

    A key that has had no connection is never reported.
    """

    def __init__(
        self, reactor: IReactorTime, gone: Callable[[str], None], grace: float = GRACE
    ) -> None:
        """Create it without keys.

        Args:
            reactor: Twisted's clock.
            gone: is called with a key, ``grace`` seconds after its last connection has stopped.
            grace: in seconds.
        """
        self._reactor = reactor
        self._gone = gone
        self._grace = grace
        # The connections that observe with each key now; never 0.
        self._present: Counter[str] = Counter()
        # The calls that report the keys whose last connection has stopped within ``grace``.
        self._alarms: dict[str, IDelayedCall] = {}

    def add(self, key: str, spectator: Spectator) -> KeyHolder:
        """Count a connection that observes with ``key``."""
        self._present[key] += 1
        self._cancel_alarm(key)
        return KeyHolder(self, key, spectator)

    def hold(self, key: str, connection: ConnectionHandle) -> None:
        """Count a connection of the holder of ``key`` until it is lost."""
        self._present[key] += 1
        self._cancel_alarm(key)
        connection.on_disconnect(lambda: self.remove(key))

    def remove(self, key: str) -> None:
        """Count off a connection that has stopped; the last one starts the time of grace."""
        if key not in self._present:
            return
        self._present[key] -= 1
        if self._present[key] == 0:
            del self._present[key]
            self._alarms[key] = self._reactor.callLater(self._grace, self._report, key)

    def report_again(self, key: str, seconds: float) -> None:
        """Report a key once more if it has no connection for so long."""
        self._alarms[key] = self._reactor.callLater(seconds, self._report, key)

    def forget(self, key: str) -> None:
        """Drop a key that is void; it is not reported."""
        self._present.pop(key, None)
        self._cancel_alarm(key)

    def _cancel_alarm(self, key: str) -> None:
        alarm = self._alarms.pop(key, None)
        if alarm is not None:
            alarm.cancel()

    def _report(self, key: str) -> None:
        del self._alarms[key]
        self._gone(key)


@attrs.frozen(eq=False)
class KeyHolder:
    """The streaming job of ``observe`` with a key: a participant who watches the own game.

    Attributes:
        presence: counts the connection.
        key: the key.
        spectator: the connection as a spectator.
    """

    presence: Presence
    key: str
    spectator: Spectator

    def stop(self) -> None:
        """Stop watching."""
        self.spectator.stop()
        self.presence.remove(self.key)
