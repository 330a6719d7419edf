"""A game as its description gives it, and its rules on one board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import attrs

from yoddd.board import BoardError, Geometry, Shape, geometry, sizes_of
from yoddd.rules import scoring
from yoddd.rules.facts import FactError, Facts, Given, Value, nested, plain, settle
from yoddd.rules.values import Colour, Group

Options = Mapping[str, str | int]
"""Values by the names of options: text, or bool or int."""

FORMAT: Final = 1
"""Of descriptions."""


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
        sets: the keys of the facts that it sets.
        values: what each word sets them to; a number is itself the value of a single key.
    """

    name: str
    default: bool | int | str
    choices: tuple[str, ...] | range
    help: str
    sets: tuple[str, ...]
    values: Mapping[str, tuple[Value, ...]] = attrs.field(factory=dict, hash=False)

    def parse(self, text: str) -> bool | int | str:
        """Read a value in lower case.

        Raises:
            ValueError: it is none of the choices; the error's text says what they are.
        """
        if isinstance(self.choices, range):
            number = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else -1
            if number not in self.choices or text[0] == "0" != text:
                raise ValueError(f"a number from {self.choices[0]} to {self.choices[-1]}")
            return number
        if text not in self.choices:
            first = ", ".join(self.choices[:-1])
            raise ValueError(f"{first} or {self.choices[-1]}" if first else self.choices[-1])
        return text == "on" if self.choices == SWITCH else text

    def given(self, value: bool | int | str) -> Given:
        """The facts that a value sets."""
        values = self.values[spell(value)] if self.values else (value,)
        return dict(zip(self.sets, values, strict=True))


SWITCH: Final = ("on", "off")
"""The choices of an option that is there or not."""


def spell(value: bool | int | str) -> str:
    """An option's value as the protocol spells it; text is returned as it is."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


@attrs.frozen
class Game:
    """A game: its names, boards and options, and the facts that its description gives.

    Attributes:
        name: the word in commands and records.
        title: the name in texts.
        designer: the inventor's name.
        boards: for each shape the suggested sizes.
        default_board: the board if none is given.
        given: the facts that are not left to their defaults.
        options: the options that it offers.
        source: where the rules are published.
        date: the year of these rules.
    """

    name: str
    title: str
    designer: str
    boards: Mapping[Shape, range] = attrs.field(hash=False)
    default_board: str
    given: Given = attrs.field(hash=False)
    options: tuple[Option, ...] = ()
    source: str = ""
    date: int | None = None

    @cached_property
    def facts(self) -> Facts:
        """The facts with the defaults of the options."""
        return settle(self.given)

    @property
    def own_colour(self) -> bool:
        """Whether each player has one colour by default, so that stones are written without it."""
        return self.facts.colour == self.facts.first_colour == "own"

    def boards_up_to(self, cells: int) -> Iterator[str]:
        """The boards of its shapes, of any size, with at most so many cells."""
        for shape in self.boards:
            for size in sizes_of(shape):
                name = f"{shape}{size}"
                if geometry(name).cells > cells:
                    break
                yield name

    def description(self) -> dict[str, Any]:
        """The game in the format of descriptions."""
        return {
            "format": FORMAT,
            **{key: getattr(self, key) for key in ("name", "title", "designer")},
            **{key: one for key in ("source", "date") if (one := getattr(self, key))},
            "boards": {str(one): [sizes[0], sizes[-1]] for one, sizes in self.boards.items()},
            "board": self.default_board,
            **nested(self.given),
            **nested({f"options.{one.name}": _described(one) for one in self.options}),
        }


def _described(option: Option) -> dict[str, Any]:
    single = len(option.sets) == 1
    words = {word: plain(one[0] if single else one) for word, one in option.values.items()}
    ends = {} if words else {"range": [option.choices[0], option.choices[-1]]}
    sets = option.sets[0] if single else list(option.sets)
    line = {"help": option.help} if option.help else {}
    return {"sets": sets, **({"words": words} if words else ends), **line}


@attrs.frozen(repr=False, cache_hash=True)
class Rules:
    """One game on one board with its options settled; made by `rules_of`.

    Attributes:
        game: the game.
        geometry: the board.
        facts: all facts, with the options applied.
        chosen: the values of the options, in their order.
    """

    game: Game
    geometry: Geometry
    facts: Facts
    chosen: tuple[bool | int | str, ...]

    def score(self, groups: Sequence[Group]) -> tuple[Colour, int]:
        """The winner and the margin, from the groups on the finished board."""
        return scoring.judge(groups, self.facts)

    def stones_of_turn(self, number: int) -> range:
        """The numbers of stones that turn ``number`` may drop."""
        least, most = (self.facts.first,) * 2 if number == 1 else self.facts.stones
        return range(least, most + 1)

    def is_own(self, number: int) -> bool:
        """Whether turn ``number`` places stones of the player's own colour only."""
        return (self.facts.first_colour if number == 1 else self.facts.colour) == "own"

    @property
    def two_stones(self) -> bool:
        """Whether a turn may place two stones."""
        return max(self.facts.first, self.facts.stones[1]) > 1

    @property
    def has_pass(self) -> bool:
        """Whether the game allows passing at all; the number of groups then has a parity."""
        return self.facts.has_pass

    @property
    def only_own(self) -> bool:
        """Whether players place stones of their own colour only."""
        return self.facts.colour == self.facts.first_colour == "own"

    @property
    def bare_stones(self) -> bool:
        """Whether stones are written without their colour: no option lets players choose one."""
        return self.game.own_colour and self.only_own

    @property
    def pie(self) -> bool:
        """Whether White may swap sides instead of turn 2."""
        return self.facts.pie

    def __repr__(self) -> str:
        chosen = self.chosen_options()
        options = f", {chosen}" if chosen else ""
        return f"make_rules({self.game.name!r}, {self.geometry.name!r}{options})"

    def options(self) -> dict[str, str]:
        """Every option of the game as the protocol spells it, by name."""
        pairs = zip(self.game.options, self.chosen, strict=True)
        return {option.name: spell(value) for option, value in pairs}

    def chosen_options(self) -> dict[str, str]:
        """Return the options that differ from their default."""
        defaults = {option.name: spell(option.default) for option in self.game.options}
        return {name: text for name, text in self.options().items() if text != defaults[name]}


def rules_of(game: Game, board: str | None, options: Options) -> Rules:
    """The rules of a game on ``board`` (its default where None) with ``options``.

    Raises:
        RulesError: an unknown board or option, a board of the wrong shape, or a combination that
            cannot be played or may end in a draw.
    """
    try:
        where = geometry(game.default_board if board is None else board)
    except BoardError as error:
        raise RulesError(str(error), "board") from None
    if where.shape not in game.boards:
        shapes = " or ".join(game.boards)
        raise RulesError(f"{game.title} is played on {shapes} boards, not on {where.name}", "board")
    values = _settle(game, options)
    given = dict(game.given)
    for option, value in zip(game.options, values, strict=True):
        if value != option.default:
            given |= option.given(value)
    try:
        facts = settle(given)
        facts.why_drawless(where.cells)
    except FactError as error:
        about = next((name for name in options if error.key in _sets(game, name)), "board")
        raise RulesError(f"{game.title} on {where.name}: {error}", about) from None
    return Rules(game, where, facts, values)


def _sets(game: Game, name: str) -> tuple[str, ...]:
    return next(one.sets for one in game.options if one.name == name.lower())


def _settle(game: Game, options: Options) -> tuple[bool | int | str, ...]:
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
    return tuple(values.values())
