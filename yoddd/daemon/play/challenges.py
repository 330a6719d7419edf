"""Challenges: games against open engines of other peers, which are bounded in rate and time."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.recent import RecentTimes
from yoddd.daemon.connections.attachment import Claim
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.protocol.origin import Origin
from yoddd.referee.clock import TimeControl
from yoddd.referee.game_setup import WaitLimits


class Challenges:
    """Says which engines a client may have play, and counts its games against those of others."""

    def __init__(
        self, engines: EngineRegistry, now: Callable[[], float], settings: CurrentSettings
    ) -> None:
        """Create it; ``now`` is a monotonic clock in seconds."""
        self._engines = engines
        self._now = now
        self._settings = settings
        # By account or address, when challenges began; one entry for each game.
        self._begun = RecentTimes(now, lambda: settings.limits.challenge_window)

    def claim(self, origin: Origin, name: str, *, is_owner: bool = False) -> Claim:
        """Return the right of a client to an engine, attached or not.

        One that is not attached has to be the client's own when it comes.

        Raises:
            PeerError: the engine is another peer's and not open, or ``is_owner`` is needed.
        """
        link = self._engines.find(name)
        if link is None:
            return Claim(origin, is_owner=True)
        claim = Claim(origin, is_owner)
        claim.check(link.attachment)
        return claim

    def is_challenge(self, origin: Origin, name: str) -> bool:
        """Whether the engine of this name is attached and another peer's."""
        link = self._engines.find(name)
        return link is not None and not link.attachment.is_of(origin)

    def check(self, origin: Origin, clock: TimeControl, games: int = 1) -> None:
        """Refuse a challenge that is too long, or one of too many.

        Raises:
            PeerError: the refusal.
        """
        limits = self._settings.limits
        turn = max(clock.move or 0.0, clock.increment, clock.lag, clock.margin)
        if (clock.main or 0.0) > limits.challenge_clock or turn > limits.challenge_idle:
            bounds = f"{limits.challenge_clock:g} s and {limits.challenge_idle:g} s per turn"
            raise PeerError(Code.DENIED, f"against an engine of another peer at most {bounds}")
        if len(self._begun.of(origin.key)) + games > limits.challenges:
            text = f"{limits.challenges} games against engines of others"
            wait = self._begun.wait(origin.key)
            more = f", wait {wait:.0f} s" if wait else ""
            raise PeerError(
                Subcode.FULL, f"at most {text} within {limits.challenge_window:g} s{more}"
            )

    def count(self, origin: Origin, games: int = 1) -> None:
        """Count a challenge that was checked."""
        self._begun.kept(origin.key).extend([self._now()] * games)

    def shorten(self, waits: WaitLimits) -> WaitLimits:
        """Return the limits of a challenge, in which no participant is waited for so long."""
        idle = self._settings.limits.challenge_idle
        return attrs.evolve(
            waits, launch=min(waits.launch, idle), move=idle, resume=min(waits.resume, idle)
        )

    @property
    def idle(self) -> float:
        """The longest wait for an absent challenger, in seconds."""
        return self._settings.limits.challenge_idle
