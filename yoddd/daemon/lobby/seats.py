"""The two seats of a game of the lobby, and who has taken them."""

from __future__ import annotations

import attrs

from yoddd.daemon.play.human import HumanParticipant
from yoddd.daemon.play.participants import Links, Participant
from yoddd.protocol.origin import Origin, fold
from yoddd.referee.seat import Seat
from yoddd.store.values import Keys


@attrs.frozen
class SeatHolder:
    """The participant who has a seat.

    Attributes:
        participant: plays for it.
        key: the digest of the secret that plays for it; None for an engine's seat.
        is_user: whether it is a human who had logged in when the seat was taken.
        origin: who has taken the seat, and has the game in the share of games; None for an engine,
            and after a restart.
    """

    participant: Participant
    key: str | None = None
    is_user: bool = False
    origin: Origin | None = None


@attrs.frozen
class Seats:
    """The seats of a game.

    Attributes:
        by_seat: who has taken them; None for a free one.
    """

    by_seat: tuple[SeatHolder | None, SeatHolder | None]

    def fill(self, seat: Seat, holder: SeatHolder) -> Seats:
        """Return the seats once ``holder`` has taken a free one."""
        black, white = self.by_seat
        return Seats((holder, white) if seat is Seat.BLACK else (black, holder))

    def set_key(self, seat: Seat, key: str) -> Seats:
        """Return the seats with another digest of the key of one that is taken."""
        holder = self.by_seat[seat]
        return self if holder is None else self.fill(seat, attrs.evolve(holder, key=key))

    @property
    def holders(self) -> list[SeatHolder]:
        """The holders of the seats that are taken; by seat if both are."""
        return [one for one in self.by_seat if one is not None]

    @property
    def free(self) -> Seat | None:
        """The free seat; None if both are taken."""
        return next((seat for seat in Seat if self.by_seat[seat] is None), None)

    @property
    def keys(self) -> dict[str, Seat]:
        """The seats by the digests of their keys."""
        pairs = zip(self.by_seat, Seat, strict=True)
        return {one.key: seat for one, seat in pairs if one is not None and one.key is not None}

    @property
    def pair(self) -> tuple[SeatHolder, SeatHolder]:
        """The holders of both seats.

        Raises:
            ValueError: a seat is free.
        """
        black, white = self.holders
        return black, white

    @property
    def participants(self) -> tuple[Participant, Participant]:
        """The participants, once both seats are taken."""
        black, white = self.pair
        return black.participant, white.participant

    def release(self, links: Links) -> None:
        """Release the engines of a game that does not begin."""
        for participant, link in zip(self.participants, links, strict=True):
            if link is not None:
                participant.release(link, busy=False)

    @property
    def names(self) -> tuple[str, str]:
        """The names of the participants, once both seats are taken."""
        black, white = self.participants
        return black.name, white.name

    @property
    def beginning(self) -> tuple[str, str, Keys]:
        """The names and the digests of the keys, as the store keeps them when the game begins."""
        black, white = self.pair
        return *self.names, (black.key, white.key)

    @property
    def has_two_humans(self) -> bool:
        """Whether both seats are taken, by humans."""
        return all(self.has_human(seat) for seat in Seat)

    def has_human(self, seat: Seat) -> bool:
        """Whether a human has the seat."""
        holder = self.by_seat[seat]
        return holder is not None and isinstance(holder.participant, HumanParticipant)

    def name_of(self, seat: Seat) -> str:
        """The name of a seat's participant; empty for a free seat."""
        holder = self.by_seat[seat]
        return "" if holder is None else holder.participant.name

    def is_user(self, seat: Seat, name: str) -> bool:
        """Whether the user called ``name`` has the seat."""
        holder = self.by_seat[seat]
        return holder is not None and holder.is_user and fold(self.name_of(seat)) == fold(name)

    def has(self, name: str) -> bool:
        """Whether the human or engine called ``name`` has a seat."""
        return any(fold(one.participant.name) == fold(name) for one in self.holders)
