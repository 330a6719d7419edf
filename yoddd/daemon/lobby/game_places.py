"""The places of games: so many of a kind are offered or played, in all and of one client."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_network

import attrs

from yoddd.daemon.base.admission.places import Full, Network, Places, block_of
from yoddd.daemon.play.game_runner import GameRunner
from yoddd.daemon.play.game_services import GameServices
from yoddd.protocol.errors import PeerError, Subcode
from yoddd.protocol.origin import Origin
from yoddd.referee import Seat
from yoddd.referee.hosted.game import HostedGame
from yoddd.referee.hosted.state import Phase


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
    def _most(self) -> tuple[int, int, int]:
        """The most games in all, from one network, and of one client."""
        limits = self._games.settings.limits
        if self._by_day:
            return limits.day_games, limits.network_day_games, limits.own_day_games
        return limits.games, limits.games, limits.own_games

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
        most, of_network, _ = self._most
        network, text = _network(origin.place), ""
        if not (self._by_day or origin.is_trusted or origin.user is not None):
            most -= most // 10  # for accounts, and the clients that no limit holds for
        try:
            self.places.make_room(network, most)
        except Full:
            text = f"{most} {self._words}"
        else:
            if not origin.is_trusted and self.places.held_by(network) >= of_network:
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
        if own >= self._most[2]:
            text = f"{own} {self._words} of yours are offered or played already"
            raise PeerError(Subcode.FULL, text)


def _network(place: str | None) -> Network | None:
    return None if place is None else block_of(ip_network(place))


def _is_of(game: HostedGame, origin: Origin) -> bool:
    """Whether a game counts for a client; of an account also one from before a restart."""
    user = origin.user
    is_users = user is not None and any(game.is_user(seat, user) for seat in Seat)
    return is_users or any(one.key == origin.key for one in game.origins)
