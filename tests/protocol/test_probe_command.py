"""Exact values from the solver, where there is no table."""

from __future__ import annotations

import pytest

from tests.kernel.endgames import random_endgame, swept
from tests.protocol.peer import Peer
from tests.support.reviews import ONE_OF_EACH, PUZZLES
from yoddd.kernel import backend
from yoddd.notation import format_position, parse_turn
from yoddd.rules import make_rules

pytestmark = pytest.mark.skipif(not backend().is_native, reason=backend().detail)


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_probe_with_seconds_solves_an_endgame(name: str) -> None:
    puzzle = PUZZLES[name]
    peer = Peer()
    peer.setup(f"position {puzzle.position}")
    head, *lines = peer.ask("probe 10").removeprefix("= ").split("\n")
    start = puzzle.start()
    assert head == f"won {puzzle.distance}"
    assert len(lines) == puzzle.legal
    won = {line.split()[0] for line in lines if line.split()[1] == "won"}
    assert won == set(puzzle.turns)
    wanted = {one.turn: (one.wins, one.distance) for one in swept(start).turns(start)}
    for line in lines:
        token, word, distance = line.split()
        turn = parse_turn(token, start.rules, start.player)
        assert wanted[turn] == (word == "won", int(distance))


def test_probe_leaves_the_distances_out_where_only_they_take_too_long() -> None:
    start = random_endgame(make_rules("yodd", "hex4"), 3, 17)
    peer = Peer()
    peer.setup(f"position {format_position(start)}")
    head, *lines = peer.ask("probe 0.3").removeprefix("= ").split("\n")
    values = swept(start, distances=False).turns(start)
    assert head == ("won" if values[0].wins else "lost")
    assert [line.split()[1] for line in lines] == [
        "won" if value.wins else "lost" for value in values
    ]


@pytest.mark.parametrize("request_", ["probe", "probe 0", "probe 5"])
def test_probe_of_a_position_beyond_the_solver_says_no_table(request_: str) -> None:
    peer = Peer()
    peer.setup("game yodd hex5")
    assert peer.ask(request_) == "? no table: yodd hex5"
