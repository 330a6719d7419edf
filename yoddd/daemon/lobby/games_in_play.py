"""Plays the games of the lobby to their records; rated games are kept turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar

import attrs
from twisted.internet.defer import CancelledError, Deferred, DeferredList
from twisted.internet.task import deferLater
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import wall
from yoddd.daemon.base.deferred_reply import deferred_reply
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.play.game_runner import GameRunner
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.human import HumanParticipant
from yoddd.daemon.play.live_games import LiveGame
from yoddd.daemon.play.pair_wait import PairWait
from yoddd.daemon.play.participants import AttachedParticipant, Links, Participant
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.lobby import LobbyReply
from yoddd.protocol.origin import Origin, fold
from yoddd.referee import Game, TurnPlayed, parse_clock
from yoddd.referee.effects import Finished
from yoddd.referee.game_setup import GameSetup, WaitLimits
from yoddd.referee.seat import Seat
from yoddd.referee.terminations import Reason, Termination, forfeit, void
from yoddd.rules import IllegalTurn, Turn, TurnKind, make_rules
from yoddd.store.errors import Fenced, StoreAway, StoreError

if TYPE_CHECKING:  # its libraries are an extra
    from yoddd.daemon.lobby.ledger import Ledger
    from yoddd.store.values import GameRow

T = TypeVar("T")

PATIENCE: Final = WaitLimits(launch=3600.0, move=3600.0, resume=60.0)
"""The limits of a lobby game in seconds: a human has an hour for a turn without a clock."""

RETURN: Final = 600.0
"""Seconds that both sides of a rated game have to return after a restart."""

AGAIN: Final = 2.0
"""Seconds between two attempts to reach a store that was unavailable."""


@attrs.define(eq=False)
class LobbyGame:
    """A game of the lobby, from its offer to its end.

    Attributes:
        live: the view of the spectators; it changes with every turn.
        seats: the participants; None for a seat until it is taken.
        number: in the store; None for a game that is not rated.
        invited: the only user who may accept it; None for anyone.
        runner: runs the refereed game; None before it begins.
        pair_wait: the wait for both participants before the game.
        returning: the waits for both participants after a restart; empty before and otherwise.
        is_taken: whether an acceptance is being checked, or the game has begun; reset if the
            acceptance is refused.
        started: the calendar time of the beginning, set once a rated game has begun in the store;
            None before, and for a game that is not rated.
        played: the turns from before a restart, with their seconds.
        begun: the requests that wait for the runner, fired once there is one, or there will be
            none; None until both seats are taken.
        origins: who has taken a seat; each has a share of the lobby's games.
        limits: how long its participants are waited for.
        is_challenge: whether it is against an engine that is another peer's than the human's.
        submitted: by seat, the request that waits until the human's turn is played and kept.
        resigned: the requests that resigned; fired once the game is over.
    """

    live: LiveGame
    seats: list[Participant | None]
    number: int | None = None
    invited: str | None = None
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
    resigned: list[Deferred[None]] = attrs.Factory(list)

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

    def is_human(self, seat: Seat, name: str) -> bool:
        """Whether the human called ``name`` has the seat."""
        human = self.seats[seat]
        return isinstance(human, HumanParticipant) and fold(human.name) == fold(name)

    def has(self, name: str) -> bool:
        """Whether the human or engine called ``name`` has a seat."""
        return any(fold(self.name_of(seat)) == fold(name) for seat in Seat)

    @property
    def humans(self) -> list[str]:
        """The humans who play, by their folded names."""
        return [fold(one.name) for one in self.seats if isinstance(one, HumanParticipant)]

    def check_acceptance(self, user: str | None, name: str) -> None:
        """Refuse a participant to whom the game is not offered.

        Raises:
            PeerError: the refusal.
        """
        if self.number is not None and user is None:
            raise PeerError(Code.DENIED, "log in for a rated game")
        if self.number is not None and any(self.is_human(seat, name) for seat in Seat):
            raise PeerError(Code.DENIED, "no rated game against yourself")
        if self.invited is not None and fold(user or "") != fold(self.invited):
            raise PeerError(Code.DENIED, f"{self.live.id} is offered to {self.invited}")

    def setup(self) -> GameSetup:
        """The settings of the game, once both seats are taken."""
        return GameSetup(
            id=self.live.id,
            rules=self.live.rules,
            names=(self.name_of(Seat.BLACK), self.name_of(Seat.WHITE)),
            clock=parse_clock(self.live.clock),
            limits=self.limits,
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
            raise PeerError(Code.ILLEGAL, error.reason) from None
        done: Deferred[None] = Deferred()
        if turn.kind is TurnKind.RESIGN:
            self.resigned.append(done)
        else:
            self.submitted[seat] = done
        runner.perform(effects)
        return done

    def leave(self, seat: Seat, detail: str) -> None:
        """The human of a seat has left for good: the game is lost, if it has begun."""
        if self.runner is not None:
            termination = forfeit(seat, Reason.DISCONNECT, detail)
            self.runner.perform(self.runner.game.terminate(termination, self.runner.now))

    def acknowledge(self, seat: Seat) -> None:
        """Answer the request whose turn is now played and kept."""
        done = self.submitted.pop(seat, None)
        if done is not None:
            done.callback(None)

    def refuse(self, refusal: PeerError) -> None:
        """Answer submitted turns that were not played before the game ended."""
        submitted, self.submitted = self.submitted, {}
        for done in submitted.values():
            done.errback(refusal)


class GamesInPlay:
    """Plays the games of the lobby.

    Attributes:
        rated: the rated games whose seats are taken and that are not over.
        suspended: the ids of those that wait for the store and cannot be resumed yet.
    """

    log = Logger()

    def __init__(
        self, games: GameServices, ledger: Ledger | None, forget: Callable[[LobbyGame], None]
    ) -> None:
        """Create it without games.

        Args:
            games: the engines and games of the daemon.
            ledger: keeps rated games; None where there are none.
            forget: is called with each game that is over, whose keys are now void.
        """
        self.rated: list[LobbyGame] = []
        self.suspended: set[str] = set()
        self._games = games
        self._ledger = ledger
        self._forget = forget

    def withdraw(self, game: LobbyGame) -> LobbyReply:
        """Drop an offer that is taken back."""
        if game.number is None or self._ledger is None:
            return ""
        dropped = self._ledger.drop(game.number)

        async def wait() -> str:
            await dropped
            return ""

        return deferred_reply(wait)

    def start(self, game: LobbyGame) -> Deferred[None]:
        """Play a game whose seats are taken; fires when it is over."""
        game.begun = []
        if game.number is not None:
            self.rated.append(game)
        played = Deferred.fromCoroutine(self._play(game))
        played.addErrback(self._failed, game)
        return played

    def restore(self, rows: Iterable[GameRow]) -> None:
        """Continue the games that a restart has interrupted, once the participants are back."""
        for row in rows:
            settled = row.settled
            names = (settled.black or "", settled.white or "")
            rules = make_rules(settled.game, settled.board)
            live = self._games.live.add(LiveGame(f"r{row.number}", rules, settled.clock, names))
            game = LobbyGame(live, [None, None], row.number, started=row.started, is_taken=True)
            game.played = tuple((turn.token, turn.seconds) for turn in row.turns)
            for seat in Seat:
                game.seats[seat] = (
                    AttachedParticipant(self._games.engines, names[seat])
                    if seat.key in settled.engines
                    else HumanParticipant(names[seat], is_available=False)
                )
            live.begin(*names)
            for seat, token, seconds in Game(game.setup()).played:
                live.turn(seat.key, token, seconds)
            self.start(game)

    def lose(self, game: LobbyGame) -> None:
        """Give up a game that another daemon owns now: nothing more of it is written here."""
        if self._ledger is not None and game.number is not None:
            self._ledger.lose(game.number)
        if game.runner is not None:
            game.runner.give_up(Fenced(f"another process has taken over {game.live.id}"))
        else:
            _cancel_all(game.returning)

    # -- one game ---------------------------------------------------------------------------

    async def _play(self, game: LobbyGame) -> None:
        is_restored = bool(game.live.state == "playing")
        arrived = await self._wait_for_links(game, RETURN if is_restored else None)
        refereed = Game(game.setup())
        if isinstance(arrived, Termination):
            finished = self._not_played(game, refereed, arrived)
        else:
            finished = await self._run(game, refereed, arrived)
        await self._close(game, finished)

    async def _wait_for_links(self, game: LobbyGame, limit: float | None) -> Links | Termination:
        """Both links, or the termination if a participant does not return in time."""
        if limit is None:
            return await game.pair_wait.wait_for_links(*(game.participant(seat) for seat in Seat))
        returning = game.returning = [game.participant(seat).engine() for seat in Seat]
        alarm = self._games.reactor.callLater(limit, _cancel_all, returning)
        (is_black, black), (is_white, white) = await DeferredList(returning, consumeErrors=True)
        if alarm.active():
            alarm.cancel()
        if is_black and is_white:
            return black, white
        detail = f"not back within {limit:g} s after the restart of the referee"
        if is_black or is_white:
            present, link = (Seat.BLACK, black) if is_black else (Seat.WHITE, white)
            if link is not None:
                game.participant(present).release(link, busy=False)
            return forfeit(present.other, Reason.DISCONNECT, detail)
        return void(f"neither side came back within {limit:g} s after the restart")

    def _not_played(self, game: LobbyGame, refereed: Game, termination: Termination) -> Finished:
        now = self._games.reactor.seconds()
        effects = refereed.start(now, game.started or wall(), _since(game.started))
        effects += refereed.terminate(termination, now)  # empty if the last turn had been played
        return next(effect for effect in effects if isinstance(effect, Finished))

    async def _run(self, game: LobbyGame, refereed: Game, links: Links) -> Finished:
        live, black, white = game.live, game.participant(Seat.BLACK), game.participant(Seat.WHITE)
        game.is_taken = True  # it cannot be withdrawn any more
        if self._ledger is not None and game.number is not None and game.started is None:
            begin, names = self._ledger.begin, (black.name, white.name)
            number = game.number
            game.started = await self._persist(lambda: begin(number, *names))

        def seen(turn: TurnPlayed) -> None:
            live.turn(turn.seat.key, turn.token, turn.seconds)
            game.acknowledge(turn.seat)

        runner = GameRunner(
            self._games.reactor, refereed, (black, white), links, seen, keep=self._keeper(game)
        )
        game.runner = runner
        live.abort = runner.abort
        if live.is_open:
            live.begin(black.name, white.name)
        runner.start(game.started, _since(game.started))
        _fire(game.begun or ())
        return await runner.done

    def _keeper(self, game: LobbyGame) -> Callable[[TurnPlayed], Deferred[object]] | None:
        ledger, number = self._ledger, game.number
        if ledger is None or number is None:
            return None
        return lambda turn: Deferred.fromCoroutine(self._keep(ledger, number, turn))

    async def _keep(self, ledger: Ledger, number: int, turn: TurnPlayed) -> None:
        """Keep a turn, whether or not the attempt that seemed to fail has kept it.

        Raises:
            StoreError: it cannot be kept.
        """
        try:
            await self._persist(lambda: _awaited(ledger.keep(number, turn)))
        except Fenced:
            raise
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
            await self._persist(lambda: ledger.end(number, finished.record))
        game.live.end(finished.record)
        self._leave(game)
        for waiting in game.resigned:
            waiting.callback(None)

    def _failed(self, failure: Failure, game: LobbyGame) -> None:
        """End a game that never began, moved to another daemon, or could not be kept."""
        refusal = PeerError(Code.INTERNAL)
        error = failure.value
        if isinstance(error, Fenced) or (isinstance(error, StoreError) and game.started):
            refusal = self._suspend(error, game, game.number)
        else:
            if failure.check(CancelledError) is None:
                self.log.failure("game {id} failed", failure, id=game.live.id)
            game.live.end(None)
            self._leave(game)
        for waiting in game.resigned:
            waiting.errback(refusal)

    def _suspend(self, error: StoreError, game: LobbyGame, number: int | None) -> PeerError:
        """End the game here for now: another node has it, or the store is unavailable."""
        self.log.warn("{text}", text=str(error))  # noqa: G010 — Twisted's name
        if isinstance(error, Fenced):
            text = str(error)
        else:
            text = f"{game.live.id} waits for the store"
            self.suspended.add(game.live.id)
            self._resume_later(number)
        refusal = PeerError(Code.BUSY, f"{text}: resume it")
        game.live.end(None, refusal.text)
        self._games.live.remove(game.live)  # its id is then looked up at the node that has it
        self._leave(game, refusal)
        return refusal

    def _resume_later(self, number: int | None) -> None:
        if self._ledger is not None and number is not None:
            ledger = self._ledger
            self._games.reactor.callLater(
                AGAIN, lambda: Deferred.fromCoroutine(self._resume(ledger, number))
            )

    async def _resume(self, ledger: Ledger, number: int) -> None:
        """Restore the game if this daemon still owns it; try again if the store is unavailable."""
        try:
            rows = await ledger.in_play(number)
        except StoreError:
            self._resume_later(number)
        else:
            self.suspended.discard(f"r{number}")
            self.restore(rows)

    def _leave(self, game: LobbyGame, refusal: PeerError | None = None) -> None:
        """Forget a game that is over, and answer the requests that wait for it."""
        self._forget(game)
        if game in self.rated:
            self.rated.remove(game)
        if game.runner is None:
            _fire(game.begun or ())
        game.refuse(refusal or PeerError(Code.ILLEGAL, "the game is over"))


async def _awaited(done: Deferred[T]) -> T:
    return await done


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
