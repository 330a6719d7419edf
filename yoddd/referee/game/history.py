"""The turns of a game as they were played: what engines are told of them, and the record."""

from __future__ import annotations

from datetime import datetime

from yoddd.kernel import best_position
from yoddd.notation import NotationError, format_position, format_turn, parse_position
from yoddd.notation.evaluations import Evaluation, parse_evaluation, statement_in
from yoddd.notation.reasons import Reason
from yoddd.notation.records import GameRecord
from yoddd.protocol.controller import ReplyReceived
from yoddd.referee.game.effects import TurnPlayed
from yoddd.referee.game.engine_requests import EngineState
from yoddd.referee.game.engine_text import read_turn
from yoddd.referee.game.setup import GameSetup
from yoddd.referee.game.terminations import Termination
from yoddd.referee.seat import SEATS, Seat
from yoddd.referee.seeds import derive_seed
from yoddd.rules import Colour, IllegalTurn, LegalTurn, PositionLike, TurnKind


class GameError(ValueError):
    """The settings of a game contradict each other: the organiser's mistake, no engine's."""


class GameHistory:
    """The turns of one game, from its start position to the current one.

    Attributes:
        setup: the settings of the game.
        start: the line of the position that it began from; None for the empty board.
        position: the current position; read-only for callers.
        turns: all turns since the start position, those of the opening included.
        unread: by seat, how many statements about turns were malformed.
    """

    def __init__(self, setup: GameSetup) -> None:
        """Play the opening, and the turns from before a restart.

        Raises:
            GameError: the start position or the opening does not agree with the rules, or ends
                the game; or a name is empty.
        """
        self.setup = setup
        self.start: str | None = None
        self.turns: list[TurnPlayed] = []
        self.unread = [0, 0]
        # Whether the seats have exchanged colours; only a swap changes it.
        self._swapped = False
        try:
            self.position = self._start_position()
            for token in setup.opening:
                self.play(read_turn(token, self.position), 0.0)
            self._check_opening()
            for token, seconds in setup.played:
                self.play(read_turn(token, self.position), seconds)
        except (NotationError, IllegalTurn) as error:
            raise GameError(f"opening: {error}") from None

    def _start_position(self) -> PositionLike:
        if self.setup.position is None:
            return best_position()(self.setup.rules)
        position = parse_position(self.setup.position, best_position())
        self.start = format_position(position)
        return position

    def _check_opening(self) -> None:
        if not all(name.strip() for name in self.setup.names):
            raise GameError("a name is empty")
        if self.position.rules != self.setup.rules:
            raise GameError("the start position has other rules than the game")
        if self.position.is_over:
            raise GameError("the game is over before it has begun")

    def seat_of(self, colour: Colour) -> Seat:
        """The seat that has ``colour`` now."""
        return SEATS[colour ^ self._swapped]

    def colour_of(self, seat: Seat) -> Colour:
        """The colour that the seat has now."""
        return Colour(seat ^ self._swapped)

    @property
    def to_move(self) -> Seat:
        """The seat whose turn it is."""
        return self.seat_of(self.position.player)

    @property
    def after_opening(self) -> list[TurnPlayed]:
        """The turns that the participants have played themselves."""
        return self.turns[len(self.setup.opening) :]

    def play(
        self,
        legal: LegalTurn,
        seconds: float,
        machine: float | None = None,
        evaluation: Evaluation | None = None,
    ) -> TurnPlayed:
        """Play a turn of the player to move; the other fields are those of `TurnPlayed`."""
        colour, number = self.position.player, self.position.number
        token = format_turn(legal.turn, self.setup.rules)
        played = TurnPlayed(
            self.seat_of(colour), number, token, seconds, colour, machine, evaluation
        )
        self.position.play(legal)
        self._swapped ^= legal.turn.kind is TurnKind.SWAP
        self.turns.append(played)
        return played

    def evaluation_of(self, reply: ReplyReceived) -> Evaluation | None:
        """The statement of the engine to move about its turn; a malformed one is only counted."""
        if not reply.info:
            return None
        try:
            text = statement_in(reply.info, reply.command, reply.text)
            return parse_evaluation(text, self.setup.rules, self.position.player)
        except NotationError:
            self.unread[self.to_move] += 1
            return None

    def take_back(self, length: int) -> None:
        """Return to the position after the first ``length`` turns.

        Raises:
            IllegalTurn: there is no turn to take back, or it is one of the opening.
        """
        if not len(self.setup.opening) <= length < len(self.turns):
            raise IllegalTurn("no turn to take back")
        while len(self.turns) > length:
            self._swapped ^= self.position.undo().kind is TurnKind.SWAP
            self.turns.pop()

    def engine_state(self, seat: Seat) -> EngineState:
        """The state that the engine of ``seat`` is brought to before it plays on."""
        seed = self.setup.seed
        return EngineState(
            rules=self.setup.rules,
            control=self.setup.clocks[seat],
            start=self.start,
            turns=[(turn.colour, turn.token) for turn in self.turns],
            seed=None if seed is None else derive_seed(seed, seat),
            params=self.setup.params[seat],
            memory=self.setup.memory[seat],
        )

    def record(self, termination: Termination, started: datetime, ended: datetime) -> GameRecord:
        """The record of the finished game for the archive."""
        setup, rules, outcome = self.setup, self.setup.rules, self.position.outcome()
        machine = [turn.machine for turn in self.turns]
        evaluations = tuple(turn.evaluation for turn in self.turns)
        score = None
        if termination.reason is Reason.GROUPS and outcome:
            score = f"{outcome.winner.letter.upper()}+{outcome.score}"
        return GameRecord.of(
            rules,
            id=setup.id,
            black=setup.names[Seat.BLACK],
            white=setup.names[Seat.WHITE],
            turns=tuple(turn.token for turn in self.turns),
            times=tuple(turn.seconds for turn in self.turns),
            # 0 where they are not known; empty where none are.
            machine=tuple(one or 0.0 for one in machine) if {*machine} - {None} else (),
            evaluations=evaluations if any(evaluations) else (),
            unread=(self.unread[0], self.unread[1]) if any(self.unread) else (),
            winner=None if termination.winner is None else termination.winner.key,
            reason=str(termination.reason),
            detail=termination.detail,
            blame=termination.blame_key,
            score=score,
            started=_iso(started),
            ended=_iso(ended),
            clock=setup.clock_text,
            position=self.start,
            opening=len(setup.opening),
            seed=setup.seed,
            pair=setup.pair,
            leg=setup.leg,
            attempt=setup.attempt,
        )


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
