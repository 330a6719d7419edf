"""Shows games as they are played, as text for users."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, Final

from yoddd.cli.options import PlayOptions
from yoddd.daemon.play.executor import StopReason
from yoddd.daemon.play.news import GameBegins, GameEnds, TurnSeen
from yoddd.daemon.runs.archive import sgf_path
from yoddd.daemon.runs.run import RunBegins, RunEnds, RunNews, RunStands
from yoddd.notation import diagram, dump_record, parse_position, parse_turn
from yoddd.notation.records import GameRecord
from yoddd.referee.game.terminations import describe_result
from yoddd.referee.reports.progress import Progress, progress_values, result_block, status_line
from yoddd.rules import Position, PositionLike, Rules
from yoddd.system import naming

_LONG: Final = 60
"""News of the standing, which come every second, after which a game in play shows its turn."""


class Display:
    """Shows games on a stream: a line each, and on a terminal a line that is rewritten."""

    def __init__(
        self,
        stream: IO[str],
        rules: Rules,
        options: PlayOptions,
        folder: Path | None = None,
    ) -> None:
        """Show games under ``rules`` on ``stream``.

        Args:
            stream: where the lines go.
            rules: of the games.
            options: what is shown.
            folder: the run's, from which it can be resumed; None if it does not stay.
        """
        self._stream = stream
        self._live = stream.isatty() and not options.quiet
        self._rules = rules
        self._options = options
        self._folder = folder
        # The status line that is on the terminal.
        self._status = ""
        # Where there is none: the games that had finished when one was printed last, and whether
        # the run was paused then. The time to go alone is no news.
        self._printed = (0, False)
        # Positions of the running games, by their number, if boards are shown.
        self._positions: dict[int, PositionLike] = {}
        # The turns of the running games, by their number.
        self._turns: dict[int, int] = {}
        # News of the standing since the last line that was printed.
        self._silent = 0
        # Whether games are played one after the other, and the news of the next one, which wait for
        # the result of the present one: it counts once it is written.
        self._alone = False
        self._waiting: list[RunNews] = []

    def show(self, news: RunNews) -> None:
        """Show a piece of news, once no other game is in the way."""
        match news:
            case RunBegins(progress) | RunStands(progress):
                self._alone = progress.pace.concurrency == 1
            case GameBegins() | TurnSeen() if self._alone and self._is_of_another_game(news):
                self._waiting.append(news)
                return
        self._show(news)
        match news:
            case GameEnds() | RunEnds():
                waiting, self._waiting = self._waiting, []
                for one in waiting:
                    self._show(one)

    def _is_of_another_game(self, news: GameBegins | TurnSeen) -> bool:
        """Whether news are of a game that has begun before the result of the one in play."""
        return bool(self._turns) and news.number not in self._turns

    def _show(self, news: RunNews) -> None:
        match news:
            case RunBegins():
                self._show_begin(news)
            case GameBegins(number, _, black, white):
                if self._options.boards:
                    self._positions[number] = position_after(self._rules, news)
                self._turns[number] = len(news.opening)
                self._print(f"game {number}: {black} (black) against {white} (white)")
            case TurnSeen():
                self._turns[news.number] = self._turns.get(news.number, 0) + 1
                if self._options.boards:
                    self._show_turn(news)
            case GameEnds(number, record):
                self._positions.pop(number, None)
                self._turns.pop(number, None)
                self._show_result(number, record)
            case RunStands(progress):
                self._show_status(progress)
            case RunEnds():
                self._show_end(news)

    def show_score(self, names: tuple[str, ...], points: tuple[int, ...]) -> None:
        """Show the games that each side of a match has won."""
        (one, other), (first, second) = names, points
        self._print(f"score: {one} {first} - {second} {other}", last=True)

    def _show_begin(self, news: RunBegins) -> None:
        if news.torn:
            self._print(f"repaired: {news.torn} bytes of a torn last line cut off")
        for problem in news.unread:
            self._print(f"set aside in games.unread: {problem}")
        if news.killed:
            self._print(f"killed {news.killed} processes that an earlier run had left behind")
        if news.listening:
            self._print(f"listening on {news.listening}")
        if news.progress.finished:
            done, games = news.progress.finished, news.progress.games
            self._print(f"resuming: {done} of {games} games are in the archive")

    def _show_turn(self, news: TurnSeen) -> None:
        position = self._positions[news.number]
        player, count = position.player, position.number
        turn = parse_turn(news.token, self._rules, player)
        position.play(turn)
        black, white = position.count()
        self._print(f"\n{count}. {player.title} {news.token} ({news.seconds:.2f} s)")
        self._print(diagram(position, turn))
        self._print(f"groups: black {black}, white {white}")

    def _show_result(self, number: int, record: GameRecord) -> None:
        self._print(result_line(number, record))
        if self._options.boards and self._folder is not None:
            self._print(f"record: {sgf_path(self._folder, record)}")

    def _show_status(self, progress: Progress) -> None:
        line = status_line(progress)
        playing = self._playing()
        if self._live:
            self._rewrite(" | ".join(filter(None, [line, playing])))
            return
        self._silent += 1
        stands = (progress.finished, progress.pace.paused)
        if progress.finished % self._options.every == 0 and stands != self._printed:
            self._printed = stands
            self._print(line)
        elif self._silent >= _LONG and playing:
            self._print(f"{playing} | {line}")

    def _playing(self) -> str:
        """The game that has been in play for longest, and its turn; empty without one."""
        number, turns = next(iter(self._turns.items()), (0, 0))
        return f"game {number}: turn {turns + 1}" if number else ""

    def _show_end(self, news: RunEnds) -> None:
        progress, folder = news.progress, self._folder
        self._rewrite("")
        for line in result_block(progress):
            self._print(line, last=True)
        if news.reason is not StopReason.OVER:
            more = "" if folder is None else f"; resume with: yoddd run resume {folder}"
            self._print(f"ended early: {news.reason.value}{more}", last=True)
        if progress.pairs is not None:
            self.show_score(progress.names, progress.points)

    def show_last(self, lines: Iterable[str]) -> None:
        """Show what follows the end of a run."""
        for line in lines:
            self._print(line, last=True)

    def _print(self, text: str, *, last: bool = False) -> None:
        """Print a line; a quiet display prints only the lines of the end."""
        if self._options.quiet and not last:
            return
        self._silent = 0
        if self._live and self._status:
            self._stream.write("\r\x1b[K")
        self._stream.write(f"{text}\n")
        if self._live and self._status:
            self._stream.write(self._status)
        self._stream.flush()

    def _rewrite(self, text: str) -> None:
        if self._live:
            self._status = text
            self._stream.write(f"\r\x1b[K{text}")
            self._stream.flush()


def position_after(rules: Rules, game: GameBegins) -> PositionLike:
    """The position in which a game begins: after its opening."""
    position = parse_position(game.position) if game.position else Position(rules)
    for token in game.opening:
        position.play(parse_turn(token, rules, position.player))
    return position


def result_line(number: int, record: GameRecord) -> str:
    """Return a line on how a game ended."""
    words, count = [f"game {number}: {describe_result(record)}"], len(record.turns)
    words += [f"({record.detail})"] if record.detail else []
    words += [f"after {count} turn{'s' * (count != 1)}"] if record.winner else []
    return " ".join(words)


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
            lower, upper = test.sprt.bounds
            bounds = f"lbound {lower:.2f}, ubound {upper:.2f}"
            self._print(f"SPRT: llr {test.llr:.2f} ({100 * test.share:.1f}%), {bounds}")

    def _print(self, line: str) -> None:
        self._stream.write(line + "\n")
        self._stream.flush()


def _finished(number: int, record: GameRecord) -> str:
    result = {"b": "1-0", "w": "0-1"}.get(record.winner or "", "*")
    return (
        f"Finished game {number} ({record.black} vs {record.white}): "
        f"{result} {{{describe_result(record)}}}"
    )


def display_stream(events: IO[str] | None) -> IO[str]:
    """The stream for the display: standard error where the events take standard output."""
    taken = events is not None and events.name == sys.stdout.name
    return sys.stderr if taken else sys.stdout


class EventWriter:
    """Writes the event stream; each object is flushed at once."""

    def __init__(self, stream: IO[str]) -> None:
        """Write to ``stream``."""
        self._stream = stream

    def write(self, news: RunNews) -> None:
        """Write a piece of news."""
        with naming(getattr(self._stream, "name", "events")):
            self._stream.write(json.dumps(event_values(news)) + "\n")
            self._stream.flush()


def event_values(news: RunNews) -> dict[str, Any]:
    """A piece of news as an object of the event stream."""
    match news:
        case RunBegins(progress, torn, unread, killed, where):
            about = {"torn": torn, "unread": [*unread], "killed": killed, "listening": where}
            return {"event": "begin", **about, **progress_values(progress)}
        case GameBegins(number, game, black, white):
            return {"event": "game", "number": number, "id": game, "black": black, "white": white}
        case TurnSeen(number, seat, token, seconds):
            turn = {"turn": token, "seconds": seconds, "person": seat}  # its name until 0.4
            return {"event": "turn", "number": number, "seat": seat, **turn}
        case GameEnds(number, record):
            return {"event": "result", "number": number, "record": json.loads(dump_record(record))}
        case RunStands(progress):
            return {"event": "status", **progress_values(progress)}
        case RunEnds(progress, reason):
            return {"event": "end", "ending": reason.name.lower(), **progress_values(progress)}
