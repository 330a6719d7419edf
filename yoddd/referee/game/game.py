"""One game between two participants, as a state machine: events in, effects out.

It does no I/O and has no time but that of its events, so the same events always give the same
game. The referee's own rules decide what is legal and who has won; an engine is only asked.

Life cycle::

    NEW --start--> SETTING_UP --both seats are set up--> PLAYING --termination--> OVER
                        |                                                          ^
                        +-----------------------termination------------------------+

Every engine has one request outstanding at most, and a queue of further ones. Once both seats are
idle with empty queues, play begins; from then on each turn puts ``play``, ``time_left`` and
``genmove`` into the queue of an opponent that is an engine, and prompts one that is human.

In a game by the day the clock of the side to move runs from the start on, also while no one is
connected. An engine is called and set up for each of its turns, and released after it.
"""

from __future__ import annotations

import enum
import math
from datetime import UTC, datetime, timedelta
from typing import Final

from yoddd.notation.evaluations import Evaluation
from yoddd.notation.reasons import Reason
from yoddd.protocol.controller import EngineInfo, ReplyReceived
from yoddd.referee.game import engine_requests
from yoddd.referee.game.adjudication import adjudicate
from yoddd.referee.game.clock import Clock
from yoddd.referee.game.effects import (
    Ask,
    Call,
    Effect,
    Finished,
    Paused,
    Prompt,
    Release,
    TurnPlayed,
    TurnsTakenBack,
    WakeAt,
)
from yoddd.referee.game.engine_requests import EngineRequest, Purpose
from yoddd.referee.game.engine_text import judge_text
from yoddd.referee.game.history import GameHistory
from yoddd.referee.game.seat_state import SeatState
from yoddd.referee.game.setup import GameSetup
from yoddd.referee.game.terminations import Termination, forfeit, void, won
from yoddd.referee.seat import SEATS, Seat
from yoddd.rules import (
    Colour,
    GameOver,
    IllegalTurn,
    LegalTurn,
    Turn,
    TurnKind,
)

MOST_EXCUSED: Final = 60.0
"""Seconds that the machine may take of one turn; with more the game is void."""


class UnexpectedEvent(RuntimeError):
    """An event that is impossible at this stage: the caller's mistake, no engine's."""


class Stage(enum.Enum):
    """The stages of a game's life cycle."""

    NEW = "new"
    SETTING_UP = "setting up"
    PLAYING = "playing"
    OVER = "over"


