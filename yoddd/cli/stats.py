"""``yoddd stats`` and ``yoddd plot``: statistics of strength, and figures of runs and games."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from yoddd.cli.files import SUFFIXES, Game, load_game
from yoddd.cli.outputs import OUTPUT_FILE
from yoddd.cli.tuning_file import TuningFile
from yoddd.notation.text import describe_error, printable
from yoddd.rules import Colour
from yoddd.system import naming

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from yoddd.referee.stats.sprt import Sprt


@click.command("stats")
@click.argument("path", required=False, type=click.Path(path_type=Path, exists=True))
@click.option(
    "--ptnml", metavar="N,N,N[,N,N]", help="Counts of pairs, from both games lost to both won."
)
@click.option("--sprt", metavar="elo0=A,elo1=B[,…]", help="Sequential test to apply to the pairs.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--write", is_flag=True, help="Write the reports in a run's folder again.")
def command(
    path: Path | None,
    ptnml: str | None,
    sprt: str | None,
    as_json: bool,
    write: bool,
) -> None:
    """Print Elo, LOS, tests and ratings from a run's folder or a JSONL file.

    \b
    Examples:
      yoddd stats games/first
      yoddd stats archive.jsonl --sprt elo0=0,elo1=10 --json
      yoddd stats --ptnml 127,4883,10712,5150,104 --sprt elo0=-1.75,elo1=0.25
    """
    from yoddd.daemon.runs.archive import RunError
    from yoddd.daemon.runs.reports import read_report, write_reports
    from yoddd.referee.reports.text import report_json, report_text
    from yoddd.referee.stats.sprt import Sprt
    from yoddd.referee.tournament.config import ConfigError, structure

    if (path is None) == (ptnml is None):
        raise click.UsageError("expected a folder, a file, or --ptnml")
    try:
        test = structure(sprt, Sprt) if sprt else None
        if ptnml is not None:
            click.echo(_of_counts(ptnml, test, as_json=as_json))
        elif path is not None:
            if write:
                write_reports(path)
            report = read_report(path, test)
            click.echo(report_json(report) if as_json else report_text(report), nl=False)
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
    except RunError as error:
        raise click.ClickException(str(error)) from None


def _of_counts(text: str, test: Sprt | None, *, as_json: bool) -> str:
    from yoddd.referee.reports.progress import estimate_values, strength_lines
    from yoddd.referee.stats.elo import estimate, pair_sample
    from yoddd.referee.stats.sprt import SprtState

    if not re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9})*", text):
        raise click.UsageError(f"--ptnml {text!r}: expected numbers with commas between")
    try:
        sample = pair_sample([int(word) for word in text.split(",")])
    except ValueError as error:
        raise click.UsageError(f"--ptnml: {error}") from None
    found, llr = estimate(sample), test.llr(sample) if test else None
    if as_json:
        values = {"pairs": sample.size, "estimate": estimate_values(found), "llr": llr}
        return json.dumps(values)
    if found is None:
        return "no pairs"
    lines = [
        f"pairs {sample.size}, score {100 * found.score.value:.2f} %",
        *strength_lines(found),
    ]
    if test is not None and llr is not None:
        lines.append(f"LLR {SprtState(test, (llr,), test.decide(llr))}: {test.decide(llr)}")
    return "\n".join(lines)


_OF_RUNS: Final = ("overview", "ratings", "trace", "lengths")
_PLAYOUTS: Final = 400


@click.command("plot")
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--out",
    "-o",
    required=True,
    type=OUTPUT_FILE,
    help="File to write: .svg, .png or .pdf.",
)
@click.option(
    "--kind",
    type=click.Choice([*_OF_RUNS, "winrates", "tuning"]),
    help="Kind of figure.  [default: by the file]",
)
@click.option("--sprt", metavar="elo0=A,elo1=B[,…]", help="Sequential test to apply to the pairs.")
@click.option(
    "--number", "game", type=click.IntRange(1), default=1, help="Number of the game in the file."
)
@click.option(
    "--playouts", type=click.IntRange(1), help="Number of playouts of a search of every position."
)
def plot(
    path: Path, out: Path, kind: str | None, sprt: str | None, game: int, playouts: int | None
) -> None:
    """Plot a run's ratings, test and lengths, a game's winrates, or the values of a tuning.

    A run is given by its folder or a .jsonl file. The winrates are those in a .sgf file
    (YEVAL); without them the strongest engine evaluates every position. The file of a tuning is a
    .json file of yoddd tune. Needs the extra 'plot'.

    \b
    Examples:
      yoddd plot games/first --out first.svg
      yoddd plot archive.jsonl --kind trace --sprt elo0=0,elo1=10 --out llr.png
      yoddd plot archive.jsonl --kind winrates --number 7 --playouts 1000 --out game7.png
      yoddd plot tuning.json --out tuning.svg
    """
    from yoddd.daemon.runs.archive import RunError
    from yoddd.referee.tournament.config import ConfigError

    chosen = kind or {".sgf": "winrates", ".json": "tuning"}.get(path.suffix, "overview")
    try:
        if chosen == "winrates":
            figure = _of_game(path, game, playouts)
        elif chosen == "tuning":
            figure = _of_tuning(path)
        else:
            figure = _of_run(path, chosen, sprt)
        save_figure(figure, out)
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
    except (RunError, OSError, ValueError) as error:
        raise click.ClickException(describe_error(error)) from None


def save_figure(figure: Figure, file: Path) -> None:
    """Write a figure in the format that the file's name says."""
    try:
        with naming(file):
            figure.savefig(file)
    except (OSError, ValueError) as error:
        raise click.ClickException(describe_error(error)) from None


