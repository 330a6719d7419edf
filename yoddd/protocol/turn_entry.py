"""The game of a client, and what controllers of Go programs enter there beyond whole turns."""

from __future__ import annotations

from typing import Self

import attrs

from yoddd.protocol.arguments import check_player
from yoddd.protocol.coordinates import Spelling
from yoddd.protocol.errors import Code, PeerError
from yoddd.rules import PASS, SWAP, Colour, IllegalTurn, PositionLike, Turn


@attrs.define
class TurnEntry:
    """A client's game, and what it has entered there beyond whole turns.

    Attributes:
        position: the game up to its last turn.
        passes: the passes entered after that turn because a controller of Go programs knows no
            other end of a game. They change nothing, but `undo` takes them back first.
    """

    position: PositionLike
    passes: int = 0

    def copy(self) -> Self:
        """Return an independent entry with the same game."""
        return attrs.evolve(self, position=self.position.copy())

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
        turn = spelling.read_turn(token, self.position.player)
        if turn == PASS and self.ends_in_passes:
            self.pass_after_the_end()
            return
        check_player(player, self.position)
        self.play(turn, spelling)

    def play(self, turn: Turn, spelling: Spelling) -> None:
        """Play a turn of the player to move.

        Raises:
            PeerError: the rules forbid it.
        """
        try:
            self.position.play(turn)
        except IllegalTurn as error:
            raise spelling.refusal(error.reason) from None

    def undo(self, wanted: int) -> None:
        """Take back as many passes and turns.

        Raises:
            PeerError: fewer were played.
        """
        played = len(self.position.history) + self.passes
        if wanted > played:
            detail = f"only {played} played" if played else "no turn was played"
            raise PeerError(Code.CANNOT_UNDO, detail)
        passes = min(wanted, self.passes)
        self.passes -= passes
        for _ in range(wanted - passes):
            self.position.undo()
