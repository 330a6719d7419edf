"""A game of the lobby while the referee has it, and the requests of its humans."""

from __future__ import annotations

from typing import ClassVar

import attrs
from twisted.internet.defer import Deferred

from yoddd.daemon.base.world import World
from yoddd.daemon.lobby.game_writer import GameWriter
from yoddd.daemon.lobby.phases import GamePhase
from yoddd.daemon.lobby.requests import Requests
from yoddd.daemon.play.game_runner import GameRunner, Keeper
from yoddd.daemon.play.human import HumanParticipant
from yoddd.daemon.play.live_games import LiveGame
from yoddd.daemon.play.participants import Links, Participant
from yoddd.protocol.arguments import code_of
from yoddd.protocol.coordinates import Spelling
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.referee import Game, TurnPlayed
from yoddd.referee.effects import Finished, TurnsTakenBack
from yoddd.referee.seat import Seat
from yoddd.referee.terminations import Termination
from yoddd.rules import IllegalTurn, Turn, TurnKind


@attrs.frozen
class TakeBack:
    """A human's request to take turns back; it lapses with the next turn.

    Attributes:
        seat: who asks.
        length: how many turns would be left.
        turns: how many there were when it was made.
    """

    seat: Seat
    length: int
    turns: int


class GameInPlay:
    """The state of a game that is played.

    Attributes:
        done: fires when the game is over; fails if it could not be kept.
    """

    phase: ClassVar = GamePhase.PLAYING

    def __init__(
        self,
        world: World,
        game: Game,
        live: LiveGame,
        participants: tuple[Participant, Participant],
        links: Links,
        writer: GameWriter,
        ended: Requests,
    ) -> None:
        """Create it; `start` begins.

        Args:
            world: the surroundings of the game.
            game: not started yet.
            live: shows it to spectators.
            participants: by seat.
            links: their engines, which are released after the game.
            writer: keeps turns before they are shown.
            ended: the requests that end the game, which are answered once its end is kept.
        """
        keeper = Keeper(
            writer.keep, lambda effect: Deferred.fromCoroutine(self._rewind(effect, writer))
        )
        self._runner = GameRunner(world, game, participants, links, self._show, keeper=keeper)
        self._game = game
        self._live = live
        self._ended = ended
        self._has_two_humans = all(isinstance(one, HumanParticipant) for one in participants)
        self.done: Deferred[Finished] = self._runner.done
        # By seat, the request that waits until the human's turn is played and kept.
        self._submitted: dict[Seat, Deferred[None]] = {}
        # The last request to take turns back; None if there was none, and once it is answered.
        self._asked: TakeBack | None = None
        # The requests that wait until turns are taken back.
        self._rewound = Requests()

    @property
    def is_over(self) -> bool:
        """Whether the referee has ended it; it stays in play until that is kept."""
        return self._runner.done.called

    def start(self, began: str | None, since: float) -> None:
        """Begin, as `GameRunner.start`, and show the running clock."""
        self._live.lingers = self._has_two_humans
        self._live.on_turn = self._game.to_move.key
        self._runner.start(began, since)
        self._live.start_clock(self._runner.turn_time)

    def put(self, seat: Seat, text: str, number: int | None) -> Deferred[None]:
        """Play a human's turn, as turn ``number`` if given; fires once it is played and kept.

        A resignation fires once the game is over.

        Raises:
            PeerError: the game is over, another turn is next, the text is no turn, or the referee
                refuses it.
        """
        if self.is_over:
            raise PeerError(Subcode.OVER, "the game is over")
        position = self._game.position
        if number not in (None, position.number):
            raise PeerError(Subcode.NUMBER, f"turn {position.number} is next")
        turn = Spelling(position.rules, in_gogui=False).read_turn(text, position.player)
        return self._submit(seat, turn)

    def _submit(self, seat: Seat, turn: Turn) -> Deferred[None]:
        try:
            effects = self._game.submit(seat, turn, self._runner.now, self._runner.held)
        except IllegalTurn as error:
            code = code_of(error) if self._game.to_move is seat else Subcode.PLAYER
            raise PeerError(code, error.reason) from None
        if turn.kind is TurnKind.RESIGN:
            done = self._ended.add()
        else:
            done = self._submitted[seat] = Deferred()
        self._runner.perform(effects)
        return done

    def decide(self, termination: Termination) -> None:
        """End the game."""
        self._runner.perform(self._game.terminate(termination, self._runner.now))

    def take_back(self, seat: Seat, *, agrees: bool, length: int | None) -> Deferred[None] | None:
        """Ask to take back the last turn of ``seat``, agree to the other's request, or decline.

        Two who ask at the same moment do not agree: each wants another turn back.

        Args:
            seat: who asks or answers.
            agrees: whether it does not decline.
            length: that of the other's request that it agrees to; None to ask.

        Returns:
            What fires once turns are taken back; None if this request takes none back.

        Raises:
            PeerError: there is nothing to take back or to answer.
        """
        asked = self._asked
        if asked is not None and asked.turns != len(self._game.played):
            asked = None
        is_answer = asked is not None and asked.seat is not seat
        if not agrees:
            self._decline(seat, asked)
        elif length is None:
            if asked is not None and is_answer:
                text = f"the other asks already: agree with {asked.length}, or decline"
                raise PeerError(Code.ILLEGAL, text)
            self._ask(seat)
        elif asked is None or not is_answer or asked.length != length:
            raise PeerError(Subcode.NO_REQUEST, "no such request to answer")
        else:
            return self._agree(asked)
        return None

    def _decline(self, seat: Seat, asked: TakeBack | None) -> None:
        if asked is None:
            raise PeerError(Subcode.NO_REQUEST, "no request to answer")
        self._asked = None
        self._live.refuse(seat.key, "takeback")

    def _ask(self, seat: Seat) -> None:
        if not self._has_two_humans:
            raise PeerError(Subcode.NO_TURN, "an engine takes no turn back")
        seats = [one for one, _, _ in self._game.played]
        if seat not in seats:
            raise PeerError(Subcode.NO_TURN, "no turn of yours to take back")
        length = len(seats) - 1 - seats[::-1].index(seat)
        self._asked = TakeBack(seat, length, len(seats))
        self._live.request(seat.key, f"takeback {length}")

    def _agree(self, asked: TakeBack) -> Deferred[None]:
        try:
            effects = self._game.take_back(asked.length, self._runner.now)
        except IllegalTurn as error:
            raise PeerError(Code.ILLEGAL, error.reason) from None
        self._asked = None
        done = self._rewound.add()
        self._runner.perform(effects)
        return done

    def refuse(self, refusal: PeerError) -> None:
        """Refuse the requests that were not carried out before the game ended or went back."""
        submitted, self._submitted = self._submitted, {}
        for done in submitted.values():
            done.errback(refusal)
        self._rewound.refuse(refusal)

    def _show(self, turn: TurnPlayed) -> None:
        """Show a turn that is played and kept, and answer the request for it."""
        self._live.on_turn = self._game.to_move.key
        self._live.turn(turn.seat.key, turn.token, turn.seconds)
        done = self._submitted.pop(turn.seat, None)
        if done is not None:
            done.callback(None)

    async def _rewind(self, effect: TurnsTakenBack, writer: GameWriter) -> None:
        """Keep that turns are taken back, and show it."""
        await writer.rewind(effect.length)
        self._live.on_turn = self._game.to_move.key
        self._live.rewind(effect.length)
        self._rewound.answer()
        self.refuse(PeerError(Code.ILLEGAL, "turns were taken back"))
