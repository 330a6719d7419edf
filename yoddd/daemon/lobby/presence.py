"""Whether somebody who offers a game is still there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

import attrs
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from yoddd.daemon.play.live_games import Watcher

GRACE: Final = 20.0
"""Seconds for which a page may be away, while it is loaded again or has lost its connection."""


class Presence:
    """Counts the connections that observe a game with a key, and says when the last has been gone.

    A key that nobody has observed with is never reported: its owner need not watch.
    """

    def __init__(
        self, reactor: IReactorTime, gone: Callable[[str], None], grace: float = GRACE
    ) -> None:
        """``gone`` is called with a key, ``grace`` seconds after its last watcher has stopped."""
        self._reactor = reactor
        self._gone = gone
        self._grace = grace
        self._there: Counter[str] = Counter()
        self._alarms: dict[str, IDelayedCall] = {}

    def keep(self, key: str, watcher: Watcher) -> Keeper:
        """The watcher of somebody with a key."""
        self._there[key] += 1
        alarm = self._alarms.pop(key, None)
        if alarm is not None:
            alarm.cancel()
        return Keeper(self, key, watcher)

    def leave(self, key: str) -> None:
        """A watcher has stopped."""
        if key not in self._there:
            return
        self._there[key] -= 1
        if self._there[key] == 0:
            del self._there[key]
            self._alarms[key] = self._reactor.callLater(self._grace, self._report, key)

    def forget(self, key: str) -> None:
        """The key is of no use any more."""
        self._there.pop(key, None)
        alarm = self._alarms.pop(key, None)
        if alarm is not None:
            alarm.cancel()

    def _report(self, key: str) -> None:
        del self._alarms[key]
        self._gone(key)


@attrs.frozen(eq=False)
class Keeper:
    """A watcher who is one of the people; the streaming job of ``observe``."""

    presence: Presence
    key: str
    watcher: Watcher

    def stop(self) -> None:
        """This connection listens no more."""
        self.watcher.stop()
        self.presence.leave(self.key)
