"""The plain tree search plays every game legally, finds wins, and replaces a missing kernel."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.games import SMALL_RULES, rules_id
from yoddd.engine import Budget, NoLegalTurn, PlainMctsSearcher
from yoddd.notation import parse_position
from yoddd.rules import Position, Rules

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
def test_plain_mcts_plays_a_game_to_its_end(rules: Rules) -> None:
    position = Position(rules)
    while not position.is_over:
        found = PlainMctsSearcher().search(position, Budget(playouts=8), 3, lambda: False)
        assert found.playouts == 8
        position.play(found.turn)
    with pytest.raises(NoLegalTurn):
        PlainMctsSearcher().search(position, Budget(), 1, lambda: False)


@pytest.mark.parametrize("seed", range(5))
def test_plain_mcts_finds_a_winning_turn(seed: int) -> None:
    position = parse_position("odd hex2 ww/bw1/wb b 0 7 min_group=2")
    winners = set()
    for turn in position.legal_turns():
        after = position.copy()
        after.play(turn)
        outcome = after.outcome()
        assert outcome is not None
        if outcome.winner is position.player:
            winners.add(turn)
    assert 0 < len(winners) < position.count_turns()
    found = PlainMctsSearcher().search(position, Budget(playouts=60), seed, lambda: False)
    assert found.turn in winners


def test_plain_mcts_is_repeated_by_its_seed_and_ends_when_stopped() -> None:
    position = parse_position("yodd hex3 3/4/5/4/3 b 0 1")
    one, two = (
        PlainMctsSearcher().search(position, Budget(playouts=90), 4, lambda: False)
        for _ in range(2)
    )
    assert one == two
    assert PlainMctsSearcher().search(position, Budget(), 4, lambda: True).playouts == 1


@pytest.mark.process
def test_gtp_without_the_kernel_says_so_once_and_plays_by_mcts() -> None:
    code = (
        "import sys; sys.modules['yoddd.kernel._native'] = None;"
        "from yoddd.cli import main; main(prog_name='yoddd')"
    )
    lines = "get_param engine\nset_param playouts 20\ngenmove b\ngenmove w\nquit\n"
    done = subprocess.run(
        [sys.executable, "-c", code, "gtp", "--board", "hex3"],
        input=lines,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=ROOT,
    )
    replies = done.stdout.split("\n\n")
    assert replies[0] == "= mcts"
    assert all(reply.startswith("= ") for reply in replies[:5])
    assert done.stderr.count("no native kernel") == 1
