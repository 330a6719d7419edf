"""One game between two engines, as a state machine: events in, effects out.

It does no I/O and knows no time but what its events say, so the same events always give the same
game. The referee's own rules decide what is legal and who has won; an engine is only asked.

Life cycle::

    NEW --start--> SETTING_UP --both engines are at the start--> PLAYING --ending--> OVER
                        |                                                              ^
                        +-----------------------------ending---------------------------+

Every seat has one request outstanding at most, and a queue of what is asked next. Once both seats
are idle with empty queues, play begins; from then on each turn puts ``play``, ``time_left`` and
``genmove`` into the opponent's queue.
"""

from __future__ import annotations

import enum
import re
from collections import deque
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

import attrs

from yoddd.notation import NotationError, format_position, format_turn, parse_position, parse_turn
from yoddd.notation.records import GameRecord
from yoddd.protocol.controller import EngineInfo, ReplyReceived
from yoddd.referee import orders
from yoddd.referee.clock import Clock
from yoddd.referee.effects import Ask, Effect, Finished, TurnPlayed, WakeAt
from yoddd.referee.law import Ending, Reason, Seat, forfeit, void, won
from yoddd.referee.orders import Order, Purpose
from yoddd.referee.seeds import derive_seed
from yoddd.referee.setup import GameSetup
from yoddd.rules import Colour, IllegalTurn, Position, PositionLike, Turn, TurnKind

_SHOWN: Final = 80
_SCORE: Final = re.compile(r"([bw])\+.*", re.ASCII | re.IGNORECASE)
_OWED: Final = (Purpose.GENMOVE, Purpose.VERDICT)
_STRANGER: Final = EngineInfo(name="", version="", protocol="", commands=frozenset())


class GameError(ValueError):
    """A game that cannot be begun as described: the organiser's mistake, no engine's."""


class UnexpectedEvent(RuntimeError):
    """An event that cannot happen at this stage: the caller's mistake, no engine's."""


class Stage(enum.Enum):
    """Where a game is in its life."""

    NEW = "new"
    SETTING_UP = "setting up"
    PLAYING = "playing"
    OVER = "over"


@attrs.define
class _Chair:
    """What the referee keeps about one person.

    Attributes:
        clock: theirs.
        engine: what their engine says about itself; nothing before the first handshake.
        is_present: whether the engine is there and has shaken hands.
        queue: what it will be asked.
        order: what it was asked and has not answered.
        deadline: when it must have answered, be back, or have shaken hands; None for never.
        overdue: the reason that the deadline gives.
        waiting_for: what the deadline is for, in words.
    """

    clock: Clock
    engine: EngineInfo = _STRANGER
    is_present: bool = False
    queue: deque[Order] = attrs.field(factory=deque)
    order: Order | None = None
    deadline: float | None = None
    overdue: Reason = Reason.STALL
    waiting_for: str = ""

    def expect(self, what: str, limit: float, now: float, reason: Reason = Reason.STALL) -> None:
        """Set the deadline ``limit`` seconds from now."""
        self.deadline = now + limit
        self.overdue = reason
        self.waiting_for = f"{what} within {limit:g} s"

    @property
    def is_free(self) -> bool:
        """Whether it can be asked something."""
        return self.is_present and self.order is None


