"""A game that the daemon hosts, from its offer to its end, as a state machine.

Events go in, effects come out; it does no I/O and has no time but that of its events. Around the
referee's `Game` it adds what humans need: an offer, a wait for both sides, requests to take turns
back, and a rematch. What spectators and lists are told is computed from its state
(`yoddd.referee.hosted.view`).

Life cycle::

    OFFERED --Accept, Arrived--> TAKEN --Kept--> PLAYING ----Kept----> OVER
       ^                           | |              ^                   ^
       +----------Refused----------+ +-> WAITING ---+ Present, Arrived  |
                                            |                           |
                                            +---------------Kept--------+

An effect that promises something is carried out after the store has what it promises: the caller
carries out nothing after a `Beginning`, `TurnPlayed`, `TurnsTakenBack` or `Finished` before it
has given the event `Kept` for it.
"""

from __future__ import annotations

import math
from typing import Final

import attrs

from yoddd.notation.reasons import Reason
from yoddd.protocol.arguments import code_of
from yoddd.protocol.coordinates import Spelling
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.protocol.lobby import Claim, Pause, Put, TakeBack
from yoddd.referee.game.clock import DAY, parse_clock
from yoddd.referee.game.effects import (
    Call,
    Finished,
    Paused,
    Prompt,
    TurnPlayed,
    TurnsTakenBack,
    WakeAt,
)
from yoddd.referee.game.game import Game, Stage
from yoddd.referee.game.setup import GameSetup
from yoddd.referee.game.terminations import Termination, forfeit, void, won
from yoddd.referee.hosted.events import (
    Accept,
    Alarm,
    Answer,
    Arrived,
    Beginning,
    Begun,
    Connect,
    Declined,
    Drop,
    Effect,
    Event,
    Holder,
    Keep,
    Kept,
    Lapse,
    Leave,
    Lost,
    NewKey,
    Open,
    Over,
    Present,
    Proposal,
    Propose,
    Ready,
    Refused,
    Rematched,
    Replied,
    Requested,
    Sent,
    SetKey,
    Suspend,
    Tell,
    Terminate,
    Token,
    Withdraw,
)
from yoddd.referee.hosted.state import GameState, Phase
from yoddd.referee.seat import Seat
from yoddd.rules import IllegalTurn, TurnKind

LASTING: Final = 7 * 86400.0
"""Seconds for a turn without a clock where both are human and the game is not rated.

After a restart they have as long to return.
"""

RETURN: Final = 600.0
"""Seconds that both sides of another game have to return after a restart."""


