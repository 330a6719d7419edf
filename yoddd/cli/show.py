"""``yoddd show``: a position or a recorded game as text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from yoddd.notation import (
    GameRecord,
    NotationError,
    diagram,
    format_position,
    format_turn,
    parse_position,
    parse_sgf,
    read_records,
    read_sgf_game,
    replay,
)
from yoddd.rules import Position, parity_text


@click.command("show")
@click.argument("what", nargs=-1, required=True, metavar="POSITION|FILE")
def command(what: tuple[str, ...]) -> None:
    """Show a position line, or the final positions of the games in a .sgf or .jsonl file.

    Leaves with status 1 if something could not be read; the rest is shown all the same.

    \b
    Examples:
      yoddd show 'yodd hex4 4/5/6/3b3/6/5/4 w 0 2'
      yoddd show games/demo/games.jsonl
    """
    text = " ".join(what)
    shown = _from_file(Path(text)) if _is_file_name(text) else _from_line(text)
    problems = 0
    for index, block in enumerate(shown):
        problems += isinstance(block, NotationError)
        click.echo(("\n" if index else "") + str(block))
    if problems:
        raise SystemExit(1)


def _is_file_name(text: str) -> bool:
    return Path(text).suffix in {".sgf", ".jsonl"}


def _from_line(text: str) -> Iterator[str | NotationError]:
    try:
        yield describe(parse_position(text))
    except NotationError as error:
        yield error


def _from_file(path: Path) -> Iterator[str | NotationError]:
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{path}: {error}") from None
    read = _from_sgf if path.suffix == ".sgf" else _from_records
    yield from read(content)


def _from_sgf(content: str) -> Iterator[str | NotationError]:
    trees, errors = parse_sgf(content)
    yield from errors
    for tree in trees:
        try:
            game = read_sgf_game(tree)
        except NotationError as error:
            yield error
            continue
        yield from game.errors
        position = game.start
        for turn in game.turns:
            position.play(turn)
        names = f"{game.black or '?'} (black) against {game.white or '?'} (white)"
        yield f"{names}: {game.result or 'no result'}\n{describe(position)}"


def _from_records(content: str) -> Iterator[str | NotationError]:
    for record in read_records(content.splitlines()):
        if isinstance(record, NotationError):
            yield record
            continue
        try:
            yield f"{_result(record)}\n{describe(replay(record))}"
        except NotationError as error:
            yield error


def _result(record: GameRecord) -> str:
    names = f"{record.id}: {record.black} (black) against {record.white} (white)"
    winner = {"b": record.black, "w": record.white, None: "nobody"}[record.winner]
    ending = " ".join(filter(None, [record.reason, record.score, record.detail]))
    return f"{names}: {winner} wins by {ending}"


def describe(position: Position) -> str:
    """The board, who is to move or has won, the count of groups, and the position line."""
    last = position.history[-1] if position.history else None
    black, white = position.count()
    outcome = position.outcome()
    if outcome is not None:
        state = f"{outcome.winner.title} has won by {outcome.reason}"
    else:
        state = f"turn {position.number}, {position.player.title} to move"
        if last is not None:
            state += f" after {format_turn(last, position.rules)}"
    counts = f"black {black}, white {white}: {parity_text(black + white)}"
    return "\n".join([diagram(position, last), state, counts, format_position(position)])
