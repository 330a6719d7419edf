"""The texts next to the board: players, counts, the parity helper, and the turns so far."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from yoddd.notation import format_turn
from yoddd.rules import Colour, PositionLike, Stone
from yoddd.terminal.draft import Draft, Effect, effect_text, verdict_text
from yoddd.terminal.seats import Seats, names, seat_on_turn


def players(position: PositionLike, seats: Seats) -> Text:
    """Both participants; an arrow marks the one to move."""
    on_turn = seat_on_turn(position)
    text = Text()
    for seat in Colour:
        moves = seat is on_turn and not position.is_over
        colour = position.player if seat is on_turn else position.player.opponent
        style = "bold" if moves else "dim"
        name = names(seats)[seat]
        label = name if name == colour.title else f"{colour.title}  {name}"
        text.append(f"{'▶' if moves else ' '} {label}\n", style)
    return text


def helper(draft: Draft, cursor: int | None, colour: Colour) -> Text:
    """Counts, verdict, and the effect of each colour on the cell under the cursor."""
    black, white = draft.counts()
    total = black + white
    counts_parity = draft.position.rules.game.odd_total
    parity = f" {'odd' if total % 2 else 'even'}" if counts_parity and total else ""
    tone = ("bold green" if total % 2 else "bold red") if parity else "bold"
    text = Text.assemble(
        (f"black {black}   white {white}   ", "bold"),
        (f"total {total}{parity}\n", tone),
        f"{verdict_text(draft)}\n\n",
    )
    if cursor is not None:
        text.append(f"On {draft.position.rules.geometry.labels[cursor]}\n", "dim")
        for one in Colour:
            text.append(f"{'▸' if one is colour else ' '} {one.title:<5} ", "bold")
            effect = draft.effect(Stone(one, cursor))
            text.append(f"{effect_text(effect, odd_total=counts_parity)}\n", _tone(effect))
    if draft.completes:
        text.append(f"{len(draft.fits())} stones complete the turn\n", "green")
    return text


def _tone(effect: Effect | None) -> str:
    if effect is None:
        return "dim"
    return "green" if effect.legal else "yellow" if effect.completable else "red"


def record(position: PositionLike) -> Text:
    """The turns so far, two a line."""
    return Text("\n".join(_lines(position)) or "no turn yet")


def _lines(position: PositionLike) -> Iterator[str]:
    turns = [format_turn(turn, position.rules) for turn in position.history]
    first = position.number - len(turns)
    for index in range(0, len(turns), 2):
        yield f"{first + index:>4}  {'  '.join(f'{turn:<9}' for turn in turns[index : index + 2])}"
