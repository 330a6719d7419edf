"""The lines of cutechess-cli, which other tools read: ``--output cutechess``.

Black begins, as White does in chess: the first name of a game is Black's, and ``1-0`` is a win of
Black. There are no draws, and the score's third number is always 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, TYPE_CHECKING

from yoddd.daemon.play.news import GameBegins, GameEnds
from yoddd.daemon.runs.run import RunBegins, RunEnds, RunNews, RunStands
from yoddd.referee.terminations import describe_result

if TYPE_CHECKING:
    from yoddd.notation.records import GameRecord
    from yoddd.referee.progress import Progress


class CutechessDisplay:
    """Prints a run as cutechess-cli would."""

    def __init__(self, stream: IO[str]) -> None:
        """Print on ``stream``."""
        self._stream = stream
        # The number of games planned, and of those that had finished when the score was printed.
        self._games = 0
        self._printed = 0

    def show(self, news: RunNews) -> None:
        """Show a piece of news."""
        match news:
            case RunBegins(progress):
                self._games, self._printed = progress.games, progress.finished
            case GameBegins(number, _, black, white):
                self._print(f"Started game {number} of {self._games} ({black} vs {white})")
            case GameEnds(number, record):
                self._print(_finished(number, record))
            case RunStands(progress):
                self._games = progress.games
                if progress.finished != self._printed:
                    self._printed = progress.finished
                    self._score(progress)
            case RunEnds(progress):
                self._score(progress)
                self._print("Finished match")

    def show_last(self, lines: Iterable[str]) -> None:
        """Leave out what cutechess-cli does not print."""

    def _score(self, progress: Progress) -> None:
        if progress.pairs is None:
            return
        (one, other), (won, lost) = progress.names, progress.points
        games = won + lost
        share = won / games if games else 0.0
        self._print(f"Score of {one} vs {other}: {won} - {lost} - 0  [{share:.3f}] {games}")
        found = progress.estimate
        if found is not None:
            los = f"LOS: {100 * found.los:.1f} %, DrawRatio: 0.0 %"
            spread = f"{found.elo.value:.1f} +/- {found.elo.error:.1f}"
            self._print(f"Elo difference: {spread}, {los}")
        if progress.test is not None:
            test = progress.test
            part = 100 * test.llr / (test.upper if test.llr >= 0 else -test.lower)
            bounds = f"lbound {test.lower:.2f}, ubound {test.upper:.2f}"
            self._print(f"SPRT: llr {test.llr:.2f} ({part:.1f}%), {bounds}")

    def _print(self, line: str) -> None:
        self._stream.write(line + "\n")
        self._stream.flush()


def _finished(number: int, record: GameRecord) -> str:
    result = {"b": "1-0", "w": "0-1"}.get(record.winner or "", "*")
    return (
        f"Finished game {number} ({record.black} vs {record.white}): "
        f"{result} {{{describe_result(record)}}}"
    )