def _of_run(path: Path, kind: str, sprt: str | None) -> Figure:
    from yoddd import plots
    from yoddd.daemon.runs.reports import read_report
    from yoddd.referee.stats.sprt import Sprt
    from yoddd.referee.tournament.config import structure

    report = read_report(path, structure(sprt, Sprt) if sprt else None)
    return {
        "overview": plots.overview,
        "ratings": plots.ratings,
        "trace": plots.trace,
        "lengths": plots.lengths,
    }[kind](report)


def _of_tuning(path: Path) -> Figure:
    from yoddd import plots

    found = TuningFile.read(path)
    names = [knob.name for knob in found.spsa.knobs]
    values = list(found.spsa.path(found.results))
    return plots.tuning(names, values, f"{printable(path.name)}: {2 * len(found.results)} games")


def _of_game(path: Path, number: int, playouts: int | None) -> Figure:
    from yoddd import plots
    from yoddd.notation import NotationError

    if path.suffix.lower() not in SUFFIXES:
        raise NotationError(f"{path}: expected a file that ends in {', '.join(SUFFIXES)}")
    game = load_game(path, number)
    chances = [] if playouts else list(_written(game))
    if all(chance is None for chance in chances):
        chances = list(_searched(game, playouts or _PLAYOUTS))
    rules = game.start.rules
    title = f"{rules.game.title} on {rules.geometry.name}, game {number} of {printable(path.name)}"
    return plots.winrates([*chances, *_result(game)], title)


def _by_first(game: Game) -> Iterator[bool]:
    """Yield for each turn whether the participant who began as Black made it."""
    black = game.start.player is Colour.BLACK
    for _ in game.turns:
        yield black
        black = not black


def _for_black(chance: float | None, *, black: bool) -> float | None:
    """A winrate of the side to move as that of the participant who began as Black."""
    return chance if chance is None or black else 1 - chance


def _written(game: Game) -> Iterator[float | None]:
    """The winrates of an SGF tree's main line, for the participant who began as Black."""
    nodes = [] if game.tree is None else [*game.tree.main_line()]
    moves = [node for node in nodes if node.text("B") or node.text("W")]
    for node, black in zip(moves, _by_first(game), strict=False):
        text = node.text("YEVAL")
        try:
            chance = None if text is None else min(1.0, max(0.0, float(text)))
        except ValueError:
            chance = None
        yield _for_black(chance, black=black)


def _searched(game: Game, playouts: int) -> Iterator[float | None]:
    """The winrates of the positions before each turn, by the strongest engine."""
    from yoddd.engine import ENGINES, STRONGEST, Budget

    position = game.start.copy()
    searcher = ENGINES[STRONGEST]()
    for turn, black in zip(game.turns, _by_first(game), strict=True):
        found = searcher.search(position, Budget(playouts=playouts), 0, lambda: False)
        yield _for_black(found.winrate, black=black)
        position.play(turn)


def _result(game: Game) -> Iterator[float]:
    """The outcome as a winrate, if the rules have ended the game."""
    position = game.start.copy()
    for turn in game.turns:
        position.play(turn)
    outcome = position.outcome()
    if outcome is not None:
        yield float(position.seat_of(outcome.winner) is Colour.BLACK)
