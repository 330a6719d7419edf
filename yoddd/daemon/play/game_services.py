"""The services that everything that plays games shares, built once by the composition root."""

from __future__ import annotations

import attrs

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.start_gate import StartGate
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.play.live_games import LiveGames


@attrs.frozen(eq=False)
class GameServices:
    """What matches, the lobby, the ladder and the fleet use of each other.

    Attributes:
        reactor: Twisted's.
        engines: the attached engines; the same as in `Services`.
        live: the games that can be watched.
        start_gate: whether games may start.
    """

    reactor: Reactor
    engines: EngineRegistry = attrs.Factory(EngineRegistry)
    live: LiveGames = attrs.Factory(LiveGames)
    start_gate: StartGate = attrs.Factory(StartGate)
