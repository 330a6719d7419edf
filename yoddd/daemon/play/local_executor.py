"""The executor that plays in this process, with engine processes of its own or attached engines."""

from __future__ import annotations

import attrs

from yoddd.daemon.base.start_gate import StartGate
from yoddd.daemon.base.world import World
from yoddd.daemon.play.executor import RecordSink, SlotExecutor
from yoddd.daemon.play.news import Watch, begins
from yoddd.daemon.play.played_game import PlayedGame
from yoddd.daemon.play.slot import Absent, ParticipantFactory, Show, Slot, hide, unplayed
from yoddd.referee import Termination
from yoddd.referee.tournament import Assignment, Tournament


@attrs.frozen
class Waits:
    """The waits that precede each game of an executor.

    Attributes:
        gate: each game waits for it; by default one of its own, which is open.
        first: the seconds that engines are waited for before their first game. The games end when
            an engine is absent for longer, then or between two games. None if they wait without
            limit, and an engine that leaves between two games loses them one by one.
    """

    gate: StartGate = attrs.Factory(StartGate)
    first: float | None = None


class LocalExecutor(SlotExecutor):
    """Plays one game in each slot, with engine processes of its own or attached engines.

    Attributes:
        show: is called with each game that begins; to be set before `play`.
    """

    def __init__(
        self,
        world: World,
        tournament: Tournament,
        make_participant: ParticipantFactory,
        sink: RecordSink | None,
        watch: Watch,
        concurrency: int = 1,
        waits: Waits | None = None,
    ) -> None:
        """Prepare; `play` begins.

        Args:
            world: the surroundings of the games.
            tournament: as it stands.
            make_participant: gives the engines.
            sink: takes finished games; None if they count at once and no fault is explained.
            watch: is called with all news of the games.
            concurrency: how many games are played at once at most.
            waits: what each game waits for; by default for its engines alone, without limit.
        """
        super().__init__(world.reactor, tournament, sink, watch, concurrency)
        self._world = world
        self._make_participant = make_participant
        self._waits = waits or Waits()
        self.show: Show = hide
        # The names of the engines that have played a game: their absences are limited.
        self._known: set[str] = set()
        # By number. A slot stays when its game is over: its engines serve the next one.
        self._slots: dict[int, Slot] = {}

    def _next(self) -> list[Assignment]:
        game = self.tournament.next_game()
        return [] if game is None else [game]

    async def _play(self, number: int, games: list[Assignment]) -> None:
        (game,) = games
        slot = self._slots.setdefault(number, self._make_slot(number))
        absent: Absent | None = None
        try:
            finished = await self._play_in_time(slot, game)
        except Absent as error:
            absent, finished = error, self._unplayed(game, error)
        finally:
            self._running.discard(number)
            if number >= self.concurrency:
                slot.close()
        await self._take(games, [] if finished is None else [finished])
        if absent is not None and self._waits.first is not None:
            self.fail(absent)
        self._fill()

    def _make_slot(self, number: int) -> Slot:
        return Slot(
            self._world,
            number,
            self._make_participant,
            gate=self._waits.gate,
            transcribes=self._sink is not None,
            show=self.show,
        )

    async def _play_in_time(self, slot: Slot, game: Assignment) -> PlayedGame | None:
        """Play a game once its engines are there.

        Raises:
            Absent: they are not there in time; one that has played loses the game by that.
        """
        while True:
            patience = self._patience(game)
            try:
                finished = await slot.play(game, self._watch, patience)
            except Absent as absent:
                # One that is busy, or never came, is waited for again where that has no limit.
                if self._waits.first is not None or self._verdict(game, absent) is not None:
                    raise
            else:
                self._known.update(game.setup.names)
                return finished

    def _patience(self, game: Assignment) -> float | None:
        """The seconds for which the engines of a game are waited for; None without limit."""
        is_later = self._known.issuperset(game.setup.names)
        return game.setup.limits.absence if is_later else self._waits.first

    def _verdict(self, game: Assignment, absent: Absent) -> Termination | None:
        """The forfeit of the engine that has left since its last game, if that is one."""
        is_later = self._known.issuperset(game.setup.names)
        return absent.verdict(game.setup.limits.absence) if is_later else None

    def _unplayed(self, game: Assignment, absent: Absent) -> PlayedGame | None:
        """A game that is lost by absence; None if no engine loses it."""
        verdict = self._verdict(game, absent)
        if verdict is None:
            return None
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
