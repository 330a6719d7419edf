"""One refereed game of a match, from the wait for its engines to its record."""

from __future__ import annotations

from twisted.internet.defer import Deferred

from yoddd.daemon.base.world import World
from yoddd.daemon.play.game_runner import GameRunner
from yoddd.daemon.play.news import TurnSeen, Watch, begins
from yoddd.daemon.play.pair_wait import PairWait, wait_for_links
from yoddd.daemon.play.participants import Links, Participant
from yoddd.daemon.play.transcripts import Transcript
from yoddd.referee import Finished, Game, GameSetup, TurnPlayed


class RefereedGame:
    """One game between two participants.

    The slots of an executor play the games of runs and of matches over the wire with it. A game of
    the lobby has other waits, for humans and after a restart; then the same `GameRunner` runs it.

    Attributes:
        runner: runs the game; None until it begins.
    """

    def __init__(
        self,
        world: World,
        setup: GameSetup,
        participants: tuple[Participant, Participant],
        *,
        transcript: Transcript | None = None,
    ) -> None:
        """Create it; nothing is waited for yet.

        Args:
            world: the surroundings of the game.
            setup: the settings of the game.
            participants: by seat.
            transcript: records the bytes of both engines; None for none.
        """
        self.runner: GameRunner | None = None
        self._world = world
        self._setup = setup
        self._participants = participants
        self._transcript = transcript
        self._pair_wait = PairWait()

    async def wait(self, patience: float | None = None) -> Links:
        """The engines of both, which are waited for; see `wait_for_links`.

        Raises:
            Absent: they were not both available within ``patience`` seconds.
            CancelledError: `cancel` was called.
        """
        return await wait_for_links(
            self._world.reactor, self._pair_wait, self._participants, patience
        )

    def play(self, links: Links, watch: Watch, number: int = 1) -> Deferred[Finished]:
        """Begin; fires when the game is over.

        Args:
            links: the engines, which are released after the game.
            watch: is told of the beginning and of every turn; of the end once the record counts,
                which is for the caller to say.
            number: of the game among those of its match.
        """

        def seen(turn: TurnPlayed) -> None:
            watch(TurnSeen(number, turn.seat.key, turn.token, turn.seconds))

        runner = GameRunner(
            self._world,
            Game(self._setup),
            self._participants,
            links,
            seen,
            self._transcript,
        )
        self.runner = runner
        try:
            watch(begins(number, self._setup))
        except BaseException:
            self._release(links)
            raise
        runner.start()
        return runner.done

    def _release(self, links: Links) -> None:
        for participant, link in zip(self._participants, links, strict=True):
            if link is not None:
                participant.release(link, busy=False)

    def cancel(self) -> None:
        """End the wait for the engines, if there is one."""
        self._pair_wait.cancel()

    def abort(self, detail: str) -> None:
        """End the game as void, if it has begun."""
        if self.runner is not None:
            self.runner.abort(detail)

    def turn_time(self) -> tuple[str, float] | None:
        """See `GameRunner.turn_time`; None before the game begins."""
        return None if self.runner is None else self.runner.turn_time()
