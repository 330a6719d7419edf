"""``yoddd run merge``: one archive from the parts that ``--shard`` made."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("merge")
@click.argument("target", type=click.Path(path_type=Path, file_okay=False))
@click.argument(
    "parts", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, file_okay=False)
)
def command(target: Path, parts: tuple[Path, ...]) -> None:
    """Merge the games of several folders into one.

    The folders must hold parts of one tournament; a game in several of them must be the same in
    all. `yoddd run resume` plays the games that are missing then.

    \b
    Examples:
      yoddd run merge games/cup games/cup-1 games/cup-2
    """
    from yoddd.daemon.runs.archive import RunError
    from yoddd.daemon.runs.merge import merge_folders

    try:
        games = merge_folders(target, parts)
    except RunError as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"{target}: {games} games")
