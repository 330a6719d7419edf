"""``yoddd puzzles``: positions in which exactly one turn wins."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import click

from yoddd.cli.files import EXISTING_FILE
from yoddd.cli.options import (
    GAME,
    Words,
    class_options,
    complete_boards,
    one_board,
    option,
)
from yoddd.engine import HIGHEST
from yoddd.rules import IllegalTurn, PositionLike, TurnKind

if TYPE_CHECKING:
    from yoddd.kernel import Sweep, TurnValue
    from yoddd.library.puzzles import Puzzle


@click.group("puzzles")
def command() -> None:
    """Positions in which exactly one turn wins, up to symmetry: play and prove them.

    \b
    Examples:
      yoddd puzzles solve --game xodd --level 3:5
      yoddd puzzles verify
    """


def _read(file: Path | None) -> list[Puzzle]:
    from yoddd.library.puzzles import PuzzleError, parse_puzzles, shipped
    from yoddd.notation import NotationError
    from yoddd.notation.text import read_text

    try:
        text = shipped() if file is None else read_text(file)
        return list(parse_puzzles(text.splitlines()))
    except (NotationError, PuzzleError) as error:
        raise click.ClickException(f"{file or 'puzzles.jsonl'}: {error}") from None


def _range(text: str) -> range:
    """The range of FIRST or FIRST:LAST, numbers of at least 0."""
    first, colon, last = text.partition(":")
    if not (first.isdecimal() and (last.isdecimal() or not colon)):
        raise ValueError(f"{text!r}: expected A:B")
    return range(int(first), int(last or first) + 1)


# -- verify ---------------------------------------------------------------------------------


@command.command("verify")
@click.argument("file", type=EXISTING_FILE, required=False)
def verify_command(file: Path | None) -> None:
    """Prove the puzzles of FILE again, or those that come with the program.

    For each puzzle a sweep solves everything that can follow. The turn that wins, the turns to the
    end and the number of legal turns are compared; no position may occur twice, up to symmetry.
    The grades, which depend on the engine, are not compared. The exit status is 1 if a puzzle is
    wrong.

    \b
    Examples:
      yoddd puzzles verify
    """
    from yoddd.cli.progress import progress
    from yoddd.library.puzzles import PuzzleError, check, repeated

    puzzles = _read(file)
    counts: Counter[tuple[str, str]] = Counter()
    wrong = 0
    with progress() as bar:
        for puzzle in bar.track(puzzles, description="proving"):
            try:
                check(puzzle)
            except PuzzleError as error:
                wrong += 1
                click.echo(str(error), err=True)
                continue
            rules = puzzle.start().rules
            counts[rules.game.name, rules.geometry.name] += 1
    for (game, board), count in sorted(counts.items()):
        click.echo(f"{game} {board} {count}")
    click.echo(f"proven {counts.total()}")
    if wrong:
        raise click.ClickException(f"wrong {wrong}")
    twice = repeated(puzzles)
    if twice:
        raise click.ClickException(f"position repeated: {' '.join(twice)}")


# -- solve ----------------------------------------------------------------------------------


@attrs.frozen
class _Choice:
    """The puzzles that are played.

    Attributes:
        game: only those of this game; None for all.
        board: only those on this board; None for all.
        level: only those of these levels; None for all.
        puzzle: only the one with this id; None for all.
        seed: of their order; None for the order of the file.
    """

    game: tuple[str, str | None] | None = option(
        "Game of the puzzles, also with its board.  [default: all]", type=GAME
    )
    board: str | None = option(
        "Board of the puzzles, such as hex4.  [default: all]", shell_complete=complete_boards
    )
    level: range | None = option(
        f"Lowest levels of the engine to solve them, from 1 to {HIGHEST}.  [default: all]",
        type=Words("range", _range),
        metavar="A:B",
    )
    puzzle: str | None = option("Single puzzle to solve.", metavar="ID")
    seed: int | None = option("Seed of the order.  [default: the order of the file]")

    def of(self, puzzles: Iterable[Puzzle]) -> list[Puzzle]:
        """Return the puzzles to play, in order."""
        chosen = [puzzle for puzzle in puzzles if self._has(puzzle)]
        if self.seed is not None:
            random.Random(self.seed).shuffle(chosen)
        return chosen

    def _has(self, puzzle: Puzzle) -> bool:
        game, board, *_ = puzzle.position.split()
        wanted = self.board if self.game is None else one_board(self.game, self.board)
        return (
            (self.game is None or self.game[0] == game)
            and wanted in {None, board}
            and (self.level is None or puzzle.level in self.level)
            and self.puzzle in {None, puzzle.id}
        )


@command.command("solve")
@click.argument("file", type=EXISTING_FILE, required=False)
@class_options("choice", _Choice)
def solve_command(file: Path | None, choice: _Choice) -> None:
    """Solve puzzles in the terminal: those of FILE, or those that come with the program.

    X is a black stone, O a white one. Enter a turn, such as 1b2,2c3 or pass; hint, solution, next
    or quit. Answers can come from a pipe, one per line; the session ends with the input.

    \b
    Examples:
      yoddd puzzles solve
      yoddd puzzles solve --game yodd@hex4 --level 4:7 --seed 1
      yoddd puzzles solve --puzzle yodd-hex3-0
    """
    from yoddd.library.puzzles import PuzzleError

    puzzles = choice.of(_read(file))
    if not puzzles:
        raise click.ClickException("no such puzzle")
    solved = seen = 0
    try:
        for seen, puzzle in enumerate(puzzles, 1):
            solved += _Session(puzzle, f"{seen} of {len(puzzles)}").play()
    except EOFError:
        pass
    except PuzzleError as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"solved {solved} of {seen}")


class _Session:
    """One puzzle at the console."""

    def __init__(self, puzzle: Puzzle, where: str) -> None:
        """Prove the puzzle, so that every answer has a value."""
        from yoddd.library.puzzles import check

        self._puzzle = puzzle
        self._where = where
        self._sweep: Sweep = check(puzzle)
        self._start = puzzle.start()
        self._hints = 0

    def play(self) -> bool:
        """Ask until the turn is found, shown or given up; whether it was found without help.

        Raises:
            EOFError: there are no more answers, or they shall end.
        """
        self._show()
        while True:
            match answer := _ask():
                case "":
                    pass
                case "hint":
                    self._hint()
                case "solution":
                    self._show_line(self._start)
                    return False
                case "next":
                    return False
                case "quit":
                    raise EOFError
                case _:
                    if self._try(answer):
                        return True

    def _show(self) -> None:
        from yoddd.notation import diagram

        puzzle, start = self._puzzle, self._start
        level = f"level {puzzle.level}" if puzzle.level else "beyond all levels"
        click.echo(f"\nPuzzle {self._where}: {puzzle.id}, {level}")
        click.echo(diagram(start))
        rules = start.rules
        if rules.has_pass:
            black, white = start.count()
            click.echo(f"groups: black {black}, white {white}")
        click.echo(f"{rules.game.title}: {start.player.title} to play and win, turn {start.number}")

    def _hint(self) -> None:
        """Tell how many stones the turn places, then one of them."""
        from yoddd.notation import parse_turn

        rules = self._start.rules
        stones = parse_turn(self._puzzle.turns[0], rules, self._start.player).stones
        if self._hints == 0:
            click.echo(f"The turn places {len(stones)} stone{'s' * (len(stones) != 1)}.")
        for colour, cell in stones[: self._hints]:
            click.echo(f"{colour.title} on {rules.geometry.labels[cell]}.")
        self._hints = 1

    def _try(self, answer: str) -> bool:
        """Play a turn; whether it wins."""
        from yoddd.notation import NotationError, parse_turn

        after = self._start.copy()
        try:
            turn = parse_turn(answer, after.rules, after.player)
            after.play(turn)
        except (NotationError, IllegalTurn) as error:
            click.echo(f"Not a turn here: {error}")
            return False
        if turn.kind is TurnKind.RESIGN:
            click.echo("There is a turn that wins.")
            return False
        won = self._puzzle.is_solved_by(turn)
        if won:
            click.echo(f"Right: {after.player.opponent.title} wins {_when(self._puzzle.distance)}.")
            return True
        click.echo(f"Wrong: {after.player.title} wins.")
        if not after.is_over:
            self._show_line(after)
        return False

    def _show_line(self, position: PositionLike) -> None:
        from yoddd.notation import format_turn

        line: tuple[TurnValue, ...] = self._sweep.line(position)
        turns = " ".join(format_turn(value.turn, position.rules) for value in line)
        click.echo(f"Best play: {turns}")


def _when(distance: int) -> str:
    return "at once" if distance == 1 else f"in {distance} turns"


def _ask() -> str:
    """The next answer.

    Raises:
        EOFError: there is none.
    """
    click.echo("turn, hint, solution, next or quit: ", nl=False)
    line = sys.stdin.readline()
    if not line:
        click.echo()
        raise EOFError
    return line.strip().lower()
