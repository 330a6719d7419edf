"""``yoddd match`` where a daemon plays: it has the engines, we have the records."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import IO

import attrs
import click

from yoddd.cli.runs import Events, is_stdout, position_after, result_line
from yoddd.daemon.play.match_runner import GameBegins, GameEnds, News, TurnSeen, Waits
from yoddd.daemon.play.participants import UnknownEngine
from yoddd.daemon.runs import match_program as play
from yoddd.daemon.runs.connect import ConnectFailed
from yoddd.daemon.runs.preparation import find_openings
from yoddd.daemon.runs.remote_match import RemoteError
from yoddd.notation import diagram, dump_record, parse_turn, record_to_sgf, write_sgf
from yoddd.notation.records import GameRecord
from yoddd.referee import Match, MatchError, MatchPlan
from yoddd.referee.config import ConfigError, EngineConfig, TournamentConfig, make_plan
from yoddd.rules import Position, PositionLike, Rules


def play_there(
    config: TournamentConfig,
    daemon: tuple[str, int],
    waits: Waits,
    out: Path | None,
    events: IO[str] | None,
    *,
    boards: bool,
) -> int:
    """Have the daemon play, and return the exit status.

    Args:
        config: the match; engines that are not ``tcp:NAME`` are carried there.
        daemon: its host and port.
        waits: how long engines are waited for.
        out: where the records go.
        events: where the event stream goes; to standard output sends the display to standard error.
        boards: whether boards are shown.
    """
    try:
        found = play.entrants([engine.engine for engine in config.engine])
        plan = _plan(config, (found[0].name, found[1].name))
    except (UnknownEngine, MatchError, ConfigError) as error:
        raise click.UsageError(str(error)) from None
    report = _Report(plan.rules, out, to_stderr=is_stdout(events), boards=boards)
    heard = [report.hear] if events is None else [report.hear, Events(events).hear]

    def watch(news: News) -> None:
        for hear in heard:
            hear(news)

    first, second = (entrant.command for entrant in found)
    try:
        play.match_at(daemon, plan, (first, second), waits, watch)
    except MatchError as error:
        raise click.UsageError(str(error)) from None
    except (RemoteError, ConnectFailed, OSError) as error:
        raise click.ClickException(str(error)) from None
    report.total(plan)
    return 0 if report.scored == plan.games else 1


def _plan(config: TournamentConfig, names: tuple[str, str]) -> MatchPlan:
    """The match as a daemon is asked for it."""
    for engine in config.engine:
        if attrs.evolve(engine, engine="", clock=None, params={}) != EngineConfig():
            raise ConfigError(f"{engine.engine}: a daemon heeds only clock and param.NAME")
    engines = zip(config.engine, names, strict=True)
    named = attrs.evolve(config, engine=tuple(attrs.evolve(e, name=n) for e, n in engines))
    plan = make_plan(named)
    openings = find_openings(named, plan, Path())
    if any(opening.position is not None for opening in openings):
        raise ConfigError("openings: a daemon takes turns from the empty board, no positions")
    first, second = plan.sides
    match = MatchPlan(
        id=f"seed{plan.seed}",
        names=names,
        rules=plan.rules,
        games=plan.games or 2 * plan.pairs,
        seed=plan.seed,
        clock=config.clock,
        odds=(first.clock, second.clock),
        params=(first.params, second.params),
        openings=tuple(opening.turns for opening in openings),
        limits=plan.limits,
        adjudication=plan.adjudication,
    )
    Match(match)
    return match


class _Report:
    """Shows a match on the terminal and writes its records.

    Attributes:
        scored: how many games have a winner.
    """

    def __init__(self, rules: Rules, out: Path | None, *, to_stderr: bool, boards: bool) -> None:
        self.scored = 0
        self._to_stderr = to_stderr
        self._wins: Counter[str] = Counter()
        self._rules = rules
        self._boards = boards
        self._out = out
        self._position: PositionLike = Position(rules)
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)

    def hear(self, news: News) -> None:
        """Show and keep a piece of news."""
        match news:
            case GameBegins(number, _, black, white):
                self._position = position_after(self._rules, news)
                self._say(f"game {number}: {black} (black) against {white} (white)")
            case TurnSeen(_, _, token, seconds):
                self._show_turn(token, seconds)
            case GameEnds(number, record):
                self._show_result(number, record)
                self._keep(record)

    def _say(self, text: str) -> None:
        click.echo(text, err=self._to_stderr)

    def _show_turn(self, token: str, seconds: float) -> None:
        position = self._position
        player, number = position.player, position.number
        turn = parse_turn(token, self._rules, player)
        position.play(turn)
        if self._boards:
            black, white = position.count()
            self._say(f"\n{number}. {player.title} {token} ({seconds:.2f} s)")
            self._say(diagram(position, turn))
            self._say(f"groups: black {black}, white {white}")

    def _show_result(self, number: int, record: GameRecord) -> None:
        self._say(result_line(number, record))
        if record.winner is not None:
            self.scored += 1
            self._wins[record.black if record.winner == "b" else record.white] += 1

    def _keep(self, record: GameRecord) -> None:
        """Append the record, on the disk before the next game begins, and write its SGF."""
        if self._out is None:
            return
        with (self._out / "games.jsonl").open("a", encoding="ascii") as archive:
            archive.write(dump_record(record) + "\n")
            archive.flush()
            os.fsync(archive.fileno())
        path = self._out / f"{record.id.replace(':', '')}.sgf"
        path.write_text(write_sgf([record_to_sgf(record)]), encoding="utf-8")
        self._say(f"record: {path}")

    def total(self, plan: MatchPlan) -> None:
        """Show the score."""
        first, second = plan.names
        self._say(f"score: {first} {self._wins[first]} - {self._wins[second]} {second}")
