"""A game of the lobby, from its offer to its end, as a state machine: events in, effects out.

It does no I/O and has no time but that of its events. Around the referee's `Game` it adds what
humans need: an offer, a wait for both sides, requests to take turns back, and a rematch. What
spectators and the list of games show is computed from it.

Life cycle::

    OFFERED --Accept, Arrived--> TAKEN --Kept--> PLAYING ----Kept----> OVER
       ^                           | |              ^                   ^
       +----------Refused----------+ +-> WAITING ---+ Present, Arrived  |
                                            |                           |
                                            +---------------Kept--------+

An effect that promises something is carried out after the store has what it promises: the caller
carries out nothing behind a `Beginning`, `TurnPlayed`, `TurnsTakenBack` or `Finished` before it
has given the event `Kept` for it.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterator
from typing import Final

import attrs

from yoddd.notation import format_position
from yoddd.notation.records import GameRecord, dump_record
from yoddd.protocol.arguments import code_of
from yoddd.protocol.controller import EngineInfo, ReplyReceived
from yoddd.protocol.coordinates import Spelling
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.protocol.lobby import Claim, Put, SeatRequest, TakeBack
from yoddd.protocol.origin import Origin, fold
from yoddd.referee import effects
from yoddd.referee.clock import parse_clock
from yoddd.referee.effects import Finished, Prompt, TurnPlayed, TurnsTakenBack, WakeAt
from yoddd.referee.game import Game, Stage
from yoddd.referee.game_setup import GameSetup, WaitLimits
from yoddd.referee.seat import Seat
from yoddd.referee.terminations import Reason, Termination, forfeit, void, won
from yoddd.rules import IllegalTurn, Position, Rules, TurnKind

PATIENCE: Final = WaitLimits(launch=3600.0, move=3600.0, resume=60.0)
"""The limits of a lobby game in seconds: a human has an hour for a turn without a clock."""

LASTING: Final = 7 * 86400.0
"""Seconds for a turn without a clock where both are human and the game is not rated.

