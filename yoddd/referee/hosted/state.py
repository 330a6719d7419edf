"""The state of a hosted game, and what can be read from it."""

from __future__ import annotations

import enum
from typing import Final

import attrs

from yoddd.notation.records import GameRecord
from yoddd.protocol.origin import Origin, fold
from yoddd.referee.game.clock import parse_clock
from yoddd.referee.game.effects import TurnPlayed
from yoddd.referee.game.game import Game, Stage
from yoddd.referee.game.setup import GameSetup, WaitLimits
from yoddd.referee.hosted.events import Holder, Present, Proposal, Seats, Terms, Token
from yoddd.referee.seat import Seat
from yoddd.rules import Rules

PATIENCE: Final = WaitLimits(launch=3600.0, move=3600.0, resume=60.0)
"""The limits of a lobby game in seconds: a human has an hour for a turn without a clock."""


class Phase(enum.Enum):
    """The phases of a game of the lobby.

    OFFERED waits for a human who accepts, or for an engine that is free; only now can the offer be
    withdrawn. TAKEN is reserved while the beginning is kept. WAITING has begun, but no clock runs
    before both participants are present. PLAYING is with the referee, until its end is kept. OVER
    changes no more.
    """

    OFFERED = "offered"
    TAKEN = "taken"
    WAITING = "waiting"
    PLAYING = "playing"
    OVER = "over"

    @property
    def word(self) -> str:
        """The word of ``games`` for it: ``open``, ``playing`` or ``over``."""
        if self in _UNBEGUN:
            return "open"
        return "over" if self is Phase.OVER else "playing"


_UNBEGUN: Final = (Phase.OFFERED, Phase.TAKEN)
WORDS: Final = tuple(dict.fromkeys(phase.word for phase in Phase))
"""The words of ``games`` for the phases."""


