"""What an engine is asked, word for word, and what may be done when it refuses."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence

import attrs

from yoddd.protocol.controller import EngineInfo
from yoddd.referee.clock import Clock, TimeControl
from yoddd.rules import Colour, Rules


class Purpose(enum.Enum):
    """Why an engine is asked something; it decides what its answer means."""

    DUTY = "duty"
    """It may not be refused."""
    HINT = "hint"
    """A refusal changes nothing: time settings, time left, the seed."""
    SETTING = "setting"
    """The organiser wants it; a refusal makes the game void, it is no fault of the engine."""
    VERDICT = "verdict"
    """Who has won, in the engine's opinion; a refusal is no opinion."""
    GENMOVE = "genmove"
    """The answer is a turn."""


@attrs.frozen
class Order:
    """One request to one engine."""

    purpose: Purpose
    command: str


@attrs.frozen
class Task:
    """What an engine has to know before it can play on.

    Attributes:
        rules: the game, the board and the options.
        control: the time control of its person.
        start: the position line that the game began from; None for the empty board.
        turns: the turns since then, each with the colour that played it.
        seed: what it shall make its random choices from; None to leave it alone.
        params: what else it is to be set to, by name.
    """

    rules: Rules
    control: TimeControl
    start: str | None
    turns: Sequence[tuple[Colour, str]]
    seed: int | None
    params: Mapping[str, str] = attrs.Factory(dict)


def can_start(engine: EngineInfo, start: str | None) -> bool:
    """Whether the engine can be given the start position."""
    return start is None or "position" in engine.commands


def set_up(engine: EngineInfo, task: Task) -> Iterator[Order]:
    """The orders that bring an engine to the position of ``task``, using what it lists.

    An engine without ``game`` is told the board's size only and has to play the right game on the
    right shape by itself; one without ``position`` is told turn after turn.
    """
    rules = task.rules
    if "game" in engine.commands:
        options = [f"{name}={value}" for name, value in rules.chosen_options().items()]
        words = ["game", rules.game.name, rules.geometry.name, *options]
        yield Order(Purpose.DUTY, " ".join(words))
    else:
        yield Order(Purpose.DUTY, f"boardsize {rules.geometry.size}")
    yield Order(Purpose.DUTY, "clear_board")
    for name, value in task.params.items():
        yield Order(Purpose.SETTING, f"set_param {name} {value}")
    if task.seed is not None and "set_param" in engine.commands:
        yield Order(Purpose.HINT, f"set_param seed {task.seed}")
    yield from _time_settings(engine, task.control)
    yield from _go_to(engine, task)


def _time_settings(engine: EngineInfo, control: TimeControl) -> Iterator[Order]:
    if "kata-time_settings" in engine.commands:
        yield Order(Purpose.HINT, f"kata-time_settings {control.kata_settings()}")
    elif "time_settings" in engine.commands:
        yield Order(Purpose.HINT, f"time_settings {control.gtp_settings()}")


def _go_to(engine: EngineInfo, task: Task) -> Iterator[Order]:
    if "position" not in engine.commands:
        yield from (play(colour, token) for colour, token in task.turns)
    elif task.start or task.turns:
        words = ["position", task.start or "startpos"]
        if task.turns:
            words += ["moves", *(token for _, token in task.turns)]
        yield Order(Purpose.DUTY, " ".join(words))


def play(colour: Colour, token: str) -> Order:
    """The order to take note of a turn."""
    return Order(Purpose.DUTY, f"play {colour.letter} {token}")


def verdict() -> Order:
    """The order to say who has won by now."""
    return Order(Purpose.VERDICT, "final_score")


def genmove(engine: EngineInfo, colour: Colour, clock: Clock) -> Iterator[Order]:
    """The orders to play a turn: how much time is left, if it wants to know, and go."""
    left = clock.time_left(fractions="kata-time_settings" in engine.commands)
    if left is not None and "time_left" in engine.commands:
        yield Order(Purpose.HINT, f"time_left {colour.letter} {left}")
    yield Order(Purpose.GENMOVE, f"genmove {colour.letter}")