class Game:
    """One game; see the module for its life cycle.

    Every event method takes ``now``, seconds of one monotonic clock, and returns the effects in
    the order in which they are to be carried out.

    Attributes:
        setup: what was settled before.
        stage: where the game is.
        position: the board as it stands; to be looked at only.
    """

    def __init__(self, setup: GameSetup) -> None:
        """Prepare the board.

        Raises:
            GameError: the start position or the opening does not go with the rules, or leaves
                nothing to play; or a name is empty.
        """
        self.setup = setup
        self.stage = Stage.NEW
        self._chairs = tuple(_Chair(Clock(control)) for control in setup.clocks)
        self._verdicts: dict[Seat, Colour | None] = {}
        self._line: str | None = None
        self._swapped = False
        self._turns: list[tuple[Colour, str]] = []
        self._times: list[float] = []
        self._players: list[Seat] = []
        self._started = 0.0
        self._wall = datetime.min.replace(tzinfo=UTC)
        self._alarm: float | None = None
        try:
            self.position = self._start_position()
            for token in setup.opening:
                self._play(parse_turn(token, setup.rules, self.position.player), 0.0)
            self._check_opening()
            for token, seconds in setup.played:
                self._chairs[self.on_turn].clock.charge(seconds)
                self._play(parse_turn(token, setup.rules, self.position.player), seconds)
        except (NotationError, IllegalTurn) as error:
            raise GameError(f"opening: {error}") from None

    def _start_position(self) -> PositionLike:
        if self.setup.position is None:
            return Position(self.setup.rules)
        position = parse_position(self.setup.position)
        self._line = format_position(position)
        return position

    def _check_opening(self) -> None:
        if not all(name.strip() for name in self.setup.names):
            raise GameError("a name is empty")
        if self.position.rules != self.setup.rules:
            raise GameError("the start position has other rules than the game")
        if self.position.is_over:
            raise GameError("the game is over before it has begun")

    # -- who is who -------------------------------------------------------------------------

    def seat_of(self, colour: Colour) -> Seat:
        """The person who has ``colour`` now."""
        return Seat(colour ^ self._swapped)

    def colour_of(self, seat: Seat) -> Colour:
        """The colour that the person has now."""
        return Colour(seat ^ self._swapped)

    @property
    def on_turn(self) -> Seat:
        """The person on turn."""
        return self.seat_of(self.position.player)

    @property
    def played(self) -> list[tuple[Seat, str, float]]:
        """The turns so far: who played them, their tokens, and the seconds that they took."""
        tokens = (token for _, token in self._turns)
        return list(zip(self._players, tokens, self._times, strict=True))

    # -- events -----------------------------------------------------------------------------

    def start(self, now: float, wall: str, since: float = 0.0) -> list[Effect]:
        """Open the game: from now on both engines are waited for.

        Args:
            now: the monotonic clock; all times count from here.
            wall: when the game was begun by the calendar, ISO 8601 with an offset or Z.
            since: seconds that have passed since then; more than 0 after a restart.

        Raises:
            UnexpectedEvent: the game was started before.
        """
        if self.stage is not Stage.NEW:
            raise UnexpectedEvent("started twice")
        self.stage = Stage.SETTING_UP
        self._started = now - since
        self._wall = datetime.fromisoformat(wall).astimezone(UTC)
        outcome = self.position.outcome()
        if outcome is not None:  # the restart came between the last turn and the result
            return self.impose(won(self.seat_of(outcome.winner), Reason.GROUPS), now)
        for chair in self._chairs:
            chair.expect("no handshake", self.setup.limits.launch, now)
        return self._wait([])

    def ready(self, seat: Seat, engine: EngineInfo, now: float) -> list[Effect]:
        """The engine of ``seat`` has shaken hands, at the beginning or after a lost connection.

        Raises:
            UnexpectedEvent: it was there already, or the game was not started.
        """
        if self.stage is Stage.OVER:
            return []
        self._check_started()
        chair = self._chairs[seat]
        if chair.is_present:
            raise UnexpectedEvent(f"{seat!r} is there already")
        late = self._overdue(seat, now, inclusive=False)
        if late is not None:
            return self.impose(late, now)
        if engine.problem is not None:
            return self.impose(forfeit(seat, Reason.PROTOCOL, engine.problem), now)
        if not orders.can_start(engine, self._line):
            name = self.setup.names[seat]
            return self.impose(void(f"{name} cannot be given a position: it lists none"), now)
        # After a lost connection the set-up covers all turns; only a turn still owed remains.
        owed = [order for order in chair.queue if order.purpose in _OWED]
        chair.engine = engine
        chair.is_present = True
        chair.deadline = None
        chair.queue = deque([*orders.set_up(engine, self._task(seat)), *owed])
        return self._wait(self._ask(now))

    def lost(self, seat: Seat, detail: str, now: float) -> list[Effect]:
        """The connection to the engine of ``seat`` is gone; it has the resume window to return.

        Its clock runs on. Within the window `ready` resumes the game.
        """
        if self.stage is Stage.OVER:
            return []
        self._check_started()
        if not self.setup.limits.resume:
            return self.impose(forfeit(seat, Reason.DISCONNECT, detail), now)
        chair = self._chairs[seat]
        if not chair.is_present:
            return []
        chair.is_present = False
        if chair.order is not None:
            chair.queue.appendleft(chair.order)
            chair.order = None
        window = self.setup.limits.resume
        chair.expect(f"{detail}; not resumed", window, now, Reason.DISCONNECT)
        return self._wait([])

    def reply(self, seat: Seat, reply: ReplyReceived, now: float) -> list[Effect]:
        """The engine of ``seat`` has answered what it was asked.

        Raises:
            UnexpectedEvent: it was not asked anything.
        """
        if self.stage is Stage.OVER:
            return []
        chair = self._chairs[seat]
        order = chair.order
        if order is None:
            raise UnexpectedEvent(f"reply of {seat!r} to no question")
        chair.order = None
        late = self._overdue(seat, now, inclusive=False)
        if late is not None:
            return self.impose(late, now)
        chair.deadline = None
        if order.purpose is Purpose.GENMOVE:
            return self._answer(seat, reply, now)
        if order.purpose is Purpose.VERDICT:
            return self._heard(seat, reply, now)
        if order.purpose is Purpose.SETTING and not reply.ok:
            name = self.setup.names[seat]
            return self.impose(void(f"{name}: {_refusal(reply)}"), now)
        if order.purpose is Purpose.DUTY and not reply.ok:
            return self.impose(forfeit(seat, Reason.PROTOCOL, _refusal(reply)), now)
        return self._wait(self._ask(now))

    def sent(self, now: float) -> list[Effect]:
        """What was to be asked could only be sent now: the time for its answer counts from here.

        Only ``play`` follows a turn at once, so no clock has run meanwhile.
        """
        if self.stage is Stage.OVER:
            return []
        for chair in self._chairs:
            if chair.order is not None and chair.order.purpose is not Purpose.GENMOVE:
                self._set_deadline(chair, chair.order, now)
        return self._wait([])

    def wake(self, now: float) -> list[Effect]:
        """The time of a `WakeAt` has come; too early does no harm."""
        self._alarm = None
        if self.stage is Stage.OVER:
            return []
        for seat in self._by_deadline():
            ending = self._overdue(seat, now, inclusive=True)
            if ending is not None:
                return self.impose(ending, now)
        return self._wait([])

    def impose(self, ending: Ending, now: float) -> list[Effect]:
        """End the game by something that only the caller knows.

        That is a crash, a fault that the controller found, an adjudication, or a failure of the
        referee itself. Once the game is over this changes nothing: the first ending stands.
        """
        if self.stage is Stage.OVER:
            return []
        self._check_started()
        self.stage = Stage.OVER
        busy = tuple(seat for seat in Seat if self._chairs[seat].order is not None)
        return [Finished(ending, self._record(ending, now), busy)]

    def _check_started(self) -> None:
        if self.stage is Stage.NEW:
            raise UnexpectedEvent("not started yet")

    # -- asking -----------------------------------------------------------------------------

    def _task(self, seat: Seat) -> orders.Task:
        seed = self.setup.seed
        return orders.Task(
            rules=self.setup.rules,
            control=self.setup.clocks[seat],
            start=self._line,
            turns=self._turns,
            seed=None if seed is None else derive_seed(seed, seat),
            params=self.setup.params[seat],
        )

    def _ask(self, now: float) -> list[Effect]:
        """Put the next request to every engine that is free."""
        if self.stage is Stage.SETTING_UP and self._all_set_up():
            self.stage = Stage.PLAYING
            self._queue_genmove(self.on_turn)
        effects: list[Effect] = []
        for seat in Seat:
            chair = self._chairs[seat]
            if chair.queue and chair.is_free:
                chair.order = chair.queue.popleft()
                self._set_deadline(chair, chair.order, now)
                effects.append(Ask(seat, chair.order.command))
        return effects

    def _all_set_up(self) -> bool:
        return all(chair.is_free and not chair.queue for chair in self._chairs)

    def _queue_genmove(self, seat: Seat) -> None:
        chair = self._chairs[seat]
        chair.queue += orders.genmove(chair.engine, self.colour_of(seat), chair.clock)

    def _set_deadline(self, chair: _Chair, order: Order, now: float) -> None:
        if order.purpose is not Purpose.GENMOVE:
            chair.expect(f"no reply to {_shorten(order.command)}", self.setup.limits.reply, now)
            return
        if not chair.clock.is_running:
            chair.clock.start(now)
        if chair.clock.deadline is None:
            chair.expect("no reply to genmove", self.setup.limits.move, now)

    def _wait(self, effects: list[Effect]) -> list[Effect]:
        """Add the alarm that the game now needs, unless it is set already."""
        times = [when for chair in self._chairs for when in _deadlines(chair)]
        if times and min(times) != self._alarm:
            self._alarm = min(times)
            effects.append(WakeAt(self._alarm))
        return effects

    # -- time -------------------------------------------------------------------------------

    def _by_deadline(self) -> list[Seat]:
        return sorted(Seat, key=lambda seat: min(_deadlines(self._chairs[seat]), default=0.0))

    def _overdue(self, seat: Seat, now: float, *, inclusive: bool) -> Ending | None:
        """The forfeit of a seat whose time is up; a reply at the very moment is in time."""
        chair = self._chairs[seat]
        clock = chair.clock.deadline
        for when in sorted(_deadlines(chair)):
            if now > when or (inclusive and now == when):
                if when == clock:
                    control = self.setup.clocks[seat]
                    detail = f"turn {self.position.number} under {control}"
                    return forfeit(seat, Reason.TIME, detail)
                return forfeit(seat, chair.overdue, chair.waiting_for)
        return None

    # -- answers ----------------------------------------------------------------------------

    def _answer(self, seat: Seat, reply: ReplyReceived, now: float) -> list[Effect]:
        """Judge the answer to ``genmove``."""
        if not reply.ok:
            return self.impose(forfeit(seat, Reason.PROTOCOL, _refusal(reply)), now)
        if not reply.text:
            return self.impose(forfeit(seat, Reason.PROTOCOL, "empty reply to genmove"), now)
        try:
            turn = self._read_turn(reply.text)
        except (NotationError, IllegalTurn) as error:
            detail = f"{_shorten(reply.text)}: {_shorten(error.reason)}"
            return self.impose(forfeit(seat, Reason.ILLEGAL, detail), now)
        if turn.kind is TurnKind.RESIGN:
            return self.impose(won(seat.other, Reason.RESIGN), now)
        return self._played(seat, turn, now)

    def _read_turn(self, text: str) -> Turn:
        """The legal turn that ``text`` says.

        Raises:
            NotationError: it says no turn.
            IllegalTurn: it says one that may not be played.
        """
        turn = parse_turn(text, self.setup.rules, self.position.player)
        problem = self.position.illegality(turn)
        if problem is not None:
            raise IllegalTurn(problem)
        return turn

    def _played(self, seat: Seat, turn: Turn, now: float) -> list[Effect]:
        number, clock = self.position.number, self._chairs[seat].clock
        seconds = round(clock.stop(now), 6)
        colour, token = self._play(turn, seconds)
        seen = TurnPlayed(seat, colour, number, token, seconds, clock.remaining)
        outcome = self.position.outcome()
        if outcome is not None:
            return [seen, *self.impose(won(self.seat_of(outcome.winner), Reason.GROUPS), now)]
        certain = self.setup.adjudicator and self.setup.adjudicator(self.position)
        if certain:
            winner, detail = certain
            ending = won(self.seat_of(winner), Reason.ADJUDICATED, detail)
            return [seen, *self.impose(ending, now)]
        # After a swap the other person is on turn as well, with the colour given up.
        self._chairs[seat.other].queue.append(orders.play(colour, token))
        if not self._ask_verdicts():
            self._queue_genmove(seat.other)
        return self._wait([seen, *self._ask(now)])

    # -- agreement --------------------------------------------------------------------------

    def _ask_verdicts(self) -> bool:
        """Queue the question who has won, if it is time for it and both engines take it."""
        first = self.setup.agree_from
        if first is None or self.position.number <= first:
            return False
        if not all("final_score" in chair.engine.commands for chair in self._chairs):
            return False
        self._verdicts.clear()
        for chair in self._chairs:
            chair.queue.append(orders.verdict())
        return True

    def _heard(self, seat: Seat, reply: ReplyReceived, now: float) -> list[Effect]:
        """Take note of a verdict; the second one ends the game or lets it go on."""
        match = _SCORE.fullmatch(reply.text) if reply.ok else None
        self._verdicts[seat] = Colour("bw".index(match[1].lower())) if match else None
        if len(self._verdicts) == len(Seat):
            black, white = self._verdicts.values()
            if black is not None and black is white:
                detail = f"both sides agree on {black.title}"
                return self.impose(won(self.seat_of(black), Reason.ADJUDICATED, detail), now)
            self._queue_genmove(self.on_turn)
        return self._wait(self._ask(now))

    def _play(self, turn: Turn, seconds: float) -> tuple[Colour, str]:
        colour, token = self.position.player, format_turn(turn, self.setup.rules)
        self._players.append(self.seat_of(colour))
        self.position.play(turn)
        if turn.kind is TurnKind.SWAP:
            self._swapped = not self._swapped
        self._turns.append((colour, token))
        self._times.append(seconds)
        return colour, token

    # -- the record -------------------------------------------------------------------------

    def _record(self, ending: Ending, now: float) -> GameRecord:
        setup, rules = self.setup, self.setup.rules
        elapsed = timedelta(seconds=max(0.0, now - self._started))
        return GameRecord(
            id=setup.id,
            game=rules.game.name,
            board=rules.geometry.name,
            options=rules.options(),
            black=setup.names[Seat.BLACK],
            white=setup.names[Seat.WHITE],
            turns=tuple(token for _, token in self._turns),
            times=tuple(self._times),
            winner=None if ending.winner is None else ending.winner.key,
            reason=str(ending.reason),
            detail=ending.detail,
            blame=ending.blame_key,
            score=self._score() if ending.reason is Reason.GROUPS else None,
            started=_iso(self._wall),
            ended=_iso(self._wall + elapsed),
            clock=setup.clock_text,
            position=self._line,
            opening=len(setup.opening),
            seed=setup.seed,
            pair=setup.pair,
            leg=setup.leg,
            attempt=setup.attempt,
        )

    def _score(self) -> str | None:
        outcome = self.position.outcome()
        return f"{outcome.winner.letter.upper()}+{outcome.score}" if outcome else None


def _deadlines(chair: _Chair) -> Iterable[float]:
    return [when for when in (chair.deadline, chair.clock.deadline) if when is not None]


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _refusal(reply: ReplyReceived) -> str:
    return f"refused {_shorten(reply.command)}: {_shorten(reply.text)}"


def _shorten(text: str) -> str:
    """Foreign text on one printable line of bearable length."""
    line = "".join(char if char.isprintable() else "?" for char in " ".join(text.split()))
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"
