"""``yoddd play``: the board in a terminal."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from yoddd.cli.options import game_options, table_options
from yoddd.engine import ENGINES, HIGHEST, STRONGEST
from yoddd.extras import needs_extra
from yoddd.rules import Position, PositionLike, Rules

if TYPE_CHECKING:
    from yoddd.engine import Budget, Tables
    from yoddd.terminal.seats import Opponent

HUMAN: Final = "human"
_HINT_PLAYOUTS: Final = 20_000


@click.command("play")
@game_options
@click.option(
    "--position",
    metavar="LINE",
    help="Position line to begin from; it sets the game and the board too.",
)
@click.option(
    "--black",
    type=click.Choice([HUMAN, *ENGINES]),
    default=HUMAN,
    show_default=True,
    help="Player of Black: a human or an engine.",
)
@click.option(
    "--white",
    type=click.Choice([HUMAN, *ENGINES]),
    default=STRONGEST,
    show_default=True,
    help="Player of White: a human or an engine.",
)
@click.option(
    "--playouts",
    type=click.IntRange(1),
    default=2_000,
    show_default=True,
    help="Number of playouts of an engine per turn.",
)
@click.option(
    "--level",
    type=click.IntRange(1, HIGHEST),
    default=HIGHEST,
    show_default=True,
    help="Level of an engine, from nearly random turns to full strength.",
)
@click.option("--seed", type=int, help="Seed of the engines.  [default: random]")
@table_options
@click.option(
    "--sgf",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to save to with Ctrl+S.  [default: a new file here]",
)
def command(
    rules: Rules,
    position: str | None,
    black: str,
    white: str,
    playouts: int,
    level: int,
    seed: int | None,
    tables: str,
    build_tables: str,
    sgf: Path | None,
) -> None:
    """Play in the terminal, against an engine or another human.

    The parity helper shows the groups on the board, what each colour would change under the cursor,
    and which stones complete the turn. The keys are listed at the bottom; the mouse works too, and
    its right button places the other colour. Where there is a complete table of the board, hints
    are perfect play, and so are the turns of the strongest engine at its highest level.

    \b
    Examples:
      yoddd play
      yoddd play --level 3
      yoddd play --game xodd --board square9 --white human
      yoddd play --position 'yodd hex4 4/5/6/3b3/6/5/4 w 0 2' --black mcts --white human
    """
    from yoddd.daemon.base.tables import TablePaths
    from yoddd.engine import Budget, Tabled
    from yoddd.terminal.seats import Opponent

    with needs_extra("yoddd play", "tui"):
        from yoddd.terminal.app import PlayApp
    start = _start(position, rules)
    chosen = random.randrange(2**31) if seed is None else seed
    budget = Budget(playouts)
    problems: list[str] = []  # shown once the terminal is free again
    paths = TablePaths(build_tables, problems.append)
    opened = paths.open(tables)
    black_seat, white_seat = (_seat(name, level, budget, chosen, opened) for name in (black, white))
    hints = Budget(_HINT_PLAYOUTS)
    adviser = Opponent(STRONGEST, lambda: Tabled(ENGINES[STRONGEST](), opened), hints, chosen)
    try:
        PlayApp(start, (black_seat, white_seat), adviser, sgf or _new_file(start.rules)).run()
    finally:
        paths.close()
        for problem in problems:
            click.echo(problem, err=True)


def _start(line: str | None, rules: Rules) -> PositionLike:
    from yoddd.notation import NotationError, parse_position

    if line is None:
        return Position(rules)
    try:
        return parse_position(line)
    except NotationError as error:
        raise click.BadParameter(str(error), param_hint="--position") from None


def _seat(name: str, level: int, budget: Budget, seed: int, tables: Tables) -> Opponent | None:
    """The opponent of that name; only the strongest at its highest level uses tables."""
    from yoddd.engine import LEVELS, Levelled, Tabled
    from yoddd.terminal.seats import Opponent

    if name == HUMAN:
        return None
    if name == STRONGEST and level == HIGHEST:
        return Opponent(name, lambda: Tabled(ENGINES[name](), tables), budget, seed)
    return Opponent(name, lambda: Levelled(ENGINES[name](), LEVELS[level - 1]), budget, seed)


def _new_file(rules: Rules) -> Path:
    """The first name that is free, such as ``yodd-hex8-2.sgf``."""
    stem = f"{rules.game.name}-{rules.geometry.name}"
    names = (Path(f"{stem}{f'-{n}' if n > 1 else ''}.sgf") for n in itertools.count(1))
    return next(name for name in names if not name.exists())
