"""Calling in the engines of a game, but not waiting for ever for one that has left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from twisted.internet.defer import Deferred

from yoddd.daemon.base.clock import Reactor, wall
from yoddd.daemon.play.participants import Links, PairWait, Participant
from yoddd.referee import Finished, Game, GameSetup, Reason, Seat, Termination, forfeit


class Absent(Exception):
    """Not both engines of a game came in time.

    Attributes:
        gone: the seats whose engines are not there; none if they are, but play elsewhere.
    """

    def __init__(self, people: Sequence[Participant]) -> None:
        """Look who is missing."""
        self.gone = [seat for seat in Seat if not people[seat].is_available]
        missing = ", ".join(people[seat].name for seat in self.gone)
        names = " or ".join(person.name for person in people)
        super().__init__(
            f"not attached: {missing}" if missing else f"busy with another match: {names}"
        )

    def verdict(self, seconds: float) -> Termination | None:
        """What becomes of the game if they had been there before; None unless one is to blame."""
        if len(self.gone) != 1:
            return None
        detail = f"left between two games and not back within {seconds:g} s"
        return forfeit(self.gone[0], Reason.DISCONNECT, detail)


async def wait_for_links(
    reactor: Reactor,
    pair_wait: PairWait,
    people: tuple[Participant, Participant],
    patience: float | None,
) -> Links:
    """An engine for each person, by seat.

    Raises:
        Absent: they did not both come within ``patience`` seconds.
        CancelledError: the caller was told to wait no longer.
    """

    def give_up(_result: object, _timeout: float) -> NoReturn:
        raise Absent(people)

    calling = Deferred.fromCoroutine(pair_wait.wait_for_links(*people))
    if patience is not None:
        calling.addTimeout(patience, reactor, give_up)
    return await calling


def unplayed(setup: GameSetup, termination: Termination, now: float) -> Finished:
    """A game that ended before it could begin."""
    game = Game(setup)
    game.start(now, wall())
    (finished,) = game.terminate(termination, now)
    if not isinstance(finished, Finished):
        raise TypeError(f"a game that ends by {finished}")
    return finished
