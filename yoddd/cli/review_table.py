"""A review as tables in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from yoddd.library.review import Grade
from yoddd.rules import Colour, Rules

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from yoddd.library.review import GameReview, TurnReview
    from yoddd.library.review.as_json import Heading

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
