"""``yoddd render``: a position or a recorded game as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import click

from yoddd.notation import (
    ArchiveFormat,
    NotationError,
    parse_position,
    parse_sgf,
    read_archive,
    read_sgf_game,
    replay,
)
from yoddd.notation.records import start_of
from yoddd.pictures import THEMES, Coordinates, Style, animate, draw
from yoddd.rules import Position, Turn


@click.command("render")
@click.argument("what", nargs=-1, required=True, metavar="POSITION|FILE")
@click.option(
    "--out", "-o", required=True, type=click.Path(dir_okay=False, path_type=Path), help="svg or png"
)
@click.option("--theme", type=click.Choice(list(THEMES)), default="light", show_default=True)
@click.option(
    "--coordinates",
    type=click.Choice([str(choice) for choice in Coordinates]),
    default="edge",
    show_default=True,
    help="Names on the border, in empty cells, or none.",
)
@click.option("--groups", is_flag=True, help="Number the groups of each colour.")
@click.option("--cell", type=click.FloatRange(8, 400), default=40.0, help="Pixels between cells.")
@click.option("--game", type=click.IntRange(1), default=1, help="Which game of the file.")
@click.option("--turn", type=click.IntRange(0), help="After so many turns.  [default: the end]")
@click.option("--animate", "moving", is_flag=True, help="The whole game, as an SVG that moves.")
def command(
    what: tuple[str, ...],
    out: Path,
    theme: str,
    coordinates: str,
    groups: bool,  # noqa: FBT001 — click hands it over
    cell: float,
    game: int,
    turn: int | None,
    moving: bool,  # noqa: FBT001 — click hands it over
) -> None:
    """Draw a position line, or a game in a .sgf, .jsonl or .json file, to an SVG or PNG file.

    PNG needs the extra: pip install 'yoddd[png]'. No fonts are needed for either.

    \b
    Examples:
      yoddd render yodd hex4 4/5/6/3b3/6/5/4 w 0 2 --out board.svg
      yoddd render games.jsonl --game 3 --turn 10 --groups --theme dark --out board.png
      yoddd render game.sgf --animate --out game.svg
    """
    style = Style(
        theme=THEMES[theme], coordinates=Coordinates(coordinates), groups=groups, cell=cell
    )
    start, turns = _load(" ".join(what), game)
    turns = turns if turn is None else turns[:turn]
    if moving:
        if out.suffix != ".svg":
            raise click.UsageError("--animate writes .svg only")
        picture = animate(start, turns, style)
    else:
        for one in turns:
            start.play(one)
        picture = draw(start, style=style)
    _write(out, picture)


def _load(text: str, number: int) -> tuple[Position, tuple[Turn, ...]]:
    """A fresh start and the turns from there."""
    path = Path(text)
    try:
        if path.suffix == ".sgf":
            return _load_tree(path, number)
        if path.suffix in {".jsonl", ".json"}:
            return _load_record(path, number)
        return parse_position(text), ()
    except (OSError, NotationError) as error:
        raise click.ClickException(str(error)) from None


def _load_tree(path: Path, number: int) -> tuple[Position, tuple[Turn, ...]]:
    trees, _ = parse_sgf(path.read_text(encoding="utf-8", errors="replace"))
    if number > len(trees):
        raise NotationError(f"{path} has {len(trees)} games")
    game = read_sgf_game(trees[number - 1])
    return game.start, game.turns


def _load_record(path: Path, number: int) -> tuple[Position, tuple[Turn, ...]]:
    with path.open(encoding="utf-8", errors="replace") as lines:
        found = next(_nth(lines, ArchiveFormat(path.suffix[1:]), number), None)
    if found is None:
        raise NotationError(f"{path} has fewer than {number} games")
    if isinstance(found, NotationError):
        raise found
    return found


def _nth(
    lines: Iterator[str], form: ArchiveFormat, number: int
) -> Iterator[tuple[Position, tuple[Turn, ...]] | NotationError]:
    for found in islice(read_archive(lines, form), number - 1, number):
        if isinstance(found, NotationError):
            yield found
        else:
            yield start_of(found), replay(found).history


def _write(out: Path, picture: str) -> None:
    if out.suffix == ".svg":
        out.write_text(picture, encoding="utf-8")
    elif out.suffix == ".png":
        try:
            import resvg_py  # noqa: PLC0415 — an extra that only this needs
        except ImportError:
            raise click.ClickException("PNG needs: pip install 'yoddd[png]'") from None
        out.write_bytes(bytes(resvg_py.svg_to_bytes(svg_string=picture)))
    else:
        raise click.UsageError(f"{out}: expected a name that ends in .svg or .png")
