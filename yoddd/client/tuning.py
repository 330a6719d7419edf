"""Pairs of games between two settings of one engine, for a tuning."""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from itertools import islice
from typing import Final

import attrs

from yoddd.client.engine import SimpleEngine
from yoddd.client.errors import EngineRefusal
from yoddd.client.game_requests import Limit
from yoddd.library import Board
from yoddd.referee import derive_seed
from yoddd.rules import Colour, Rules, TurnKind
from yoddd.rules.position_like import seat_of

_RANGE: Final = re.compile(
    r"(?P<low>-?[0-9.]+)\.\.(?P<high>-?[0-9.]+)(?:/(?P<step>[0-9.]+))?(?:\|.*)?", re.ASCII
)
_KINDS: Final = ("int", "float")

IDLE: Final = 10.0
"""Seconds that the engines of a worker wait for their next pair before they are ended."""


@attrs.frozen
class Described:
    """A number among the parameters of an engine.

    Attributes:
        value: its value now; None if that is a word.
        low: the least value.
        high: the greatest.
        step: the step that the engine suggests; None if it suggests none.
        whole: whether it takes whole numbers only.
    """

    value: float | None
    low: float
    high: float
    step: float | None
    whole: bool


def described(text: str) -> dict[str, Described]:
    """The numbers in a reply to `list_params`, by name; other lines are skipped."""
    found: dict[str, Described] = {}
    for line in text.split("\n"):
        name, value, kind, span = (*line.split(" "), "", "", "", "")[:4]
        bounds = _RANGE.fullmatch(span)
        if kind in _KINDS and bounds is not None:
            low, high, step = (_number(bounds[part]) for part in ("low", "high", "step"))
            if low is not None and high is not None:
                found[name] = Described(_number(value), low, high, step, kind == "int")
    return found


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


@attrs.frozen(kw_only=True)
class PairTerms:
    """The games of a tuning.

    Attributes:
        rules: the game, the board and the options.
        limit: of each search.
        opening: random turns at the beginning, the same in both games of a pair.
        seed: of the openings and of the engines.
        fixed: parameters of both sides.
    """

    rules: Rules
    limit: Limit
    opening: int = 2
    seed: int = 1
    fixed: Mapping[str, str] = attrs.Factory(dict)


class PairPlayer:
    """Two processes of one engine, which play pairs against each other.

    Attributes:
        engines: the processes.
    """

    def __init__(self, start: Callable[[], SimpleEngine], terms: PairTerms) -> None:
        """Start both; may raise EngineFailure."""
        self._terms = terms
        first = start()
        try:
            self.engines = (first, start())
        except BaseException:
            first.close()
            raise

    def play(self, sides: tuple[Mapping[str, str], Mapping[str, str]], pair: int) -> int:
        """Play a pair and return the games that the first side has won less those that it lost.

        Raises:
            EngineFailure: an engine refuses a parameter, breaks the protocol or plays an illegal
                turn.
        """
        for engine, params in zip(self.engines, sides, strict=True):
            engine.configure({**self._terms.fixed, **params})
        first = (self._game(pair, seat) for seat in Colour)
        return sum(1 if won else -1 for won in first)

    def _game(self, pair: int, first: Colour) -> bool:
        """Whether the first side wins a game in which it has the seat ``first``."""
        board = self._begin(pair)
        for number, engine in enumerate(self.engines):
            if "set_param" in engine.info.commands:
                self._seed(engine, derive_seed(self._terms.seed, pair, 1 + number))
        while not board.is_over:
            seat = seat_of(board.player, board.history)
            turn = self.engines[seat is not first].play(board, self._terms.limit)
            if turn.kind is TurnKind.RESIGN:
                return seat is not first
            board.push(turn)
        outcome = board.outcome()
        return outcome is not None and seat_of(outcome.winner, board.history) is first

    def _begin(self, pair: int) -> Board:
        """The board after the random turns of a pair; fewer where they would end the game."""
        rules = self._terms.rules
        board = Board(rules.game.name, rules.geometry.name, rules.options())
        rng = random.Random(derive_seed(self._terms.seed, pair))
        for _ in range(self._terms.opening):
            chosen = rng.randrange(board.legal_turns.count())
            board.push(next(islice(board.legal_turns, chosen, None)))
            if board.is_over:
                board.pop()
                break
        return board

    @staticmethod
    def _seed(engine: SimpleEngine, seed: int) -> None:
        # A wish: an engine without randomness has no seed.
        with suppress(EngineRefusal):
            engine.configure({"seed": seed})

    def close(self) -> None:
        """End both processes."""
        for engine in self.engines:
            engine.close()


# -- on workers -----------------------------------------------------------------------------

_idle: Final[dict[str, list[tuple[PairPlayer, threading.Timer]]]] = {}
"""By task: players that wait for their next pair, with the timers that end them."""


@attrs.frozen
class PairTask:
    """The pairs of a tuning, as workers play them.

    Attributes:
        id: differs from that of any other task.
        start: starts the engine; pickled for workers on other machines.
        terms: of the games.
    """

    id: str
    start: Callable[[], SimpleEngine]
    terms: PairTerms

    def close(self) -> None:
        """End the engines that wait in this process."""
        for player, timer in _idle.pop(self.id, []):
            timer.cancel()
            player.close()


def play_pair(task: PairTask, call: tuple[tuple[Mapping[str, str], Mapping[str, str]], int]) -> int:
    """Play a pair, as `PairPlayer.play` does, with engines that wait `IDLE` seconds for the next.

    Args:
        task: the tuning.
        call: the arguments of `PairPlayer.play`.
    """
    waiting = _idle.setdefault(task.id, [])
    with ExitStack() as failing:
        try:
            player, timer = waiting.pop()
            timer.cancel()
        except IndexError:
            player = PairPlayer(task.start, task.terms)
        failing.callback(player.close)
        result = player.play(*call)
        failing.pop_all()
    _keep(waiting, player)
    return result


def _keep(waiting: list[tuple[PairPlayer, threading.Timer]], player: PairPlayer) -> None:
    def end() -> None:
        with suppress(ValueError):  # it was taken at this moment
            waiting.remove(entry)
            player.close()

    timer = threading.Timer(IDLE, end)
    timer.daemon = True
    entry = (player, timer)
    waiting.append(entry)
    timer.start()
