"""The engines and games of a daemon: when games may start, and who may have which engine play."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import attrs
from twisted.internet.defer import Deferred

from yoddd.daemon.base.admission.sliding_window import SlidingWindow
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.world import World
from yoddd.daemon.connections.attachment import Claim
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.play.game_runner import GameRunner
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.protocol.origin import Origin
from yoddd.referee import TimeControl, WaitLimits
from yoddd.referee.hosted.state import Phase
from yoddd.referee.hosted.view import describe
from yoddd.rules import Rules

FINISHED_KEPT: Final = 64
"""Games that are over and can still be observed; the oldest are dropped first.

Besides these, games by the day can whose participants can agree on a rematch.
"""


class StartGate:
    """Admits new games while it is open; does not affect games in play.

    Attributes:
        reason: why it is closed; None while it is open.
    """

    def __init__(self) -> None:
        """Create an open gate."""
        self.reason: str | None = None
        # The Deferreds of games that wait, in the order in which they asked.
        self._waiting: list[Deferred[None]] = []

    def close(self, reason: str) -> None:
        """Refuse new games, for ``reason``."""
        self.reason = reason

    def open(self) -> None:
        """Admit games again, first those that wait, in their order."""
        self.reason = None
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            one.callback(None)

    def check(self) -> None:
        """Check that a game may start now.

        Raises:
            PeerError: the gate is closed.
        """
        if self.reason is not None:
            raise PeerError(Code.BUSY, self.reason)

    def opened(self) -> Deferred[None]:
        """Return a Deferred that fires when the gate is open; it can be cancelled."""
        waiter: Deferred[None] = Deferred(self._forget)
        if self.reason is None:
            waiter.callback(None)
        else:
            self._waiting.append(waiter)
        return waiter

    def _forget(self, waiter: Deferred[None]) -> None:
        self._waiting.remove(waiter)


@attrs.frozen(eq=False)
class GameServices:
    """The services that matches, the lobby and the ladder share.

    Its games are those by id that are offered or played, and the last that are over. Challenges
    are games against open engines of other peers; they are bounded in rate and time.

    Attributes:
        world: the surroundings of the daemon.
        settings: the settings, which a reload can replace.
        engines: the attached engines; the same as in `Services`.
        start_gate: whether games may start.
    """

    world: World
    settings: CurrentSettings = attrs.Factory(CurrentSettings)
    engines: EngineRegistry = attrs.Factory(
        lambda self: EngineRegistry(self.reactor.seconds, self.settings), takes_self=True
    )
    start_gate: StartGate = attrs.Factory(StartGate)
    # By id, in the order in which they were added.
    _games: dict[str, GameRunner] = attrs.Factory(dict)
    # By account or address, when challenges began; one entry for each game.
    _challenges: SlidingWindow = attrs.Factory(
        lambda self: SlidingWindow(
            self.reactor.seconds, lambda: self.settings.limits.challenge_window
        ),
        takes_self=True,
    )

    @property
    def reactor(self) -> Reactor:
        """Twisted's: timers and monotonic time."""
        return self.world.reactor

    # -- games ------------------------------------------------------------------------------

    def add(self, runner: GameRunner) -> None:
        """Add a game, and drop the oldest of too many that are over."""
        games = [old.game for old in self if old.game.phase is Phase.OVER]
        over = [one.id for one in games if not (one.by_day and one.lingers)]
        for game_id in over[: max(0, len(over) - FINISHED_KEPT)]:
            del self._games[game_id]
        self._games[runner.game.id] = runner

    def remove(self, runner: GameRunner) -> None:
        """Drop a game."""
        if self._games.get(runner.game.id) is runner:
            del self._games[runner.game.id]

    def find(self, game_id: str) -> GameRunner:
        """The game of an id.

        Raises:
            PeerError: there is no such game.
        """
        found = self._games.get(game_id)
        if found is None:
            raise PeerError(Subcode.NO_GAME, f"no game {game_id!r}")
        return found

    def describe(self, ids: Iterable[str] = ()) -> list[str]:
        """The lines of ``games``: of all that are listed, the latest first, or of ``ids``."""
        now = self.reactor.seconds()
        if ids:
            return [describe(self._games[one].game, now) for one in ids if one in self._games]
        lines: list[str] = []
        over = 0
        for runner in reversed(self._games.values()):
            game = runner.game
            if game.is_listed:
                over += game.phase is Phase.OVER
                if game.phase is not Phase.OVER or over <= FINISHED_KEPT:
                    lines.append(describe(game, now))
        return lines

    def __iter__(self) -> Iterator[GameRunner]:
        """All games, the oldest first."""
        return iter(tuple(self._games.values()))

    # -- challenges -------------------------------------------------------------------------

    def claim(
        self,
        origin: Origin,
        name: str,
        terms: tuple[Rules, TimeControl],
        *,
        is_owner: bool = False,
    ) -> Claim:
        """Return the right of a client to have an engine, attached or not, play a game.

        One that is not attached has to be the client's own when it comes.

        Raises:
            PeerError: the engine is another peer's and not open, or ``is_owner`` is needed, or it
                does not play the game.
        """
        link = self.engines.find(name)
        if link is None:
            return Claim(origin, is_owner=True, terms=terms)
        claim = Claim(origin, is_owner, terms)
        claim.check(link.attachment)
        return claim

    def is_challenge(self, origin: Origin, name: str) -> bool:
        """Whether the engine of this name is attached and another peer's."""
        link = self.engines.find(name)
        return link is not None and not link.attachment.is_of(origin)

    def check_challenge(self, origin: Origin, clock: TimeControl, games: int = 1) -> None:
        """Refuse a challenge that is too long, or one of too many.

        Raises:
            PeerError: the refusal.
        """
        limits, begun = self.settings.limits, self._challenges
        turn = max(clock.move or 0.0, clock.increment, clock.lag, clock.margin, clock.start or 0.0)
        if (clock.main or 0.0) > limits.challenge_clock or turn > limits.challenge_idle:
            bounds = f"{limits.challenge_clock:g} s and {limits.challenge_idle:g} s per turn"
            raise PeerError(Code.DENIED, f"against an engine of another peer at most {bounds}")
        if len(begun.of(origin.key)) + games > limits.challenges:
            wait = begun.wait(origin.key)
            text = f"at most {limits.challenges} games against engines of others"
            text += f" within {limits.challenge_window:g} s"
            raise PeerError(Subcode.FULL, f"{text}, wait {wait:.0f} s" if wait else text)

    def count_challenge(self, origin: Origin, games: int = 1) -> None:
        """Count a challenge that was checked."""
        self._challenges.kept(origin.key).extend([self.reactor.seconds()] * games)

    def shorten(self, waits: WaitLimits) -> WaitLimits:
        """Return the limits of a challenge, in which no participant is waited for so long."""
        idle = self.challenge_idle
        return attrs.evolve(
            waits, launch=min(waits.launch, idle), move=idle, resume=min(waits.resume, idle)
        )

    @property
    def challenge_idle(self) -> float:
        """The longest wait for an absent challenger, in seconds."""
        return self.settings.limits.challenge_idle
