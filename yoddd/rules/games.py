"""The registry of games: their boards, options and ways of scoring."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import attrs

from yoddd.board import BoardError, Geometry, Shape, geometry
from yoddd.rules import scoring
from yoddd.rules.values import Colour, Group

Options = Mapping[str, str | int]
"""Values by the names of options: text, or bool or int."""


class RulesError(ValueError):
    """A game, board or option that does not exist, or that do not go together.

    Attributes:
        about: what is to blame: ``game``, ``board`` or the name of an option as it was given.
    """

    def __init__(self, reason: str, about: str = "game") -> None:
        """Store the reason and the option to blame."""
        super().__init__(reason)
        self.about = about


@attrs.frozen
class Option:
    """A choice that a game offers.

    Attributes:
        name: as the ``game`` command and position lines spell it.
        default: the value of an option that is not given.
        choices: the words or the numbers that it can be; those of a switch are `SWITCH`.
        help: one line of help.
    """

    name: str
    default: bool | int | str
    choices: tuple[str, ...] | range
    help: str

    def parse(self, text: str) -> bool | int | str:
        """Read a value in lower case.

        Raises:
            ValueError: it is none of the choices; the error's text says what they are.
        """
        if isinstance(self.choices, range):
            if _NUMBER.fullmatch(text) is None or int(text) not in self.choices:
                raise ValueError(f"a number from {self.choices[0]} to {self.choices[-1]}")
            return int(text)
        if text not in self.choices:
            raise ValueError(f"{', '.join(self.choices[:-1])} or {self.choices[-1]}")
        return text == "on" if self.choices == SWITCH else text


SWITCH: Final = ("on", "off")
"""The choices of an option that is there or not."""

TIES: Final = ("stones", "black", "white")
"""Who wins Product at equal products: the colour of fewer stones, or the colour that is named."""

_GROUP_SIZES: Final = range(1, 1000)
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,5}", re.ASCII)


def spell(value: bool | int | str) -> str:
    """An option's value as the protocol spells it; text is returned as it is."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


@attrs.frozen
class Game:
    """The facts of one game.

    Attributes:
        name: the word in commands and records.
        title: the name in texts.
        designer: the inventor's name.
        boards: for each shape the suggested sizes.
        default_board: the board if none is given.
        max_stones: the most stones of a turn, from the second turn on.
        min_stones: the fewest, likewise.
        odd_total: the number of groups must be odd at the end of a turn, and passing exists.
        own_colour: players drop stones of their own colour only.
        options: the options that it offers.
        score: the winner and the margin, from the groups on the finished board and the options.
        kind: the game of the kernel that is played and scored alike, on whichever boards.
    """

    name: str
    title: str
    designer: str
    boards: Mapping[Shape, range] = attrs.field(hash=False)
    default_board: str
    max_stones: int
    odd_total: bool
    own_colour: bool
    options: tuple[Option, ...]
    score: Callable[[Sequence[Group], Rules], tuple[Colour, int]]
    min_stones: int = 1
    kind: str = attrs.Factory(lambda self: self.name, takes_self=True)


@attrs.frozen(repr=False)
class Rules:
    """One game on one board with its options settled; build it with `make_rules`."""

    game: Game
    geometry: Geometry
    end_on_full: bool = False
    own_colour: bool = False
    min_group: int = 5
    pie: bool = False
    one_group: bool = False
    tie: str = "stones"

    def score(self, groups: Sequence[Group]) -> tuple[Colour, int]:
        """The winner and the margin, from the groups on the finished board."""
        return self.game.score(groups, self)

    def stones_of_turn(self, number: int) -> range:
        """The numbers of stones that turn ``number`` may drop; the first drops a single one."""
        if number == 1:
            return range(1, 2)
        return range(self.game.min_stones, self.game.max_stones + 1)

    @property
    def two_stones(self) -> bool:
        """Whether a turn may drop two stones."""
        return self.game.max_stones > 1

    @property
    def has_pass(self) -> bool:
        """Whether the game allows passing at all."""
        return self.game.odd_total

    @property
    def only_own(self) -> bool:
        """Whether players drop stones of their own colour only."""
        return self.game.own_colour or self.own_colour

    def __repr__(self) -> str:
        chosen = self.chosen_options()
        options = f", {chosen}" if chosen else ""
        return f"make_rules({self.game.name!r}, {self.geometry.name!r}{options})"

    def options(self) -> dict[str, str]:
        """Every option of the game as the protocol spells it, by name."""
        return {option.name: spell(getattr(self, option.name)) for option in self.game.options}

    def chosen_options(self) -> dict[str, str]:
        """Return the options that differ from their default."""
        defaults = {option.name: spell(option.default) for option in self.game.options}
        return {name: text for name, text in self.options().items() if text != defaults[name]}


