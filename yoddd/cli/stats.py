"""``yoddd stats``: statistics of strength, from records or from counts of pairs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
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
