"""Offers: what the settings of ``seek`` say, and who may accept the game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import attrs

from yoddd.daemon.base.world import World
from yoddd.daemon.connections.attachment import Claim
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.live_games import RATED
from yoddd.protocol.arguments import parse_seconds
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.protocol.origin import Origin, fold
from yoddd.referee import ClockError, parse_clock
from yoddd.referee.seat import Seat
from yoddd.rules import Rules, RulesError, make_rules

if TYPE_CHECKING:  # its libraries are an extra
    from yoddd.daemon.lobby.users import Users

_SETTINGS: Final = ("game", "board", "seat", "clock", "against", "rated", "accept", "invite")
LONGEST_INVITE: Final = 30 * 86400.0
"""Seconds for which an invite is valid at most."""

_SEATS: Final = {"b": Seat.BLACK, "w": Seat.WHITE}


@attrs.frozen
class Terms:
    """The terms of a game: who may accept it, and for what.

    Attributes:
        is_rated: whether it is kept and rated, so that both need accounts.
        is_challenge: whether it is against an engine that is another peer's than the human's.
        invited: the only user who may accept it; None for anyone.
        for_users: whether only users with an account may accept it.
        invite: the digest of the secret that it is accepted with; None if it is for anyone.
    """

    is_rated: bool = False
    is_challenge: bool = False
    invited: str | None = None
    for_users: bool = False
    invite: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The words of ``games`` that tell them."""
        words = [*RATED] if self.is_rated else []
        if self.invited is not None:
            words.append(f"for={self.invited}")
        elif self.for_users:
            words.append("accept=users")
        return tuple(words)

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
class Offer:
    """The settings of an offer.

    Attributes:
        rules: game, board and options.
        clock: the time control.
        seat: the seat of the participant who offers the game.
        origin: who offers it.
        rival: the engine or user to whom alone it is offered; None for anyone.
        is_rated: whether it is kept and rated.
        for_users: whether only users with an account may accept it.
        claim: the right to the engine that it is against; None if it is against a human.
        is_challenge: whether that engine is another peer's.
        invite: seconds for which it can be accepted by those who have its secret; None for an
            offer that is listed.
    """

    rules: Rules
    clock: str
    seat: Seat
    origin: Origin
    rival: str | None = None
    is_rated: bool = False
    for_users: bool = False
    claim: Claim | None = None
    is_challenge: bool = False
    invite: float | None = None

    def names(self, name: str) -> tuple[str | None, str | None]:
        """The names by seat, if ``name`` offers the game."""
        return (name, self.rival) if self.seat is Seat.BLACK else (self.rival, name)

    def terms(self, invite: str | None) -> Terms:
        """Say who may accept it; ``invite`` is the digest of its secret."""
        invited = self.rival if self.claim is None else None
        return Terms(self.is_rated, self.is_challenge, invited, self.for_users, invite)


class OfferReader:
    """Reads the settings of ``seek``."""

    def __init__(self, games: GameServices, users: Users | None) -> None:
        """Create it; ``users`` are None where there are no accounts."""
        self._games = games
        self._users = users

    def read(self, settings: Mapping[str, str], origin: Origin) -> Offer:
        """The offer that ``settings`` describe.

        Raises:
            PeerError: they are invalid, or the engine may not play for this client.
        """
        known = {key: settings[key] for key in _SETTINGS if key in settings}
        options = {key: value for key, value in settings.items() if key not in _SETTINGS}
        rules, clock = _read_game(known, options)
        seat = _read_seat(known, self._games.world)
        rival = known.get("against")
        if rival is not None and not self._is_here(rival):
            raise PeerError(Subcode.NO_RIVAL, f"no engine {rival!r} is attached")
        offer = Offer(
            rules,
            clock,
            seat,
            origin,
            rival,
            is_rated=self._read_rated(known, rules),
            for_users=self._read_acceptance(known),
        )
        offer = self._claim_engine(offer)
        return _read_invite(offer, known.get("invite"))

    def _is_here(self, rival: str) -> bool:
        if self._games.engines.find(rival) is not None:
            return True
        return self._users is not None and self._users.is_here(rival)

    def _read_rated(self, known: Mapping[str, str], rules: Rules) -> bool:
        word = known.get("rated", "no").lower()
        if word not in {"yes", "no"}:
            raise PeerError(Code.SYNTAX, f"rated {word!r}: expected yes or no")
        if word == "yes" and self._users is None:
            raise PeerError(Subcode.NO_ACCOUNTS, "no rated games here: the server has no accounts")
        if word == "yes" and rules.chosen_options():
            raise PeerError(Code.SYNTAX, "a rated game has the default options of its game")
        return word == "yes"

    def _read_acceptance(self, known: Mapping[str, str]) -> bool:
        word = known.get("accept", "anyone").lower()
        if word not in {"anyone", "users"}:
            raise PeerError(Code.SYNTAX, f"accept {word!r}: expected anyone or users")
        if word == "users" and self._users is None:
            raise PeerError(Subcode.NO_ACCOUNTS, "no users here: the server has no accounts")
        return word == "users"

    def _claim_engine(self, offer: Offer) -> Offer:
        """Check the right to the engine that an offer is against, if it is against one."""
        engine = None if offer.rival is None else self._games.engines.find(offer.rival)
        if engine is None:
            return offer
        name, challenges = engine.name, self._games.challenges  # as its account spells it
        return attrs.evolve(
            offer,
            rival=name,
            claim=challenges.claim(offer.origin, name),
            is_challenge=challenges.is_challenge(offer.origin, name),
        )


def _read_game(known: Mapping[str, str], options: Mapping[str, str]) -> tuple[Rules, str]:
    try:
        rules = make_rules(known.get("game", "yodd"), known.get("board"), options)
        return rules, str(parse_clock(known.get("clock", "none")))
    except (RulesError, ClockError) as error:
        raise PeerError(Code.SYNTAX, str(error)) from None


def _read_seat(known: Mapping[str, str], world: World) -> Seat:
    wanted = known.get("seat", "any").lower()
    if wanted == "any":
        return world.chance.choice(list(Seat))
    if wanted not in _SEATS:
        raise PeerError(Code.SYNTAX, f"seat {wanted!r}: expected b, w or any")
    return _SEATS[wanted]


def _read_invite(offer: Offer, text: str | None) -> Offer:
    if text is None:
        return offer
    seconds = parse_seconds("invite", text, LONGEST_INVITE)
    if seconds <= 0:
        raise PeerError(Code.SYNTAX, "invite: expected more than 0 seconds")
    if offer.rival is not None:
        raise PeerError(Code.SYNTAX, "an invite is for all who have its link: leave out against")
    return attrs.evolve(offer, invite=seconds)
