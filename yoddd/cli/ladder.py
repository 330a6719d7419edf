"""``yoddd ladder``: a daemon that pairs its attached engines for rated games."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import attrs
import click

from yoddd.cli.options import board_options, load_games, one_board
from yoddd.cli.serve import SHARED, daemon_options

if TYPE_CHECKING:
    from yoddd.daemon.configuration import Sources

_SETTINGS: Final = {
    "ladder.clock": "Time control of both sides.  [default: 60+1]",
    "ladder.concurrency": {"text": "Number of games at once.  [default: 1]", "least": 1},
    **SHARED,
}


@click.command("ladder")
@board_options
@daemon_options(_SETTINGS)
def command(game: tuple[str, str | None], board: str | None, sources: Sources) -> None:
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
    from yoddd.daemon.configuration import load
    from yoddd.daemon.serve import serve

    need_store()
    own = dict[str, Any]()
    source_of = click.get_current_context().get_parameter_source
    if {source_of("game"), source_of("board")} != {click.core.ParameterSource.DEFAULT}:
        own = {"ladder.game": game[0], "ladder.board": one_board(game, board) or ""}
    settings = load(sources).settings
    if not settings.ladder.concurrency:
        own["ladder.concurrency"] = 1
    if not settings.store:
        own["store"] = "default"
    sources = attrs.evolve(sources, flags={**own, **sources.flags})
    configuration = load(sources)
    load_games(configuration.settings.game_files)
    sys.exit(serve(configuration, sources))
