"""The commands that answer by perfect play: from tables, or by the exact solver."""

from __future__ import annotations

from typing import Final

import attrs

from yoddd.engine import StopFlag, Tables, best_line, values_of
from yoddd.kernel import Solution, TurnValue, make_sweep, solve
from yoddd.kernel.solver import SolverLimits
from yoddd.protocol.arguments import parse_seconds
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, CommandGroup
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.parameters import LONGEST
from yoddd.protocol.replies import TaskReply
from yoddd.rules import SWAP, PositionLike, Turn

_SECONDS: Final = 10.0
"""The time of the solver if the request names none."""

COMMANDS: Final = CommandGroup("engine")


@attrs.frozen
class Value:
    """The value of a position or a turn.

    Attributes:
        won: whether the participant who is asked about wins.
        turns: to the end by best play; None if that is not known.
    """

    won: bool
    turns: int | None

    def __str__(self) -> str:
        word = "won" if self.won else "lost"
        return word if self.turns is None else f"{word} {self.turns}"


@attrs.frozen
class Proof:
    """The value of a position.

    Attributes:
        value: for the player to move; None if no proof was found.
        by: ``table``, ``sweep`` or ``search``.
        line: best play of both sides, as far as it is known.
    """

    value: Value | None
    by: str
    line: tuple[Turn, ...]


@COMMANDS.command(
    "solve", "[SECONDS]", "who wins with best play, from a table or by the exact solver", 8
)
def _solve(client: ClientState, args: Args) -> TaskReply:
    seconds = parse_seconds("seconds", args[0], LONGEST) if args else _SECONDS
    position, tables, parameters = client.position.copy(), client.tables, client.parameters
    spelling = client.spelling

    def work(stop: StopFlag) -> Proof:
        value, values = _look_up(tables, position, stop)
        if value is not None:
            return Proof(value, "table", best_line(tables, position, values))
        found = solve(
            position,
            seconds=max(seconds, 1e-3),
            memory=parameters.memory << 20,
            threads=parameters.threads or 1,
            stop=stop,
        )
        return _proof(position, found)

    def finish(proof: Proof) -> str:
        value = proof.value
        word, _, distance = ("unknown" if value is None else str(value)).partition(" ")
        return "\n".join(
            [
                f"value {word}",
                f"distance {distance or 'unknown'}",
                f"by {proof.by}",
                " ".join(["line", *spelling.line(proof.line, position.player)]),
            ]
        )

    return TaskReply(work, finish, seconds)


def _proof(position: PositionLike, found: Solution) -> Proof:
    by = "search" if found.distance is None else "sweep"
    if found.winner is None:
        return Proof(None, by, ())
    return Proof(Value(_is_won(position, found), found.distance), by, found.line)


def _is_won(position: PositionLike, found: Solution) -> bool:
    """Whether the participant to move wins, who may swap or whose colour may be taken over."""
    if position.rules.pie and position.number == 1:
        return False
    return position.is_legal(SWAP) or found.winner is position.player


def _look_up(
    tables: Tables, position: PositionLike, stop: StopFlag
) -> tuple[Value | None, tuple[TurnValue, ...]]:
    """The value of a position, None without a table, and those of its turns, best first."""
    outcome = position.outcome()
    if outcome is not None and tables.find(position.rules, stop) is not None:
        return Value(outcome.winner is position.player, 0), ()
    values = values_of(tables, position, stop)
    return (_value(values[0]) if values else None), values


def _value(turn: TurnValue) -> Value:
    return Value(turn.wins, turn.distance)


@COMMANDS.command(
    "probe",
    "[SECONDS]",
    "the value of the position and of every legal turn, from a table or by the solver",
    8,
)
def _probe(client: ClientState, args: Args) -> TaskReply:
    position, tables, spelling = client.position.copy(), client.tables, client.spelling
    seconds = parse_seconds("seconds", args[0], LONGEST) if args else 0.0
    parameters = client.parameters
    limits = SolverLimits(0, seconds, parameters.memory << 20, parameters.threads or 1)

    def work(stop: StopFlag) -> list[str]:
        value, values = _look_up(tables, position, stop)
        if value is None and seconds:
            values = _swept(position, limits, stop)
            value = _value(values[0]) if values else None
        if value is None:
            return []
        write, player = spelling.turn, position.player
        return [str(value), *(f"{write(one.turn, player)} {_value(one)}" for one in values)]

    def finish(lines: list[str]) -> str:
        if not lines:
            rules = position.rules
            chosen = [f"{name}={text}" for name, text in rules.chosen_options().items()]
            raise PeerError(
                Code.NO_TABLE, " ".join([rules.game.name, rules.geometry.name, *chosen])
            )
        return "\n".join(lines)

    return TaskReply(work, finish)


def _swept(position: PositionLike, limits: SolverLimits, stop: StopFlag) -> tuple[TurnValue, ...]:
    """The values of the turns, best first, by a sweep; empty if the limits do not allow one."""
    is_before_swap = position.rules.pie and position.number == 1
    if position.is_over or is_before_swap:
        return ()
    for distances in (True, False):
        if limits.allow_sweep(position, distances=distances):
            sweep = make_sweep(position, distances=distances, threads=limits.threads, stop=stop)
            return () if sweep is None else sweep.turns(position)
    return ()