@attrs.define(eq=False)
class GameState:
    """The state of one game of the lobby, the ladder or a match; only `HostedGame` changes it.

    Attributes:
        id: its name for clients.
        rules: its game, board and options.
        clock: its time control.
        seats: who has taken them; a seat is filled, and a key replaced, when that is kept.
        terms: who may accept it, and whether it is rated.
        limits: how long its participants are waited for.
        setup: the settings for the referee; made when it begins, unless it is one of a match.
        past: the turns from before a restart, with their seconds.
        used: the seconds that the turn after them had taken by then, in a game by the day.
        paused: those for which its clock still stood still.
        phase: the current one; see the life cycle.
        taker: for whom the free seat is reserved; set only while it is.
        game: what the referee has; None before the beginning.
        started: the calendar time of the beginning; None before.
        turns: those that are kept, with the opening and those from before a restart; a rewind
            drops the last ones.
        on_turn: the seat to move after them; None before the beginning.
        arrived: by seat, whether its engine is taken for this game.
        away: by seat, the moment since which its human is away; None while it is present.
        claim_after: the seconds of absence after which a human loses by a claim, as of the last
            `Present`.
        proposal: the last request of a human; None once it is answered.
        agreed: the requests that wait until what they agree on is kept.
        record: of the finished game; None before, and for a game that never began.
        lingers: whether its humans can agree on a rematch; from its end to `Leave`.
        rematch: the id of the rematch that has begun; None before.
        by_day: whether it is a game by the day: both may be away, and time goes on.
    """

    id: str
    rules: Rules
    clock: str
    seats: Seats
    terms: Terms = attrs.Factory(Terms)
    limits: WaitLimits = PATIENCE
    setup: GameSetup | None = None
    past: tuple[tuple[str, float], ...] = ()
    used: float = 0.0
    paused: float = 0.0
    phase: Phase = Phase.OFFERED
    taker: Origin | None = None
    game: Game | None = None
    started: str | None = None
    turns: list[TurnPlayed] = attrs.Factory(list)
    on_turn: Seat | None = None
    arrived: list[bool] = attrs.Factory(lambda: [False, False])
    away: list[float | None] = attrs.Factory(lambda: [None, None])
    claim_after: float = 0.0
    proposal: Proposal | None = None
    agreed: list[Token] = attrs.Factory(list)
    record: GameRecord | None = None
    lingers: bool = False
    rematch: str | None = None
    by_day: bool = attrs.field(init=False)

    @by_day.default
    def _is_by_day(self) -> bool:
        return self.setup.by_day if self.setup else parse_clock(self.clock).days is not None

    @property
    def is_begun(self) -> bool:
        """Whether it has begun, also if it is over since."""
        return self.phase not in _UNBEGUN

    @property
    def is_running(self) -> bool:
        """Whether it is being played, or about to begin."""
        return self.phase in (Phase.TAKEN, Phase.WAITING, Phase.PLAYING) and not self.is_ending

    @property
    def is_left(self) -> bool:
        """Whether its humans are all away, so that it may be suspended to make room for others.

        An offer is left when its owner is away; a game by the day never is.
        """
        if self.by_day:
            return False
        away = [self.away[seat] is not None for seat in Seat if self.is_human(seat)]
        return not self.is_ending and all(away) and bool(away)

    @property
    def is_ending(self) -> bool:
        """Whether the referee has ended it, also while that is being kept."""
        return self.phase is Phase.OVER or (self.game is not None and self.game.stage is Stage.OVER)

    @property
    def free(self) -> Seat | None:
        """The free seat; None if both are taken."""
        return next((seat for seat in Seat if self.seats[seat] is None), None)

    @property
    def is_open(self) -> bool:
        """Whether a seat can be taken."""
        return self.phase is Phase.OFFERED and self.free is not None

    @property
    def holders(self) -> list[Holder]:
        """The holders of the seats that are taken; by seat if both are."""
        return [one for one in self.seats if one is not None]

    @property
    def keys(self) -> dict[str, Seat]:
        """The seats by the digests of their keys."""
        pairs = zip(self.seats, Seat, strict=True)
        return {one.key: seat for one, seat in pairs if one is not None and one.key is not None}

    @property
    def origins(self) -> list[Origin]:
        """The origins whose shares count the game: of the seats, and of one being taken."""
        found = [self.taker, *(one.origin for one in self.holders)]
        return [one for one in found if one is not None]

    @property
    def has_two_humans(self) -> bool:
        """Whether both seats are taken, by humans."""
        return all(one is not None and one.is_human for one in self.seats)

    def name_of(self, seat: Seat) -> str:
        """The name of a seat's participant; empty for a free seat."""
        holder = self.seats[seat]
        return "" if holder is None else holder.name

    def is_user(self, seat: Seat, name: str) -> bool:
        """Whether the user called ``name`` has the seat."""
        holder = self.seats[seat]
        return holder is not None and holder.is_user and fold(holder.name) == fold(name)

    def has(self, name: str) -> bool:
        """Whether the human or engine called ``name`` has a seat."""
        return any(fold(one.name) == fold(name) for one in self.holders)

    def is_human(self, seat: Seat) -> bool:
        """Whether a human has the seat."""
        holder = self.seats[seat]
        return holder is not None and holder.is_human

    def is_here(self, seat: Seat) -> bool:
        """Whether the participant of the seat is present, or its engine taken for this game."""
        return self.away[seat] is None if self.is_human(seat) else self.arrived[seat]

    @property
    def is_listed(self) -> bool:
        """Whether ``games`` shows it to everyone: not while it is an invite."""
        return self.is_begun or self.terms.invite is None

    @property
    def absences(self) -> list[Present]:
        """The participants who are away, from the beginning to the end; none by the day."""
        is_on = self.phase.word == "playing" and not self.by_day
        away = [(seat, self.away[seat]) for seat in Seat if is_on]
        return [Present(seat, since, self.claim_after) for seat, since in away if since is not None]

    @property
    def open_proposal(self) -> Proposal | None:
        """The request of one participant to the other; None without, and after another turn."""
        proposal = self.proposal
        return proposal if proposal is not None and proposal.turns == len(self.turns) else None