class Game:
    """One game; the module has its life cycle.

    Every event method takes ``now``, seconds of one monotonic clock, and returns the effects in
    the order in which they are to be carried out.

    Attributes:
        setup: the settings.
        stage: moved by `start`, by the end of the set-up and by `terminate`.
        history: the turns so far, and the current position; only the game changes it.
    """

    def __init__(self, setup: GameSetup) -> None:
        """Set up the position.

        Raises:
            GameError: as for `GameHistory`.
        """
        self.setup = setup
        self.history = GameHistory(setup)
        self.stage = Stage.NEW
        # By seat.
        self._states = tuple(SeatState(Clock(control)) for control in setup.clocks)
        # The winner in each engine's opinion, None without one; cleared before both are asked.
        self._verdicts: dict[Seat, Colour | None] = {}
        # The start of the game on the monotonic clock and by the calendar; set by `start`.
        self._started = 0.0
        self._wall = datetime.min.replace(tzinfo=UTC)
        # The moment of the last `WakeAt`; None once it has come.
        self._alarm: float | None = None
        self._charge_turns()
        clock = self._states[self.history.to_move].clock
        clock.used, clock.paused = setup.used, setup.paused

    def _charge_turns(self) -> None:
        for turn in self.history.after_opening:
            self._states[turn.seat].clock.charge(turn.seconds, self._states[turn.seat.other].clock)

    # -- events -----------------------------------------------------------------------------

    def start(self, now: float, wall: str, since: float = 0.0) -> list[Effect]:
        """Open the game: from now on both participants are waited for.

        Args:
            now: the monotonic clock; all times count from here.
            wall: the calendar's time of the game's beginning, ISO 8601 with an offset or Z.
            since: seconds that have passed since then; more than 0 after a restart.

        Raises:
            UnexpectedEvent: the game was started before.
        """
        if self.stage is not Stage.NEW:
            raise UnexpectedEvent("started twice")
        self.stage = Stage.SETTING_UP
        self._started = now - since
        self._wall = datetime.fromisoformat(wall).astimezone(UTC)
        outcome = self.history.position.outcome()
        if outcome is not None:  # the restart came between the last turn and the result
            return self._win(outcome.winner, Reason.GROUPS, now)
        for state in self._states if not self.setup.by_day else ():
            state.expect(self.setup.limits.launch, now, "no handshake")
        return self._wait([])

    def ready(self, seat: Seat, engine: EngineInfo, now: float) -> list[Effect]:
        """The engine of ``seat`` has shaken hands, at the beginning or after a lost connection.

        Raises:
            UnexpectedEvent: it was present already, or the game was not started.
        """
        if self.stage is Stage.OVER:
            return []
        state = self._absent(seat)
        late = self._overdue(seat, now, inclusive=False)
        if late is not None:
            return self.terminate(late, now)
        if engine.problem is not None:
            return self.terminate(forfeit(seat, Reason.PROTOCOL, engine.problem), now)
        if not engine_requests.can_start(engine, self.history.start):
            name = self.setup.names[seat]
            return self.terminate(void(f"{name} cannot be given a position: it lists none"), now)
        if self.setup.by_day:
            state.queue.clear()
        state.reconnect(
            engine, list(engine_requests.set_up(engine, self.history.engine_state(seat)))
        )
        if self.setup.by_day:
            self._queue_genmove(seat)
        return self._wait(self._ask(now))

    def join(self, seat: Seat, now: float, *, is_human: bool = True) -> list[Effect]:
        """The human of ``seat`` is present; nothing has to be set up.

        By the day an engine joins so, too, and is called when it has the turn.

        Raises:
            UnexpectedEvent: the seat was taken already, or the game was not started.
        """
        if self.stage is Stage.OVER:
            return []
        state = self._absent(seat)
        state.is_present = state.is_human = is_human
        state.is_joined, state.deadline = True, math.inf
        return self._wait(self._ask(now))

    def _absent(self, seat: Seat) -> SeatState:
        self._check_started()
        state = self._states[seat]
        if state.is_present:
            raise UnexpectedEvent(f"{seat!r} is there already")
        return state

    def lost(self, seat: Seat, reason: Reason, detail: str, now: float) -> list[Effect]:
        """The engine of ``seat`` is lost; only one that has disconnected may return.

        It has the resume window to do so, within which `ready` resumes the game; its clock runs on.

        Args:
            seat: the engine's.
            reason: what has happened: ``DISCONNECT``, ``CRASH`` if its process has ended,
                ``PROTOCOL`` if nothing more is read from it, ``VOID`` if it could not be started.
            detail: text for the record.
            now: when.
        """
        if self.stage is Stage.OVER:
            return []
        self._check_started()
        if reason is Reason.VOID:
            name = self.setup.names[seat]
            return self.terminate(void(f"{name} could not be started: {detail}"), now)
        can_return = bool(self.setup.limits.resume) or self.setup.by_day
        if reason is not Reason.DISCONNECT or not can_return:
            return self.terminate(forfeit(seat, reason, detail), now)
        state = self._states[seat]
        if not state.is_present:
            return []
        state.disconnect()
        if self.setup.by_day:
            state.is_called = True  # the caller waits for the next connection
            return []
        window = self.setup.limits.resume
        state.expect(window, now, f"{detail}; not resumed", Reason.DISCONNECT)
        return self._wait([])

    def submit(self, seat: Seat, turn: Turn, now: float, delay: float = 0.0) -> list[Effect]:
        """The human of ``seat`` plays ``turn``; ``resign`` is legal at any time.

        A turn that is submitted before it is due (see `prompted`) is played as soon as it is.
        ``delay`` is as in `reply`.

        Raises:
            IllegalTurn: the turn is refused, which changes nothing: the other side is to move,
                the rules forbid it, the game is over, or an earlier turn waits to be played.
            UnexpectedEvent: no human has the seat.
        """
        state = self._human(seat)
        if turn.kind is TurnKind.RESIGN:
            return self.terminate(won(seat.other, Reason.RESIGN), now)
        legal = self._judge(seat, turn)
        if not state.clock.is_running:
            state.turn = legal
            return []
        late = self._overdue(seat, now - delay, inclusive=False)
        return self._played(seat, legal, now) if late is None else self.terminate(late, now)

    def withdraw(self) -> bool:
        """Drop a turn that was submitted before it was due; return whether there was one."""
        state = self._states[self.history.to_move]
        turn, state.turn = state.turn, None
        return turn is not None

    def prompted(self, seat: Seat, now: float) -> list[Effect]:
        """The human of ``seat`` can see that the turn is due: its time counts from here.

        Raises:
            UnexpectedEvent: no human has the seat.
        """
        if self.stage is Stage.OVER:
            return []
        state = self._human(seat)
        state.begin_turn(self.setup.limits.move, now)
        turn, state.turn = state.turn, None
        return self._wait([]) if turn is None else self._played(seat, turn, now)

    def called(self, seat: Seat, now: float) -> list[Effect]:
        """The engine of ``seat`` is called for its turn, whose time counts from here."""
        if self.stage is Stage.OVER:
            return []
        self._states[seat].begin_turn(self.setup.limits.move, now)
        return self._wait([])

    def take_back(self, length: int, now: float) -> list[Effect]:
        """Both humans agree to continue after the first ``length`` turns.

        The clocks go back to where they were then. A turn that was submitted and has not been
        played is dropped.

        Raises:
            IllegalTurn: the game is not in play, has no such turn, or has an engine.
        """
        if self.stage is not Stage.PLAYING:
            raise IllegalTurn("the game is not in play")
        if not all(state.is_human for state in self._states):
            raise IllegalTurn("an engine takes no turn back")
        self.history.take_back(length)
        for state, control in zip(self._states, self.setup.clocks, strict=True):
            state.rewind(Clock(control))
        self._charge_turns()
        self._queue_genmove(self.history.to_move)
        return self._wait([TurnsTakenBack(length), *self._ask(now)])

    def pause(self, seconds: float, now: float) -> list[Effect]:
        """Both humans agree that no time is charged for ``seconds``, or until the next turn."""
        clock = self._states[self.history.to_move].clock
        clock.pause(seconds, now)
        used = clock.elapsed(now) or 0.0
        return self._wait([Paused(len(self.history.turns), used, seconds)])

    def turn_time(self, now: float) -> tuple[Seat, float] | None:
        """The seat whose turn is due, and the seconds that are charged; None without a turn."""
        for seat in Seat:
            elapsed = self._states[seat].clock.elapsed(now)
            if elapsed is not None:
                return seat, elapsed
        return None

    def time_left(self, now: float) -> float | None:
        """Seconds that the clock leaves for the turn that is due; None without, or no limit."""
        clock = self._states[self.history.to_move].clock
        if clock.deadline is None:
            return None
        return max(0.0, clock.deadline - now - clock.pause_left(now))

    def pause_left(self, now: float) -> float:
        """Seconds for which no time is charged."""
        return self._states[self.history.to_move].clock.pause_left(now)

    def _human(self, seat: Seat) -> SeatState:
        state = self._states[seat]
        if not state.is_human:
            raise UnexpectedEvent(f"{seat!r} has no human")
        return state

    def _judge(self, seat: Seat, turn: Turn) -> LegalTurn:
        """Judge a human's turn.

        Raises:
            IllegalTurn: as for `submit`.
        """
        if self.history.to_move is not seat:
            raise IllegalTurn(f"{self.history.position.player.title.lower()} to move")
        legal = self.history.position.judge(turn)
        if self.stage is Stage.OVER:
            raise GameOver
        if self._states[seat].turn is not None:
            raise IllegalTurn("your turn is on its way")
        return legal

    def lateness(self, seat: Seat, now: float) -> float:
        """Seconds by which the present turn of a seat is late, whatever was excused."""
        return self._states[seat].clock.lateness(now)

    def reply(
        self,
        seat: Seat,
        reply: ReplyReceived,
        now: float,
        machine: float | None = None,
        delay: float = 0.0,
    ) -> list[Effect]:
        """The engine of ``seat`` has replied to its request.

        Args:
            seat: the engine's.
            reply: what it said.
            now: when.
            machine: seconds since the request that the machine took, not the engine: by so much
                the reply may be late. None if unknown.
            delay: seconds by which the referee is late to act on its alarm. What arrives before
                that is in time.

        Raises:
            UnexpectedEvent: no request was outstanding.
        """
        if self.stage is Stage.OVER:
            return []
        state = self._states[seat]
        request = state.request
        if request is None:
            raise UnexpectedEvent(f"reply of {seat!r} to no question")
        state.clock.excuse(machine or 0.0)
        late = self._overdue(seat, now - delay, inclusive=False)
        state.request = None  # only now: a deadline that is over names its request
        if delay:
            machine = max(machine or 0.0, state.clock.lateness(now))
        if late is not None:
            return self.terminate(late, now)
        state.deadline = math.inf
        if request.purpose is Purpose.GENMOVE:
            return self._answer(seat, reply, now, machine)
        if request.purpose is Purpose.VERDICT:
            return self._note_verdict(seat, reply, now)
        if problem := engine_requests.misfit(request, reply, self.setup.rules):
            return self.terminate(void(f"{self.setup.names[seat]}: {problem}"), now)
        if request.purpose is Purpose.DUTY and not reply.ok:
            return self.terminate(engine_requests.refused(seat, reply), now)
        return self._wait(self._ask(now))

    def sent(self, now: float) -> list[Effect]:
        """Outstanding requests could only be sent now: the time for their replies counts from here.

        Only ``play`` follows a turn at once, so no clock has run meanwhile.
        """
        if self.stage is Stage.OVER:
            return []
        for state in self._states:
            if state.request is not None and state.request.purpose is not Purpose.GENMOVE:
                self._set_deadline(state, state.request, now)
        return self._wait([])

    def wake(
        self,
        now: float,
        machine: tuple[float, float] = (0.0, 0.0),
        unfinished: tuple[str, str] = ("", ""),
    ) -> list[Effect]:
        """The time of a `WakeAt` has come; an early call is harmless.

        Args:
            now: when.
            machine: by seat, seconds of the present turn that the machine took. The deadline of
                the turn is later by so much.
            unfinished: by seat, what has arrived of a reply and what it lacks.
        """
        self._alarm = None
        if self.stage is Stage.OVER:
            return []
        for seat in Seat:
            self._states[seat].clock.excuse(machine[seat])
            if machine[seat] > MOST_EXCUSED:
                name = self.setup.names[seat]
                detail = f"the machine took {machine[seat]:.0f} s of a turn of {name}"
                return self.terminate(void(detail), now)
        for seat in self._by_deadline():
            termination = self._overdue(seat, now, inclusive=True, unfinished=unfinished[seat])
            if termination is not None:
                return self.terminate(termination, now)
        return self._wait([])

    def terminate(self, termination: Termination, now: float) -> list[Effect]:
        """End the game; the caller's reasons are an absence, an order, or its own failure.

        Once the game is over this changes nothing: the first termination stands.
        """
        if self.stage is Stage.OVER:
            return []
        self._check_started()
        self.stage = Stage.OVER
        busy = tuple(seat for seat in Seat if self._states[seat].request is not None)
        ended = self._wall + timedelta(seconds=max(0.0, now - self._started))
        record = self.history.record(termination, self._wall, ended)
        return [Finished(termination, record, busy)]

    def _win(self, winner: Colour, reason: Reason, now: float, detail: str = "") -> list[Effect]:
        return self.terminate(won(self.history.seat_of(winner), reason, detail), now)

    def _check_started(self) -> None:
        if self.stage is Stage.NEW:
            raise UnexpectedEvent("not started yet")

    # -- requests ---------------------------------------------------------------------------

    def _ask(self, now: float) -> list[Effect]:
        """Send the next request to every seat that is free."""
        if self.stage is Stage.SETTING_UP and self._all_set_up():
            self.stage = Stage.PLAYING
            self._queue_genmove(self.history.to_move)
        found = [
            self._send(seat, now)
            for seat in SEATS
            if self._states[seat].queue and self._states[seat].is_free
        ]
        if self.setup.by_day and self.stage is Stage.PLAYING:
            state = self._states[self.history.to_move]
            if not (state.is_human or state.is_present or state.is_called):
                state.is_called = True
                found.append(Call(self.history.to_move))
        return found

    def _send(self, seat: Seat, now: float) -> Effect:
        state = self._states[seat]
        request = state.queue.popleft()
        if state.is_human:
            return Prompt(seat)
        state.request = request
        self._set_deadline(state, request, now)
        return Ask(seat, request.command)

    def _all_set_up(self) -> bool:
        if self.setup.by_day:
            return all(state.is_joined for state in self._states)
        return all(state.is_free and not state.queue for state in self._states)

    def _queue_genmove(self, seat: Seat) -> None:
        state = self._states[seat]
        state.queue += engine_requests.genmove(
            state.engine, self.history.colour_of(seat), state.clock
        )

    def _set_deadline(self, state: SeatState, request: EngineRequest, now: float) -> None:
        limits = self.setup.limits
        if request.purpose is Purpose.GENMOVE:
            state.begin_turn(limits.move, now)
        elif not self.setup.by_day:
            state.expect(limits.reply, now)

    def _wait(self, effects: list[Effect]) -> list[Effect]:
        """Add the alarm that the game now needs, unless it is set already."""
        black, white = self._states
        due = min(black.due, white.due)
        if due not in (math.inf, self._alarm):
            self._alarm = due
            effects.append(WakeAt(due))
        return effects

    # -- time -------------------------------------------------------------------------------

    def _by_deadline(self) -> list[Seat]:
        return sorted(Seat, key=lambda seat: self._states[seat].due)

    def _overdue(
        self, seat: Seat, now: float, *, inclusive: bool, unfinished: str = ""
    ) -> Termination | None:
        state = self._states[seat]
        if not state.is_late(now, inclusive=inclusive):
            return None
        reason, detail = state.lapse(self.history.position.number, now)
        return forfeit(seat, reason, f"{detail}; {unfinished}" if unfinished else detail)

    # -- turns ------------------------------------------------------------------------------

    def _answer(
        self, seat: Seat, reply: ReplyReceived, now: float, machine: float | None
    ) -> list[Effect]:
        """Judge the reply to ``genmove``."""
        if not reply.ok and engine_requests.is_analysis(reply.command):
            state = self._states[seat]
            state.engine = engine_requests.without_analysis(state.engine)
            self._queue_genmove(seat)
            return self._wait(self._ask(now))
        if not reply.ok:
            return self.terminate(engine_requests.refused(seat, reply), now)
        if not reply.text:
            return self.terminate(forfeit(seat, Reason.PROTOCOL, "empty reply to genmove"), now)
        legal = judge_text(reply.text, self.history.position)
        if isinstance(legal, str):
            return self.terminate(forfeit(seat, Reason.ILLEGAL, legal), now)
        if legal.turn.kind is TurnKind.RESIGN:
            return self.terminate(won(seat.other, Reason.RESIGN), now)
        return self._played(seat, legal, now, machine, self.history.evaluation_of(reply))

    def _played(
        self,
        seat: Seat,
        turn: LegalTurn,
        now: float,
        machine: float | None = None,
        evaluation: Evaluation | None = None,
    ) -> list[Effect]:
        """Play a turn that is in time, then ask for the next one or end the game."""
        state = self._states[seat]
        state.deadline = math.inf
        seconds = round(state.clock.stop(now, self._states[seat.other].clock), 6)
        if machine is not None:
            machine = round(min(machine, seconds), 6)
        played = self.history.play(turn, seconds, machine, evaluation)
        outcome = self.history.position.outcome()
        if outcome is not None:
            return [played, *self._win(outcome.winner, Reason.GROUPS, now)]
        certain = adjudicate(self.setup, self.history)
        if certain is not None:
            return [played, *self.terminate(certain, now)]
        released: list[Effect] = []
        if self.setup.by_day and not state.is_human:
            state.disconnect()
            released = [Release(seat)]
        self._queue_next(seat.other, played)
        return self._wait([played, *released, *self._ask(now)])

    def _queue_next(self, seat: Seat, played: TurnPlayed) -> None:
        """Queue the opponent's turn; after a swap the opponent has the colour given up."""
        state = self._states[seat]
        if not state.is_human:
            state.queue.append(engine_requests.play(played.colour, played.token))
        if not self._ask_verdicts():
            self._queue_genmove(seat)

    # -- agreement --------------------------------------------------------------------------

    def _ask_verdicts(self) -> bool:
        """Queue the request for a verdict, if it is due and both engines list the command."""
        first = self.setup.agree_from
        if first is None or self.history.position.number <= first:
            return False
        if not all("final_score" in state.engine.commands for state in self._states):
            return False
        self._verdicts.clear()
        for state in self._states:
            state.queue.append(engine_requests.verdict())
        return True

    def _note_verdict(self, seat: Seat, reply: ReplyReceived, now: float) -> list[Effect]:
        """Store a verdict; the second one ends the game if both agree."""
        self._verdicts[seat] = engine_requests.winner_in(reply)
        if len(self._verdicts) == len(Seat):
            black, white = self._verdicts.values()
            if black is not None and black is white:
                detail = f"both sides agree on {black.title}"
                return self._win(black, Reason.ADJUDICATED, now, detail)
            self._queue_genmove(self.history.to_move)
        return self._wait(self._ask(now))
