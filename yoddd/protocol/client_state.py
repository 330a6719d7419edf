"""The state of one client: its game, its parameters, its time control."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from yoddd.engine import UNTIMED, StopFlag, Tables, TimeLeft, TimeSettings
from yoddd.kernel import best_position
from yoddd.protocol.config import SessionConfig
from yoddd.protocol.coordinates import Spelling
from yoddd.protocol.origin import TRUSTED, Identity, Origin
from yoddd.protocol.parameters import Parameters
from yoddd.protocol.turn_entry import TurnEntry
from yoddd.rules import Colour, PositionLike, Rules, Turn


@attrs.define(eq=False)
class ClientState:
    """The state that the commands of one session read and change.

    Attributes:
        config: the configuration of the session.
        parameters: the values that ``set_param`` changes.
        is_new: whether no request was served or refused before this one.
        time: the time control set by ``time_settings`` or its kin.
        left: the time left by player, as ``time_left`` set it in this game.
        identity: its log-in, which the other sessions of its connection share.
        pondering: the search to begin after the reply, if any; the session takes it from here.
        info_lines: whether an ``# info`` line precedes the reply of a search; ``info_lines`` sets
            it.
        info: the text of that line, once a search has ended; the session takes it from here.
    """

    config: SessionConfig
    parameters: Parameters = attrs.Factory(lambda self: Parameters.of(self.config), takes_self=True)
    is_new: bool = True
    time: TimeSettings = UNTIMED
    left: dict[Colour, TimeLeft] = attrs.Factory(dict)
    identity: Identity = attrs.Factory(lambda: Identity(TRUSTED))
    pondering: Callable[[StopFlag], object] | None = None
    info_lines: bool = False
    info: str = ""
    # The current game; None until it is asked for, since most clients never play one here.
    _entry: TurnEntry | None = None

    @property
    def entry(self) -> TurnEntry:
        """The current game, and how its turns are entered."""
        if self._entry is None:
            self._entry = TurnEntry(best_position()(self.config.defaults.rules))
        return self._entry

    @entry.setter
    def entry(self, entry: TurnEntry) -> None:
        self._entry = entry

    @property
    def origin(self) -> Origin:
        """The account of the client, which ``login`` sets, and its address."""
        return self.identity.origin

    @property
    def position(self) -> PositionLike:
        """The current game, up to its last whole turn."""
        return self.entry.position

    @property
    def rules(self) -> Rules:
        """The rules of the current game."""
        return self.position.rules

    def start_game(self, rules: Rules) -> None:
        """Begin another game, and drop the state of the last one."""
        self.entry = TurnEntry(best_position()(rules))
        self.left.clear()
        self.config.services.shelf.drop(self)

    @property
    def tables(self) -> Tables:
        """The tables of small boards, which ``solve`` and ``probe`` answer from."""
        return self.config.services.tables

    @property
    def spelling(self) -> Spelling:
        """The names that the client uses now; later changes of its settings do not affect them."""
        return self.spelling_of(self.rules)

    def spelling_of(self, rules: Rules) -> Spelling:
        """Return the names that the client uses in a game."""
        return Spelling.of(rules, self.parameters.coordinates, self.parameters.turns)

    def format_turn(self, turn: Turn) -> str:
        """Write a turn of the player to move."""
        return self.spelling.turn(turn, self.position.player)
