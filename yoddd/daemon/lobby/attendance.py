"""The attendance of a game: who of its humans is present, and what the absent lose."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from twisted.logger import Logger

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.settings import CurrentSettings
from yoddd.daemon.lobby.keys import Seated
from yoddd.daemon.lobby.lobby_game import LobbyGame
from yoddd.daemon.lobby.phases import GamePhase
from yoddd.daemon.lobby.presence import GRACE, KeyHolder, Presence
from yoddd.daemon.play.challenges import Challenges
from yoddd.daemon.play.live_games import Spectator
from yoddd.protocol.effects import ConnectionHandle
from yoddd.protocol.errors import PeerError, Subcode
from yoddd.referee.seat import Seat
from yoddd.referee.terminations import Reason, Termination, forfeit


class Attendance:
    """Tells the games and their spectators which humans are present.

    An offer ends when its owner is absent, and a challenge is lost by a challenger who stays away.
    """

    log = Logger()

    def __init__(
        self,
        reactor: Reactor,
        settings: CurrentSettings,
        challenges: Challenges,
        withdraw: Callable[[LobbyGame], None],
        grace: float = GRACE,
    ) -> None:
        """Create it without games.

        Args:
            reactor: Twisted's.
            settings: how long a human is away before the other may claim the game.
            challenges: how long a challenger may be away.
            withdraw: withdraws an offer whose owner is absent.
            grace: see `Presence`.
        """
        self._settings = settings
        self._challenges = challenges
        self._withdraw = withdraw
        # Reports the seats whose last connection has closed.
        self._presence: Presence[Seated] = Presence(reactor, self._absent, self._tell, grace)
        # The seats of challengers who were reported absent once, and lose at the second time; until
        # they observe again, or the game is over.
        self._leaving: set[Seated] = set()

    def add(self, game: LobbyGame) -> None:
        """Show the attendance of a game until it is over."""
        game.show_attendance(lambda: self._lines(game))
        game.on_over(self._forget)

    def miss(self, game: LobbyGame) -> None:
        """Note that the humans of a game are away, as after a restart."""
        for seat in Seat:
            if game.seats.has_human(seat):
                self._presence.miss((game, seat))

    def _forget(self, game: LobbyGame) -> None:
        for seat in Seat:
            self._presence.forget((game, seat))
            self._leaving.discard((game, seat))

    # -- connections of the holders of keys -------------------------------------------------

    def hold(self, place: Seated, connection: ConnectionHandle) -> None:
        """Count the holder of a seat as present until a connection is lost."""
        self._presence.hold(place, connection)

    def observe(self, place: Seated, spectator: Spectator) -> KeyHolder[Seated]:
        """Count the holder of a seat as present while a connection observes."""
        self._leaving.discard(place)
        holder = self._presence.add(place, spectator)
        self.greet(place)
        return holder

    def greet(self, place: Seated) -> None:
        """Note a sign of life of the holder of a seat: a game that waits may go on."""
        game, seat = place
        self._presence.touch(place)
        game.note_presence(seat, is_here=True)

    def note(self, game: LobbyGame) -> None:
        """Tell a game that begins to wait who is present."""
        for seat in Seat:
            game.note_presence(seat, is_here=self._presence.away((game, seat)) is None)

    # -- absence ----------------------------------------------------------------------------

    def claim(self, game: LobbyGame, seat: Seat) -> Termination:
        """The termination of a game that ``seat`` wins because the other is away.

        Raises:
            PeerError: the other participant is present or was lately.
        """
        name, limit = game.seats.name_of(seat.other), self._settings.limits.claim
        away = self._presence.away((game, seat.other))
        if away is None:
            raise PeerError(Subcode.PRESENT, f"{name} is not away")
        if away < limit:
            text = f"{name} has been away for {away:.0f} s, of {limit:g} s"
            raise PeerError(Subcode.PRESENT, text)
        detail = f"away for {away:.0f} s, claimed by {game.seats.name_of(seat)}"
        return forfeit(seat.other, Reason.DISCONNECT, detail)

    def _absent(self, place: Seated) -> None:
        """The last connection of a seat is closed: withdraw its offer, or end its challenge."""
        game, seat = place
        if game.phase is GamePhase.OFFERED:
            if game.terms.invite is None:  # an invite waits until it expires
                self._withdraw(game)
        elif place in self._leaving:
            detail = f"left and not back within {self._challenges.idle:g} s"
            game.decide(forfeit(seat, Reason.DISCONNECT, detail)).addErrback(lambda _: None)
        elif game.terms.is_challenge:
            self._leaving.add(place)
            self._presence.report_again(place, self._challenges.idle)

    # -- what spectators are told -----------------------------------------------------------

    def _tell(self, place: Seated) -> None:
        """Tell the spectators that the holder of a seat is away, or back."""
        game, seat = place
        game.note_presence(seat, is_here=self._presence.away(place) is None)
        if game.is_begun:
            game.live.tell(self._describe(game, seat))

    def _lines(self, game: LobbyGame) -> Iterator[str]:
        """The lines that tell who is away, once the game has begun."""
        for seat in Seat:
            if game.is_begun and self._presence.away((game, seat)) is not None:
                yield self._describe(game, seat)

    def _describe(self, game: LobbyGame, seat: Seat) -> str:
        away = self._presence.away((game, seat))
        if away is None:
            return f"presence {seat.key} here"
        left = max(0.0, self._settings.limits.claim - away)
        return f"presence {seat.key} away {away:.0f} {left:.0f}"
