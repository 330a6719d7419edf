"""The wait for both participants of a game, without end or for a limited time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from twisted.internet.defer import CancelledError, Deferred

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.world import World
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.play.participants import Links, Participant
from yoddd.referee import Finished, Game, GameSetup, Reason, Seat, Termination, forfeit


class PairWait:
    """The wait for both participants of a game, which can be cancelled."""

    def __init__(self) -> None:
        """Create it; no participant is waited for."""
        # The link of the participant that is waited for; None while none is.
        self._arriving: Deferred[EngineLink | None] | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether a participant is waited for."""
        return self._arriving is not None

    async def wait_for_links(self, black: Participant, white: Participant) -> Links:
        """The engines of both, taken in the order of names: two games cannot block each other.

        For the same reason the second engine is released if the first has disconnected meanwhile.

        Raises:
            CancelledError: the wait was cancelled.
        """
        ordered = sorted((black, white), key=lambda one: one.name)
        while True:
            first, second = await self._take_in_order(*ordered)
            if first is None or first.alive:
                return (first, second) if ordered[0] is black else (second, first)
            if second is not None:
                ordered[1].release(second, busy=False)

    async def _take_in_order(self, first: Participant, second: Participant) -> Links:
        try:
            self._arriving = first.engine()
            held = await self._arriving
            try:
                self._arriving = second.engine()
                return held, await self._arriving
            except CancelledError:
                if held is not None:
                    first.release(held, busy=False)
                raise
        finally:
            self._arriving = None

    def cancel(self) -> None:
        """End the wait, if there is one."""
        if self._arriving is not None:
            self._arriving.cancel()


class Absent(Exception):
    """A game could not begin in time: an engine is not attached, or plays elsewhere.

    Attributes:
        gone: the seats whose engines are not attached; none if both are, but play elsewhere.
    """

    def __init__(self, participants: Sequence[Participant]) -> None:
        """Note which of the participants, by seat, are not available."""
        self.gone = [seat for seat in Seat if not participants[seat].is_available]
        missing = ", ".join(participants[seat].name for seat in self.gone)
        names = " or ".join(one.name for one in participants)
        super().__init__(
            f"not attached: {missing}" if missing else f"busy with another match: {names}"
        )

    def verdict(self, seconds: float) -> Termination | None:
        """The forfeit of the one engine that has left; None unless exactly one is absent.

        It holds for engines that were attached before; ``seconds`` is how long the wait was.
        """
        if len(self.gone) != 1:
            return None
        detail = f"left between two games and not back within {seconds:g} s"
        return forfeit(self.gone[0], Reason.DISCONNECT, detail)


async def wait_for_links(
    reactor: Reactor,
    pair_wait: PairWait,
    participants: tuple[Participant, Participant],
    patience: float | None,
) -> Links:
    """The engines of both participants, by seat.

    Args:
        reactor: Twisted's.
        pair_wait: carries the wait, and cancels it.
        participants: by seat.
        patience: the limit in seconds; None for no limit.

    Raises:
        Absent: they were not both available within ``patience`` seconds.
        CancelledError: the wait was cancelled.
    """

    def give_up(_result: object, _timeout: float) -> NoReturn:
        raise Absent(participants)

    waiting = Deferred.fromCoroutine(pair_wait.wait_for_links(*participants))
    if patience is not None:
        waiting.addTimeout(patience, reactor, give_up)
    return await waiting


def unplayed(world: World, setup: GameSetup, termination: Termination) -> Finished:
    """A game that ended before it could begin."""
    game, now = Game(setup), world.reactor.seconds()
    game.start(now, world.wall())
    (finished,) = game.terminate(termination, now)
    if not isinstance(finished, Finished):
        raise TypeError(f"a game that ends by {finished}")
    return finished
