"""What the commands that play have in common: the display, the event stream, the exit status."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import IO, Any, Final

import attrs
import click

from yoddd.daemon.net.listeners import ListenError
from yoddd.daemon.play.match_runner import GameBegins, GameEnds, TurnSeen
from yoddd.daemon.runs.archive import RunError, RunFolder
from yoddd.daemon.runs.arena import Ending
from yoddd.daemon.runs.reports import write_reports
from yoddd.daemon.runs.tournaments import RunBegins, RunEnds, RunNews, RunStands, play_run
from yoddd.notation import diagram, dump_record, parse_position, parse_turn
from yoddd.notation.records import FORFEITS, GameRecord
from yoddd.referee.config import ConfigError, make_plan
from yoddd.referee.progress import Progress, progress_values, result_block, status_line
from yoddd.rules import Position, PositionLike, Rules

DONE: Final = 0
INCOMPLETE: Final = 1
STOPPED: Final = 3
CRASHED: Final = 4
"""Exit statuses; 2 is for arguments that make no sense. See docs/reference/runs.md."""

_BLOCK_EVERY: Final = 50
_STATUS: Final = {Ending.STOPPED: STOPPED, Ending.CRASHED: CRASHED}


def exit_status(ending: Ending, progress: Progress) -> int:
    """What a run leaves with."""
    if ending in _STATUS:
        return _STATUS[ending]
    return INCOMPLETE if progress.given_up else DONE


class Display:
    """Shows a run on a stream: a line a game, and on a terminal a line that rewrites itself."""

    def __init__(self, stream: IO[str], folder: Path | None, rules: Rules, *, boards: bool) -> None:
        """Show to ``stream``; ``folder`` is named where files have been written."""
        self._stream = stream
        self._live = stream.isatty()
        self._folder = folder
        self._rules = rules
        self._boards = boards
        self._shown = ""
        self._positions: dict[int, PositionLike] = {}

    def hear(self, news: RunNews) -> None:
        """Show a piece of news."""
        match news:
            case RunBegins():
                self._begin(news)
            case GameBegins(number, _, black, white):
                self._positions[number] = position_after(self._rules, news)
                self._say(f"game {number}: {black} (black) against {white} (white)")
            case TurnSeen(number, _, token, seconds):
                self._show_turn(number, token, seconds)
            case GameEnds(number, record):
                self._positions.pop(number, None)
                self._show_result(number, record)
            case RunStands(progress):
                self._stand(progress)
            case RunEnds(progress, ending):
                self._end(progress, ending)

    def _begin(self, news: RunBegins) -> None:
        if news.torn:
            self._say(f"repaired: {news.torn} bytes of a torn last line cut off")
        if news.killed:
            self._say(f"killed {news.killed} processes that an earlier run had left behind")
        if news.listening:
            self._say(f"listening on {news.listening}")
        if news.progress.finished:
            done, games = news.progress.finished, news.progress.games
            self._say(f"going on: {done} of {games} games are in the archive")

    def _show_turn(self, number: int, token: str, seconds: float) -> None:
        if not self._boards:
            return
        position = self._positions[number]
        player, count = position.player, position.number
        turn = parse_turn(token, self._rules, player)
        position.play(turn)
        black, white = position.count()
        self._say(f"\n{count}. {player.title} {token} ({seconds:.2f} s)")
        self._say(diagram(position, turn))
        self._say(f"groups: black {black}, white {white}")

    def _show_result(self, number: int, record: GameRecord) -> None:
        self._say(result_line(number, record))
        if self._boards and self._folder is not None:
            self._say(f"record: {self._folder / record.id}.sgf")

    def _stand(self, progress: Progress) -> None:
        if self._live:
            self._rewrite(status_line(progress))
        elif progress.finished % _BLOCK_EVERY == 0 and status_line(progress) != self._shown:
            self._shown = status_line(progress)
            if progress.finished:
                self._say(self._shown)

    def _end(self, progress: Progress, ending: Ending) -> None:
        self._rewrite("")
        for line in result_block(progress):
            self._say(line)
        if ending is not Ending.OVER:
            more = "" if self._folder is None else f"; yoddd resume {self._folder} goes on"
            self._say(f"ended early: {ending.value}{more}")
        if progress.pairs is not None:
            (one, other), (first, second) = progress.names, progress.points
            self._say(f"score: {one} {first} - {second} {other}")

    def _say(self, text: str) -> None:
        if self._live and self._shown:
            self._stream.write("\r\x1b[K")
        self._stream.write(f"{text}\n")
        if self._live and self._shown:
            self._stream.write(self._shown)
        self._stream.flush()

    def _rewrite(self, text: str) -> None:
        if self._live:
            self._shown = text
            self._stream.write(f"\r\x1b[K{text}")
            self._stream.flush()


def position_after(rules: Rules, game: GameBegins) -> PositionLike:
    """Where a game begins: after its opening."""
    position = parse_position(game.position) if game.position else Position(rules)
    for token in game.opening:
        position.play(parse_turn(token, rules, position.player))
    return position


def is_stdout(events: IO[str] | None) -> bool:
    """Whether the event stream takes standard output, so that nothing else may."""
    return events is not None and events.name == sys.stdout.name


def result_line(number: int, record: GameRecord) -> str:
    """How a game ended, in a line."""
    if record.winner is None:
        return f"game {number}: void ({record.detail})"
    people = [record.black, record.white]
    winner, loser = people if record.winner == "b" else reversed(people)
    words = [f"game {number}: {winner} wins by {record.reason}", record.score]
    words.append(f"of {loser}" if record.reason in FORFEITS else None)
    words.append(f"({record.detail})" if record.detail else None)
    return " ".join([*filter(None, words), f"after {len(record.turns)} turns"])


def event_values(news: RunNews) -> dict[str, Any]:
    """A piece of news as an object of the event stream."""
    match news:
        case RunBegins(progress, torn, killed, listening):
            about = {"torn": torn, "killed": killed, "listening": listening}
            return {"event": "begin", **about, **progress_values(progress)}
        case GameBegins(number, game, black, white):
            return {"event": "game", "number": number, "id": game, "black": black, "white": white}
        case TurnSeen(number, seat, token, seconds):
            turn = {"person": seat, "turn": token, "seconds": seconds}
            return {"event": "turn", "number": number, **turn}
        case GameEnds(number, record):
            return {"event": "result", "number": number, "record": json.loads(dump_record(record))}
        case RunStands(progress):
            return {"event": "status", **progress_values(progress)}
        case RunEnds(progress, ending):
            return {"event": "end", "ending": ending.name.lower(), **progress_values(progress)}


class Events:
    """Writes the event stream, one object a line, each at once."""

    def __init__(self, stream: IO[str]) -> None:
        """Write to ``stream``."""
        self._stream = stream

    def hear(self, news: RunNews) -> None:
        """Write a piece of news."""
        self._stream.write(json.dumps(event_values(news)) + "\n")
        self._stream.flush()


def _cluster() -> ModuleType:
    try:
        return importlib.import_module("yoddd.daemon.runs.cluster")
    except ImportError:
        raise click.ClickException(
            "--cluster needs the extra: pip install 'yoddd[cluster]'"
        ) from None


@attrs.frozen(kw_only=True)
class Manner:
    """How a run is played.

    Attributes:
        boards: whether boards are shown.
        keep: whether the folder stays, so that it is worth naming and reporting in.
        cluster: the scheduler whose workers play; None for this process.
    """

    boards: bool = False
    keep: bool = True
    cluster: str | None = None


def play_folder(folder: RunFolder, events: IO[str] | None, manner: Manner) -> int:
    """Play what is missing in a folder, show it, and write the reports.

    Args:
        folder: taken already; it is left at the end.
        events: where the event stream goes; to standard output sends the display to standard error.
        manner: how it is played.

    Returns:
        The exit status.
    """
    rules = make_plan(folder.config).rules
    stream = sys.stderr if is_stdout(events) else sys.stdout
    shown = folder.path if manner.keep else None
    display = Display(stream, shown, rules, boards=manner.boards)
    heard: list[Callable[[RunNews], None]] = [display.hear]
    if events is not None:
        heard.append(Events(events).hear)
    ends: list[RunEnds] = []

    def watch(news: RunNews) -> None:
        if isinstance(news, RunEnds):
            ends.append(news)
        for hear in heard:
            hear(news)

    try:
        if manner.cluster is None:
            play_run(folder, watch)
        else:
            _cluster().play_on_cluster(folder, manner.cluster, watch)
        if manner.keep:
            write_reports(folder.path)
    except (RunError, ListenError, ConfigError) as error:
        raise click.ClickException(str(error)) from None
    finally:
        folder.close()
    if not ends:
        return STOPPED
    return exit_status(ends[0].ending, ends[0].progress)