After a restart they have as long to return.
"""

RETURN: Final = 600.0
"""Seconds that both sides of another game have to return after a restart."""


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


@attrs.frozen
class Terms:
    """The terms of a game: who may accept it, and for what.

    Attributes:
        is_rated: whether it is kept and rated, so that both need accounts.
        is_challenge: whether it is against an engine that is another peer's than the human's.
        invited: the only user who may accept it; None for anyone.
        for_users: whether only users with an account may accept it.
        invite: the digest of the secret that it is accepted with; None if it is for anyone.
        expires: when an invite does, in seconds since 1970; None for another offer.
    """

    is_rated: bool = False
    is_challenge: bool = False
    invited: str | None = None
    for_users: bool = False
    invite: str | None = None
    expires: float | None = None

    def check(self, game_id: str, user: str | None, secret: str | None, *, is_own: bool) -> None:
        """Refuse a participant to whom the game is not offered.

        Args:
            game_id: of the game.
            user: the account that the participant has logged in to; None if it has not.
            secret: the digest of what it shows for an invite.
            is_own: whether it offers the game itself.

        Raises:
            PeerError: the refusal.
        """
        if self.invite not in (None, secret):
            raise PeerError(Subcode.RESERVED, f"{game_id} is for those who have its link")
        if self.is_rated and user is None:
            raise PeerError(Subcode.LOG_IN, "log in for a rated game")
        if self.for_users and user is None:
            raise PeerError(Subcode.LOG_IN, "log in: it is offered to users with an account")
        if self.is_rated and is_own:
            raise PeerError(Subcode.SELF, "no rated game against yourself")
        if self.invited is not None and fold(user or "") != fold(self.invited):
            raise PeerError(Subcode.RESERVED, f"{game_id} is offered to {self.invited}")


@attrs.frozen
class Holder:
    """The participant who has a seat.

    Attributes:
        name: in records.
        is_human: whether it plays by keys; an engine is taken when it is free.
        key: the digest of the secret that plays for it; None for an engine.
        is_user: whether it is a human who had logged in when the seat was taken.
        origin: who has taken the seat, and has the game in the share of games; None for an engine,
            and after a restart.
    """

    name: str
    is_human: bool = False
    key: str | None = None
    is_user: bool = False
    origin: Origin | None = None


Seats = tuple[Holder | None, Holder | None]
"""Who has taken the seats; None for a free one."""

Turn = tuple[str, str, float]
"""A turn as spectators see it: seat, token and seconds."""

Token = object
"""A request that waits for its `Answer`; the caller chooses it."""


# -- events ---------------------------------------------------------------------------------


@attrs.frozen
class Open:
    """The game is offered; one that has ``started`` goes on, ``since`` seconds after its beginning.

    Within ``patience`` seconds an offer has to be accepted, and its engines free; it is withdrawn
    then. None adds no limit.
    """

    started: str | None = None
    since: float = 0.0
    patience: float | None = None


@attrs.frozen
class Accept:
    """A human takes the free seat, which is reserved until that is kept."""

    holder: Holder
    token: Token


@attrs.frozen
class Arrived:
    """The engine of a seat is free, and taken for this game."""

    seat: Seat


@attrs.frozen
class Present:
    """The human of a seat is present, or away ``since`` a moment; ``limit`` is that of a claim."""

    seat: Seat
    since: float | None
    limit: float


@attrs.frozen
class Ready:
    """The engine of a seat has shaken hands, at the beginning or after a lost connection."""

    seat: Seat
    engine: EngineInfo


@attrs.frozen
class Replied:
    """The engine of a seat has replied to its request; the fields are those of `Game.reply`."""

    seat: Seat
    reply: ReplyReceived
    machine: float | None = None
    held: float = 0.0


@attrs.frozen
class Lost:
    """The connection to the engine of a seat is closed; it may return."""

    seat: Seat
    detail: str


@attrs.frozen
class Sent:
    """The requests that waited for the store are sent only now."""


@attrs.frozen
class Alarm:
    """The time of a `WakeAt` has come; the fields are those of `Game.wake`."""

    machine: tuple[float, float] = (0.0, 0.0)
    unfinished: tuple[str, str] = ("", "")


@attrs.frozen
class Requested:
    """The human of a seat asks for something.

    By ``held`` seconds the caller is late to act on its alarm; what arrives before is in time. A
    claim needs the other to be away for ``limit`` seconds.
    """

    seat: Seat
    request: SeatRequest
    held: float
    limit: float
    token: Token


@attrs.frozen
class Lapse:
    """A turn that still waits for the beginning is refused: `Requested` has named the token."""

    token: Token


@attrs.frozen
class SetKey:
    """A human has a new key, which plays the seat once it is kept."""

    seat: Seat
    key: str
    token: Token


@attrs.frozen
class Withdraw:
    """The offer is withdrawn; None for ``token`` if no client waits for it."""

    token: Token | None


@attrs.frozen
class Terminate:
    """The game ends as soon as it has begun; ``token`` waits for that."""

    termination: Termination
    token: Token | None = None


@attrs.frozen
class Suspend:
    """Both humans are away, and places are needed: the store has the game until one returns."""


@attrs.frozen
class Propose:
    """A human offers the game of an id as a rematch, or None: declines, or offers none any more."""

    seat: Seat
    rematch: str | None


@attrs.frozen
class Rematched:
    """The rematch of this id has begun."""

    rematch: str


@attrs.frozen
class Leave:
    """The time in which the humans could agree on a rematch is over."""


# -- effects --------------------------------------------------------------------------------


@attrs.frozen
class Beginning:
    """Keep that the game begins; ``token`` waits for it, else the store is tried until it is back.

    It is kept with the calendar time of the beginning.
    """

    seats: tuple[Holder, Holder]
    token: Token | None = None


@attrs.frozen
class NewKey:
    """Keep a new key of a seat, perhaps of a game that is still offered; nothing waits for it."""

    seat: Seat
    key: str
    is_offered: bool
    token: Token


@attrs.frozen
class Drop:
    """Drop the offer from the store; other effects do not wait for it.

    If that fails, the next restart drops it.
    """

    token: Token | None


@attrs.frozen
class Connect:
    """Take the engine of a seat when it is free, or shake hands with it if it is taken."""

    seat: Seat


@attrs.frozen
class Tell:
    """Send a line to those who observe the game; None is the line of the running clock."""

    line: str | None


@attrs.frozen
class Begun:
    """Give this back as an event: all requests that wait for the beginning are handled then."""


@attrs.frozen
class Answer:
    """Answer a request, with an error if it is refused."""

    token: Token | None
    error: BaseException | None = None


@attrs.frozen
class Over:
    """The game is over: its engines are free, its keys void, and the replies of ``observe`` end.

    Attributes:
        error: the text of the error that they end with: the game is restored from the store when
            that is available. None without one.
        stays: whether it is still listed.
    """

    error: str | None = None
    stays: bool = True


Keep = Beginning | TurnPlayed | TurnsTakenBack | Finished
"""What the store is to keep before any further effect is carried out."""


@attrs.frozen
class Kept:
    """An event: what an effect promises is kept; a beginning with the calendar time of it."""

    what: Keep | NewKey | Drop
    started: str | None = None


@attrs.frozen
class Refused:
    """An event: it could not be kept; ``is_store`` if the store will have the game later.

    None is what has failed if that is the referee itself.
    """

    what: Keep | NewKey | Drop | None
    error: BaseException
    is_store: bool = False


Event = (
    (Open | Accept | Arrived | Present | Ready | Replied | Lost | Sent | Alarm | Prompt)
    | (Begun | Kept | Refused | Requested | Lapse | SetKey | Withdraw | Terminate | Propose)
    | (Suspend | Rematched | Leave)
)
Effect = effects.Effect | Beginning | NewKey | Drop | Connect | Tell | Begun | Answer | Over


@attrs.frozen
class Asked:
    """A request of one participant to the other.

    Attributes:
        seat: who asks.
        text: the words of ``request`` for it.
        turns: how many turns there were; a further one makes a request to take back lapse.
        length: how many turns would be left; None for a rematch.
    """

    seat: Seat
    text: str
    turns: int
    length: int | None = None


@attrs.define(eq=False)
class LobbyGame:
    """One game of the lobby, the ladder or a match; only `handle` changes it.

    Attributes:
        id: its name for clients.
        rules: its game, board and options.
        clock: its time control.
        seats: who has taken them; a seat is filled, and a key replaced, when that is kept.
        terms: who may accept it, and whether it is rated.
        limits: how long its participants are waited for.
        setup: the settings for the referee; made when it begins, unless it is one of a match.
        past: the turns from before a restart, with their seconds.
        phase: the current one; see the life cycle.
        taker: for whom the free seat is reserved; set only while it is.
        game: what the referee has; None before the beginning.
        started: the calendar time of the beginning; None before.
        turns: those that are kept, as seat, token and seconds; a rewind drops the last ones.
        on_turn: the seat to move after them; None before the beginning.
        arrived: by seat, whether its engine is taken for this game.
        away: by seat, the moment since which its human is away; None while it is present.
        asked: the last request of a human; None once it is answered.
        record: of the finished game; None before, and for a game that never began.
        lingers: whether its humans can agree on a rematch; from its end to `Leave`.
        rematch: the id of the rematch that has begun; None before.
    """

    id: str
    rules: Rules
    clock: str
    seats: Seats
    terms: Terms = attrs.Factory(Terms)
    limits: WaitLimits = PATIENCE
    setup: GameSetup | None = None
    past: tuple[tuple[str, float], ...] = ()
    phase: Phase = Phase.OFFERED
    taker: Origin | None = None
    game: Game | None = None
    started: str | None = None
    turns: list[Turn] = attrs.Factory(list)
    on_turn: Seat | None = None
    arrived: list[bool] = attrs.Factory(lambda: [False, False])
    away: list[float | None] = attrs.Factory(lambda: [None, None])
    asked: Asked | None = None
    record: GameRecord | None = None
    lingers: bool = False
    rematch: str | None = None
    # The monotonic time of the beginning, which may be before the start of this process.
    _began: float = 0.0
    # The end of the offer, and then of the wait for both sides.
    _until: float = math.inf
    # The seconds after which a human who is away loses by a claim, as of the last `Present`.
    _limit: float = 0.0
    # The events that wait for the beginning.
    _waiting: list[Requested | Terminate] = attrs.Factory(list)
    # By seat, the request that waits until the human's turn is kept.
    _submitted: dict[Seat, Token] = attrs.Factory(dict)
    # The requests that wait until turns are taken back, and those until the game is over.
    _rewound: list[Token] = attrs.Factory(list)
    _ended: list[Token] = attrs.Factory(list)

    @classmethod
    def of_match(cls, setup: GameSetup) -> LobbyGame:
        """Return a game of a match, between two engines."""
        black, white = setup.names
        seats = Holder(black), Holder(white)
        return cls(setup.id, setup.rules, setup.clock_text, seats, setup=setup)

    # -- what it is -------------------------------------------------------------------------

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

        An offer is left when its owner is away.
        """
        away = [self.away[seat] is not None for seat in Seat if self._is_human(seat)]
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

    # -- what is shown ----------------------------------------------------------------------

    @property
    def is_listed(self) -> bool:
        """Whether ``games`` shows it to everyone: not while it is an invite."""
        return self.is_begun or self.terms.expires is None

    def describe(self) -> str:
        """The line of ``games``."""
        rules, terms = self.rules, self.terms
        names = [self.name_of(seat) or "-" for seat in Seat]
        if not self.is_begun and terms.invited is not None and self.free is not None:
            names[self.free] = terms.invited
        words = [self.id, self.phase.word, rules.game.name, rules.geometry.name, *names]
        words += [str(len(self.turns)), f"clock={self.clock}"]
        words += ["rated=yes"] if terms.is_rated else []
        if not self.is_begun and terms.invited is not None:
            words.append(f"for={terms.invited}")
        elif not self.is_begun and terms.for_users:
            words.append("accept=users")
        words += [f"{name}={value}" for name, value in rules.chosen_options().items()]
        if self.on_turn is not None and self.phase.word == "playing":
            words.append(f"turn={self.on_turn.key}")
        if self.record is not None and self.record.winner is not None:
            words.append(f"winner={self.record.winner}")
        if not self.is_begun and terms.expires is not None:
            words.append(f"expires={terms.expires:.0f}")
        words += [f"rematch={self.rematch}"] if self.rematch is not None else []
        return " ".join(words)

    def lines(self) -> Iterator[str]:
        """The lines of ``observe`` so far, but for those about a moment."""
        yield f"position {format_position(Position(self.rules))}"
        if self.started is not None:
            yield self._title()
        for turn in self.turns:
            yield _spell(*turn)
        if self.record is not None:
            yield f"record {dump_record(self.record)}"
        if self.rematch is not None:
            yield f"rematch {self.rematch}"

    def _title(self) -> str:
        return f"game {self.id} {self.name_of(Seat.BLACK)} {self.name_of(Seat.WHITE)} {self.clock}"

    @property
    def request(self) -> str | None:
        """The line of what one participant asks of the other; None without."""
        asked = self.asked
        if asked is None or asked.turns != len(self.turns):
            return None
        return f"request {asked.seat.key} {asked.text}"

    def absences(self, now: float) -> list[str]:
        """The lines that tell who is away, once the game has begun."""
        away = [seat for seat in Seat if self.is_begun and self.away[seat] is not None]
        return [self._presence(seat, now) for seat in away]

    def _presence(self, seat: Seat, now: float) -> str:
        since = self.away[seat]
        if since is None:
            return f"presence {seat.key} here"
        left = max(0.0, self._limit - (now - since))
        return f"presence {seat.key} away {now - since:.0f} {left:.0f}"

    # -- events -----------------------------------------------------------------------------

    def handle(  # noqa: C901, PLR0912 — one match over all events
        self, event: Event, now: float
    ) -> list[Effect]:
        """Take an event at a moment; the effects are to be carried out in the order of the list.

        Raises:
            PeerError: the request of a client is refused, which changes nothing.
        """
        game, phase = self.game, self.phase
        match event:
            case Requested(_, Put() as put):
                return self._put(event, put, now)
            case Kept(what, started):
                return self._kept(what, started, now)
            case Replied(seat, reply, machine, held) if game is not None:
                return [*game.reply(seat, reply, now, machine, held)]
            case Ready(seat, engine) if game is not None:
                return [*game.ready(seat, engine, now)]
            case Lost(seat, detail) if game is not None:
                return [*game.lost(seat, detail, now)]
            case Sent() if game is not None:
                return [*game.sent(now)]
            case Prompt(seat) if game is not None:
                return [*game.prompted(seat, now)]
            case Alarm(late, unfinished) if game is not None and phase is Phase.PLAYING:
                return [*game.wake(now, late, unfinished)]
            case Alarm() if phase is Phase.WAITING and now >= self._until:
                return self._terminate(self._absence(), now)
            case Alarm() if phase is Phase.OFFERED and now >= self._until:
                return [*self._end(Over(stays=False)), Drop(None)]
            case Present(seat, since, limit) if phase is not Phase.OVER:
                self._limit = limit
                return self._note_presence(seat, since, now)
            case Open(None, _, patience):
                return self._open(patience, now)
            case Open(started, since):
                self.started, self._began = started, now - since
                return self._wait(now)
            case Accept(holder, token):
                return self._accept(holder, token)
            case Arrived(seat):
                return self._arrive(seat, now)
            case Begun():
                return self._handle_waiting(now)
            case Requested(_, TakeBack() as take_back):
                return self._take_back(event, take_back, now)
            case Requested(seat, Claim(), _, limit, token):
                return self._terminate(self._claim(seat, limit, now), now, token)
            case Lapse(token):
                return self._lapse(token)
            case SetKey(seat, key, token):
                return self._set_key(seat, key, token)
            case Withdraw(token):
                if phase is not Phase.OFFERED:
                    raise PeerError(Subcode.BEGUN, "the game has begun")
                return [*self._end(Over(stays=False)), Drop(token)]
            case Terminate(termination, token):
                return self._terminate(termination, now, token)
            case Refused(what, error, is_store):
                return self._refused(what, error, is_store=is_store, now=now)
            case Propose(seat, None):
                self.asked = None
                return [Tell(f"refuse {seat.key} rematch")]
            case Propose(seat, rematch):
                self.asked = Asked(seat, f"rematch {rematch}", len(self.turns))
                return [Tell(f"request {seat.key} rematch {rematch}")]
            case Rematched(rematch):
                self.rematch = rematch
                return [Tell(f"rematch {rematch}")]
            case Leave():
                self.lingers = False
            case Suspend():
                text = f"{self.id} waits for its players: resume it"
                return self._end(Over(stays=False), PeerError(Subcode.STORE, text))
        return []

    # -- offered and taken ------------------------------------------------------------------

    def _accept(self, holder: Holder, token: Token) -> list[Effect]:
        if not self.is_open:
            raise PeerError(Subcode.TAKEN, f"{self.id} is not open")
        self.phase, self.taker = Phase.TAKEN, holder.origin
        black, white = self.seats
        return [Beginning((black or holder, white or holder), token)]

    def _reopen(self) -> list[Effect]:
        """Offer the game again; one that has expired meanwhile is withdrawn."""
        self.phase, self.taker = Phase.OFFERED, None
        return [WakeAt(self._until)] if self._until < math.inf else []

    def _open(self, patience: float | None, now: float) -> list[Effect]:
        """Offer the game, and wait for its engines once no seat is free.

        They are taken in the order of their names: two games cannot block each other.
        """
        self.arrived = [False, False]
        alarm: list[Effect] = []
        if patience is not None:
            self._until = now + patience
            alarm.append(WakeAt(self._until))
        return [*alarm, *self._seek()[:1]] if self.free is None else alarm

    def _seek(self) -> list[Effect]:
        """Wait for the engines that are not there."""
        seats = [seat for seat in Seat if not self._is_human(seat) and not self.arrived[seat]]
        return [Connect(seat) for seat in sorted(seats, key=self.name_of)]

    def _is_human(self, seat: Seat) -> bool:
        holder = self.seats[seat]
        return holder is not None and holder.is_human

    def _is_here(self, seat: Seat) -> bool:
        return self.away[seat] is None if self._is_human(seat) else self.arrived[seat]

    def _arrive(self, seat: Seat, now: float) -> list[Effect]:
        self.arrived[seat] = True
        black, white = self.seats
        if self.phase is Phase.WAITING:
            return self._begin_when_here(now)
        further = self._seek()[:1]
        if self.phase is not Phase.OFFERED or further or black is None or white is None:
            return further
        self.phase = Phase.TAKEN
        return [Beginning((black, white))]

    def _set_key(self, seat: Seat, key: str, token: Token) -> list[Effect]:
        if self.phase is Phase.OVER:
            raise PeerError(Subcode.OVER, "the game is over")
        return [NewKey(seat, key, self.phase is Phase.OFFERED, token)]

    def _replace_key(self, what: NewKey) -> Answer:
        if self.phase is Phase.OVER:
            return Answer(what.token, PeerError(Subcode.OVER, "the game is over"))
        if what.is_offered and self.phase is not Phase.OFFERED:  # it begins with the old key
            text = "the game begins: resume it in a moment"
            return Answer(what.token, PeerError(Code.BUSY, text))
        black, white = (
            attrs.evolve(one, key=what.key) if one is not None and place is what.seat else one
            for place, one in zip(Seat, self.seats, strict=True)
        )
        self.seats = black, white
        return Answer(what.token)

    # -- begun ------------------------------------------------------------------------------

    def _referee(self) -> Game:
        """The game for the referee, not started; its turns so far are shown."""
        move = LASTING if self._is_lasting else self.limits.move
        self.game = game = Game(
            self.setup
            or GameSetup(
                id=self.id,
                rules=self.rules,
                names=(self.name_of(Seat.BLACK), self.name_of(Seat.WHITE)),
                clock=parse_clock(self.clock),
                limits=attrs.evolve(self.limits, move=move),
                played=self.past,
            )
        )
        self.turns = [(seat.key, token, seconds) for seat, token, seconds in game.played]
        self.on_turn = game.to_move
        return game

    @property
    def _is_lasting(self) -> bool:
        """Whether its humans may take days: there is no engine that waits, and no rating."""
        return self.has_two_humans and not self.terms.is_rated

    @property
    def _return_limit(self) -> float:
        return LASTING if self._is_lasting else RETURN

    def _wait(self, now: float) -> list[Effect]:
        """Begin although a participant may be away: no clock runs until both are present.

        A game of days has no clock, and its humans may never be present at the same time.
        """
        game = self._referee()
        if self._is_lasting and not game.setup.clocks[Seat.BLACK].limited:
            return self._begin(now)
        self.phase, self._until = Phase.WAITING, now + self._return_limit
        told: list[Effect] = [Tell(line) for line in (self._title(), *self.absences(now))]
        return [*told, WakeAt(self._until), *self._seek(), *self._begin_when_here(now)]

    def _begin_when_here(self, now: float) -> list[Effect]:
        if self.is_ending or not all(self._is_here(seat) for seat in Seat):
            return []
        return self._begin(now)

    def _begin(self, now: float) -> list[Effect]:
        """Hand the game to the referee: both participants are present."""
        was_stopped, self.phase = self.phase is Phase.WAITING, Phase.PLAYING
        lines = [] if was_stopped else [self._title(), *self.absences(now)]
        found: list[Effect] = [Tell(line) for line in lines]
        game = self.game or self._referee()
        found += game.start(now, self.started or "", now - self._began)
        for seat in Seat:
            if self._is_human(seat):
                found += game.join(seat, now)
            elif game.stage is not Stage.OVER:
                found.append(Connect(seat))
        return [*found, *([Tell(None)] if was_stopped else []), Begun()]

    def _handle_waiting(self, now: float) -> list[Effect]:
        """Handle the requests that have waited for the beginning, or refuse them at the end."""
        waiting, self._waiting = self._waiting, []
        found: list[Effect] = []
        for event in waiting:
            try:
                found += self.handle(event, now)
            except PeerError as error:
                found.append(Answer(event.token, error))
        return found

    def _lapse(self, token: Token) -> list[Effect]:
        """Refuse a turn that has waited for the beginning for too long."""
        waiting = [one for one in self._waiting if one.token != token]
        if len(waiting) == len(self._waiting):
            return []
        self._waiting = waiting
        missing = [self.name_of(seat) for seat in Seat if not self._is_here(seat)]
        text = f"the game waits for {' and '.join(missing) or 'the store'}: send the turn again"
        return [Answer(token, PeerError(Subcode.NOT_BEGUN, text))]

    def _note_presence(self, seat: Seat, since: float | None, now: float) -> list[Effect]:
        if self.away[seat] == since:
            return []
        self.away[seat] = since
        begun = self._begin_when_here(now) if self.phase is Phase.WAITING else []
        return [*begun, Tell(self._presence(seat, now))] if self.is_begun else []

    def _put(self, event: Requested, put: Put, now: float) -> list[Effect]:
        game, seat = self.game, event.seat
        if self.is_ending:
            raise PeerError(Subcode.OVER, "the game is over")
        if self.phase is Phase.WAITING and put.turn.lower() == "resign":
            return self._terminate(won(seat.other, Reason.RESIGN), now, event.token)
        if game is None or self.phase is not Phase.PLAYING:
            self._waiting.append(event)
            return []
        position = game.position
        if put.number not in (None, position.number):
            raise PeerError(Subcode.NUMBER, f"turn {position.number} is next")
        spelling = Spelling(position.rules, in_gogui=False)
        turn = spelling.read_turn(put.turn, position.player)
        try:
            found = game.submit(seat, turn, now, event.held)
        except IllegalTurn as error:
            code = code_of(error) if game.to_move is seat else Subcode.PLAYER
            raise PeerError(code, error.reason) from None
        if turn.kind is TurnKind.RESIGN:
            self._ended.append(event.token)
        else:
            self._submitted[seat] = event.token
        return [*found]

    def _show(self, turn: Turn) -> Tell:
        self.turns.append(turn)
        return Tell(_spell(*turn))

    # -- taking turns back ------------------------------------------------------------------

    def _take_back(self, event: Requested, request: TakeBack, now: float) -> list[Effect]:
        """Ask to take a turn back, agree to the other's request, or decline.

        Two who ask at the same moment do not agree: each wants another turn back.
        """
        seat, length, game = event.seat, request.length, self.game
        if game is None or self.phase is not Phase.PLAYING or self.is_ending:
            raise PeerError(Code.ILLEGAL, "the game is not in play")
        seats = [one for one, _, _ in game.played]
        asked = self.asked
        if asked is not None and asked.turns != len(seats):
            asked = None
        is_answer = asked is not None and asked.seat is not seat
        if not request.agrees:
            if asked is None:
                raise PeerError(Subcode.NO_REQUEST, "no request to answer")
            self.asked = None
            return [Tell(f"refuse {seat.key} takeback"), Answer(event.token)]
        if length is None:
            if asked is not None and is_answer:
                text = f"the other asks already: agree with {asked.length}, or decline"
                raise PeerError(Code.ILLEGAL, text)
            return self._ask(seat, seats, event.token)
        if asked is None or not is_answer or asked.length != length:
            raise PeerError(Subcode.NO_REQUEST, "no such request to answer")
        try:
            found = game.take_back(length, now)
        except IllegalTurn as error:
            raise PeerError(Code.ILLEGAL, error.reason) from None
        self.asked = None
        self._rewound.append(event.token)
        return [*found]

    def _ask(self, seat: Seat, seats: list[Seat], token: Token) -> list[Effect]:
        if not self.has_two_humans:
            raise PeerError(Subcode.NO_TURN, "an engine takes no turn back")
        if seat not in seats:
            raise PeerError(Subcode.NO_TURN, "no turn of yours to take back")
        length = len(seats) - 1 - seats[::-1].index(seat)
        self.asked = Asked(seat, f"takeback {length}", len(seats), length)
        return [Tell(f"request {seat.key} takeback {length}"), Answer(token)]

    # -- what is kept -----------------------------------------------------------------------

    def _kept(self, what: Keep | NewKey | Drop, started: str | None, now: float) -> list[Effect]:
        match what:
            case TurnPlayed(seat, _, token, seconds):
                told: list[Effect] = [self._show((seat.key, token, seconds))]
                self.on_turn = self.game.to_move if self.game is not None else None
                done = self._submitted.pop(seat, None)
                return told if done is None else [*told, Answer(done)]
            case TurnsTakenBack(length):
                del self.turns[length:]
                self.on_turn = self.game.to_move if self.game is not None else None
                rewound, self._rewound = self._rewound, []
                error = PeerError(Code.ILLEGAL, "turns were taken back")
                answers = [Answer(one) for one in rewound]
                return [Tell(f"rewind {length}"), *answers, *self._refuse_turns(error)]
            case Beginning(seats, token):
                self.seats, self.taker = seats, None
                self.started, self._began = started, now
                is_invite = token is not None and self.terms.invite is not None
                begun = self._wait(now) if is_invite else self._begin(now)
                return begun if token is None else [*begun, Answer(token)]
            case Finished(_, record):
                return self._finish(record)
            case NewKey():
                return [self._replace_key(what)]
            case Drop(token):
                return [Answer(token)]

    def _refused(
        self, what: Keep | NewKey | Drop | None, error: BaseException, *, is_store: bool, now: float
    ) -> list[Effect]:
        match what:
            case NewKey(token=token) | Drop(token):
                return [Answer(token, error)]
            case Beginning(_, token) if token is not None:
                return [*self._reopen(), Answer(token, error)]
            case TurnPlayed() | TurnsTakenBack() | Finished() if is_store:
                text = f"{self.id} waits for the store: resume it"
                return self._end(Over(stays=False), PeerError(Subcode.STORE, text))
            case TurnPlayed() | TurnsTakenBack() if not self.is_ending:
                return self._terminate(void("a turn could not be kept"), now)
        ended = [Answer(one, PeerError(Code.INTERNAL)) for one in self._ended]
        self._ended = []
        return [*self._end(Over()), *ended]

    # -- the end ----------------------------------------------------------------------------

    def _claim(self, seat: Seat, limit: float, now: float) -> Termination:
        name, since = self.name_of(seat.other), self.away[seat.other]
        if self.phase is Phase.OVER:
            raise PeerError(Subcode.OVER, "the game is over")
        if since is None:
            raise PeerError(Subcode.PRESENT, f"{name} is not away")
        if now - since < limit:
            text = f"{name} has been away for {now - since:.0f} s, of {limit:g} s"
            raise PeerError(Subcode.PRESENT, text)
        detail = f"away for {now - since:.0f} s, claimed by {self.name_of(seat)}"
        return forfeit(seat.other, Reason.DISCONNECT, detail)

    def _absence(self) -> Termination:
        missing = [seat for seat in Seat if not self._is_here(seat)]
        limit = self._return_limit
        if len(missing) == 1:
            detail = f"not there to go on within {limit:g} s"
            return forfeit(missing[0], Reason.DISCONNECT, detail)
        return void(f"neither side was there to go on within {limit:g} s")

    def _terminate(
        self, termination: Termination, now: float, token: Token | None = None
    ) -> list[Effect]:
        """End the game, once it has begun."""
        game = self.game
        if not self.is_begun:
            self._waiting.append(Terminate(termination, token))
        elif self.phase is Phase.OVER and token is not None:
            raise PeerError(Subcode.OVER, "the game is over")
        if self.phase is Phase.OVER or game is None:
            return []
        if token is not None:
            self._ended.append(token)
        found: list[Effect] = []
        if game.stage is Stage.NEW:  # it ends at once if the last turn had been played
            found += game.start(now, self.started or "", now - self._began)
        found += game.terminate(termination, now)
        return [one for one in found if not isinstance(one, WakeAt)]

    def _finish(self, record: GameRecord) -> list[Effect]:
        """End the game by a record that is kept."""
        was_played, self.record = self.phase is Phase.PLAYING, record
        self.lingers = was_played and self.has_two_humans
        ended, self._ended = self._ended, []
        told = Tell(f"record {dump_record(record)}")
        return [told, *self._end(Over()), *(Answer(one) for one in ended)]

    def _end(self, over: Over, error: PeerError | None = None) -> list[Effect]:
        """End the game; an ``error`` says that it comes back later."""
        self.phase, self.asked = Phase.OVER, None
        refusal = error or PeerError(Subcode.OVER, "the game is over")
        ended, self._ended = (self._ended, []) if error is not None else ([], self._ended)
        return [
            over if error is None else attrs.evolve(over, error=error.text),
            *self._handle_waiting(0.0),
            *self._refuse_turns(refusal),
            *(Answer(one, refusal) for one in ended),
        ]

    def _refuse_turns(self, refusal: PeerError) -> list[Effect]:
        """Refuse the requests that were not carried out before the game ended or went back."""
        waiting = [*self._submitted.values(), *self._rewound]
        self._submitted, self._rewound = {}, []
        return [Answer(one, refusal) for one in waiting]


def _spell(seat: str, token: str, seconds: float) -> str:
    return f"turn {seat} {token} {seconds:.3f}"
