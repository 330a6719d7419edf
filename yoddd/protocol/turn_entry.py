"""The game of a client, and what controllers of Go programs enter there beyond whole turns."""

from __future__ import annotations

from typing import Self

import attrs

from yoddd.protocol.arguments import check_player, code_of
from yoddd.protocol.coordinates import Control, Spelling, Step
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.rules import (
    PASS,
    RESIGN,
    SWAP,
    Colour,
    IllegalTurn,
    LegalTurn,
    PositionLike,
    Stone,
    Turn,
    TurnKind,
)


@attrs.define
class TurnEntry:
    """A client's game, and what it has entered there beyond whole turns.

    Attributes:
        position: the game up to its last turn.
        passes: the passes entered after that turn because a controller of Go programs knows no
            other end of a game. They change nothing, but `undo` takes them back first.
        steps: what has been entered of the turn that has begun, where turns are entered by single
            stones; empty between turns.
        before: for turns that were entered in several steps all but the last of these, by the
            number of turns before; `undo` goes back to them.
        plan: what the engine will still enter of its turn; empty unless it has begun one.
    """

    position: PositionLike
    passes: int = 0
    steps: tuple[Step, ...] = ()
    before: dict[int, tuple[Step, ...]] = attrs.Factory(dict)
    plan: tuple[Step, ...] = ()

    def copy(self) -> Self:
        """Return an independent entry with the same game."""
        return attrs.evolve(self, position=self.position.copy(), before=self.before.copy())

    def forget_steps(self) -> None:
        """Make whole turns of all turns, and drop the one that has begun."""
        self.steps, self.before, self.plan = (), {}, ()

    @property
    def stones(self) -> tuple[Stone, ...]:
        """The stones of the turn that has begun."""
        return tuple(step for step in self.steps if not isinstance(step, Control))

    @property
    def cells(self) -> tuple[Colour | None, ...]:
        """The content of every cell, the turn that has begun included."""
        cells = list(self.position.cells)
        for stone in self.stones:
            cells[stone.cell] = stone.colour
        return tuple(cells)

    @property
    def chosen(self) -> Colour | None:
        """The colour that was chosen for the next stones of this turn, if one was."""
        choices = [step.colour for step in self.steps if isinstance(step, Control)]
        return choices[-1] if choices else None

    @property
    def colour(self) -> Colour:
        """The colour of the next stone unless the client names another one."""
        return self.position.player if self.chosen is None else self.chosen

    def next_stones(self) -> list[Stone]:
        """The stones that may be placed next."""
        stones = self.stones
        return self.position.legal_seconds(*stones) if stones else self.position.legal_stones()

    @property
    def first_player(self) -> Colour:
        """The player of the first turn of the history."""
        player = self.position.player
        for turn in reversed(self.position.history):
            # White was to move before a swap, and is afterwards.
            if turn != SWAP:
                player = player.opponent
        return player

    @property
    def ends_in_passes(self) -> bool:
        """Whether the game has ended by its rules, so that nothing but passes can follow."""
        return self.position.is_over and self.position.resigned is None

    def pass_after_the_end(self) -> Turn:
        """Enter a pass of either player after the last turn, and return it."""
        self.passes += 1
        return PASS

    def enter(self, player: Colour, token: str, spelling: Spelling) -> None:
        """Play the turn of ``player`` that ``token`` spells.

        Raises:
            PeerError: it cannot be read, it is the other player's turn, or the rules forbid it.
        """
        control = spelling.controls.get(token.upper())
        if control is not None:
            if self.position.is_over:
                raise spelling.refusal("the game is over", Subcode.OVER)
            check_player(player, self.position)
            self._take(control, spelling)
            return
        turn = spelling.read_turn(token, self._bare(player, spelling))
        if turn.kind is TurnKind.PASS and self.ends_in_passes:
            self.pass_after_the_end()
            return
        is_step = spelling.single and len(turn.stones) == 1
        if not is_step or self.position.rules.only_own:
            check_player(player, self.position)
        if is_step:
            self._take(turn.stones[0], spelling)
        else:
            self.play(turn, spelling)

    def _bare(self, named: Colour, spelling: Spelling) -> Colour:
        """Return the colour of a bare cell: of single stones the one chosen or else named."""
        if not spelling.single or self.position.rules.only_own:
            return self.position.player
        return named if self.chosen is None else self.chosen

    def play(self, turn: Turn, spelling: Spelling) -> None:
        """Play a turn of the player to move; a pass ends a turn that has begun.

        Raises:
            PeerError: the rules forbid it, or another turn has begun.
        """
        if not self.stones or turn == RESIGN:
            self._finish(turn, spelling)
        elif turn == PASS:
            self._take(Control.END, spelling)
        else:
            raise spelling.refusal("the turn has begun: place another stone, pass or undo")

    def play_as_engine(self, turn: Turn, spelling: Spelling) -> str:
        """Play a turn of the engine, or only its next step; return the token.

        Raises:
            IllegalTurn: the rules forbid it.
        """
        player, legal = self.position.player, self.position.judge(turn)
        if not spelling.single or not turn.stones:
            self._finish(legal, spelling)
            return spelling.turn(turn, player)
        rest = [stone for stone in turn.stones if stone not in self.stones]
        self.plan = spelling.steps(rest, player, self.colour)
        if len(turn.stones) < self._most_stones:
            self.plan += (Control.END,)
        return self.play_planned(spelling)

    def play_planned(self, spelling: Spelling) -> str:
        """Enter the next step of the engine's turn; return its token."""
        player, (step, *rest) = self.position.player, self.plan
        self._take(step, spelling)
        self.plan = tuple(rest)
        return spelling.step(step, player)

    @property
    def _most_stones(self) -> int:
        return self.position.rules.stones_of_turn(self.position.number).stop - 1

    def _take(self, step: Step, spelling: Spelling) -> None:
        """Take a step of the turn, and play the turn if that is the last one."""
        if isinstance(step, Control) and step is not Control.END:
            self._add(step)
            return
        stones = self.stones if isinstance(step, Control) else (*self.stones, step)
        if not stones:
            raise spelling.refusal("no stone has been placed")
        turn = Turn.drop(*stones)
        if isinstance(step, Control) or len(stones) == self._most_stones:
            self._finish(turn, spelling)
        elif self.position.completable(step):
            self._add(step)
        else:
            raise spelling.refusal(self.position.illegality(turn) or "no legal turn has it")

    def _add(self, step: Step) -> None:
        self.steps += (step,)
        self.plan = ()

    def _finish(self, turn: Turn | LegalTurn, spelling: Spelling) -> None:
        """Play the turn, and keep the steps that led to it."""
        try:
            self.position.play(turn)
        except IllegalTurn as error:
            raise spelling.refusal(error.reason, code_of(error)) from None
        if self.steps:
            self.before[len(self.position.history) - 1], self.steps = self.steps, ()
        self.plan = ()

    def undo(self, wanted: int) -> None:
        """Take back as many passes, steps and turns.

        Raises:
            PeerError: fewer were played.
        """
        steps = len(self.steps) + sum(map(len, self.before.values()))
        played = len(self.position.history) + steps + self.passes
        if wanted > played:
            detail = f"only {played} played" if played else "no turn was played"
            raise PeerError(Code.CANNOT_UNDO, detail)
        self.plan = ()
        for _ in range(wanted):
            self._undo_one()

    def _undo_one(self) -> None:
        if self.passes:
            self.passes -= 1
        elif self.steps:
            self.steps = self.steps[:-1]
        else:
            self.position.undo()
            self.steps = self.before.pop(len(self.position.history), ())
