"""The plan of a tournament: entrants, format, settings of the games, and pairs."""

from __future__ import annotations

import enum
from collections.abc import Mapping

import attrs

from yoddd.engine import NO_TABLES, Tables
from yoddd.referee.game.adjudication import NEVER, Adjudication
from yoddd.referee.game.clock import NO_LIMIT, TimeControl
from yoddd.referee.game.setup import DEFAULT_WAIT_LIMITS, WaitLimits
from yoddd.referee.stats.sprt import Sprt
from yoddd.referee.tournament.openings import Opening
from yoddd.rules import Rules

MAX_PAIRS = 1_000_000


class PlanError(ValueError):
    """A tournament that cannot be played as planned."""


class Format(enum.StrEnum):
    """The formats of a tournament."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    KNOCKOUT = "knockout"
    SWISS = "swiss"

    @property
    def is_static(self) -> bool:
        """Whether the pairings do not depend on results."""
        return self in (Format.ROUND_ROBIN, Format.GAUNTLET)


class OnCrash(enum.StrEnum):
    """The effect of a game that an engine ends by a fault of its own."""

    LOSS = "loss"
    VOID = "void"
    STOP = "stop"


class Adjudicate(enum.StrEnum):
    """The ways to end a game early whose settings need no number."""

    NONE = "none"
    TABLES = "tables"


@attrs.frozen
class Side:
    """An entrant of a tournament.

    Attributes:
        name: unique in the tournament.
        clock: its time control; entrants may have different ones.
        params: the ``set_param`` parameters of its engine.
        memory: the limit of its engine's memory in MiB; None without one.
        is_ours: whether it is a builtin engine, whose faults are ours.
    """

    name: str
    clock: TimeControl = NO_LIMIT
    params: Mapping[str, str] = attrs.Factory(dict)
    memory: int | None = None
    is_ours: bool = False


@attrs.frozen(kw_only=True, slots=False)  # so that it can be one of several bases
class PlanKeys:
    """The keys of a tournament that are those of its plan.

    Attributes:
        format: the format.
        rounds: of a Swiss tournament.
        attempts: how often a void game is played before it is given up.
        limits: how long participants are waited for while no clock runs.
        sprt: a test that ends a match of two.
        adjudication: the conditions of early termination.
        on_crash: the effect of games that end by a fault.
        stages: of a round robin that was extended by entrants: how many there were at first, and
            after each extension; empty for one that was not.
        balanced: whether either entrant may begin the last game of an encounter of an odd number,
            so that first moves are shared out; filled in when a run begins. In plans that older
            versions have written, the entrant listed first begins it.
    """

    format: Format = Format.ROUND_ROBIN
    rounds: int = 1
    attempts: int = 3
    limits: WaitLimits = DEFAULT_WAIT_LIMITS
    sprt: Sprt | None = None
    adjudication: Adjudication = NEVER
    on_crash: OnCrash = OnCrash.LOSS
    stages: tuple[int, ...] = ()
    balanced: bool = False


@attrs.frozen(kw_only=True)
class Plan(PlanKeys):
    """A tournament.

    Attributes:
        sides: the entrants, in the order of their seeding.
        rules: the game, the board and the options.
        pairs: pairs of games in each encounter; both games of one have the same opening.
        games: if given, the games of each encounter: the last pair may then have one only.
        seed: the seeds of all games are derived from it.
        openings: one for each pair of an encounter; after the last comes the first again.
        tables: those of small boards, by which games are adjudicated.
        first: of a match of two, the number of the first game that is played, where those before
            were played elsewhere.
        prefix: what the ids of the games begin with.
    """

    sides: tuple[Side, ...]
    rules: Rules
    pairs: int = 1
    games: int | None = None
    seed: int = 0
    openings: tuple[Opening, ...] = ()
    tables: Tables = NO_TABLES
    first: int = 1
    prefix: str = ""

    def __attrs_post_init__(self) -> None:
        """Check the plan.

        Raises:
            PlanError: names are repeated, or numbers are out of range.
        """
        names = [side.name for side in self.sides]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise PlanError(f"several engines are called {', '.join(twice)}")
        if len(names) < 2:
            raise PlanError(f"{len(names)} engines: expected two or more")
        if not 1 <= self.pairs <= MAX_PAIRS:
            raise PlanError(f"{self.pairs} pairs of games: expected from 1 to {MAX_PAIRS}")
        if self.rounds < 1 or self.attempts < 1:
            raise PlanError("rounds and attempts: expected at least 1")
        if self.sprt is not None and len(names) > 2:
            raise PlanError("sprt: a test is between two engines")
        if self.stages and (self.stages[-1] != len(names) or [*self.stages] != sorted(self.stages)):
            raise PlanError(f"stages {self.stages}: the last one is not {len(names)} engines")

    @property
    def encounter_games(self) -> int:
        """The number of games in each encounter."""
        return 2 * self.pairs - (self.games or 0) % 2

    @property
    def caution(self) -> str | None:
        """Why numbers of first moves may differ by more than one; None if they do not."""
        is_odd, entrants = self.encounter_games % 2 == 1, len(self.sides)
        if is_odd and not self.balanced and (entrants > 2 or not self.format.is_static):
            return "first moves: the entrant listed first begins one game more in each encounter"
        if is_odd and self.format is Format.KNOCKOUT:
            return "first moves may differ by more than one, as results decide who meets"
        if self.format is Format.SWISS and entrants % 2 and self.encounter_games > 2:
            return "first moves: an entrant with a bye plays and begins fewer games than the others"
        return None

    def legs(self, pair: int, single: int) -> tuple[int, ...]:
        """The games in the ``pair``-th pair of an encounter; ``single`` if it has only one."""
        return (single,) if pair == self.pairs and self.encounter_games % 2 else (1, 2)


@attrs.frozen
class Pair:
    """Two games with one opening and swapped seats; the unit that is independent of the others.

    Attributes:
        number: its place in the schedule, from 1.
        round: of the tournament, from 1.
        encounter: its number within the round, from 1.
        index: the pair within the encounter, from 1.
        first: the entrant who begins the first game.
        second: the other one.
        legs: its games, both but for the last pair of an odd number of games.
    """

    number: int
    round: int
    encounter: int
    index: int
    first: int
    second: int
    legs: tuple[int, ...] = (1, 2)

    def game_number(self, leg: int) -> int:
        """The place of one of its games in the schedule, from 1, as if every pair had two."""
        return 2 * self.number - 2 + leg

    @property
    def key(self) -> str:
        """The pair in records: the same in every run of the same plan."""
        return f"r{self.round}t{self.encounter}p{self.index}"

    def seats(self, leg: int) -> tuple[int, int]:
        """The entrants of a game, Black first."""
        return (self.first, self.second) if leg == 1 else (self.second, self.first)
