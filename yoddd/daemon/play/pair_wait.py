"""Waits for the engines of a game that end in vain."""

from __future__ import annotations

from collections.abc import Sequence

from yoddd.daemon.base.world import World
from yoddd.daemon.play.participants import Participant
from yoddd.referee import Finished, Game, GameSetup, Reason, Seat, Termination, forfeit


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


def unplayed(world: World, setup: GameSetup, termination: Termination) -> Finished:
    """A game that ended before it could begin."""
    game, now = Game(setup), world.reactor.seconds()
    game.start(now, world.wall())
    (finished,) = game.terminate(termination, now)
    if not isinstance(finished, Finished):
        raise TypeError(f"a game that ends by {finished}")
    return finished
