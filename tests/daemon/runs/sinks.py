"""Takes finished games in place of an archive."""

from __future__ import annotations

from twisted.internet.defer import Deferred, fail, succeed

from yoddd.daemon.play.slot import PlayedGame


class Sink:
    """Keeps games in a list, or fails."""

    def __init__(self, problem: Exception | None = None) -> None:
        self.games: list[PlayedGame] = []
        self._problem = problem

    def commit(self, game: PlayedGame) -> Deferred[None]:
        if self._problem is not None:
            return fail(self._problem)
        self.games.append(game)
        return succeed(None)


class SlowSink(Sink):
    """Keeps games once `write` is called."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[tuple[PlayedGame, Deferred[None]]] = []

    def commit(self, game: PlayedGame) -> Deferred[None]:
        written: Deferred[None] = Deferred()
        self.waiting.append((game, written))
        return written

    def write(self) -> None:
        game, written = self.waiting.pop(0)
        self.games.append(game)
        written.callback(None)