_END_ON_FULL: Final = Option(
    "end_on_full", False, SWITCH, "end at once when the board is full, without the two passes"
)
_OWN_COLOUR: Final = Option(
    "own_colour",
    False,
    SWITCH,
    "drop only stones of your own colour and pass only when nothing can be dropped (Yopp)",
)
_MIN_GROUP: Final = Option("min_group", 5, _GROUP_SIZES, "count groups of at least this size")
_NO_PIE: Final = Option("pie", False, SWITCH, "White may swap sides instead of the first turn")
_ONE_GROUP: Final = Option(
    "one_group", False, SWITCH, "a colour has two groups at least, of one stone if need be"
)
_TIE: Final = Option("tie", "stones", TIES, "who wins at equal products: fewer stones, or a colour")
_PIE: Final = Option("pie", True, SWITCH, "White may swap sides instead of the first turn")

GAMES: Final[Mapping[str, Game]] = {
    game.name: game
    for game in (
        Game(
            name="yodd",
            title="Yodd",
            designer="Luis Bolaños Mures",
            boards={Shape.HEX: range(6, 11)},
            default_board="hex8",
            max_stones=2,
            odd_total=True,
            own_colour=False,
            options=(_END_ON_FULL, _OWN_COLOUR),
            score=scoring.fewest_groups,
        ),
        Game(
            name="xodd",
            title="Xodd",
            designer="Luis Bolaños Mures",
            boards={Shape.SQUARE: range(9, 15)},
            default_board="square12",
            max_stones=2,
            odd_total=True,
            own_colour=False,
            options=(_END_ON_FULL, _OWN_COLOUR),
            score=scoring.fewest_groups,
        ),
        Game(
            name="odd",
            title="Odd",
            designer="Nick Bentley",
            boards={Shape.HEX: range(5, 9), Shape.SQUARE: range(7, 13)},
            default_board="hex5",
            max_stones=1,
            odd_total=False,
            own_colour=False,
            options=(_MIN_GROUP,),
            score=scoring.parity_of_large_groups,
        ),
        Game(
            name="yoin",
            title="Yoin",
            designer="Luis Bolaños Mures",
            boards={Shape.HEX: range(6, 11)},
            default_board="hex8",
            max_stones=1,
            odd_total=False,
            own_colour=True,
            options=(_PIE,),
            score=scoring.fewest_groups_by_size,
        ),
        Game(
            name="product",
            title="Product",
            designer="Nick Bentley",
            boards={Shape.HEX: range(5, 6)},
            default_board="hex5",
            max_stones=2,
            min_stones=2,
            odd_total=False,
            own_colour=False,
            options=(_NO_PIE, _ONE_GROUP, _TIE),
            score=scoring.product_of_two_largest,
        ),
    )
}
"""Every game by name. A new game is a new entry here and its scoring rule."""


def make_rules(game: str, board: str | None = None, options: Options | None = None) -> Rules:
    """The rules of ``game`` on ``board`` (its default where None) with ``options``.

    An option's value is its text, such as ``on`` or ``7``, or the bool or number itself.

    Raises:
        RulesError: an unknown game, board or option, or a board of the wrong shape.
    """
    found = GAMES.get(game.lower())
    if found is None:
        raise RulesError(f"no game {game!r}: expected one of {', '.join(GAMES)}", "game")
    try:
        where = geometry(found.default_board if board is None else board)
    except BoardError as error:
        raise RulesError(str(error), "board") from None
    if where.shape not in found.boards:
        shapes = " or ".join(found.boards)
        raise RulesError(
            f"{found.title} is played on {shapes} boards, not on {where.name}", "board"
        )
    return Rules(found, where, **_settle(found, options or {}))


def _settle(game: Game, options: Options) -> dict[str, Any]:
    known = {option.name: option for option in game.options}
    values = {option.name: option.default for option in game.options}
    for name, value in options.items():
        option = known.get(name.lower())
        if option is None:
            offer = f": it has {', '.join(known)}" if known else ""
            raise RulesError(f"{game.title} has no option {name!r}{offer}", name)
        text = spell(value)
        try:
            values[option.name] = option.parse(text.lower())
        except ValueError as error:
            raise RulesError(f"{option.name}={text}: expected {error}", name) from None
    return values
