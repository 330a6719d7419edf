"""Offers: what the settings of ``seek`` say, who may accept the game, and how many there may be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from ipaddress import ip_network
from typing import TYPE_CHECKING, Final

import attrs

from yoddd.daemon.base.admission.places import Full, Network, Places, block_of
from yoddd.daemon.base.world import World
from yoddd.daemon.connections.attachment import Claim
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.play.game_runner import GameRunner
from yoddd.daemon.play.game_services import GameServices
from yoddd.protocol.arguments import parse_seconds
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.protocol.origin import Origin
from yoddd.referee import ClockError, Seat, TimeControl, parse_clock
from yoddd.referee.game.clock import DAY
from yoddd.referee.hosted.events import Holder, Seats, Terms
from yoddd.referee.hosted.game import HostedGame
from yoddd.referee.hosted.state import PATIENCE, Phase
from yoddd.rules import Game, Rules, RulesError, find_game, make_rules
from yoddd.rules.game import rules_of
from yoddd.store.values import NewGame, State

if TYPE_CHECKING:  # its libraries are an extra
    from yoddd.daemon.lobby.users import Users
    from yoddd.store.values import GameRow


SETTINGS: Final = ("game", "board", "seat", "clock", "against", "as", "rated", "accept", "invite")
"""The settings of an offer; all others are options of its game."""

LONGEST_INVITE: Final = 30 * DAY
"""Seconds for which an invite is valid at most."""

BY_DAY: Final = 14 * DAY
"""Seconds for which an offer of a game by the day is valid, whether or not its owner is there."""


@attrs.frozen
class Offer:
    """The settings of an offer.

    Attributes:
        rules: game, board and options.
        clock: the time control.
        seat: the seat of the participant who offers the game.
        origin: who offers it.
        terms: who may accept it; those of an invite have their secret when it is made.
        rival: the engine or user to whom alone it is offered; None for anyone.
        claim: the right to the engine that it is against; None if it is against a human.
        invite: seconds for which it can be accepted by those who have its secret; None for an
            offer that is listed.
        engine: the engine that has the seat of the participant who offers it; None for a human.
    """

    rules: Rules
    clock: str
    seat: Seat
    origin: Origin
    terms: Terms
    rival: str | None = None
    claim: Claim | None = None
    invite: float | None = None
    engine: str | None = None

    @property
    def by_day(self) -> bool:
        """Whether it is of a game by the day."""
        return parse_clock(self.clock).days is not None

    @property
    def lasts(self) -> float | None:
        """Seconds after which it expires; None for as long as its owner is there."""
        if self.engine is not None:
            return PATIENCE.absence
        return BY_DAY if self.invite is None and self.by_day else self.invite

    @property
    def _engines(self) -> str:
        """The keys of the seats of engines."""
        if self.claim is None:
            return ""
        return self.seat.other.key if self.engine is None else "bw"

    def seats(self, holder: Holder) -> Seats:
        """The seats of ``holder``, or its engine, and of the engine that the game is against."""
        has_engine = self.claim is not None and self.rival is not None
        engine = Holder(self.rival or "") if has_engine else None
        return (holder, engine) if self.seat is Seat.BLACK else (engine, holder)

    def kept(self, holder: Holder, terms: Terms, offered: str) -> NewGame:
        """The offer as the store keeps it; ``offered`` is the calendar time."""
        black, white = Holder(holder.name, key=holder.key), Holder(self.rival or "")
        if self.seat is Seat.WHITE:
            black, white = white, black
        options = self.rules.chosen_options().items()
        return NewGame(
            self.rules.game.name,
            self.rules.geometry.name,
            self.clock,
            black.name or None,
            white.name or None,
            offered,
            engines=self._engines,
            rated=terms.is_rated,
            options=" ".join(f"{name}={text}" for name, text in options),
            keys=(black.key, white.key),
            invite=terms.invite,
            expires=terms.expires,
            for_users=terms.for_users,
        )


def read_game(row: GameRow, described: Mapping[str, Game]) -> HostedGame:
    """The game of a row, offered and not listed yet; its humans are away.

    Args:
        row: of the store.
        described: the games that the store describes; its operator may offer them no longer.
    """
    settled = row.settled
    black, white = (_read_holder(row, seat) for seat in Seat)
    invited = None
    if row.state is State.OPEN:  # the only user who may accept it has a seat there, without a key
        wanted = [one for one in (black, white) if one and one.is_human and one.key is None]
        invited = wanted[0].name if wanted else None
        black, white = (None if one in wanted else one for one in (black, white))
    options = dict(word.split("=", 1) for word in settled.options.split())
    return HostedGame(
        row.id,
        rules_of(described.get(settled.game) or find_game(settled.game), settled.board, options),
        settled.clock,
        (black, white),
        Terms(
            settled.rated,
            invited=invited,
            for_users=settled.for_users,
            invite=settled.invite,
            expires=settled.expires,
        ),
        past=tuple((turn.token, turn.seconds) for turn in row.turns),
        used=row.used,
        paused=row.paused,
    )


def _read_holder(row: GameRow, seat: Seat) -> Holder | None:
    settled = row.settled
    name = (settled.black, settled.white)[seat]
    if name is None or seat.key in settled.engines:
        return None if name is None else Holder(name)
    return Holder(name, True, settled.keys[seat], seat.key in row.accounts)


def read_offer(
    name: str,
    settings: Mapping[str, str],
    origin: Origin,
    games: GameServices,
    users: Users | None,
) -> Offer:
    """The offer that the words of ``seek`` describe; ``users`` are None without accounts.

    Raises:
        PeerError: they are invalid, or the engine may not play for this client.
    """
    known = {key: settings[key] for key in SETTINGS if key in settings}
    rules, clock = terms = read_terms(settings)
    seat = _read_seat(known, games.world)
    is_rated = _read_word(known, "rated", ("no", "yes"))
    for_users = _read_word(known, "accept", ("anyone", "users"))
    if users is None and (is_rated or for_users):
        what = "rated games" if is_rated else "users"
        raise PeerError(Subcode.NO_ACCOUNTS, f"no {what} here: the server has no accounts")
    if is_rated and rules.chosen_options():
        raise PeerError(Code.SYNTAX, "a rated game has the default options of its game")
    rival = known.get("against")
    acceptable = Terms(is_rated, invited=rival, for_users=for_users)
    offer = Offer(rules, str(clock), seat, origin, acceptable, rival)
    if rival is not None:
        may_be_user = users is not None and (offer.by_day or users.is_here(rival))
        engine = games.engines.find(rival) if may_be_user else _find_engine(rival, games)
        if engine is not None:
            is_challenge = games.is_challenge(origin, engine.name)
            offer = attrs.evolve(
                offer,
                rival=engine.name,  # as its account spells it
                claim=games.claim(origin, engine.name, terms),
                terms=attrs.evolve(acceptable, invited=None, is_challenge=is_challenge),
            )
    if _read_word(known, "as", ("human", "engine")):
        offer = _read_engine(offer, name, games)
    return _read_invite(offer, known.get("invite"))


def _read_engine(offer: Offer, name: str, games: GameServices) -> Offer:
    """The offer with an attached engine in the seat of the participant who makes it."""
    if offer.claim is None or offer.terms.is_rated:
        raise PeerError(Code.SYNTAX, "as=engine: expected against=ENGINE and no rated=yes")
    engine = _find_engine(name, games)
    if engine.name == offer.rival:
        raise PeerError(Subcode.SELF, f"{engine.name} does not play against itself")
    offer.claim.check(engine.attachment)
    is_challenge = offer.terms.is_challenge or games.is_challenge(offer.origin, engine.name)
    terms = attrs.evolve(offer.terms, is_challenge=is_challenge)
    return attrs.evolve(offer, engine=engine.name, terms=terms)


def _find_engine(name: str, games: GameServices) -> EngineLink:
    """The attached engine of a name.

    Raises:
        PeerError: there is none.
    """
    engine = games.engines.find(name)
    if engine is None:
        raise PeerError(Subcode.NO_RIVAL, f"no engine {name!r} is attached")
    return engine


def _read_word(known: Mapping[str, str], name: str, words: tuple[str, str]) -> bool:
    """Whether a setting has the second one of its two words; without it, it has the first."""
    word = known.get(name, words[0]).lower()
    if word not in words:
        raise PeerError(Code.SYNTAX, f"{name} {word!r}: expected {words[1]} or {words[0]}")
    return word == words[1]


def read_terms(settings: Mapping[str, str]) -> tuple[Rules, TimeControl]:
    """The game and the time control of the settings of an offer.

    Raises:
        PeerError: they are invalid.
    """
    options = {key: value for key, value in settings.items() if key not in SETTINGS}
    try:
        rules = make_rules(settings.get("game", "yodd"), settings.get("board"), options)
        return rules, parse_clock(settings.get("clock", "none"))
    except (RulesError, ClockError) as error:
        raise PeerError(Code.SYNTAX, str(error)) from None


def _read_seat(known: Mapping[str, str], world: World) -> Seat:
    wanted = known.get("seat", "any").lower()
    if wanted == "any":
        return world.chance.choice(list(Seat))
    for seat in Seat:
        if wanted == seat.key:
            return seat
    raise PeerError(Code.SYNTAX, f"seat {wanted!r}: expected b, w or any")


def _read_invite(offer: Offer, text: str | None) -> Offer:
    if text is None:
        return offer
    seconds = parse_seconds("invite", text, LONGEST_INVITE)
    if seconds <= 0:
        raise PeerError(Code.SYNTAX, "invite: expected more than 0 seconds")
    if offer.rival is not None:
        raise PeerError(Code.SYNTAX, "an invite is for all who have its link: leave out against")
    return attrs.evolve(offer, invite=seconds)


# -- places ---------------------------------------------------------------------------------


@attrs.frozen(eq=False)
class GamePlaces:
    """The places of games by the day, or of all others; games by the day give way to no other.

    Attributes:
        places: of the games with humans that are not over.
    """

    _games: GameServices
    _by_day: bool
    places: Places = attrs.field(init=False)

    @places.default
    def _make_places(self) -> Places:
        games = self._games
        return Places(games.reactor.seconds, lambda: games.settings.limits.per_network)

    @property
    def _most(self) -> tuple[int, int]:
        """The most games in all, and of one client."""
        limits = self._games.settings.limits
        if self._by_day:
            return limits.day_games, limits.own_day_games
        return limits.games, limits.own_games

    @property
    def _words(self) -> str:
        return "games by the day" if self._by_day else "games"

    def add(self, runner: GameRunner, yields: Callable[[], bool]) -> None:
        """Give a game its place, which it gives up when ``yields`` returns true."""
        place = next((one.place for one in runner.game.origins), None)
        self.places.add(runner, _network(place), (lambda: False) if self._by_day else yields)

    def make(self) -> None:
        """Let a game be given up for one that a restart has interrupted, if there are too many."""
        with suppress(Full):
            self.places.make_room(None, self._most[0])

    def check(self, origin: Origin) -> None:
        """Refuse another game when there are too many, in all or of this client.

        Raises:
            PeerError: the refusal.
        """
        most, _ = self._most
        network, text = _network(origin.place), ""
        if not (self._by_day or origin.is_trusted or origin.user is not None):
            most -= most // 10  # for accounts, and the clients that no limit holds for
        try:
            self.places.make_room(network, most)
        except Full:
            text = f"{most} {self._words}"
        else:
            of_network = self._games.settings.limits.network_day_games
            is_limited = self._by_day and not origin.is_trusted
            if is_limited and self.places.held_by(network) >= of_network:
                text = f"{of_network} {self._words} from your network"
        if text:
            raise PeerError(Subcode.FULL, f"{text} are offered or played already")
        self.check_share(origin)

    def check_share(self, origin: Origin) -> None:
        """Refuse another game to a client that has its share of them.

        Raises:
            PeerError: the refusal.
        """
        if origin.is_trusted:
            return
        games = [one.game for one in self._games if one.game.phase is not Phase.OVER]
        own = sum(_is_of(game, origin) for game in games if game.by_day is self._by_day)
        if own >= self._most[1]:
            text = f"{own} {self._words} of yours are offered or played already"
            raise PeerError(Subcode.FULL, text)


def _network(place: str | None) -> Network | None:
    return None if place is None else block_of(ip_network(place))


def _is_of(game: HostedGame, origin: Origin) -> bool:
    """Whether a game counts for a client; of an account also one from before a restart."""
    user = origin.user
    is_users = user is not None and any(game.is_user(seat, user) for seat in Seat)
    return is_users or any(one.key == origin.key for one in game.origins)
