"""``yoddd show`` and ``yoddd render``: a position or a recorded game as text and as a picture."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from yoddd.cli.files import SUFFIXES, Game, existing_file, games_of, load_game, write_whole
from yoddd.cli.options import NumberRange
from yoddd.cli.outputs import OUTPUT_FILE
from yoddd.notation import diagram
from yoddd.pictures import THEMES, Coordinates
from yoddd.rules import PositionLike, parity_text

if TYPE_CHECKING:
    from yoddd.notation import NotationError


@click.command("show")
@click.argument("what", nargs=-1, required=True, metavar="POSITION|FILE")
def command(what: tuple[str, ...]) -> None:
    """Show a position line, or the final positions of the games in a .sgf or .jsonl file.

    A board has X for Black and O for White. Games that cannot be read are reported on standard
    error; the others are shown, and the exit status is 1.

    \b
    Examples:
      yoddd show 'yodd hex4 4/5/6/3b3/6/5/4 w 0 2'
      yoddd show games/demo/games.jsonl
    """
    from yoddd.notation import NotationError

    text = " ".join(what)
    is_file = _is_file_name(text)
    shown = _from_file(existing_file(text)) if is_file else _from_line(text)
    boards = problems = 0
    for block in shown:
        if isinstance(block, NotationError):
            problems += 1
            click.echo(f"{text}: {block}" if is_file else block, err=True)
        else:
            click.echo(("\n" if boards else "") + block)
            boards += 1
    if problems:
        sys.exit(1)


def _is_file_name(text: str) -> bool:
    return Path(text).suffix.lower() in {".sgf", ".jsonl"}


def _from_line(text: str) -> Iterator[str | NotationError]:
    from yoddd.notation import NotationError, parse_position

    try:
        yield describe(parse_position(text))
    except NotationError as error:
        yield error


def _from_file(path: Path) -> Iterator[str | NotationError]:
    from yoddd.notation import NotationError

    try:
        for game in games_of(path):
            if isinstance(game, NotationError):
                yield game
                continue
            yield from game.errors
            for turn in game.turns:
                game.start.play(turn)
            yield f"{_heading(game)}\n{describe(game.start)}"
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror or error}") from None


def _heading(game: Game) -> str:
    from yoddd.notation import Node
    from yoddd.referee.game.terminations import describe_result

    record = game.record
    if record is None:
        text = (game.tree or Node()).text
        names = f"{text('PB') or '?'} (black) against {text('PW') or '?'} (white)"
        return f"{names}: {text('RE') or 'no result'}"
    names = f"{record.id}: {record.black} (black) against {record.white} (white)"
    detail = f" ({record.detail})" if record.detail else ""
    return f"{names}: {describe_result(record)}{detail}"


def describe(position: PositionLike) -> str:
    """The board, the side to move or the winner, the count of groups, and the position line."""
    from yoddd.notation import format_position, format_turn

    last = position.history[-1] if position.history else None
    black, white = position.count()
    outcome = position.outcome()
    if outcome is not None:
        state = f"{outcome.winner.title} has won by {outcome.reason}"
    else:
        state = f"turn {position.number}, {position.player.title} to move"
        if last is not None:
            state += f" after {format_turn(last, position.rules)}"
    counts = f"black {black}, white {white}"
    if position.rules.facts.groups != "any":
        counts += f": {parity_text(black + white)}"
    return "\n".join([diagram(position, last), state, counts, format_position(position)])


@click.command("render")
@click.argument("what", nargs=-1, required=True, metavar="POSITION|FILE")
@click.option(
    "--out",
    "-o",
    required=True,
    type=OUTPUT_FILE,
    help="File to write: .svg or .png.",
)
@click.option("--theme", type=click.Choice(list(THEMES)), default="light", help="Colours.")
@click.option(
    "--coordinates",
    type=click.Choice([str(choice) for choice in Coordinates]),
    default="edge",
    help="Cell names on the border, in empty cells, or none.",
)
@click.option("--groups", is_flag=True, help="Number the groups of each colour.")
@click.option("--cell", type=NumberRange(8, 400), default=40.0, help="Pixels between cells.")
@click.option(
    "--number", "game", type=click.IntRange(1), default=1, help="Number of the game in the file."
)
@click.option(
    "--turn", type=click.IntRange(0), help="Position after this many turns.  [default: the end]"
)
def render(
    what: tuple[str, ...],
    out: Path,
    theme: str,
    coordinates: str,
    groups: bool,
    cell: float,
    game: int,
    turn: int | None,
) -> None:
    """Draw a position line, or a game in a .sgf, .jsonl or .json file, to an SVG or PNG file.

    PNG needs the extra 'png'. No fonts are needed. A game with a turn that cannot be played is
    drawn up to that turn, and the exit status is 1.

    \b
    Examples:
      yoddd render yodd hex4 4/5/6/3b3/6/5/4 w 0 2 --out board.svg
      yoddd render games.jsonl --number 3 --turn 10 --groups --theme dark --out board.png
    """
    from yoddd.pictures import Style, draw

    style = Style(
        theme=THEMES[theme], coordinates=Coordinates(coordinates), groups=groups, cell=cell
    )
    text = " ".join(what)
    shown = _load(text, game)
    for one in shown.turns if turn is None else shown.turns[:turn]:
        shown.start.play(one)
    _write(out, draw(shown.start, style=style))
    for problem in shown.errors:
        click.echo(f"{text}: {problem}", err=True)
    if shown.errors:
        raise SystemExit(1)


def _load(text: str, number: int) -> Game:
    from yoddd.notation import NotationError, parse_position

    path = Path(text)
    if path.suffix.lower() not in SUFFIXES:
        try:
            return Game(parse_position(text), ())
        except NotationError as error:
            raise click.ClickException(str(error)) from None
    try:
        return load_game(existing_file(path), number)
    except NotationError as error:
        raise click.ClickException(f"{path}: {error}") from None
    except ValueError as error:
        raise click.ClickException(str(error)) from None


def _write(out: Path, picture: str) -> None:
    """Write an SVG, as a PNG file where the name ends so."""
    from yoddd.pictures.board import png

    if out.suffix == ".svg":
        write_whole(out, picture)
    elif out.suffix == ".png":
        write_whole(out, png(picture))
    else:
        raise click.UsageError(f"{out}: expected a name that ends in .svg or .png")
