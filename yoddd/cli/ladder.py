"""``yoddd ladder``: a daemon that pairs its attached engines for rated games."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import attrs
import click

from yoddd.cli.files import EXISTING_FILE
from yoddd.cli.options import GAME, complete_boards, one_board


@click.command("ladder")
@click.option(
    "--game",
    type=GAME,
    default="yodd",
    show_default=True,
    help="Game, also with its board, such as yodd@hex6.",
)
@click.option(
    "--board",
    default="",
    shell_complete=complete_boards,
    help="Board, such as hex6.  [default: the game's own]",
)
@click.option("--clock", default="60+1", show_default=True, help="Time control of both sides.")
@click.option(
    "--concurrency",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Number of games at once.",
)
@click.option(
    "--store",
    metavar="PATH|URL",
    help="Store of accounts and ratings: a SQLite file or a postgresql URL.  [default: default]",
)
@click.option("--listen", multiple=True, metavar="ENDPOINT", help="As for `yoddd serve`.")
@click.option("--http", metavar="ENDPOINT", help="As for `yoddd serve`.")
@click.option(
    "--config",
    type=EXISTING_FILE,
    envvar="YODDD_CONFIG",
    help="TOML file with any keys of `yoddd serve`.",
)
@click.option("--set", "others", multiple=True, metavar="KEY=VALUE", help="Key to set; repeatable.")
def command(
    game: tuple[str, str | None],
    board: str,
    clock: str,
    concurrency: int,
    store: str | None,
    listen: tuple[str, ...],
    http: str | None,
    config: Path | None,
    others: tuple[str, ...],
) -> None:
    """Serve like `yoddd serve`, and pair the attached engines for rated games.

    Engines attach with the token of their account. The next pair is the one whose game says
    most about all ratings together: uncertain ratings before certain ones, even pairs before
    uneven ones, and anchors as often as the level of the others is uncertain. The engines
    alternate colours. `leaderboard`, /api/ladder and the page show the ratings; a rating is
    provisional until its 95 % interval is 150 Elo or less to each side. Prints a line for each
    game that is over, and the standings after every ten.

    \b
    Examples:
      yoddd user add mybot
      yoddd ladder --game yodd@hex5 --clock 60+1
      yoddd connect localhost:9633 --as mybot --token TOKEN -- ./mybot
    """
    from yoddd.cli.store_options import need_store
    from yoddd.daemon.configuration import SettingsError, Sources, load, parse_setting
    from yoddd.daemon.net.listeners import ListenError
    from yoddd.daemon.serve import serve

    need_store()
    values = {
        "store": store,
        "listen": listen or None,
        "http": "" if listen and http is None and config is None else http,
        "ladder.game": game[0],
        "ladder.board": one_board(game, board) or "",
        "ladder.clock": clock,
        "ladder.concurrency": concurrency,
    }
    try:
        said = {name: value for name, value in values.items() if value is not None}
        sources = Sources(config, dict(os.environ), {**said, **dict(map(parse_setting, others))})
        configuration = load(sources)
        if not configuration.settings.store:
            sources = attrs.evolve(sources, flags={**sources.flags, "store": "default"})
            configuration = load(sources)
        sys.exit(serve(configuration, sources))
    except (SettingsError, ListenError) as error:
        raise click.ClickException(str(error)) from None
