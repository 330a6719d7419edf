"""The commands that answer by perfect play: from complete tables, or by the exact solver."""

from __future__ import annotations

from typing import Final

import attrs

from yoddd.engine import StopFlag, best_line, value_of, values_of
from yoddd.kernel import Solution, make_sweep, solve
from yoddd.kernel.backend import KernelMissing, backend
from yoddd.kernel.solver import SolverLimits
from yoddd.kernel.table import Value
from yoddd.protocol.arguments import parse_seconds
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, Command
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.parameters import LONGEST
from yoddd.protocol.replies import TaskReply
from yoddd.rules import SWAP, PositionLike, Turn

_SECONDS: Final = 10.0
"""The time of the solver if the request names none."""


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


def _solve(client: ClientState, args: Args) -> TaskReply:
    seconds = parse_seconds("seconds", args[0], LONGEST) if args else _SECONDS
    position, tables, parameters = client.position.copy(), client.tables, client.parameters
    spelling = client.spelling

    def work(stop: StopFlag) -> Proof:
        value = value_of(tables, position, stop)
        if value is not None:
            values = values_of(tables, position)
            return Proof(value, "table", best_line(tables, position, values))
        try:
            found = solve(
                position,
                seconds=max(seconds, 1e-3),
                memory=parameters.memory << 20,
                threads=parameters.threads,
                stop=stop,
            )
        except KernelMissing:
            return Proof(None, "search", ())
        return _proof(position, found)

    def finish(proof: Proof) -> str:
        value = proof.value
        word, distance = ("unknown", None) if value is None else (_word(value), value.turns)
        return "\n".join(
            [
                f"value {word}",
                f"distance {'unknown' if distance is None else distance}",
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


def _word(value: Value) -> str:
    return "won" if value.won else "lost"


def _spell(value: Value) -> str:
    return _word(value) if value.turns is None else f"{_word(value)} {value.turns}"


def _probe(client: ClientState, args: Args) -> TaskReply:
    position, tables, spelling = client.position.copy(), client.tables, client.spelling
    seconds = parse_seconds("seconds", args[0], LONGEST) if args else 0.0
    parameters = client.parameters
    limits = SolverLimits(0, seconds, parameters.memory << 20, parameters.threads)

    def work(stop: StopFlag) -> list[str]:
        value = value_of(tables, position, stop)
        if value is not None:
            values = values_of(tables, position)
        elif values := _swept(position, limits, stop) if seconds else ():
            value = values[0][1]
        else:
            return []
        write, player = spelling.turn, position.player
        return [_spell(value), *(f"{write(turn, player)} {_spell(one)}" for turn, one in values)]

    def finish(lines: list[str]) -> str:
        if not lines:
            rules = position.rules
            chosen = [f"{name}={text}" for name, text in rules.chosen_options().items()]
            raise PeerError(
                Code.NO_TABLE, " ".join([rules.game.name, rules.geometry.name, *chosen])
            )
        return "\n".join(lines)

    return TaskReply(work, finish)


def _swept(
    position: PositionLike, limits: SolverLimits, stop: StopFlag
) -> tuple[tuple[Turn, Value], ...]:
    """The values of the turns, best first, by a sweep; empty if the limits do not allow one."""
    is_before_swap = position.rules.pie and position.number == 1
    if position.is_over or is_before_swap or not backend().is_native:
        return ()
    for distances in (True, False):
        if limits.allow_sweep(position, distances=distances):
            sweep = make_sweep(position, distances=distances, threads=limits.threads, stop=stop)
            values = () if sweep is None else sweep.turns(position)
            return tuple((one.turn, Value(one.wins, one.distance)) for one in values)
    return ()


COMMANDS: Final = (
    Command(
        "solve",
        "engine",
        "[SECONDS]",
        "who wins with best play, from a complete table or by the exact solver",
        _solve,
        (0, 1),
        8,
    ),
    Command(
        "probe",
        "engine",
        "[SECONDS]",
        "the value of the position and of every legal turn, from a complete table or by the solver",
        _probe,
        (0, 1),
        8,
    ),
)
