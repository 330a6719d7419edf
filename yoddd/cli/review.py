"""``yoddd review``: every turn of a game judged against the best one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs
import click

from yoddd.cli.files import EXISTING_FILE, SUFFIXES, Game, games_of, write_whole
from yoddd.cli.options import (
    Workers,
    added_by,
    class_options,
    cluster_option,
    option,
)
from yoddd.cli.outputs import OUTPUT_FILE
from yoddd.engine import ENGINES, STRONGEST
from yoddd.library.review import Grade
from yoddd.notation.text import printable
from yoddd.rules import Colour, Rules
from yoddd.workers import in_order

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID
    from rich.table import Table

    from yoddd.engine import Tables
    from yoddd.library.review import GameReview, ReviewSettings, TurnReview
    from yoddd.library.review.texts import Heading
    from yoddd.notation import Node, NotationError

_BLOCKS: Final = "▁▂▃▄▅▆▇█"
_STYLES: Final = {
    Grade.SOUND: "",
    Grade.INACCURACY: "yellow",
    Grade.MISTAKE: "dark_orange",
    Grade.BLUNDER: "bold red",
}
_SHOWN: Final = 4
"""The most turns of a line in the table."""


def show_review(
    console: Console, review: GameReview, heading: Heading, *, every: bool = False
) -> None:
    """Print a review.

    Args:
        console: where to.
        review: the review.
        heading: names the game.
        every: whether sound turns are listed too.
    """
    from rich.markup import escape

    from yoddd.library.review.texts import place_text, turning_text

    rules = review.start.rules
    names = f"{heading.black or '?'} (Black) against {heading.white or '?'} (White)"
    result = heading.result or "no result"
    console.print(f"[bold]{escape(heading.id)}[/]: {escape(names)}: {escape(result)}")
    console.print(f"{place_text(review)}; {_exactness(review)}")
    console.print(_players(review, heading))
    console.print(f"Chance of Black: {_course(review)}\n")
    turns = [turn for turn in review.turns if every or turn.grade is not Grade.SOUND]
    if turns:
        console.print(_turns(turns, rules))
    for text in turning_text(review):
        console.print(f"{text.capitalize()}\n")


def _exactness(review: GameReview) -> str:
    if review.exact_from is None:
        return "all chances are estimates"
    if review.exact_from == 0:
        return "all positions are solved"
    return f"solved after turn {review.turns[review.exact_from - 1].number}"


def _players(review: GameReview, heading: Heading) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    from yoddd.library.review.texts import percent

    table = Table(box=SIMPLE_HEAD)
    table.add_column("player")
    for title in ("turns", "accuracy", "average loss", "inaccuracies", "mistakes", "blunders"):
        table.add_column(title, justify="right")
    for seat, name in ((Colour.BLACK, heading.black), (Colour.WHITE, heading.white)):
        player = review.players[seat]
        accuracy = "-" if player.accuracy is None else percent(player.accuracy / 100)
        loss = "-" if player.average_loss is None else percent(player.average_loss)
        errors = (str(count) for count in player.errors.values())
        words = f"{seat.title} {name}".strip()
        table.add_row(escape(words), str(player.turns), accuracy, loss, *errors)
    return table


def _course(review: GameReview) -> str:
    """A block for the chance in each position, the turning points in red."""
    turning = {at for at, turn in enumerate(review.turns, 1) if turn.turning}
    highest = len(_BLOCKS) - 1
    blocks = (_BLOCKS[round(chance * highest)] for chance in review.chances)
    return "".join(
        f"[red]{block}[/]" if at in turning else block for at, block in enumerate(blocks)
    )


def _turns(turns: list[TurnReview], rules: Rules) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from yoddd.library.review.texts import chance_text, line_text
    from yoddd.notation import format_turn

    table = Table(box=SIMPLE_HEAD)
    table.add_column("turn", justify="right")
    for title in ("player", "played", "judgement", "chance"):
        table.add_column(title, no_wrap=True)
    table.add_column("better")
    table.add_column("refutation")
    for turn in turns:
        judgement = turn.grade.value if turn.grade is not Grade.SOUND else ""
        table.add_row(
            str(turn.number),
            turn.player.title,
            format_turn(turn.turn, rules),
            "only winning turn" if turn.only else judgement,
            f"{chance_text(turn.best)} → {chance_text(turn.played)}",
            line_text(turn.better[:_SHOWN], rules),
            line_text(turn.refutation[:_SHOWN], rules),
            style=_STYLES[turn.grade],
        )
    return table


_WIDTH: Final = 110
"""Columns of the table where the output is no terminal."""

_WRITTEN: Final = (".sgf", ".json", ".jsonl", ".html")
"""The suffixes of files that reviews are written to."""


@attrs.frozen
class _Strength:
    """The options of the judgements.

    Attributes:
        visits: of each search.
        engine: makes the estimates.
        seed: of the searches.
        threads: searches at once without a cluster, and threads of a sweep.
        cluster: the scheduler whose workers search; None for this machine.
        memory: MiB of a sweep, and of all searches together.
        solve_seconds: the longest expected time of a sweep; 0 to solve nothing.
    """

    visits: int = option(
        "Visits of each search, of which a turn takes one or two.", least=1, default=5000
    )
    engine: str = option(
        "Engine that estimates.", type=click.Choice(list(ENGINES)), default=STRONGEST
    )
    seed: int = option("Seed.", least=0, default=0)
    threads: int = option(
        "Searches at once, and threads of a sweep; the result does not depend on it.",
        "--concurrency",
        least=1,
        default=2,
    )
    cluster: str | None = added_by(cluster_option)
    memory: int = option("Memory of a sweep, or of all searches, in MiB.", least=1, default=256)
    solve_seconds: float = option(
        "Expected time of the longest sweep of a game's end; 0 to solve only small boards.",
        least=0,
        default=10.0,
    )


@attrs.define
class _Stop:
    """Whether searches have to end; a copy on another machine is not told.

    Attributes:
        is_set: likewise.
    """

    is_set: bool = False

    def __call__(self) -> bool:
        return self.is_set


@attrs.frozen
class _Reviewed:
    """A game that has been reviewed, with the tree that it is annotated in."""

    review: GameReview
    heading: Heading
    tree: Node


@click.command("review")
@click.argument("file", type=EXISTING_FILE)
@click.option(
    "--number",
    "numbers",
    type=click.IntRange(1),
    multiple=True,
    help="Number of a game in FILE; repeatable.  [default: all]",
)
@click.option(
    "--out",
    "-o",
    "targets",
    type=OUTPUT_FILE,
    multiple=True,
    help="File to write: .sgf, .json, .jsonl or .html; repeatable.",
)
@click.option("--turns", "every", is_flag=True, help="Also list sound turns.")
@class_options("strength", _Strength)
def command(
    file: Path,
    numbers: tuple[int, ...],
    targets: tuple[Path, ...],
    every: bool,
    strength: _Strength,
) -> None:
    """Judge every turn of the games in FILE, a .sgf, .jsonl or .json file, against the best one.

    Prints accuracy, average loss and errors of both players, the course of the game and a line for
    each error. Positions are solved where that is possible; elsewhere the
    engine estimates the chances after the best turn and after the one that was played.

    The output is an annotated .sgf file with variations, .json or .jsonl after
    protocol/schemas/review.schema.json, or the board's page with the reviews in a .html file that
    needs no network. Games that cannot be read are reported; the others are reviewed, and the exit
    status is 1.

    \b
    Examples:
      yoddd review game.sgf --out reviewed.sgf --out review.html
      yoddd review games.jsonl --number 3 --visits 10000
      yoddd review ALL.json --out reviews.jsonl
    """
    from rich.console import Console

    if file.suffix.lower() not in SUFFIXES:
        raise click.UsageError(f"{file}: expected a name that ends in {', '.join(SUFFIXES)}")
    for target in targets:
        if target.suffix.lower() not in _WRITTEN:
            raise click.UsageError(f"{target}: expected a name that ends in {', '.join(_WRITTEN)}")
        if not target.parent.is_dir():
            raise click.UsageError(f"{target}: there is no folder {target.parent}")
    work = _Work(file, strength)
    console = Console(width=None if Console().is_terminal else _WIDTH, highlight=False)
    reviewed = []
    try:
        for one in work.reviews(frozenset(numbers)):
            show_review(console, one.review, one.heading, every=every)
            reviewed.append(one)
    except KeyboardInterrupt:
        click.echo(f"interrupted; games reviewed: {len(reviewed)}", err=True)
        work.problems += 1
    for target in targets if reviewed else ():
        write_whole(target, _content(target.suffix.lower(), reviewed))
    missing = sorted(set(numbers) - set(range(1, work.seen + 1)))
    if missing:
        raise click.ClickException(f"{file} has fewer than {missing[-1]} games")
    if work.problems:
        raise SystemExit(1)


class _Work:
    """Reviews the games of a file, prints problems and counts them."""

    def __init__(self, file: Path, strength: _Strength) -> None:
        self._file = file
        self._strength = strength
        self._stop = _Stop()
        self.problems = 0
        self.seen = 0

    def reviews(self, numbers: frozenset[int]) -> Iterator[_Reviewed]:
        """The reviews of the games with some numbers, or of all."""
        from yoddd.cli.progress import open_workers, progress
        from yoddd.engine import SmallBoards

        tables = SmallBoards()
        workers = Workers(self._strength.cluster, self._strength.threads)
        with open_workers(workers, threads=True) as executor, progress() as bar:
            task = bar.add_task("reviewing", total=None)
            try:
                for number, game in enumerate(games_of(self._file), 1):
                    self.seen = number
                    if not numbers or number in numbers:
                        settings = self._settings(tables, executor, bar, task)
                        yield from self._review(game, number, settings)
            finally:
                self._stop.is_set = True

    def _settings(
        self, tables: Tables, executor: Executor, bar: Progress, task: TaskID
    ) -> ReviewSettings:
        from yoddd.library.review import ExactLimits, ReviewSettings

        wanted = self._strength

        def each(function: Callable[[Any], Any], items: Sequence[Any], /) -> Iterable[Any]:
            bar.reset(task, total=len(items))
            return bar.track(in_order(executor, function, items), task_id=task)

        return ReviewSettings(
            engine=ENGINES[wanted.engine],
            visits=wanted.visits,
            memory=(wanted.memory << 20) // wanted.threads,
            seed=wanted.seed,
            exact=ExactLimits(
                tables=tables,
                memory=wanted.memory << 20,
                seconds=wanted.solve_seconds,
                threads=wanted.threads,
            ),
            each=each,
            stop=self._stop,
        )

    def _review(
        self, game: Game | NotationError, number: int, settings: ReviewSettings
    ) -> Iterator[_Reviewed]:
        from yoddd.library.review import review_game
        from yoddd.library.review.texts import Heading, annotate
        from yoddd.notation import NotationError

        for error in (game,) if isinstance(game, NotationError) else game.errors:
            self.problems += 1
            click.echo(f"{self._file}: {error}", err=True)
        if isinstance(game, NotationError):
            return
        tree = _tree_of(game)
        review = review_game(game.start, game.turns, settings)
        annotate(tree, review)
        heading = Heading(
            id=tree.text("GN") or f"{printable(self._file.stem)}-{number}",
            black=tree.text("PB") or "",
            white=tree.text("PW") or "",
            result=tree.text("RE"),
            engine=self._strength.engine,
            visits=settings.visits,
            seed=settings.seed,
        )
        yield _Reviewed(review, heading, tree)


def _tree_of(game: Game) -> Node:
    from yoddd.kernel import best_position
    from yoddd.notation import record_to_sgf
    from yoddd.notation.sgf_games import position_to_sgf

    if game.tree is not None:
        return game.tree
    if game.record is not None:
        return record_to_sgf(game.record, on=best_position())
    after = game.start.copy()
    for turn in game.turns:
        after.play(turn)
    return position_to_sgf(after)


def _content(suffix: str, reviewed: list[_Reviewed]) -> str:
    """The content of a file with one of the suffixes `_WRITTEN`."""
    if suffix == ".sgf":
        from yoddd.notation import write_sgf

        return write_sgf(one.tree for one in reviewed)
    from yoddd.library.review.texts import as_json

    objects = [as_json(one.review, one.heading) for one in reviewed]
    if suffix == ".html":
        from yoddd.daemon.pages.static_site import review_file

        return review_file(objects)
    if suffix == ".jsonl":
        return "".join(f"{json.dumps(one, separators=(',', ':'))}\n" for one in objects)
    return json.dumps(objects, indent=1) + "\n"
