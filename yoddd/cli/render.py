"""``yoddd render``: a position or a recorded game as a picture."""

from __future__ import annotations

from pathlib import Path

import click

from yoddd.cli.files import SUFFIXES, Game, existing_file, load_game, write_whole
from yoddd.cli.options import NumberRange
from yoddd.cli.outputs import OUTPUT_FILE
from yoddd.pictures import THEMES, Coordinates


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
def command(
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
    from yoddd.pictures.png import png

    if out.suffix == ".svg":
        write_whole(out, picture)
    elif out.suffix == ".png":
        write_whole(out, png(picture))
    else:
        raise click.UsageError(f"{out}: expected a name that ends in .svg or .png")
