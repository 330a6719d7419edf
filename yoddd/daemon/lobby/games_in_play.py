"""Plays the games of the lobby to their records; with a store they are kept turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import attrs
from twisted.internet.defer import CancelledError, Deferred, DeferredList
from twisted.internet.task import deferLater
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import wall
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.play.game_runner import GameRunner, Keeper
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.human import HumanParticipant
from yoddd.daemon.play.live_games import RATED, LiveGame
from yoddd.daemon.play.pair_wait import PairWait
from yoddd.daemon.play.participants import AttachedParticipant, Links, Participant
from yoddd.protocol.arguments import code_of
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.protocol.origin import Origin, fold
from yoddd.referee import Game, TurnPlayed, parse_clock
from yoddd.referee.effects import Finished, TurnsTakenBack
from yoddd.referee.game_setup import GameSetup, WaitLimits
from yoddd.referee.seat import Seat
from yoddd.referee.terminations import Reason, Termination, forfeit, void
from yoddd.rules import IllegalTurn, Turn, TurnKind, make_rules
from yoddd.store.errors import StoreAway, StoreError
from yoddd.store.values import State

if TYPE_CHECKING:  # its libraries are an extra
    from yoddd.daemon.lobby.ledger import Ledger
    from yoddd.store.values import GameRow

T = TypeVar("T")

PATIENCE: Final = WaitLimits(launch=3600.0, move=3600.0, resume=60.0)
"""The limits of a lobby game in seconds: a human has an hour for a turn without a clock."""

LASTING: Final = 7 * 86400.0
"""Seconds for a turn without a clock where both are human and the game is not rated.

