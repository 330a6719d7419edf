"""``yoddd convert``: archives of games from one format to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final, TypeVar

import click

from yoddd.cli.files import EXISTING_FILE, write_whole
from yoddd.cli.options import GAME, one_board, read_rules
from yoddd.notation.archives import ArchiveFormat
from yoddd.rules import Rules
from yoddd.system import naming

if TYPE_CHECKING:
    from yoddd.notation import GameRecord, NotationError

T = TypeVar("T")

_CHUNK: Final = 1 << 16
_FORMATS: Final = [str(form) for form in ArchiveFormat]
_OUTPUT: Final = click.Path(dir_okay=False, writable=True, allow_dash=True, path_type=Path)


class _Input(click.File):
    """A file that is read, a link to a game, or - for standard input."""

    def convert(
        self,
        value: str | PathLike[str] | IO[Any],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> IO[Any]:
        from yoddd.notation.foreign import is_link

        if isinstance(value, str) and "://" in value and is_link(value):
            link = BytesIO(value.encode())
            link.name = "link.sgf"
            return link
        if isinstance(value, str | PathLike) and value != "-":
            EXISTING_FILE.convert(value, param, ctx)
        return super().convert(value, param, ctx)


@click.command("convert")
@click.argument("source", metavar="IN", type=_Input("rb"))
@click.argument("target", metavar="OUT", type=_OUTPUT)
@click.option(
    "--from", "given", type=click.Choice(_FORMATS), help="Format of IN, instead of its suffix."
)
@click.option(
    "--to", "wanted", type=click.Choice(_FORMATS), help="Format of OUT, instead of its suffix."
)
@click.option(
    "--game",
    type=GAME,
    help="Game of SGF that names none, such as that of Go controllers.",
)
@click.option("--board", help="Its board, such as hex4.  [default: the game's own]")
@click.option("--option", "settings", multiple=True, metavar="NAME=VALUE", help="Its options.")
def command(
    source: BinaryIO,
    target: Path,
    given: str | None,
    wanted: str | None,
    game: tuple[str, str | None] | None,
    board: str | None,
    settings: tuple[str, ...],
) -> None:
    """Convert an archive of finished games.

    The suffix gives the format: .sgf a collection of SGF game trees, .jsonl a game record per line,
    .json Abstract Play's game records. A dash stands for standard input or output. Games that
    cannot be read are reported with their line and omitted, and the exit status is 1. From SGF to
    SGF the trees are copied whole, with comments, variations and unfinished games.

    gogui-twogtp and gomill write games of Yoin as games of Go. --game, --board and --option name
    the game that such trees are read as, and trees of ours without YGAME, which are otherwise read
    as the one game that they fit. A link to a game on the page is read as SGF.

    \b
    Examples:
      yoddd convert games.jsonl games.sgf
      yoddd convert ALL.json games.jsonl
      yoddd convert --from sgf --to json - -
      yoddd convert --game yoin --board hex4 --option pie=off yoin-0.sgf yoin.jsonl
    """
    from yoddd.notation.archives import write_archive

    come, go = _format_of(source, given, "--from"), _format_of(target, wanted, "--to")
    if game is None and (board or settings):
        raise click.UsageError("--board and --option belong to --game")
    rules = None if game is None else read_rules(game[0], one_board(game, board), settings)
    work = _Conversion(source, rules)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if come is go is ArchiveFormat.SGF and game is None:
        texts: Iterator[str] = work.trees()
    else:
        texts = work.good(write_archive(work.games(come), go, now, work.on))
    if target == Path("-"):
        with click.open_file("-", "w", encoding="utf-8") as stdout:
            stdout.writelines(texts)
    else:
        write_whole(target, texts)
    click.echo(f"{work.games_read} games read, {work.problems} problems", err=True)
    if work.problems:
        raise SystemExit(1)


def _format_of(file: Path | BinaryIO, said: str | None, option: str) -> ArchiveFormat:
    suffix = Path(_name(file)).suffix.removeprefix(".").lower() if said is None else said
    if suffix == "trl":
        from yoddd.notation.foreign import LUDII

        raise click.UsageError(f"{_name(file)}: {LUDII}")
    if suffix not in _FORMATS:
        raise click.UsageError(f"{_name(file)}: unknown format; use {option} sgf, jsonl or json")
    return ArchiveFormat(suffix)


def _name(file: Path | BinaryIO) -> str:
    """The file's name; a wrapped standard stream may have none."""
    return str(file if isinstance(file, Path) else getattr(file, "name", "-"))


class _Conversion:
    """Passes on readable games, prints problems, and counts both."""

    def __init__(self, source: BinaryIO, go: Rules | None) -> None:
        from yoddd.kernel import best_position

        self._source = source
        self._go = go
        self.on = best_position()
        self.games_read = 0
        self.problems = 0

    def games(self, form: ArchiveFormat) -> Iterator[GameRecord]:
        from yoddd.notation.archives import read_archive

        name = Path(_name(self._source)).stem.strip("<>-") or "game"
        found = read_archive(self._chunks(), form, name, self.on, self._go, replayed=True)
        for record in self.good(found):
            self.games_read += 1
            yield record

    def trees(self) -> Iterator[str]:
        from yoddd.notation.archives import copy_trees

        for text in self.good(copy_trees(self._chunks(), self.on)):
            self.games_read += 1
            yield text

    def _chunks(self) -> Iterator[bytes]:
        with naming(_name(self._source)):
            yield from iter(partial(self._source.read, _CHUNK), b"")

    def good(self, items: Iterable[T | NotationError]) -> Iterator[T]:
        """The items that are no errors."""
        from yoddd.notation import NotationError

        for item in items:
            if isinstance(item, NotationError):
                self.problems += 1
                click.echo(f"{_name(self._source)}: {item}", err=True)
            else:
                yield item
