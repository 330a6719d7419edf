"""Turns as one token: ``1c3``, ``1c3,2d4``, ``pass``, ``swap``, ``resign``."""

from __future__ import annotations

from typing import Final

from yoddd.board import BoardError
from yoddd.notation.errors import NotationError
from yoddd.rules import PASS, RESIGN, SWAP, Colour, Rules, Stone, Turn, TurnKind

_WORDS: Final = {turn.kind.value: turn for turn in (PASS, SWAP, RESIGN)}
_COLOURS: Final = {
    "1": Colour.BLACK,
    "b": Colour.BLACK,
    "2": Colour.WHITE,
    "w": Colour.WHITE,
}
_MAX_STONES: Final = 2


def parse_turn(text: str, rules: Rules, player: Colour) -> Turn:
    """Read a turn of ``player`` without checking its legality.

    Stones may have any order and case; ``b``/``w`` stand for 1/2, and a bare cell is a stone of
    the player's own colour.

    Raises:
        NotationError: the text is not a turn on this board; ``column`` points at the error.
    """
    word = _WORDS.get(text.lower())
    if word is not None:
        return word
    tokens = text.split(",")
    if len(tokens) > _MAX_STONES:
        column = sum(len(token) + 1 for token in tokens[:_MAX_STONES]) + 1
        raise NotationError(f"{len(tokens)} stones in one turn", column=column)
    stones = []
    column = 1
    for token in tokens:
        try:
            stones.append(parse_stone(token, rules, player))
        except NotationError as error:
            raise error.moved(column=column - 1) from None
        column += len(token) + 1
    return Turn.drop(*stones, rules=rules)


def parse_stone(text: str, rules: Rules, player: Colour) -> Stone:
    """Read one stone: ``1c3``, ``bc3``, or ``c3`` for one of the player's own colour.

    Raises:
        NotationError: the text is not a stone on this board.
    """
    # A second letter tells a colour from a column or row: b3 is a cell, bb3 a black stone on it.
    coloured = len(text) > 1 and text[1].isalpha() and text[0].lower() in _COLOURS
    colour, label = (_COLOURS[text[0].lower()], text[1:]) if coloured else (player, text)
    try:
        return Stone(colour, rules.geometry.cell(label))
    except BoardError:
        if not text:
            raise NotationError("a stone is missing") from None
        reason = f"no cell {label!r} on {rules.geometry.name}"
        raise NotationError(reason, column=2 if coloured else 1) from None


def format_turn(turn: Turn, rules: Rules) -> str:
    """The canonical token of a turn, in lower case."""
    if turn.kind is not TurnKind.DROP:
        return str(turn.kind.value)
    return ",".join(format_stone(stone, rules) for stone in turn.stones)


def format_stone(stone: Stone, rules: Rules) -> str:
    """The canonical spelling of a stone: bare where the game gives each player one colour.

    Options do not add to the bare ones, so that they change no spelling, but for one that allows
    either colour.
    """
    label = rules.geometry.labels[stone.cell]
    return label if rules.bare_stones else stone.colour.digit + label
