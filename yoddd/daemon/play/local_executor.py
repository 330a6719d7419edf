"""The executor that plays in this process, with engine processes of its own or attached engines."""

from __future__ import annotations

from collections.abc import Callable

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play.executor import Commit, SlotExecutor
from yoddd.daemon.play.news import Watch
from yoddd.daemon.play.slot import Absent, PlayedGame, Slot
from yoddd.referee.tournament import Assignment, Tournament


class LocalExecutor(SlotExecutor):
    """Plays one game in each slot, with engine processes of its own or attached engines."""

    def __init__(
        self,
        reactor: Reactor,
        tournament: Tournament,
        make_slot: Callable[[int], Slot],
        commit: Commit | None,
        watch: Watch,
        concurrency: int = 1,
        first: float | None = None,
    ) -> None:
        """Prepare; `play` begins.

        Args:
            reactor: Twisted's.
            tournament: as it stands.
            make_slot: makes the slot of a number.
            commit: takes finished games; None if they count at once.
            watch: is called with all news of the games.
            concurrency: how many games are played at once at most.
            first: the seconds that engines are waited for before their first game. The games end
                when an engine is absent for longer, then or between two games. None if they wait
                without limit, and an engine that leaves between two games loses them one by one.
        """
        super().__init__(reactor, tournament, commit, watch, concurrency)
        self._make_slot = make_slot
        self._first = first
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
            self._slots[number] = self._make_slot(number)
        slot = self._slots[number]
        # The absence of engines that have played is limited, and the one that has left loses.
        is_later = self._known.issuperset(game.setup.names)
        limit = game.setup.limits.absence if is_later else self._first
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
                    if self._first is None and verdict is None:
                        continue
                    absent = error
                    if verdict is not None:
                        finished = slot.forfeit(game, self._watch, verdict)
                break
        finally:
            self._running.discard(number)
            if number >= self.concurrency:
                slot.close()
        await self._take(games, [] if finished is None else [finished])
        if absent is not None and self._first is not None:
            self.fail(absent)
        self._fill()

    def _abort(self, number: int, void: str | None) -> None:
        self._slots[number].abort(void)

    async def _close(self) -> None:
        for slot in self._slots.values():
            slot.close()
        for slot in self._slots.values():
            await slot.wait_closed()
