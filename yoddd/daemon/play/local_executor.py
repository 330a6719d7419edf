"""The executor that plays in this process, with engine processes of its own or attached engines."""

from __future__ import annotations

from yoddd.daemon.base.start_gate import StartGate
from yoddd.daemon.base.world import World
from yoddd.daemon.play.executor import Commit, SlotExecutor
from yoddd.daemon.play.news import Watch, begins
from yoddd.daemon.play.slot import Absent, ParticipantFactory, PlayedGame, Show, Slot, unplayed
from yoddd.referee import Termination
from yoddd.referee.tournament import Assignment, Tournament


class LocalExecutor(SlotExecutor):
    """Plays one game in each slot, with engine processes of its own or attached engines.

    Its attributes may be set before `play`.

    Attributes:
        show: is called with each game that begins.
        gate: each game waits for it.
        first: the seconds that engines are waited for before their first game. The games end when
            an engine is absent for longer, then or between two games. None if they wait without
            limit, and an engine that leaves between two games loses them one by one.
    """

    def __init__(
        self,
        world: World,
        tournament: Tournament,
        make_participant: ParticipantFactory,
        commit: Commit | None,
        watch: Watch,
        concurrency: int = 1,
    ) -> None:
        """Prepare; `play` begins.

        Args:
            world: the surroundings of the games.
            tournament: as it stands.
            make_participant: gives the engines.
            commit: takes finished games; None if they count at once and no fault is explained.
            watch: is called with all news of the games.
            concurrency: how many games are played at once at most.
        """
        super().__init__(world.reactor, tournament, commit, watch, concurrency)
        self._world = world
        self._make_participant = make_participant
        self.gate = StartGate()
        self.first: float | None = None
        self.show: Show = lambda _game: None
        # The names of the engines that have played a game: their absences are limited.
        self._known: set[str] = set()
        # By number. A slot stays when its game is over: its engines serve the next one.
        self._slots: dict[int, Slot] = {}

    def _next(self) -> list[Assignment]:
        game = self.tournament.next_game()
        return [] if game is None else [game]

    async def _play(self, number: int, games: list[Assignment]) -> None:
        (game,) = games
        if number not in self._slots:
            self._slots[number] = Slot(
                self._world,
                number,
                self._make_participant,
                gate=self.gate,
                transcribes=self._commit is not None,
                show=self.show,
            )
        slot = self._slots[number]
        # The absence of engines that have played is limited, and the one that has left loses.
        is_later = self._known.issuperset(game.setup.names)
        limit = game.setup.limits.absence if is_later else self.first
        absent: Absent | None = None
        finished: PlayedGame | None = None
        try:
            while True:
                try:
                    finished = await slot.play(game, self._watch, limit)
                    self._known.update(game.setup.names)
                except Absent as error:
                    verdict = error.verdict(limit) if is_later and limit is not None else None
                    # One that is busy, or never came, is waited for again.
                    if self.first is None and verdict is None:
                        continue
                    absent = error
                    if verdict is not None:
                        finished = self._unplayed(game, verdict)
                break
        finally:
            self._running.discard(number)
            if number >= self.concurrency:
                slot.close()
        await self._take(games, [] if finished is None else [finished])
        if absent is not None and self.first is not None:
            self.fail(absent)
        self._fill()

    def _unplayed(self, game: Assignment, verdict: Termination) -> PlayedGame | None:
        """A game that is lost by absence."""
        runner = unplayed(self._world, game.setup, verdict)
        self.show(runner)
        self._watch(begins(game.number, game.setup))
        return None if runner.result is None else PlayedGame(runner.result.record)

    def _abort(self, number: int, void: str | None) -> None:
        self._slots[number].abort(void)

    async def _close(self) -> None:
        for slot in self._slots.values():
            slot.close()
        for slot in self._slots.values():
            await slot.wait_closed()
