"""Services for all that plays games, built once by the composition root."""

from __future__ import annotations

import attrs

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.start_gate import StartGate
from yoddd.daemon.base.world import World
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.play.challenges import Challenges
from yoddd.daemon.play.live_games import LiveGames


@attrs.frozen(eq=False)
class GameServices:
    """Services that matches, the lobby and the ladder share.

    Attributes:
        world: the surroundings of the daemon.
        engines: the attached engines; the same as in `Services`.
        live: the games that are offered, played or lately over.
        start_gate: whether games may start.
        challenges: which engines a client may have play.
    """

    world: World
    engines: EngineRegistry = attrs.Factory(
        lambda self: EngineRegistry(self.reactor.seconds), takes_self=True
    )
    live: LiveGames = attrs.Factory(LiveGames)
    start_gate: StartGate = attrs.Factory(StartGate)
    challenges: Challenges = attrs.Factory(
        lambda self: Challenges(self.engines, self.reactor.seconds, CurrentSettings()),
        takes_self=True,
    )

    @property
    def reactor(self) -> Reactor:
        """Twisted's: timers and monotonic time."""
        return self.world.reactor
