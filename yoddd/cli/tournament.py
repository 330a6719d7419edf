"""``yoddd tournament``: a tournament described in a TOML file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO

import attrs
import click

from yoddd.cli.events import events_option
from yoddd.cli.options import (
    cluster_option,
    display_options,
    launch_option,
    log_option,
    no_shards,
    say_aside,
)


@click.command("tournament")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the run.  [default: games/ and the name of FILE]",
)
@click.option(
    "--concurrency", type=click.IntRange(1), help="Number of games at once.  [default: as in FILE]"
)
@launch_option()
@cluster_option
@no_shards
@events_option
@display_options
@log_option
def command(
    file: Path,
    out: Path | None,
    concurrency: int | None,
    launch: float | None,
    cluster: str | None,
    events: IO[str] | None,
    log: Path | None,
    quiet: bool,
    every: int,
    output: str,
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
    from yoddd.cli.playing import PlayOptions, play_folder
    from yoddd.cli.progress import counted
    from yoddd.daemon.runs.archive import RunError
    from yoddd.daemon.runs.preparation import prepare
    from yoddd.daemon.runs.run_folder import RunFolder
    from yoddd.notation import NotationError
    from yoddd.notation.text import read_text
    from yoddd.referee.config import ConfigError, parse_toml

    try:
        config = parse_toml(read_text(file))
        if concurrency is not None:
            config = attrs.evolve(config, concurrency=concurrency)
        if launch is not None:
            config = attrs.evolve(config, limits=attrs.evolve(config.limits, launch=launch))
        with counted(config.openings.generate, "Openings") as found_one:
            config = prepare(
                config, file.parent, start=cluster is None, found_one=found_one, say=say_aside
            )
    except (ConfigError, NotationError) as error:
        raise click.UsageError(f"{file}: {error}") from None
    where = out or Path("games", file.stem)
    try:
        folder = RunFolder(where, config)
    except RunError as error:
        raise click.ClickException(str(error)) from None
    options = PlayOptions(
        events=events,
        cluster=cluster,
        log=log,
        quiet=quiet,
        every=every,
        cutechess=output == "cutechess",
    )
    sys.exit(play_folder(folder, options))
