"""The state of one client: its game, its parameters, its time control."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from yoddd.engine import Insight, SearchResult, StopFlag, TimeLeft, TimeSettings
from yoddd.notation import format_turn
from yoddd.protocol.arguments import read_turn
from yoddd.protocol.config import SessionConfig
from yoddd.protocol.coordinates import Coordinates, format_gogui_turn, token_from_gogui
from yoddd.protocol.origin import TRUSTED, Origin
from yoddd.protocol.parameters import Parameters
from yoddd.rules import Colour, Position, PositionLike, Rules, Turn


@attrs.frozen
class FinishedSearch:
    """A search that has ended.

    Attributes:
        rules: those of the searched position; `position` and `loadsgf` may have changed the game's.
        player: the player to move in it.
        result: the turn found and its value.
        insight: the last report of the search.
    """

    rules: Rules
    player: Colour
    result: SearchResult
    insight: Insight


@attrs.define(eq=False)
class ClientState:
    """The state that the commands of one session read and change.

    Attributes:
        config: the configuration of the session.
        parameters: the values that ``set_param`` changes.
        position: the current game.
        served: how many requests were served or refused before this one.
        time: the time control set by ``time_settings`` or its kin.
        last_search: the last search for a turn in this game; None before the first.
        left: the time left by player, as ``time_left`` set it in this game.
        logged_in: whether the client has logged in; ``login`` sets it.
        origin: its account, which ``login`` sets, and its address.
        pondering: the search to begin after the reply, if any; the session takes it from here.
    """

    config: SessionConfig
    parameters: Parameters = attrs.Factory(lambda self: Parameters.of(self.config), takes_self=True)
    position: PositionLike = attrs.Factory(
        lambda self: Position(self.config.defaults.rules), takes_self=True
    )
    served: int = 0
    time: TimeSettings = attrs.Factory(TimeSettings)
    last_search: FinishedSearch | None = None
    left: dict[Colour, TimeLeft] = attrs.Factory(dict)
    logged_in: bool = False
    origin: Origin = TRUSTED
    pondering: Callable[[StopFlag], object] | None = None

    @property
    def rules(self) -> Rules:
        """The rules of the current game."""
        return self.position.rules

    def start_game(self, rules: Rules) -> None:
        """Begin another game, and drop what belongs to the last one."""
        self.position = Position(rules)
        self.left.clear()
        self.last_search = None
        self.config.services.shelf.drop(self)

    @property
    def in_gogui(self) -> bool:
        """Whether turns are read and written with GoGui's labels."""
        return self.parameters.coordinates == Coordinates.GOGUI

    def read_turn(self, token: str, position: PositionLike) -> Turn:
        """Read a turn of the player to move, in the client's coordinates."""
        if self.in_gogui:
            token = token_from_gogui(token, position.rules.geometry)
        return read_turn(token, position)

    def format_turn(self, turn: Turn) -> str:
        """Write a turn in the client's coordinates."""
        return self.turn_formatter(self.rules)(turn)

    def turn_formatter(self, rules: Rules) -> Callable[[Turn], str]:
        """Return a function that formats turns as `format_turn` does now.

        It may be called in any thread and does not follow later changes of the session.
        """
        format_ = format_gogui_turn if self.in_gogui else format_turn
        return lambda turn: format_(turn, rules)
