"""A game of the lobby, from its offer to its end; `phases` has its life cycle."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import ClassVar, Final

import attrs
from twisted.internet.defer import Deferred

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.world import World
from yoddd.daemon.lobby.game_in_play import GameInPlay
from yoddd.daemon.lobby.game_writer import GameWriter
from yoddd.daemon.lobby.offers import Terms
from yoddd.daemon.lobby.phases import TRANSITIONS, GameEvent, GamePhase
from yoddd.daemon.lobby.requests import Requests
from yoddd.daemon.lobby.return_wait import ReturnWait
from yoddd.daemon.lobby.seats import SeatHolder, Seats
from yoddd.daemon.play.live_games import LiveGame
from yoddd.daemon.play.pair_wait import PairWait
from yoddd.daemon.play.participants import Links
from yoddd.notation.records import GameRecord
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.protocol.origin import Origin
from yoddd.referee import Game, parse_clock
from yoddd.referee.effects import Finished
from yoddd.referee.game_setup import GameSetup, WaitLimits
from yoddd.referee.seat import Seat
from yoddd.referee.terminations import Reason, Termination, void, won

PATIENCE: Final = WaitLimits(launch=3600.0, move=3600.0, resume=60.0)
"""The limits of a lobby game in seconds: a human has an hour for a turn without a clock."""

LASTING: Final = 7 * 86400.0
"""Seconds for a turn without a clock where both are human and the game is not rated.

