"""The executor that plays in this process, with engine processes of its own or attached engines."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from yoddd.daemon.play.executor import SlotExecutor
from yoddd.daemon.play.slot import Absent, PlayedGame, Slot
from yoddd.referee.tournament.tournament import Assignment


@attrs.define(eq=False)
class LocalExecutor(SlotExecutor):
    """Plays one game in each slot, with engine processes of its own or attached engines."""

    # Makes the slot of a number.
    _make_slot: Callable[[int], Slot] = attrs.field(kw_only=True)
    # The seconds that engines are waited for before their first game. The games end when an engine
    # is absent for longer, then or between two games. None if they wait without limit, and an
    # engine that leaves between two games loses them one by one.
    _first: float | None = attrs.field(default=None, kw_only=True)
    # Whether a further game finds its engines free, so that it need not wait for those in play.
    _is_free: Callable[[], bool] = attrs.field(default=lambda: True, kw_only=True)
    # The names of the engines that have played a game: their absences are limited.
    _known: set[str] = attrs.Factory(set)
    # By number. A slot stays when its game is over: its engines serve the next one.
    _slots: dict[int, Slot] = attrs.Factory(dict)

    def _may_begin(self) -> bool:
        return super()._may_begin() and (not self._running or self._is_free())

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
