"""Sweeps over endgames against exhaustive search by the reference, and against proof search."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable

import pytest

from tests.kernel.endgames import cost_of, random_endgame, swept
from tests.support.games import again, outcome_of, rules_id
from yoddd.kernel import NativePosition, Solution, make_sweep, solve, sweep_cost
from yoddd.kernel.solver import Method
from yoddd.notation import parse_position
from yoddd.rules import RESIGN, SWAP, Colour, Position, PositionLike, Rules, Turn, make_rules

OPTIONS = [
    *(
        make_rules(game, board, {"own_colour": own, "end_on_full": full})
        for game, board in (("yodd", "hex3"), ("xodd", "square4"))
        for own, full in itertools.product(("off", "on"), repeat=2)
    ),
    *(make_rules("odd", "hex3", {"min_group": size}) for size in (1, 2, 5, 19)),
    make_rules("odd", "square4", {"min_group": 3}),
    make_rules("yoin", "hex3"),
    make_rules("yoin", "hex3", {"pie": "off"}),
    make_rules("product", "hex3"),
]
"""Every game with every option."""

LARGE = [
    make_rules("yodd", "hex6"),
    make_rules("xodd", "square23"),
    make_rules("odd", "square9"),
    make_rules("yoin", "hex5"),
    make_rules("product", "hex5"),
]
"""Boards whose endgames have many groups, and one with wide labels."""


class Exhaustive:
    """Values by a search through all turns of the reference rules, by colours."""

    def __init__(self) -> None:
        self.best = functools.cache(self._best)
        self.position: PositionLike | None = None

    def turns(self, position: PositionLike) -> dict[Turn, tuple[bool, int]]:
        """The value of every turn but a swap: does it win, and how many turns are left with it."""
        found = {}
        player = position.player
        for turn in [turn for turn in position.legal_turns() if turn != SWAP]:
            position.play(turn)
            outcome = position.outcome()
            if outcome is not None:
                found[turn] = outcome.winner is player, 1
            else:
                self.position = position
                key = position.cells, position.player, position.passes, min(position.number, 3)
                wins, distance = self.best(key)
                found[turn] = not wins, distance + 1
            position.undo()
        return found

    def _best(self, _key: object) -> tuple[bool, int]:
        assert self.position is not None
        values = self.turns(self.position).values()
        won = [distance for wins, distance in values if wins]
        return (True, min(won)) if won else (False, max(distance for _, distance in values))


EITHER = pytest.mark.parametrize("distances", [True, False])
"""Full sweeps and compact ones."""


def check(position: PositionLike, follow: int = 0) -> None:
    """Compare the sweep of a position with exhaustive search, and some positions after it."""
    sweep = swept(position)
    exhaustive = Exhaustive()
    after = position.copy()
    for step in range(follow + 1):
        values = {
            value.turn: (value.wins, value.distance)
            for value in sweep.turns(after)
            if value.turn != SWAP
        }
        assert values == exhaustive.turns(again(Position, after))
        turns = list(after.legal_turns())
        if not turns:
            return
        after.play(turns[7919 * (step + 1) % len(turns)])
        assert sweep.covers(after)


@pytest.mark.parametrize("rules", OPTIONS, ids=rules_id)
def test_every_turn_has_the_value_of_exhaustive_search(rules: Rules) -> None:
    for seed in range(8):
        check(random_endgame(rules, seed, seed % 5), follow=3)


@pytest.mark.parametrize("rules", LARGE, ids=rules_id)
def test_large_boards_have_the_values_of_exhaustive_search(rules: Rules) -> None:
    for seed in range(2):
        check(random_endgame(rules, seed, 2))


@pytest.mark.parametrize("rules", [*OPTIONS, *LARGE], ids=rules_id)
def test_distance_shrinks_by_one_along_the_line(rules: Rules) -> None:
    position = random_endgame(rules, 5, 9)
    sweep = swept(position, threads=2)
    line = sweep.line(position)
    assert [value.distance for value in line] == list(range(len(line), 0, -1))
    assert [value.wins for value in line[::2]] == [line[0].wins] * len(line[::2])
    assert [value.wins for value in line[1::2]] == [not line[0].wins] * len(line[1::2])
    for value in line:
        best = sweep.turns(position)[0]
        assert (best.wins, best.distance) == (value.wins, value.distance)
        winner = position.player if value.wins else position.player.opponent
        position.play(value.turn)
    assert outcome_of(position).winner is winner
    assert sweep.turns(position) == ()


@pytest.mark.parametrize("rules", OPTIONS, ids=rules_id)
def test_threads_give_the_same_values(rules: Rules) -> None:
    position = random_endgame(rules, 4, 11)
    assert swept(position, 1).turns(position) == swept(position, 3).turns(position)


@EITHER
def test_swap_takes_over_the_colour_that_wins(distances: bool) -> None:
    for line in ("2/1b1/2 w 0 2", "b1/3/2 w 0 2", "2/b2/2 w 0 2"):
        position = parse_position(f"yoin hex2 {line}", NativePosition)
        turns = swept(position, distances=distances).turns(position)
        black_wins = solve(position, method="search").winner is Colour.BLACK
        assert turns[0].wins  # White chooses the colour
        swap = next(value for value in turns if value.turn == SWAP)
        assert swap.wins is black_wins
        assert not distances or (turns[0] == swap) is black_wins


@EITHER
def test_sweep_covers_only_what_follows(distances: bool) -> None:
    rules = make_rules("yodd", "hex3")
    position = random_endgame(rules, 3, 6)
    sweep = swept(position, distances=distances)
    after = position.copy()
    after.play(next(after.legal_turns()))
    assert sweep.covers(after)
    position.undo()
    assert not sweep.covers(position)
    assert not sweep.covers(random_endgame(rules, 4, 6))
    assert not sweep.covers(random_endgame(make_rules("yodd", "hex3", {"end_on_full": "on"}), 3, 6))
    after.play(RESIGN)
    assert not sweep.covers(after)


@EITHER
def test_sweep_ends_when_it_is_asked_to(distances: bool) -> None:
    position = random_endgame(make_rules("yodd", "hex4"), 1, 14 if distances else 17)
    assert make_sweep(position, distances=distances, stop=lambda: True) is None
    assert make_sweep(position, distances=distances, seconds=1e-6) is None
    method: Method = "sweep" if distances else "compact"
    assert solve(position, method=method, memory=1 << 30, stop=lambda: True).winner is None

    def fail() -> bool:
        raise RuntimeError("out of patience")

    with pytest.raises(RuntimeError, match="out of patience"):
        make_sweep(position, distances=distances, stop=fail)


@EITHER
def test_sweep_of_too_many_cells_is_refused(distances: bool) -> None:
    with pytest.raises(ValueError, match="too many empty cells"):
        make_sweep(NativePosition(make_rules("yodd", "hex4")), distances=distances)
    assert sweep_cost(make_rules("yodd", "hex4"), 26, distances=distances) is None


def test_cost_is_told_beforehand() -> None:
    cost = cost_of(make_rules("yodd", "hex4"), 16)
    assert cost.fillings == 3**16
    # Two layers at most, of two bytes for each colour and filling; no more than an eighth is kept.
    assert 3**16 // 2 < cost.memory < 3**17
    assert 16 * cost_of(make_rules("odd", "hex4"), 16).memory < cost.memory


@EITHER
@pytest.mark.parametrize("rules", OPTIONS, ids=rules_id)
def test_positions_beyond_the_layers_kept_have_their_values(
    rules: Rules, *, distances: bool
) -> None:
    position = random_endgame(rules, 1, 12)
    sweep = swept(position, distances=distances)
    while not position.is_over:
        fresh = swept(position, distances=distances)
        assert sweep.turns(position) == fresh.turns(position)
        turns = list(position.legal_turns())
        position.play(turns[len(turns) // 2])


@pytest.mark.parametrize(
    "limited",
    [
        functools.partial(solve, nodes=3**7),
        functools.partial(solve, memory=3**8),
        functools.partial(solve, seconds=1e-6),
    ],
)
def test_solver_searches_where_limits_forbid_a_sweep(limited: Callable[..., Solution]) -> None:
    position = random_endgame(make_rules("yodd", "hex3"), 2, 8)
    assert limited(position).distance is None
    assert solve(position).distance is not None
    with pytest.raises(ValueError, match="do not allow"):
        limited(position, method="sweep")
