"""The values that a hosted game takes and gives: terms, holders of seats, events, and effects."""

from __future__ import annotations

import attrs

from yoddd.notation.reasons import Reason
from yoddd.protocol.controller import EngineInfo, ReplyReceived
from yoddd.protocol.errors import PeerError, Subcode
from yoddd.protocol.lobby import SeatRequest
from yoddd.protocol.origin import Origin, fold
from yoddd.referee.game import effects
from yoddd.referee.game.effects import (
    Call,
    Finished,
    Paused,
    Prompt,
    TurnPlayed,
    TurnsTakenBack,
)
from yoddd.referee.game.terminations import Termination
from yoddd.referee.seat import Seat


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
        origin: who has taken the seat, or has let the engine play, and has the game in the share
            of games; None for the engine of another seat, and after a restart.
    """

    name: str
    is_human: bool = False
    key: str | None = None
    is_user: bool = False
    origin: Origin | None = None


Seats = tuple[Holder | None, Holder | None]
"""Who has taken the seats; None for a free one."""

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
    delay: float = 0.0


@attrs.frozen
class Lost:
    """The engine of a seat is lost; the fields are those of `Game.lost`, which judges it."""

    seat: Seat
    reason: Reason
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

    By ``delay`` seconds the caller is late to act on its alarm; what arrives before is in time. A
    claim needs the other to be away for ``limit`` seconds.
    """

    seat: Seat
    request: SeatRequest
    delay: float
    limit: float
    token: Token


@attrs.frozen
class Lapse:
    """A turn that still waits for the beginning, or for an engine, is refused.

    `Requested` has named the token.
    """

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


# -- what is kept and told ------------------------------------------------------------------


@attrs.frozen
class Begun:
    """The game has begun; given back as an event, for the requests that wait for it."""


@attrs.frozen
class Proposal:
    """A request of one participant to the other.

    Attributes:
        seat: who asks.
        wish: ``takeback``, ``pause`` or ``rematch``.
        value: how many turns would be left, the days of the pause, or the id of the rematch.
        turns: how many turns there were; with a further one the request lapses.
    """

    seat: Seat
    wish: str
    value: int | str
    turns: int


@attrs.frozen
class Declined:
    """A participant declines what the other one asks for.

    Attributes:
        seat: who declines.
        wish: as of `Proposal`.
    """

    seat: Seat
    wish: str


Told = (Begun | TurnPlayed | TurnsTakenBack | Paused | Finished) | (
    Present | Proposal | Declined | Rematched
)
"""What spectators are told, which `yoddd.referee.hosted.view` spells."""


@attrs.frozen
class Tell:
    """Tell those who observe the game what has happened; None tells the running clock."""

    what: Told | None


Keep = Beginning | TurnPlayed | TurnsTakenBack | Paused | Finished
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
    (Open | Accept | Arrived | Present | Ready | Replied | Lost | Sent | Alarm | Prompt | Call)
    | (Begun | Kept | Refused | Requested | Lapse | SetKey | Withdraw | Terminate | Propose)
    | (Suspend | Rematched | Leave)
)
Effect = effects.Effect | Beginning | NewKey | Drop | Connect | Tell | Begun | Answer | Over