After a restart they have as long to return.
"""

RETURN: Final = 600.0
"""Seconds that both sides of another game have to return after a restart."""

AGAIN: Final = 2.0
"""Seconds between two attempts to reach a store that was unavailable."""


@attrs.frozen
class TakeBack:
    """A participant's request to take turns back; it lapses with the next turn.

    Attributes:
        seat: who asks.
        length: how many turns would be left.
        turns: how many there were when it was made.
    """

    seat: Seat
    length: int
    turns: int


@attrs.define(eq=False)
class LobbyGame:
    """A game of the lobby, from its offer to its end.

    Attributes:
        live: the view of the spectators; it changes with every turn.
        seats: the participants; None for a seat until it is taken.
        number: in the store; None without a store.
        is_rated: whether its result counts; both participants then have accounts.
        accounts: the seats of the humans who had logged in when they took them.
        keys: by seat, the digest of the secret that plays for it; None for an engine's, and until
            it is taken.
        invited: the only user who may accept it; None for anyone.
        secret: the digest of what an invite is accepted with; None if it is for anyone.
        for_users: whether only users with an account may accept it.
        runner: runs the refereed game; None before it begins.
        pair_wait: the wait for both participants before the game.
        returning: the waits for both participants after a restart, or of an invite; empty before
            and otherwise.
        is_taken: whether an acceptance is being checked, or the game has begun; reset if the
            acceptance is refused.
        started: the calendar time of the beginning, set once the game has begun in the store; None
            before, and without a store.
        played: the turns from before a restart, with their seconds.
        begun: the requests that wait for the runner, fired once there is one, or there will be
            none; None until both seats are taken.
        origins: who has taken a seat; each has a share of the lobby's games.
        limits: how long its participants are waited for.
        is_challenge: whether it is against an engine that is another peer's than the human's.
        submitted: by seat, the request that waits until the human's turn is played and kept.
        ending: the requests that ended the game; fired once it is over.
        verdict: how it ends if that is decided while a participant is waited for; None before.
        asked: the request to take turns back that has been made last; None if it was answered.
        rewound: the requests that wait until turns are taken back.
    """

    live: LiveGame
    seats: list[Participant | None]
    number: int | None = None
    is_rated: bool = False
    accounts: set[Seat] = attrs.Factory(set)
    keys: list[str | None] = attrs.Factory(lambda: [None, None])
    invited: str | None = None
    secret: str | None = None
    runner: GameRunner | None = None
    pair_wait: PairWait = attrs.Factory(PairWait)
    returning: list[Deferred[EngineLink | None]] = attrs.Factory(list)
    is_taken: bool = False
    started: str | None = None
    played: tuple[tuple[str, float], ...] = ()
    begun: list[Deferred[None]] | None = None
    origins: list[Origin] = attrs.Factory(list)
    limits: WaitLimits = PATIENCE
    is_challenge: bool = False
    submitted: dict[Seat, Deferred[None]] = attrs.Factory(dict)
    ending: list[Deferred[None]] = attrs.Factory(list)
    verdict: Termination | None = None
    asked: TakeBack | None = None
    rewound: list[Deferred[None]] = attrs.Factory(list)
    for_users: bool = False

    @property
    def has_two_humans(self) -> bool:
        """Whether both seats are taken, by humans."""
        return all(isinstance(one, HumanParticipant) for one in self.seats)

    def is_free(self, seat: Seat) -> bool:
        """Whether the seat can be taken."""
        return self.seats[seat] is None and not self.is_taken

    def participant(self, seat: Seat) -> Participant:
        """The participant of a seat.

        Raises:
            ValueError: the seat is free.
        """
        participant = self.seats[seat]
        if participant is None:
            raise ValueError("the seat is free")
        return participant

    def name_of(self, seat: Seat) -> str:
        """The name of a seat's participant; empty for a free seat."""
        participant = self.seats[seat]
        return "" if participant is None else participant.name

    def is_user(self, seat: Seat, name: str) -> bool:
        """Whether the user called ``name`` has the seat."""
        return seat in self.accounts and fold(self.name_of(seat)) == fold(name)

    def has(self, name: str) -> bool:
        """Whether the human or engine called ``name`` has a seat."""
        return any(fold(self.name_of(seat)) == fold(name) for seat in Seat)

    @property
    def is_lasting(self) -> bool:
        """Whether its humans may take days: there is no engine that waits, and no rating."""
        return self.has_two_humans and not self.is_rated

    def check_acceptance(self, user: str | None, name: str) -> None:
        """Refuse a participant to whom the game is not offered.

        Raises:
            PeerError: the refusal.
        """
        if self.is_rated and user is None:
            raise PeerError(Subcode.LOG_IN, "log in for a rated game")
        if self.for_users and user is None:
            raise PeerError(Subcode.LOG_IN, "log in: it is offered to users with an account")
        if self.is_rated and any(self.is_user(seat, name) for seat in Seat):
            raise PeerError(Subcode.SELF, "no rated game against yourself")
        if self.invited is not None and fold(user or "") != fold(self.invited):
            raise PeerError(Subcode.RESERVED, f"{self.live.id} is offered to {self.invited}")

    def setup(self) -> GameSetup:
        """The settings of the game, once both seats are taken."""
        limits = self.limits
        if self.is_lasting:
            limits = attrs.evolve(limits, move=LASTING)
        return GameSetup(
            id=self.live.id,
            rules=self.live.rules,
            names=(self.name_of(Seat.BLACK), self.name_of(Seat.WHITE)),
            clock=parse_clock(self.live.clock),
            limits=limits,
            played=self.played,
        )

    def submit(self, runner: GameRunner, seat: Seat, turn: Turn) -> Deferred[None]:
        """Hand a human's turn to the referee; fires once it is played and kept.

        A resignation fires once the game is over.

        Raises:
            PeerError: the referee refuses the turn.
        """
        try:
            effects = runner.game.submit(seat, turn, runner.now, runner.held)
        except IllegalTurn as error:
            code = code_of(error) if runner.game.to_move is seat else Subcode.PLAYER
            raise PeerError(code, error.reason) from None
        done: Deferred[None] = Deferred()
        if turn.kind is TurnKind.RESIGN:
            self.ending.append(done)
        else:
            self.submitted[seat] = done
        runner.perform(effects)
        return done

    def take_back(self, runner: GameRunner, length: int) -> Deferred[None]:
        """Continue after the first ``length`` turns; fires once that is kept.

        Raises:
            PeerError: the referee refuses.
        """
        try:
            effects = runner.game.take_back(length, runner.now)
        except IllegalTurn as error:
            raise PeerError(Code.ILLEGAL, error.reason) from None
        self.asked = None
        done: Deferred[None] = Deferred()
        self.rewound.append(done)
        runner.perform(effects)
        return done

    def rewind(self, length: int) -> None:
        """Announce that turns are taken back, and answer the requests that wait for it."""
        if self.runner is not None:
            self.live.on_turn = self.runner.game.to_move.key
        self.live.rewind(length)
        rewound, self.rewound = self.rewound, []
        _fire(rewound)
        self.refuse(PeerError(Code.ILLEGAL, "turns were taken back"))

    def decide(self, termination: Termination) -> Deferred[None]:
        """End the game, which has begun or waits after a restart; fires once it is over."""
        done: Deferred[None] = Deferred()
        self.ending.append(done)
        if self.runner is not None:
            self.runner.perform(self.runner.game.terminate(termination, self.runner.now))
        else:
            self.verdict = termination
            _cancel_all(self.returning)
        return done

    def note_presence(self, seat: Seat, *, is_here: bool) -> None:
        """Note whether the human of a seat is present, for whom the game may wait."""
        human = self.seats[seat]
        if not isinstance(human, HumanParticipant):
            return
        if is_here:
            human.connect()
        elif self.returning:
            human.disconnect()

    def acknowledge(self, seat: Seat) -> None:
        """Answer the request whose turn is now played and kept."""
        done = self.submitted.pop(seat, None)
        if done is not None:
            done.callback(None)

    def refuse(self, refusal: PeerError) -> None:
        """Answer the requests that were not carried out before the game ended or went back."""
        waiting = [*self.submitted.values(), *self.rewound]
        self.submitted, self.rewound = {}, []
        for done in waiting:
            done.errback(refusal)


