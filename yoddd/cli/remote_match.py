"""``yoddd match`` where a daemon plays: it has the engines, we have the records."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import click

from yoddd.cli.runs import result_line
from yoddd.daemon import play
from yoddd.daemon.connect import ConnectFailed
from yoddd.daemon.contestants import UnknownEngine
from yoddd.daemon.remote import RemoteError
from yoddd.daemon.series import GameBegins, GameEnds, News, TurnSeen
from yoddd.notation import diagram, dump_record, parse_turn, record_to_sgf, write_sgf
from yoddd.notation.records import GameRecord
from yoddd.referee import Match, MatchError, MatchPlan
from yoddd.referee.config import TournamentConfig
from yoddd.rules import Position, Rules, make_rules


def play_there(
    engines: tuple[str, str],
    config: TournamentConfig,
    daemon: tuple[str, int],
    wait: int,
    out: Path | None,
    *,
    boards: bool,
) -> int:
    """Have the daemon play, and return the exit status.

    Args:
        engines: as on the command line; those that are not ``tcp:NAME`` are carried there.
        config: the game, the board, the clock, the seed and how many games.
        daemon: its host and port.
        wait: seconds to wait for engines that are not attached yet.
        out: where the records go.
        boards: whether boards are shown.
    """
    rules = make_rules(config.game, config.board, config.options)
    try:
        found = play.entrants(engines)
        plan = MatchPlan(
            id=f"seed{config.seed}",
            names=(found[0].name, found[1].name),
            rules=rules,
            games=config.games or 2,
            seed=config.seed,
            clock=config.clock,
        )
        Match(plan)
    except (UnknownEngine, MatchError) as error:
        raise click.UsageError(str(error)) from None
    report = _Report(rules, out, boards=boards)
    first, second = (entrant.command for entrant in found)
    try:
        play.match_at(daemon, plan, (first, second), wait, report.hear)
    except (RemoteError, ConnectFailed, OSError) as error:
        raise click.ClickException(str(error)) from None
    report.total(plan)
    return 0 if report.scored == plan.games else 1


class _Report:
    """Shows a match on the terminal and writes its records.

    Attributes:
        scored: how many games have a winner.
    """

    def __init__(self, rules: Rules, out: Path | None, *, boards: bool) -> None:
        self.scored = 0
        self._wins: Counter[str] = Counter()
        self._rules = rules
        self._boards = boards
        self._out = out
        self._position = Position(rules)
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)

    def hear(self, news: News) -> None:
        """Show and keep a piece of news."""
        match news:
            case GameBegins(number, _, black, white):
                self._position = Position(self._rules)
                click.echo(f"game {number}: {black} (black) against {white} (white)")
            case TurnSeen(_, _, token, seconds):
                self._show_turn(token, seconds)
            case GameEnds(number, record):
                self._show_result(number, record)
                self._keep(record)

    def _show_turn(self, token: str, seconds: float) -> None:
        position = self._position
        player, number = position.player, position.number
        turn = parse_turn(token, self._rules, player)
        position.play(turn)
        if self._boards:
            black, white = position.count()
            click.echo(f"\n{number}. {player.title} {token} ({seconds:.2f} s)")
            click.echo(diagram(position, turn))
            click.echo(f"groups: black {black}, white {white}")

    def _show_result(self, number: int, record: GameRecord) -> None:
        click.echo(result_line(number, record))
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
        click.echo(f"record: {path}")

    def total(self, plan: MatchPlan) -> None:
        """Show the score."""
        first, second = plan.names
        click.echo(f"score: {first} {self._wins[first]} - {self._wins[second]} {second}")
