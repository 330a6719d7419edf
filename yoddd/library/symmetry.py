"""The symmetries of positions and turns, by which puzzles are told apart and answers judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from yoddd.kernel import TurnValue
from yoddd.rules import Colour, PositionLike, Stone, Turn

_EXCHANGE: Final = {None: None, Colour.BLACK: Colour.WHITE, Colour.WHITE: Colour.BLACK}
_DIGITS: Final = {None: ".", Colour.BLACK: "X", Colour.WHITE: "O"}


def key_of(position: PositionLike) -> str:
    """Return a text that is equal for positions up to symmetry and the number of the turn.

    Exchanging the colours may be a symmetry too, together with the players or alone as in Odd.
    """
    rules, cells = position.rules, position.cells
    contents = [cells]
    player = position.player
    if rules.facts.is_blind:
        contents.append(_exchange(cells))
    elif rules.facts.is_fair and player is Colour.WHITE:
        player, contents = Colour.BLACK, [_exchange(cells)]
    least = min(
        "".join(_DIGITS[content[cell]] for cell in symmetry)
        for content in contents
        for symmetry in rules.geometry.symmetries
    )
    options = rules.chosen_options()
    words = [rules.game.name, rules.geometry.name, *(f"{k}={v}" for k, v in options.items())]
    return " ".join([*words, least, player.letter, str(position.passes)])


def _exchange(cells: Sequence[Colour | None]) -> tuple[Colour | None, ...]:
    return tuple(_EXCHANGE[content] for content in cells)


def images_of(turn: Turn, position: PositionLike) -> set[Turn]:
    """The images of a turn, itself included, under the symmetries that change no stone."""
    cells = position.cells
    targets = [(cells, False)]
    if position.rules.facts.is_blind:
        targets.append((_exchange(cells), True))
    return {
        _image(turn, symmetry, exchanged=exchanged)
        for symmetry in position.rules.geometry.symmetries
        for target, exchanged in targets
        if all(target[image] is cells[cell] for cell, image in enumerate(symmetry))
    }


def _image(turn: Turn, symmetry: Sequence[int], *, exchanged: bool) -> Turn:
    if not turn.stones:
        return turn
    return Turn.drop(
        *(
            Stone(colour.opponent if exchanged else colour, symmetry[cell])
            for colour, cell in turn.stones
        )
    )


def sole_win(position: PositionLike, values: Sequence[TurnValue]) -> tuple[TurnValue, ...]:
    """The values of the turns that win if they are images of one; else none.

    Args:
        position: the position.
        values: of all its turns, best first.
    """
    wins = tuple(value for value in values if value.wins)
    if not wins or images_of(wins[0].turn, position) != {value.turn for value in wins}:
        return ()
    return wins
