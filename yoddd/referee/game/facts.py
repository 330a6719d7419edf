"""Facts for programs that show games: boards, games and options, reasons, errors, names, clocks.

They are the values that a front-end needs before it asks a server anything, read from where the
program itself has them. The daemon serves them as ``/api/facts.json``;
``protocol/schemas/facts.schema.json`` describes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from yoddd.board import Shape
from yoddd.board.geometry import sizes_of
from yoddd.notation.reasons import Blame, Reason
from yoddd.protocol.arguments import LONGEST_NAME, NAME_FORM
from yoddd.protocol.errors import Code, Subcode
from yoddd.protocol.grammar import PROTOCOL
from yoddd.referee.game.clock import FORMS
from yoddd.rules.facts import DEFAULTS, KEYS, WORDS, plain
from yoddd.rules.game import Game, Option, spell
from yoddd.rules.games import GAMES, described

Values = dict[str, Any]

_FEW: Final = 10
"""Values of a fact that are listed; of more it is a whole number."""


def facts() -> Values:
    """Return all of them, as JSON can hold them."""
    return {
        "protocol": PROTOCOL,
        "boards": {shape.value: _ends(sizes_of(shape)) for shape in Shape},
        "games": {game.name: _game(game) for game in GAMES.values()},
        "facts": {
            "keys": list(KEYS),
            "defaults": {key: plain(value) for key, value in DEFAULTS.items()},
            "words": {
                key: [plain(word) for word in words]
                for key, words in WORDS.items()
                if len(words) <= _FEW
            },
        },
        "reasons": {
            reason.value: _given(
                **{"deed" if reason.blame is Blame.LOSER else "cause": reason.words}
            )
            for reason in Reason
        },
        "errors": {
            code.value: {one.value: one.meaning for one in Subcode if one.code is code}
            for code in Code
        },
        "names": {"longest": LONGEST_NAME, "form": NAME_FORM},
        "clocks": dict(FORMS),
    }


def _game(game: Game) -> Values:
    description = described(game)
    return {
        **({} if description is None else {"name": game.name, "description": description}),
        "title": game.title,
        "designer": game.designer,
        "board": game.default_board,
        "boards": {shape.value: _ends(sizes) for shape, sizes in game.boards.items()},
        "stones": list(game.facts.stones),
        "odd_total": game.facts.has_pass,
        "own_colour": game.own_colour,
        "given": {key: plain(value) for key, value in game.given.items()},
        "options": {option.name: _option(option) for option in game.options},
    }


def _option(option: Option) -> Values:
    values: Values = {
        "default": spell(option.default),
        "help": option.help,
        "sets": list(option.sets),
    }
    if isinstance(option.choices, range):
        return {**values, "range": _ends(option.choices)}
    set_to = {word: [*map(plain, one)] for word, one in option.values.items()}
    return {**values, "words": list(option.choices), "values": set_to}


def _ends(numbers: range) -> list[int]:
    """The least and the greatest number."""
    return [numbers[0], numbers[-1]]


def _given(**texts: str) -> Mapping[str, str]:
    """Return the texts that are not empty."""
    return {name: text for name, text in texts.items() if text}