After a restart they have as long to return.
"""

RETURN: Final = 600.0
"""Seconds that both sides of another game have to return after a restart."""


@attrs.frozen(eq=False)
class Offered:
    """The state of a game that is offered.

    Attributes:
        pair_wait: the wait for the engines of a game whose seats are both taken.
    """

    phase: ClassVar = GamePhase.OFFERED
    pair_wait: PairWait = attrs.Factory(PairWait)


@attrs.frozen(eq=False)
class Taken:
    """The state of a game whose acceptance is checked, or whose beginning is kept.

    Attributes:
        origin: who accepts it; None where its engines have become free, and after a restart.
    """

    phase: ClassVar = GamePhase.TAKEN
    origin: Origin | None = None


@attrs.frozen
class Past:
    """The beginning and the turns of a game from before a restart.

    Attributes:
        started: the calendar time of its beginning; None if it had not begun.
        turns: with their seconds.
    """

    started: str | None = None
    turns: tuple[tuple[str, float], ...] = ()


class Over:
    """The state of a game that is over."""

    phase: ClassVar = GamePhase.OVER


State = Offered | Taken | ReturnWait | GameInPlay | Over


class LobbyGame:
    """A game of the lobby, which only its own methods change.

    Attributes:
        live: the view of the spectators.
        seats: who has taken them; replaced when one is taken, and when a key is.
        writer: writes it to the store.
        terms: who may accept it while it is offered, and whether it is rated.
    """

    def __init__(
        self,
        live: LiveGame,
        seats: Seats,
        *,
        terms: Terms = Terms(),  # noqa: B008 — frozen
        writer: GameWriter = GameWriter(),  # noqa: B008 — without state
        limits: WaitLimits = PATIENCE,
        past: Past = Past(),
    ) -> None:
        """Create a game that is offered.

        Args:
            live: the view of the spectators.
            seats: who has taken them.
            terms: who may accept it.
            writer: writes it to the store.
            limits: how long its participants are waited for.
            past: what was played before a restart.
        """
        self.live = live
        self.seats = seats
        self.writer = writer
        self.terms = terms
        self._limits = limits
        # The turns from before a restart, with their seconds.
        self._played = past.turns
        # The value of the phase, which `_move` alone replaces.
        self._state: State = Offered()
        # The calendar time of the beginning, set once the store has it; None without a store.
        self._started = past.started
        # The requests that wait for the beginning; answered when the game begins or ends.
        self._begun = Requests()
        # The requests that end the game; answered or refused when it is over.
        self._ended = Requests()
        # The calls made when the game is over, each once.
        self._calls: list[Callable[[LobbyGame], None]] = []

    # -- what it is -------------------------------------------------------------------------

    @property
    def phase(self) -> GamePhase:
        """The current phase."""
        return self._state.phase

    @property
    def is_begun(self) -> bool:
        """Whether it has begun, also if it is over since."""
        return self.phase not in {GamePhase.OFFERED, GamePhase.TAKEN}

    @property
    def started(self) -> str | None:
        """The calendar time of its beginning in the store; None before, and without a store."""
        return self._started

    def since(self, now: datetime) -> float:
        """Seconds since then, not below 0 if the calendar was set back; 0 without a store."""
        if self._started is None:
            return 0.0
        started = datetime.fromisoformat(self._started)
        return max(0.0, (now - started).total_seconds())

    @property
    def origins(self) -> list[Origin]:
        """The origins whose shares count the game: of the seats, and of one being taken."""
        found = [one.origin for one in self.seats.holders]
        if isinstance(self._state, Taken):
            found.append(self._state.origin)
        return [one for one in found if one is not None]

    @property
    def is_lasting(self) -> bool:
        """Whether its humans may take days: there is no engine that waits, and no rating."""
        return self.seats.has_two_humans and not self.terms.is_rated

    # -- offered and taken ------------------------------------------------------------------

    def show_attendance(self, lines: Callable[[], Iterable[str]]) -> None:
        """Let ``lines`` tell spectators who is present."""
        self.live.attendance = lines

    def on_over(self, call: Callable[[LobbyGame], None]) -> None:
        """Call ``call`` once the game is over."""
        self._calls.append(call)

    async def arrival(self) -> Links | Termination:
        """Wait for both participants; their links, or how the game ends without them.

        An offer is taken once both of its engines are free.

        Raises:
            CancelledError: the offer is withdrawn.
        """
        match self._state:
            case Offered(pair_wait):
                links = await pair_wait.wait_for_links(*self.seats.participants)
                self.take()
                return links
            case ReturnWait() as wait:
                return await wait.outcome()
        return None, None  # a human has accepted the game of another, who is present

    def take(self, origin: Origin | None = None) -> None:
        """Reserve the game for ``origin``, whose acceptance is checked."""
        self._move(GameEvent.TAKE, Taken(origin))

    def refuse(self) -> None:
        """Offer the game again: its acceptance is refused."""
        self._move(GameEvent.REFUSE, Offered())

    async def keep_beginning(self, seat: Seat, holder: SeatHolder) -> None:
        """Keep that the game begins with ``holder`` in the free seat, who then has it.

        Raises:
            StoreError: the store fails.
        """
        seats = self.seats.fill(seat, holder)
        self._started = await self.writer.begin(*seats.beginning)
        self.seats = seats

    async def persist_beginning(self) -> None:
        """Keep that the game begins, unless that is kept, for as long as the store is away.

        Raises:
            StoreError: the store fails in another way.
        """
        if self._started is None:
            self._started = await self.writer.persist_beginning(*self.seats.beginning)

    async def replace_key(self, seat: Seat, key: str) -> None:
        """Keep the digest of a new key of a seat that is taken, and then let it play the seat.

        Raises:
            PeerError: the game is over meanwhile, or has just been accepted.
            StoreError: the store fails.
        """
        before = self._state
        await self.writer.set_key(seat, key)
        if self.phase is GamePhase.OVER:
            raise PeerError(Subcode.OVER, "the game is over")
        if isinstance(before, Offered) and self._state is not before:  # it begins with the old key
            raise PeerError(Code.BUSY, "the game begins: resume it in a moment")
        self.seats = self.seats.set_key(seat, key)

    def withdraw(self) -> Deferred[None] | None:
        """Take the offer back; fires once the store has that, None if there is no need to wait.

        Raises:
            PeerError: the game has begun.
        """
        offered = self._state
        if not isinstance(offered, Offered):
            raise PeerError(Subcode.BEGUN, "the game has begun")
        self._end(None)
        offered.pair_wait.cancel()
        return self.writer.drop()

    # -- begun ------------------------------------------------------------------------------

    def wait(self, reactor: Reactor) -> None:
        """Begin although a participant may be away: no clock runs until both are present."""
        limit = LASTING if self.is_lasting else RETURN
        self._move(GameEvent.WAIT, ReturnWait(reactor, self.seats.participants, limit))
        live = self.live
        live.turn_time, live.abort = _no_clock, self.abort
        live.begin(*self.seats.names)
        game = self.refereed()
        for seat, token, seconds in game.played:
            live.turn(seat.key, token, seconds)
        live.on_turn = game.to_move.key

    def refereed(self) -> Game:
        """The game for the referee, once both seats are taken; not started."""
        move = LASTING if self.is_lasting else self._limits.move
        return Game(
            GameSetup(
                id=self.live.id,
                rules=self.live.rules,
                names=self.seats.names,
                clock=parse_clock(self.live.clock),
                limits=attrs.evolve(self._limits, move=move),
                played=self._played,
            )
        )

    async def play(self, world: World, links: Links) -> Finished:
        """Play the game to its end."""
        playing = GameInPlay(
            world,
            self.refereed(),
            self.live,
            self.seats.participants,
            links,
            self.writer,
            self._ended,
        )
        was_begun = self.is_begun
        self._move(GameEvent.BEGIN, playing)
        self.live.abort = self.abort
        if not was_begun:
            self.live.begin(*self.seats.names)
        playing.start(self._started, self.since(world.calendar()))
        self._begun.answer()
        return await playing.done

    def put(self, seat: Seat, text: str, number: int | None) -> Deferred[None]:
        """Play a human's turn as soon as the game has begun; fires once it is played and kept.

        A resignation ends a game that waits for its participants, too.

        Raises:
            PeerError: the turn is refused.
        """
        match self._state:
            case GameInPlay() as playing:
                return playing.put(seat, text, number)
            case ReturnWait() if text.lower() == "resign":
                return self.decide(won(seat.other, Reason.RESIGN))
            case Over():
                raise PeerError(Subcode.OVER, "the game is over")
        return self._begun.add().addCallback(lambda _: self.put(seat, text, number))

    def take_back(self, seat: Seat, *, agrees: bool, length: int | None) -> Deferred[None] | None:
        """Ask to take back a turn, or answer the one who asks, as `GameInPlay.take_back`.

        Raises:
            PeerError: the game is not in play, or there is nothing to take back or to answer.
        """
        if isinstance(self._state, GameInPlay) and not self._state.is_over:
            return self._state.take_back(seat, agrees=agrees, length=length)
        raise PeerError(Code.ILLEGAL, "the game is not in play")

    def note_presence(self, seat: Seat, *, is_here: bool) -> None:
        """Note whether the human of a seat is present, for whom the game may wait."""
        if isinstance(self._state, ReturnWait):
            self._state.note_presence(seat, is_here=is_here)

    def decide(self, termination: Termination) -> Deferred[None]:
        """End the game as soon as it has begun; fires once it is over.

        Raises:
            PeerError: it is over.
        """
        match self._state:
            case GameInPlay() | ReturnWait() as state:
                ended = self._ended.add()
                state.decide(termination)
                return ended
            case Over():
                raise PeerError(Subcode.OVER, "the game is over")
        return self._begun.add().addCallback(lambda _: self.decide(termination))

    def abort(self, reason: str) -> None:
        """End the game as void as soon as it has begun; no request waits for that."""
        self.decide(void(reason)).addErrback(lambda _: None)

    # -- over -------------------------------------------------------------------------------

    def finish(self, record: GameRecord) -> None:
        """End the game by a record that is kept."""
        self._end(record)
        self._ended.answer()

    def fail(self, refusal: PeerError) -> None:
        """End a game that never began, or could not be kept."""
        self._end(None)
        self._ended.refuse(refusal)

    def suspend(self, refusal: PeerError) -> None:
        """End the game for now: ``refusal`` says that it is restored later."""
        self._end(None, refusal)
        self._ended.refuse(refusal)

    def _end(self, record: GameRecord | None, refusal: PeerError | None = None) -> None:
        state = self._state
        self._move(GameEvent.END, Over())
        self.live.end(record, None if refusal is None else refusal.text)
        calls, self._calls = self._calls, []
        for call in calls:
            call(self)
        self._begun.answer()
        if isinstance(state, GameInPlay):
            state.refuse(refusal or PeerError(Subcode.OVER, "the game is over"))

    def _move(self, event: GameEvent, state: State) -> None:
        """Make the transition of ``event``, to the value of the next phase."""
        if TRANSITIONS.get((self.phase, event)) is not state.phase:
            raise ValueError(f"{self.phase} to {state.phase} by {event}")
        self._state = state


def _no_clock() -> None:
    """The running clock of a game that waits for its participants: there is none."""
