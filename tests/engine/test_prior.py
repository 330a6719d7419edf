"""The policy at a position: probabilities of half turns and of turns."""

from __future__ import annotations

import math

import pytest

from tests.support.engines import reported
from tests.support.games import half_turns
from yoddd.engine import ENGINES, Budget, Prior, Tuning, prior_of
from yoddd.engine.mcts import MctsSearcher
from yoddd.engine.weights import weights_for
from yoddd.kernel import backend
from yoddd.notation import parse_position
from yoddd.rules import PASS, Colour, Position, PositionLike, Stone, Turn, make_rules

needs_kernel = pytest.mark.skipif(not backend().is_native, reason=backend().detail)
GAMES = [
    ("yodd", "hex3"),
    ("xodd", "square4"),
    ("odd", "hex3"),
    ("yoin", "hex3"),
    ("product", "hex3"),
]
WEIGHTED = [game for game in ("yodd", "xodd", "yoin") if backend().is_native]


def start(game: str, board: str, turns: int = 1) -> PositionLike:
    position = Position(make_rules(game, board))
    for _ in range(turns):
        position.play(next(position.legal_turns()))
    return position


@pytest.mark.parametrize(("game", "board"), GAMES)
def test_prior_of_all_legal_turns_sums_to_one(game: str, board: str) -> None:
    for turns in range(3):
        position = start(game, board, turns)
        weights = weights_for(position.rules) if backend().is_native else ()
        for prior in (Prior(position, weights), Prior(position)):
            shares = [prior.of(turn) for turn in position.legal_turns()]
            assert math.isclose(math.fsum(shares), 1, rel_tol=1e-5)
            assert min(shares) >= 0


@pytest.mark.parametrize(("game", "board"), GAMES)
def test_prior_without_weights_is_uniform_over_the_legal_half_turns(game: str, board: str) -> None:
    position = start(game, board)
    prior = Prior(position)
    moves = half_turns(position)
    assert prior.half_turns() == pytest.approx(dict.fromkeys(moves, 1 / len(moves)))
    if not position.rules.two_stones:
        return
    first = next(position.legal_turns()).stones[0]
    move = first.colour * position.rules.geometry.cells + first.cell
    assert sorted(prior.half_turns(first)) == half_turns(position, move)


@pytest.mark.parametrize("game", WEIGHTED)
def test_prior_of_a_learned_value_prefers_some_half_turns(game: str) -> None:
    position = start(game, "hex4" if game != "xodd" else "square5")
    shares = Prior(position, weights_for(position.rules)).half_turns()
    assert max(shares.values()) > 2 * min(shares.values())


def test_policy_says_which_half_turns_are_legal() -> None:
    position = parse_position("yodd hex4 4/5/6/3b3/6/5/4 w 0 2")
    policy = Prior(position).policy()
    assert len(policy) == 2 * 37 + 2
    assert policy[18] == policy[37 + 18] == policy[-1] == -1  # a stone's cell, and the swap
    legal = [share for share in policy if share >= 0]
    assert math.isclose(sum(legal), 1)
    assert len(legal) == 2 * 36 + 1  # every stone elsewhere, and the pass
    assert Prior(position).of(PASS) == policy[-2]


@needs_kernel
def test_prior_of_a_pair_is_that_of_both_orders() -> None:
    position = parse_position("yodd hex4 4/5/6/3b3/6/5/4 w 0 2")
    prior = Prior(position, weights_for(position.rules))
    one, two = Stone(Colour.BLACK, 0), Stone(Colour.WHITE, 1)
    orders = [
        prior.half_turns()[cells_of(a)] * prior.half_turns(a)[cells_of(b)]
        for a, b in ((one, two), (two, one))
    ]
    assert prior.of(Turn.drop(one, two)) == pytest.approx(sum(orders))


def cells_of(stone: Stone) -> int:
    return stone.colour * 37 + stone.cell


@needs_kernel
def test_prior_is_the_same_for_mirrored_stones() -> None:
    position = parse_position("yodd hex4 4/5/6/3b3/6/5/4 w 0 2")
    policy = Prior(position, weights_for(position.rules)).policy()
    assert policy[0] == pytest.approx(policy[36])
    assert policy[37] == pytest.approx(policy[37 + 36])


@needs_kernel
@pytest.mark.parametrize("engine", ENGINES)
def test_reports_have_the_prior_of_their_engine(engine: str) -> None:
    position = start("yodd", "hex3")
    _, last = reported(ENGINES[engine](), position, Budget(playouts=60), 3)
    weights = weights_for(position.rules) if engine == MctsSearcher.name else ()
    prior = Prior(position, weights)
    assert last.policy == prior.policy()
    assert [one.prior for one in last.candidates] == [prior.of(one.turn) for one in last.candidates]


@needs_kernel
def test_prior_of_an_engine_without_its_learned_value_is_uniform() -> None:
    position = start("yodd", "hex3")
    searcher = MctsSearcher(tuning=Tuning(learned=False))
    assert prior_of(searcher, position).policy() == Prior(position).policy()