@attrs.define(eq=False)
class HostedGame(GameState):
    """One game of the lobby, the ladder or a match; only `handle` changes it."""

    # The monotonic time of the beginning, which may be before the start of this process.
    _began: float = 0.0
    # The end of the offer, and then of the wait for both sides.
    _until: float = math.inf
    # The events that wait for the beginning.
    _waiting: list[Requested | Terminate] = attrs.Factory(list)
    # By seat, the request that waits until the human's turn is kept.
    _submitted: dict[Seat, Token] = attrs.Factory(dict)
    # The last of them whose turn was not due: an engine is not ready.
    _early: Token | None = None
    # The requests that wait until the game is over.
    _ended: list[Token] = attrs.Factory(list)

    @classmethod
    def of_match(cls, setup: GameSetup) -> HostedGame:
        """Return a game of a match, between two engines."""
        black, white = setup.names
        seats = Holder(black), Holder(white)
        return cls(setup.id, setup.rules, setup.clock_text, seats, setup=setup)

    # -- events -----------------------------------------------------------------------------

    def handle(  # noqa: C901, PLR0912 — one match over all events
        self, event: Event, now: float
    ) -> list[Effect]:
        """Take an event at a moment; the effects are to be carried out in the order of the list.

        Raises:
            PeerError: the request of a client is refused, which changes nothing.
        """
        game, phase = self.game, self.phase
        match event:
            case Requested(_, Put() as put):
                return self._put(event, put, now)
            case Kept(what, started):
                return self._kept(what, started, now)
            case Replied(seat, reply, machine, delay) if game is not None:
                return [*game.reply(seat, reply, now, machine, delay)]
            case Ready(seat, engine) if game is not None:
                return [*game.ready(seat, engine, now)]
            case Lost(seat, reason, detail) if game is not None:
                return [*game.lost(seat, reason, detail, now)]
            case Sent() if game is not None:
                return [*game.sent(now)]
            case Prompt(seat) if game is not None:
                return [*game.prompted(seat, now)]
            case Call(seat) if game is not None:
                return [*game.called(seat, now)]
            case Alarm(late, unfinished) if game is not None and phase is Phase.PLAYING:
                return [*game.wake(now, late, unfinished)]
            case Alarm() if phase is Phase.WAITING and now >= self._until:
                return self._terminate(self._absence(), now)
            case Alarm() if phase is Phase.OFFERED and now >= self._until:
                return [*self._end(Over(stays=False)), Drop(None)]
            case Present(seat, since, limit) if phase is not Phase.OVER:
                self.claim_after = limit
                return self._note_presence(event, now)
            case Open(None, _, patience):
                return self._open(patience, now)
            case Open(started, since):
                self.started, self._began = started, now - since
                return self._wait(now)
            case Accept(holder, token):
                return self._accept(holder, token)
            case Arrived(seat):
                return self._arrive(seat, now)
            case Begun():
                return self._handle_waiting(now)
            case Requested(_, (TakeBack() | Pause()) as request):
                return self._agree(event, request, now)
            case Requested(seat, Claim(), _, limit, token):
                return self._terminate(self._claim(seat, limit, now), now, token)
            case Lapse(token):
                return self._lapse(token)
            case SetKey(seat, key, token):
                return self._set_key(seat, key, token)
            case Withdraw(token):
                if phase is not Phase.OFFERED:
                    raise PeerError(Subcode.BEGUN, "the game has begun")
                return [*self._end(Over(stays=False)), Drop(token)]
            case Terminate(termination, token):
                return self._terminate(termination, now, token)
            case Refused(what, error, is_store):
                return self._refused(what, error, is_store=is_store, now=now)
            case Propose(seat, None):
                self.proposal = None
                return [Tell(Declined(seat, "rematch"))]
            case Propose(seat, str(rematch)):
                self.proposal = Proposal(seat, "rematch", rematch, len(self.turns))
                return [Tell(self.proposal)]
            case Rematched(rematch):
                self.rematch, self.proposal = rematch, None
                return [Tell(event)]
            case Leave():
                self.lingers = False
            case Suspend():
                text = f"{self.id} waits for its players: resume it"
                return self._end(Over(stays=False), PeerError(Subcode.STORE, text))
        return []

    # -- offered and taken ------------------------------------------------------------------

    def _accept(self, holder: Holder, token: Token) -> list[Effect]:
        if not self.is_open:
            raise PeerError(Subcode.TAKEN, f"{self.id} is not open")
        self.phase, self.taker = Phase.TAKEN, holder.origin
        black, white = self.seats
        return [Beginning((black or holder, white or holder), token)]

    def _reopen(self) -> list[Effect]:
        """Offer the game again; one that has expired meanwhile is withdrawn."""
        self.phase, self.taker = Phase.OFFERED, None
        return [WakeAt(self._until)] if self._until < math.inf else []

    def _open(self, patience: float | None, now: float) -> list[Effect]:
        """Offer the game, and wait for its engines once no seat is free.

        They are taken in the order of their names: two games cannot block each other. A game by
        the day needs none before its turn.
        """
        self.arrived = [False, False]
        alarm: list[Effect] = []
        if patience is not None:
            self._until = now + patience
            alarm.append(WakeAt(self._until))
        black, white = self.seats
        if self.by_day and black is not None and white is not None:
            self.phase = Phase.TAKEN
            return [*alarm, Beginning((black, white))]
        return [*alarm, *self._seek()[:1]] if self.free is None else alarm

    def _seek(self) -> list[Effect]:
        """Wait for the engines that are not there."""
        seats = [seat for seat in Seat if not self.is_human(seat) and not self.arrived[seat]]
        return [Connect(seat) for seat in sorted(seats, key=self.name_of)]

    def _arrive(self, seat: Seat, now: float) -> list[Effect]:
        self.arrived[seat] = True
        black, white = self.seats
        if self.phase is Phase.WAITING:
            return self._begin_when_here(now)
        further = self._seek()[:1]
        if self.phase is not Phase.OFFERED or further or black is None or white is None:
            return further
        self.phase = Phase.TAKEN
        return [Beginning((black, white))]

    def _set_key(self, seat: Seat, key: str, token: Token) -> list[Effect]:
        if self.phase is Phase.OVER:
            raise PeerError(Subcode.OVER, "the game is over")
        return [NewKey(seat, key, self.phase is Phase.OFFERED, token)]

    def _replace_key(self, what: NewKey) -> Answer:
        if self.phase is Phase.OVER:
            return Answer(what.token, PeerError(Subcode.OVER, "the game is over"))
        if what.is_offered and self.phase is not Phase.OFFERED:  # it begins with the old key
            text = "the game begins: resume it in a moment"
            return Answer(what.token, PeerError(Code.BUSY, text))
        black, white = (
            attrs.evolve(one, key=what.key) if one is not None and place is what.seat else one
            for place, one in zip(Seat, self.seats, strict=True)
        )
        self.seats = black, white
        return Answer(what.token)

    # -- begun ------------------------------------------------------------------------------

    def _referee(self) -> Game:
        """The game for the referee, not started; its turns so far are shown."""
        move = LASTING if self._is_lasting else self.limits.move
        self.game = game = Game(
            self.setup
            or GameSetup(
                id=self.id,
                rules=self.rules,
                names=(self.name_of(Seat.BLACK), self.name_of(Seat.WHITE)),
                clock=parse_clock(self.clock),
                limits=attrs.evolve(self.limits, move=move),
                played=self.past,
                used=self.used,
                paused=self.paused,
            )
        )
        self.turns = [*game.history.turns]
        self.on_turn = game.history.to_move
        return game

    @property
    def _is_lasting(self) -> bool:
        """Whether its humans may take days: there is no engine that waits, and no rating."""
        return self.has_two_humans and not self.terms.is_rated

    @property
    def _return_limit(self) -> float:
        return LASTING if self._is_lasting else RETURN

    def _wait(self, now: float) -> list[Effect]:
        """Begin although a participant may be away: no clock runs until both are present.

        In a game by the day, or one without a clock, they may never be present at the same time.
        """
        game = self._referee()
        if self.by_day or (self._is_lasting and not game.setup.clocks[Seat.BLACK].limited):
            return self._begin(now)
        self.phase, self._until = Phase.WAITING, now + self._return_limit
        waiting = [*self._tell_begun(), WakeAt(self._until), *self._seek()]
        return [*waiting, *self._begin_when_here(now)]

    def _begin_when_here(self, now: float) -> list[Effect]:
        if self.is_ending or not all(self.is_here(seat) for seat in Seat):
            return []
        return self._begin(now)

    def _begin(self, now: float) -> list[Effect]:
        """Hand the game to the referee: both participants are present."""
        was_stopped, self.phase = self.phase is Phase.WAITING, Phase.PLAYING
        found: list[Effect] = [] if was_stopped else self._tell_begun()
        game = self.game or self._referee()
        found += game.start(now, self.started or "", now - self._began)
        for seat in Seat:
            if self.is_human(seat) or self.by_day:
                found += game.join(seat, now, is_human=self.is_human(seat))
            elif game.stage is not Stage.OVER:
                found.append(Connect(seat))
        is_told = was_stopped and not self.is_ending
        return [*found, *([Tell(None)] if is_told else []), Begun()]

    def _tell_begun(self) -> list[Effect]:
        return [Tell(Begun()), *map(Tell, self.absences)]

    def _handle_waiting(self, now: float) -> list[Effect]:
        """Handle the requests that have waited for the beginning."""
        waiting, self._waiting = self._waiting, []
        found: list[Effect] = []
        for event in waiting:
            try:
                found += self.handle(event, now)
            except PeerError as error:
                found.append(Answer(event.token, error))
        return found

    def holds(self, token: Token) -> bool:
        """Whether the turn of a request waits until the game begins, or its engine is ready."""
        return token == self._early or any(one.token == token for one in self._waiting)

    def _lapse(self, token: Token) -> list[Effect]:
        """Refuse a turn that has waited for too long."""
        if not self.holds(token):
            return []
        self._waiting = [one for one in self._waiting if one.token != token]
        if token == self._early and self.game is not None:
            self._early, seat = None, self.game.history.to_move
            if not self.game.withdraw():
                return []
            del self._submitted[seat]
            missing = [seat.other]
        else:
            missing = [seat for seat in Seat if not self.is_here(seat)]
        names = " and ".join(map(self.name_of, missing)) or "the store"
        text = f"the game waits for {names}: send the turn again"
        return [Answer(token, PeerError(Subcode.NOT_BEGUN, text))]

    def _note_presence(self, event: Present, now: float) -> list[Effect]:
        if self.away[event.seat] == event.since:
            return []
        self.away[event.seat] = event.since
        if not self.is_begun or self.by_day:
            return []
        # First, for the beginning may be the end, which is told once that is kept.
        begun = self._begin_when_here(now) if self.phase is Phase.WAITING else []
        return [Tell(event), *begun]

    def _put(self, event: Requested, put: Put, now: float) -> list[Effect]:
        game, seat = self.game, event.seat
        if self.is_ending:
            raise PeerError(Subcode.OVER, "the game is over")
        if self.phase is Phase.WAITING and put.turn.lower() == "resign":
            return self._terminate(won(seat.other, Reason.RESIGN), now, event.token)
        if game is None or self.phase is not Phase.PLAYING:
            self._waiting.append(event)
            return []
        position = game.history.position
        if put.number not in (None, position.number):
            raise PeerError(Subcode.NUMBER, f"turn {position.number} is next")
        spelling = Spelling(position.rules, in_gogui=False)
        turn = spelling.read_turn(put.turn, position.player)
        try:
            found = game.submit(seat, turn, now, event.delay)
        except IllegalTurn as error:
            code = code_of(error) if game.history.to_move is seat else Subcode.PLAYER
            raise PeerError(code, error.reason) from None
        if turn.kind is TurnKind.RESIGN:
            self._ended.append(event.token)
        else:
            self._submitted[seat] = event.token
            self._early = None if found else event.token
        return [*found]

    # -- what both agree on -----------------------------------------------------------------

    def _agree(self, event: Requested, request: TakeBack | Pause, now: float) -> list[Effect]:
        """Ask to take a turn back or for a pause, agree to the other's request, or decline.

        Two who ask to take back at the same moment do not agree: each wants another turn back.
        """
        seat, wish, value, game = event.seat, request.wish, request.value, self.game
        if game is None or self.phase is not Phase.PLAYING or self.is_ending:
            raise PeerError(Code.ILLEGAL, "the game is not in play")
        if self.agreed:  # a request would be told before that
            raise PeerError(Code.ILLEGAL, "an agreement is being kept: ask again")
        seats = [turn.seat for turn in game.history.turns]
        proposal = self.proposal
        if proposal is not None and proposal.turns != len(seats):
            proposal = None
        if not request.agrees:
            if proposal is None or proposal.wish != wish:
                raise PeerError(Subcode.NO_REQUEST, "no request to answer")
            self.proposal = None
            return [Tell(Declined(seat, wish)), Answer(event.token)]
        is_answer = proposal is not None and proposal.seat is not seat
        if proposal is not None and is_answer and (proposal.wish, proposal.value) == (wish, value):
            return self._carry_out(game, proposal, event.token, now)
        if wish == "takeback" and value is not None:
            raise PeerError(Subcode.NO_REQUEST, "no such request to answer")
        if proposal is not None and is_answer:
            text = f"the other asks already for {proposal.wish} {proposal.value}: agree, or decline"
            raise PeerError(Code.ILLEGAL, text)
        if len(seats) != len(self.turns):  # which would be told after the request
            raise PeerError(Code.ILLEGAL, "a turn is being kept: ask again")
        value = self._length(seat, seats) if value is None else self._days(value)
        self.proposal = Proposal(seat, wish, value, len(seats))
        return [Tell(self.proposal), Answer(event.token)]

    def _carry_out(self, game: Game, proposal: Proposal, token: Token, now: float) -> list[Effect]:
        """Carry out what both want."""
        value = int(proposal.value)
        try:
            is_pause = proposal.wish == "pause"
            found = game.pause(value * DAY, now) if is_pause else game.take_back(value, now)
        except IllegalTurn as error:
            raise PeerError(Code.ILLEGAL, error.reason) from None
        self.proposal = None
        self.agreed.append(token)
        return [*found]

    def _length(self, seat: Seat, seats: list[Seat]) -> int:
        """The number of turns that would be left without the last one of a seat."""
        if not self.has_two_humans:
            raise PeerError(Subcode.NO_TURN, "an engine takes no turn back")
        if seat not in seats:
            raise PeerError(Subcode.NO_TURN, "no turn of yours to take back")
        return len(seats) - 1 - seats[::-1].index(seat)

    def _days(self, days: int) -> int:
        if not (self.by_day and self.has_two_humans):
            text = "only a game by the day between two humans is paused"
            raise PeerError(Code.ILLEGAL, text)
        return days

    def _answer_agreed(self) -> list[Effect]:
        """Answer those who have agreed: it is kept."""
        agreed, self.agreed = self.agreed, []
        return [Answer(one) for one in agreed]

    # -- what is kept -----------------------------------------------------------------------

    def _kept(self, what: Keep | NewKey | Drop, started: str | None, now: float) -> list[Effect]:
        match what:
            case TurnPlayed(seat):
                self.turns.append(what)
                self.on_turn = self.game.history.to_move if self.game is not None else None
                done = self._submitted.pop(seat, None)
                return [Tell(what)] if done is None else [Tell(what), Answer(done)]
            case TurnsTakenBack(length):
                del self.turns[length:]
                self.on_turn = self.game.history.to_move if self.game is not None else None
                error = PeerError(Code.ILLEGAL, "turns were taken back")
                return [Tell(what), *self._answer_agreed(), *self._refuse_turns(error)]
            case Paused():
                return [Tell(what), *self._answer_agreed()]
            case Beginning(seats, token):
                self.seats, self.taker = seats, None
                self.started, self._began = started, now
                is_invite = token is not None and self.terms.invite is not None
                begun = self._wait(now) if is_invite else self._begin(now)
                return begun if token is None else [*begun, Answer(token)]
            case Finished():
                return self._finish(what)
            case NewKey():
                return [self._replace_key(what)]
            case Drop(token):
                return [Answer(token)]

    def _refused(
        self, what: Keep | NewKey | Drop | None, error: BaseException, *, is_store: bool, now: float
    ) -> list[Effect]:
        match what:
            case NewKey(token=token) | Drop(token):
                return [Answer(token, error)]
            case Beginning(_, token) if token is not None:
                return [*self._reopen(), Answer(token, error)]
            case TurnPlayed() | TurnsTakenBack() | Paused() | Finished() if is_store:
                text = f"{self.id} waits for the store: resume it"
                return self._end(Over(stays=False), PeerError(Subcode.STORE, text))
            case TurnPlayed() | TurnsTakenBack() | Paused() if not self.is_ending:
                return self._terminate(void("a turn could not be kept"), now)
        ended = [Answer(one, PeerError(Code.INTERNAL)) for one in self._ended]
        self._ended = []
        return [*self._end(Over()), *ended]

    # -- the end ----------------------------------------------------------------------------

    def _claim(self, seat: Seat, limit: float, now: float) -> Termination:
        name, since = self.name_of(seat.other), self.away[seat.other]
        if self.phase is Phase.OVER:
            raise PeerError(Subcode.OVER, "the game is over")
        if self.by_day:
            text = "both may be away in a game by the day, which only time ends"
            raise PeerError(Subcode.BY_DAY, text)
        if since is None:
            raise PeerError(Subcode.PRESENT, f"{name} is not away")
        if now - since < limit:
            text = f"{name} has been away for {now - since:.0f} s, of {limit:g} s"
            raise PeerError(Subcode.PRESENT, text)
        detail = f"away for {now - since:.0f} s, claimed by {self.name_of(seat)}"
        return forfeit(seat.other, Reason.DISCONNECT, detail)

    def _absence(self) -> Termination:
        missing = [seat for seat in Seat if not self.is_here(seat)]
        limit = self._return_limit
        if len(missing) == 1:
            detail = f"not there to go on within {limit:g} s"
            return forfeit(missing[0], Reason.DISCONNECT, detail)
        return void(f"neither side was there to go on within {limit:g} s")

    def _terminate(
        self, termination: Termination, now: float, token: Token | None = None
    ) -> list[Effect]:
        """End the game, once it has begun."""
        game = self.game
        if not self.is_begun:
            self._waiting.append(Terminate(termination, token))
        elif self.phase is Phase.OVER and token is not None:
            raise PeerError(Subcode.OVER, "the game is over")
        if self.phase is Phase.OVER or game is None:
            return []
        if token is not None:
            self._ended.append(token)
        found: list[Effect] = []
        if game.stage is Stage.NEW:  # it ends at once if the last turn had been played
            found += game.start(now, self.started or "", now - self._began)
        found += game.terminate(termination, now)
        return [one for one in found if not isinstance(one, WakeAt)]

    def _finish(self, what: Finished) -> list[Effect]:
        """End the game by a record that is kept."""
        was_played, self.record = self.phase is Phase.PLAYING, what.record
        self.lingers = was_played and self.has_two_humans
        ended, self._ended = self._ended, []
        return [Tell(what), *self._end(Over()), *(Answer(one) for one in ended)]

    def _end(self, over: Over, error: PeerError | None = None) -> list[Effect]:
        """End the game; an ``error`` says that it comes back later."""
        self.phase, self.proposal = Phase.OVER, None
        refusal = error or PeerError(Subcode.OVER, "the game is over")
        ended, self._ended = (self._ended, []) if error is not None else ([], self._ended)
        waiting, self._waiting = self._waiting, []
        return [
            over if error is None else attrs.evolve(over, error=error.text),
            *(Answer(one.token, refusal) for one in waiting if one.token is not None),
            *self._refuse_turns(refusal),
            *(Answer(one, refusal) for one in ended),
        ]

    def _refuse_turns(self, refusal: PeerError) -> list[Effect]:
        """Refuse the requests that were not carried out before the game ended or went back."""
        waiting = [*self._submitted.values(), *self.agreed]
        self._submitted, self.agreed = {}, []
        return [Answer(one, refusal) for one in waiting]
