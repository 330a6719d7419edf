"""``yoddd show``: a position or a recorded game as text."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from yoddd.cli.files import Game, existing_file, games_of
from yoddd.notation import diagram
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
