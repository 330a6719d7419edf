"""Games that can be watched: what has happened in them, and whoever wants to hear more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import attrs

from yoddd.daemon.base.ports import End, Say
from yoddd.daemon.play.match_runner import GameBegins, GameEnds, News, TurnSeen, Watch
from yoddd.notation import format_position
from yoddd.notation.records import GameRecord, dump_record
from yoddd.protocol.errors import Code, PeerError
from yoddd.rules import Position, Rules

FINISHED_KEPT: Final = 64
"""How many games that are over can still be looked at."""


@attrs.define(eq=False)
class LiveGame:
    """One game as those who watch see it.

    The lines are those of ``observe``: ``position``, ``game`` once it begins, ``turn``, ``record``.

    Attributes:
        id: what it is called.
        rules: its game, board and options.
        clock: its time control.
        names: of the people, by seat; None where nobody sits yet.
        abort: ends the game as void for a reason; None while it cannot be.
    """

    id: str
    rules: Rules
    clock: str
    names: tuple[str | None, str | None]
    abort: Callable[[str], None] | None = None
    _lines: list[str] = attrs.Factory(list)
    _watchers: list[Watcher] = attrs.Factory(list)
    _turns: int = 0
    _state: str = "open"

    def __attrs_post_init__(self) -> None:
        self._lines.append(f"position {format_position(Position(self.rules))}")

    def begin(self, black: str, white: str) -> None:
        """Both people sit at the board."""
        self.names = (black, white)
        self._state = "playing"
        self._say(f"game {self.id} {black} {white} {self.clock}")

    def turn(self, seat: str, token: str, seconds: float) -> None:
        """A turn was played."""
        self._turns += 1
        self._say(f"turn {seat} {token} {seconds:.3f}")

    def end(self, record: GameRecord | None, error: str | None = None) -> None:
        """The game is over; None if it never began, or ``error`` says why it does not go on."""
        self._state = "over"
        self.abort = None
        if record is not None:
            self._say(f"record {dump_record(record)}")
        watchers, self._watchers = self._watchers, []
        for watcher in watchers:
            watcher.end(error)

    @property
    def is_over(self) -> bool:
        """Whether nothing more happens."""
        return self._state == "over"

    def notice(self, text: str) -> None:
        """Tell whoever watches now something from outside the game."""
        for watcher in tuple(self._watchers):
            watcher.say(f"notice {text}")

    @property
    def watchers(self) -> int:
        """How many watch."""
        return len(self._watchers)

    @property
    def state(self) -> str:
        """``open``, ``playing`` or ``over``."""
        return self._state

    @property
    def is_open(self) -> bool:
        """Whether somebody is waited for."""
        return self._state == "open"

    def describe(self) -> str:
        """The line of ``games``."""
        rules = self.rules
        black, white = (name or "-" for name in self.names)
        words = [self.id, self._state, rules.game.name, rules.geometry.name, black, white]
        options = [f"{name}={value}" for name, value in rules.chosen_options().items()]
        return " ".join([*words, str(self._turns), f"clock={self.clock}", *options])

    def watch(self, say: Say, end: End) -> Watcher:
        """Tell everything so far, then go on."""
        watcher = Watcher(self, say, end)
        for line in self._lines:
            say(line)
        if self.is_over:
            end(None)
        else:
            self._watchers.append(watcher)
        return watcher

    def forget(self, watcher: Watcher) -> None:
        """Somebody has stopped watching."""
        if watcher in self._watchers:
            self._watchers.remove(watcher)

    def _say(self, line: str) -> None:
        self._lines.append(line)
        for watcher in tuple(self._watchers):
            watcher.say(line)


@attrs.frozen(eq=False)
class Watcher:
    """Somebody who watches; the streaming job of ``observe``."""

    game: LiveGame
    say: Say
    end: End

    def stop(self) -> None:
        """Nobody listens any more."""
        self.game.forget(self)


class LiveGames:
    """All of them, by id; those that are over go one by one."""

    def __init__(self) -> None:
        """None yet."""
        self._games: dict[str, LiveGame] = {}

    def add(self, game: LiveGame) -> LiveGame:
        """A game begins to be visible."""
        over = [old for old in self._games.values() if old.is_over]
        for old in over[: max(0, len(over) - FINISHED_KEPT)]:
            del self._games[old.id]
        self._games[game.id] = game
        return game

    def remove(self, game: LiveGame) -> None:
        """A game that never began need not be remembered."""
        game.end(None)
        if self._games.get(game.id) is game:
            del self._games[game.id]

    def find(self, game_id: str) -> LiveGame:
        """The game called ``game_id``.

        Raises:
            PeerError: there is none.
        """
        found = self._games.get(game_id)
        if found is None:
            raise PeerError(Code.SYNTAX, f"no game {game_id!r}")
        return found

    def describe(self) -> list[str]:
        """The lines of ``games``, the latest first."""
        return [game.describe() for game in self.latest]

    @property
    def latest(self) -> Iterator[LiveGame]:
        """All of them, the latest first."""
        return reversed(self._games.values())

    def has(self, game_id: str) -> bool:
        """Whether there is a game of this id."""
        return game_id in self._games

    def __iter__(self) -> Iterator[LiveGame]:
        """All of them."""
        return iter(tuple(self._games.values()))

    def reporter(self, rules: Rules, clock: str, abort: Callable[[str], None]) -> Watch:
        """Who tells a match's news to whoever watches its games; ``abort`` ends one."""
        current: list[LiveGame] = []

        def hear(news: News) -> None:
            match news:
                case GameBegins(_, game_id, black, white, opening):
                    game = self.add(LiveGame(game_id, rules, clock, (black, white), abort))
                    game.begin(black, white)
                    current[:] = [game]
                    for index, token in enumerate(opening):
                        game.turn("bw"[index % 2], token, 0.0)
                case TurnSeen(_, seat, token, seconds):
                    current[0].turn(seat, token, seconds)
                case GameEnds(_, record):
                    current[0].end(record)

        return hear