class GamesInPlay:
    """Plays the games of the lobby.

    Attributes:
        kept: the games in the store whose seats are taken and that are not over.
        suspended: the ids of those that wait for the store and cannot be resumed yet.
    """

    log = Logger()

    def __init__(
        self,
        games: GameServices,
        ledger: Ledger | None,
        forget: Callable[[LobbyGame], None],
        adopt: Callable[[LobbyGame], None] = lambda _: None,
    ) -> None:
        """Create it without games.

        Args:
            games: the engines and games of the daemon.
            ledger: keeps the games; None without a store.
            forget: is called with each game that is over, whose keys are now void.
            adopt: is called with each game that is restored, whose keys are valid again.
        """
        self.kept: list[LobbyGame] = []
        self.suspended: set[str] = set()
        self._games = games
        self._ledger = ledger
        self._forget = forget
        self._adopt = adopt

    def withdraw(self, game: LobbyGame) -> Deferred[None] | None:
        """Drop an offer that is taken back; fires once the store has, None without one."""
        if game.number is None or self._ledger is None:
            return None
        return self._ledger.drop(game.number)

    def start(self, game: LobbyGame) -> Deferred[None]:
        """Play a game whose seats are taken; fires when it is over."""
        game.begun = []
        if game.number is not None:
            self.kept.append(game)
        played = Deferred.fromCoroutine(self._play(game))
        played.addErrback(self._failed, game)
        return played

    def restore(self, rows: Iterable[GameRow]) -> None:
        """Continue the games that a restart has interrupted, once the participants are back.

        An invite can be accepted again.
        """
        for row in rows:
            game = self._read(row)
            self._adopt(game)
            if row.state is State.PLAYING:
                self.start_when_here(game)

    def _read(self, row: GameRow) -> LobbyGame:
        settled = row.settled
        names = (settled.black, settled.white)
        options = dict(word.split("=", 1) for word in settled.options.split())
        rules = make_rules(settled.game, settled.board, options)
        live = LiveGame(row.id, rules, settled.clock, names, expires=settled.expires)
        live.terms = RATED if settled.rated else ()
        game = LobbyGame(
            self._games.live.add(live), [None, None], row.number, is_rated=settled.rated
        )
        game.keys[:] = settled.keys
        game.secret = settled.invite
        game.started = row.started
        game.played = tuple((turn.token, turn.seconds) for turn in row.turns)
        for seat, name in zip(Seat, names, strict=True):
            if name is None:
                continue
            if seat.key in settled.engines:
                game.seats[seat] = AttachedParticipant(self._games.engines, name)
                continue
            game.seats[seat] = HumanParticipant(name, is_available=False)
            if seat.key in row.accounts:
                game.accounts.add(seat)
        return game

    def start_when_here(self, game: LobbyGame) -> None:
        """Play a game whose participants may be away: no clock runs until both are there."""
        game.is_taken = True
        game.live.turn_time = _no_clock
        game.live.begin(*(game.name_of(seat) for seat in Seat))
        refereed = Game(game.setup())
        for seat, token, seconds in refereed.played:
            game.live.turn(seat.key, token, seconds)
        game.live.on_turn = refereed.to_move.key
        self.start(game)

    # -- one game ---------------------------------------------------------------------------

    async def _play(self, game: LobbyGame) -> None:
        if game.live.state == "playing":  # it is restored, or an invite
            arrived = await self._wait_for_return(game, LASTING if game.is_lasting else RETURN)
        else:
            seats = (game.participant(seat) for seat in Seat)
            arrived = await game.pair_wait.wait_for_links(*seats)
        refereed = Game(game.setup())
        if isinstance(arrived, Termination):
            finished = self._not_played(game, refereed, arrived)
        else:
            finished = await self._run(game, refereed, arrived)
        await self._close(game, finished)

    async def _wait_for_return(self, game: LobbyGame, limit: float) -> Links | Termination:
        """Both links, or the termination if a participant does not return in time."""
        end = self._games.reactor.seconds() + limit
        while True:
            links = await self._returned(game, end - self._games.reactor.seconds())
            missing = [seat for seat in Seat if isinstance(links[seat], Failure)]
            is_complete = all(game.participant(seat).is_available for seat in Seat)
            if not missing and is_complete:
                return cast("Links", links)
            self._release(game, links)
            if game.verdict is not None:
                return game.verdict
            if len(missing) == 1:
                detail = f"not there to go on within {limit:g} s"
                return forfeit(missing[0], Reason.DISCONNECT, detail)
            if missing:
                return void(f"neither side was there to go on within {limit:g} s")
            # A human who was back has left again before the other came.

    async def _returned(
        self, game: LobbyGame, limit: float
    ) -> tuple[EngineLink | Failure | None, EngineLink | Failure | None]:
        """The links of both, or failures of those who are not back in time."""
        returning = game.returning = [game.participant(seat).engine() for seat in Seat]
        alarm = self._games.reactor.callLater(max(0.0, limit), _cancel_all, returning)
        (_, black), (_, white) = await DeferredList(returning, consumeErrors=True)
        if alarm.active():
            alarm.cancel()
        return black, white

    def _release(self, game: LobbyGame, links: Iterable[EngineLink | Failure | None]) -> None:
        for seat, link in zip(Seat, links, strict=True):
            if link is not None and not isinstance(link, Failure):
                game.participant(seat).release(link, busy=False)

    def _not_played(self, game: LobbyGame, refereed: Game, termination: Termination) -> Finished:
        now = self._games.reactor.seconds()
        effects = refereed.start(now, game.started or wall(), _since(game.started))
        effects += refereed.terminate(termination, now)  # empty if the last turn had been played
        return next(effect for effect in effects if isinstance(effect, Finished))

    async def _run(self, game: LobbyGame, refereed: Game, links: Links) -> Finished:
        live, black, white = game.live, game.participant(Seat.BLACK), game.participant(Seat.WHITE)
        game.is_taken = True  # it cannot be withdrawn any more
        if self._ledger is not None and game.number is not None and game.started is None:
            game.started = await self._persist(lambda: self.begin(game))

        def seen(turn: TurnPlayed) -> None:
            live.on_turn = refereed.to_move.key
            live.turn(turn.seat.key, turn.token, turn.seconds)
            game.acknowledge(turn.seat)

        runner = GameRunner(
            self._games.reactor,
            refereed,
            (black, white),
            links,
            seen,
            keeper=Keeper(
                self._keeper(game),
                lambda effect: Deferred.fromCoroutine(self._rewind(game, effect)),
            ),
        )
        game.runner = runner
        live.abort = runner.abort
        live.on_turn = refereed.to_move.key
        live.lingers = game.has_two_humans
        if live.is_open:
            live.begin(black.name, white.name)
        runner.start(game.started, _since(game.started))
        live.start_clock(runner.turn_time)
        _fire(game.begun or ())
        return await runner.done

    async def begin(self, game: LobbyGame) -> str | None:
        """Keep that the game begins; the calendar time of it, None without a store.

        Raises:
            StoreError: the store fails.
        """
        if self._ledger is None or game.number is None:
            return None
        black, white = game.keys
        names = game.name_of(Seat.BLACK), game.name_of(Seat.WHITE)
        return await self._ledger.begin(game.number, *names, (black, white))

    def _keeper(self, game: LobbyGame) -> Callable[[TurnPlayed], Deferred[object]] | None:
        ledger, number = self._ledger, game.number
        if ledger is None or number is None:
            return None
        return lambda turn: Deferred.fromCoroutine(self._keep(ledger, number, turn))

    async def _rewind(self, game: LobbyGame, effect: TurnsTakenBack) -> None:
        ledger, number = self._ledger, game.number
        if ledger is not None and number is not None:
            await self._persist(lambda: ledger.rewind(number, effect.length))
        game.rewind(effect.length)

    async def _keep(self, ledger: Ledger, number: int, turn: TurnPlayed) -> None:
        """Keep a turn, whether or not the attempt that seemed to fail has kept it.

        Raises:
            StoreError: it cannot be kept.
        """
        try:
            await self._persist(lambda: _awaited(ledger.keep(number, turn)))
        except StoreError:
            if not await ledger.has(number, turn):
                raise

    async def _persist(self, write: Callable[[], Coroutine[Deferred[Any], Any, T]]) -> T:
        """Return the result of a write, tried again for as long as the store is away.

        No participant loses by that: the game waits, and its clocks stand still until the turn is
        sent.
        """
        while True:
            try:
                return await write()
            except StoreAway as error:
                reason = str(error)
                self.log.warn("waiting for the store: {reason}", reason=reason)  # noqa: G010 — Twisted's name
            await deferLater(self._games.reactor, AGAIN)

    async def _close(self, game: LobbyGame, finished: Finished) -> None:
        if self._ledger is not None and game.number is not None:
            ledger, number = self._ledger, game.number
            await self._persist(lambda: ledger.end(number, finished.record, rated=game.is_rated))
        game.live.end(finished.record)
        self._leave(game)
        for waiting in game.ending:
            waiting.callback(None)

    def _failed(self, failure: Failure, game: LobbyGame) -> None:
        """End a game that never began, or could not be kept."""
        refusal = PeerError(Code.INTERNAL)
        error = failure.value
        if isinstance(error, StoreError) and game.started:
            refusal = self._suspend(error, game, game.number)
        else:
            if failure.check(CancelledError) is None:
                self.log.failure("game {id} failed", failure, id=game.live.id)
            game.live.end(None)
            self._leave(game)
        for waiting in game.ending:
            waiting.errback(refusal)

    def _suspend(self, error: StoreError, game: LobbyGame, number: int | None) -> PeerError:
        """End the game for now: the store is unavailable."""
        self.log.warn("{text}", text=str(error))  # noqa: G010 — Twisted's name
        self.suspended.add(game.live.id)
        self._resume_later(number)
        refusal = PeerError(Code.BUSY, f"{game.live.id} waits for the store: resume it")
        game.live.end(None, refusal.text)
        self._games.live.remove(game.live)  # it is restored under the same id
        self._leave(game, refusal)
        return refusal

    def _resume_later(self, number: int | None) -> None:
        if self._ledger is not None and number is not None:
            ledger = self._ledger
            self._games.reactor.callLater(
                AGAIN, lambda: Deferred.fromCoroutine(self._resume(ledger, number))
            )

    async def _resume(self, ledger: Ledger, number: int) -> None:
        """Restore the game; try again if the store is unavailable."""
        try:
            rows = await ledger.in_play(number)
        except StoreError:
            self._resume_later(number)
        else:
            self.suspended -= {f"{letter}{number}" for letter in "rt"}
            self.restore(rows)

    def _leave(self, game: LobbyGame, refusal: PeerError | None = None) -> None:
        """Forget a game that is over, and answer the requests that wait for it."""
        self._forget(game)
        if game in self.kept:
            self.kept.remove(game)
        if game.runner is None:
            _fire(game.begun or ())
        game.refuse(refusal or PeerError(Subcode.OVER, "the game is over"))


async def _awaited(done: Deferred[T]) -> T:
    return await done


def _no_clock() -> None:
    """The running clock of a game that waits for its participants: there is none."""


def _fire(waiting: Iterable[Deferred[None]]) -> None:
    for one in waiting:
        one.callback(None)


def _cancel_all(waiting: Iterable[Deferred[EngineLink | None]]) -> None:
    for one in waiting:
        one.cancel()


def _since(started: str | None) -> float:
    """Seconds since a calendar time, not below 0 if the calendar was set back; 0 for None."""
    if started is None:
        return 0.0
    return max(0.0, (datetime.now(UTC) - datetime.fromisoformat(started)).total_seconds())
