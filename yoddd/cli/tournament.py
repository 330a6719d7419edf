"""``yoddd tournament``: a tournament described in a TOML file."""

from __future__ import annotations

import sys
from pathlib import Path

import attrs
import click

from yoddd.cli.files import EXISTING_FILE
from yoddd.cli.options import PlayOptions, launch_option, play_options
from yoddd.cli.outputs import OUTPUT_FOLDER


@click.command("tournament")
@click.argument("file", type=EXISTING_FILE)
@click.option(
    "--out",
    type=OUTPUT_FOLDER,
    help="Folder of the run.  [default: games/ and the name of FILE]",
)
@click.option(
    "--concurrency", type=click.IntRange(1), help="Number of games at once.  [default: as in FILE]"
)
@launch_option()
@play_options
def command(
    file: Path,
    out: Path | None,
    concurrency: int | None,
    launch: float | None,
    shown: PlayOptions,
) -> None:
    """Play the tournament that a TOML file describes, or resume it.

    The folder contains games.jsonl and the files that are made from it: an SGF file per game, a
    folder for each fault, report.txt, report.json and report.html. Exits with status 0 when every
    game has a result, 1 when one has none, 3 when the run was stopped, 4 when a crash stopped it
    (on_crash = "stop").

    \b
    Examples:
      yoddd tournament cup.toml
      yoddd tournament cup.toml --out games/cup --concurrency 4
      yoddd tournament cup.toml --events - | tee events.jsonl
    """
    from yoddd.cli.playing import play_new
    from yoddd.notation import NotationError
    from yoddd.notation.text import read_text
    from yoddd.referee.tournament.config import ConfigError, EngineFault, parse_toml

    try:
        config = parse_toml(read_text(file))
        if concurrency is not None:
            config = attrs.evolve(config, concurrency=concurrency)
        if launch is not None:
            config = attrs.evolve(config, limits=attrs.evolve(config.limits, launch=launch))
        where = out or Path("games", file.stem)
        sys.exit(play_new(config, file.parent, where, shown))
    except EngineFault as fault:
        raise click.ClickException(str(fault)) from None
    except (ConfigError, NotationError) as error:
        raise click.UsageError(f"{file}: {error}") from None
