"""The examples of the documentation run, and do what they say."""

from __future__ import annotations

import argparse
import importlib.util
import random
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.support.programs import PATIENCE
from yoddd.board import Geometry
from yoddd.kernel import backend, solve
from yoddd.library import load_game
from yoddd.notation import format_position
from yoddd.rules import Position, Turn, make_rules

pytestmark = [
    pytest.mark.gate,
    pytest.mark.skipif(not backend().is_native, reason="needs the native kernel"),
]

ALPHAZERO = Path(__file__).parents[1] / "docs" / "examples" / "alphazero.py"


@pytest.fixture(scope="module")
def alphazero() -> ModuleType:
    spec = importlib.util.spec_from_file_location("alphazero", ALPHAZERO)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("game", "board"), [("yodd", "hex3"), ("xodd", "square3"), ("yoin", "hex2")]
)
def test_gradients_of_the_example_are_those_of_its_loss(
    alphazero: ModuleType, game: str, board: str
) -> None:
    rng = np.random.default_rng(1)
    net = alphazero.Network(load_game(game, board), 1)
    net.weights.update({name: weights.astype(np.float64) for name, weights in net.weights.items()})
    seen = (rng.random((4, net.cells, len(alphazero.UNITS))) < 0.4).astype(np.int8)
    kept: dict[str, np.ndarray] = {}
    logits, values = net(seen, kept)
    by_logits, by_values = (rng.normal(size=out.shape) for out in (logits, values))
    found = net.gradients(kept, by_logits, by_values)

    def loss() -> float:
        logits, values = net(seen, {})
        return float((logits * by_logits).sum() + (np.arctanh(values) * by_values).sum())

    assert len(found) == 2 * (alphazero.LAYERS + 4)
    for name in found:
        weights = net.weights[name]
        step = 1e-8 * rng.normal(size=weights.shape)
        np.add(weights, step, out=weights)
        above = loss()
        np.subtract(weights, 2 * step, out=weights)
        slope = (above - loss()) / 2
        np.add(weights, step, out=weights)
        assert slope == pytest.approx(float((found[name] * step).sum()), rel=1e-3), name


@pytest.mark.parametrize(("game", "board"), [("yodd", "hex4"), ("xodd", "square5")])
def test_view_of_the_example_counts_groups(alphazero: ModuleType, game: str, board: str) -> None:
    rng = np.random.default_rng(1)
    games = alphazero.begin(argparse.Namespace(game=game, board=board), 8)
    net, geometry = alphazero.Network(games.game, 1), games.game.rules.geometry
    for _ in range(20):
        drawn = rng.random((8, games.game.num_distinct_actions())) * games.legal_actions_mask()
        games.step(drawn.argmax(axis=1))
    seen, _ = net.see(games.observation_tensor())
    assert seen[:, :, 1].any()
    for planes in seen:
        groups = [group_numbers(geometry, planes[:, 1 + k].tolist()) for k in range(2)]
        counts = [len(set(numbers.values())) for numbers in groups]
        assert (planes[:, 8:11] == [*counts, counts[0] - counts[1]]).all()
        for cell in np.flatnonzero(planes[:, 1] + planes[:, 2] == 0):
            for numbers, touched in zip(groups, planes[cell, 6:8], strict=True):
                around = [numbers[one] for one in geometry.neighbours[cell] if one in numbers]
                assert len(set(around)) == touched


def group_numbers(geometry: Geometry, stones: list[int]) -> dict[int, int]:
    """For each cell with a stone the first cell of its group."""
    found: dict[int, int] = {}
    for start in (cell for cell, stone in enumerate(stones) if stone):
        open_cells = [start]
        while open_cells:
            cell = open_cells.pop()
            if stones[cell] and cell not in found:
                found[cell] = start
                open_cells += geometry.neighbours[cell]
    return found


def won_starts(game: str, rng: random.Random) -> list[Position]:
    """Positions near the end whose mover wins by some turns and loses by others."""
    found: list[Position] = []
    while len(found) < 6:
        position = Position(make_rules(game, "hex2"))
        while not position.is_over and position.cells.count(None) > 3:
            position.play(rng.choice(list(position.legal_turns())))
        turns = [] if position.is_over else list(position.legal_turns())
        if any(wins(position, turn) for turn in turns) and not all(
            wins(position, turn) for turn in turns
        ):
            found.append(position)
    return found


def wins(position: Position, turn: Turn) -> bool:
    after = position.copy()
    after.play(turn)
    return solve(after).winner is position.player


@pytest.mark.parametrize("game", ["yodd", "odd"])
def test_search_of_the_example_finds_turns_that_win(alphazero: ModuleType, game: str) -> None:
    starts = won_starts(game, random.Random(3))
    kind = load_game(game, "hex2")
    states = [kind.deserialize_state(format_position(position)) for position in starts]
    games = alphazero.Games(kind, states)
    net, live = alphazero.Network(games.game, 1), np.ones(len(starts), np.bool_)
    best, _, _ = alphazero.search(games, net, 400, live, None)
    for position, action in zip(starts, best, strict=True):
        turns = [
            t for t in position.legal_turns() if action in games.game.actions.of_turn(t, position)
        ]
        assert any(wins(position, turn) for turn in turns), format_position(position)


def run(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, str(ALPHAZERO), *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_run_of_the_example_goes_on_after_a_break_as_without_one(
    alphazero: ModuleType, tmp_path: Path
) -> None:
    chosen = argparse.Namespace(
        **{name: default for name, (default, _) in alphazero.SETTINGS.items()}
        | {"board": "hex2", "games": 4, "ways": 4, "file": tmp_path / "run.npz"}
    )
    whole, broken = alphazero.Run(chosen), alphazero.Run(chosen)
    for _ in range(2):
        whole.iterate()
    broken.iterate()
    broken.save()
    resumed = alphazero.Run(chosen)
    resumed.load()
    resumed.iterate()
    assert resumed.done == whole.done == 2
    for name, weights in whole.net.weights.items():
        assert (resumed.net.weights[name] == weights).all(), name


@pytest.mark.whole
@pytest.mark.process
def test_example_learns_and_plays(tmp_path: Path) -> None:
    file = str(tmp_path / "hex2.npz")
    tiny = ("--board", "hex2", "--games", "8", "--ways", "8", "--strong", "16", "--file", file)
    lines = run("train", *tiny, "--iterations", "5").splitlines()
    assert [line.split()[0] for line in lines] == ["iteration", "1", "2", "3", "4", "5"]
    assert lines[-1].endswith(" of 20")
    assert run("train", *tiny, "--iterations", "6").splitlines()[1].split()[0] == "6"
    strong = ("--games", "40", "--strong", "100", "--level", "1")
    wins, _, games = run("match", *tiny, *strong).split()
    assert games == "40"
    assert int(wins) >= 25  # 33, and 16 with the 16 ways of the matches above
