"""The tree search: legal, reproducible, exact where it says so, and much better than plain UCT."""

from __future__ import annotations

import itertools
import math

import pytest

from tests.support.games import SMALL_RULES, rules_id
from yoddd.engine.weights import weights_for
from yoddd.kernel import PLAIN_UCT, TreeSearch, TreeSettings, backend, solve
from yoddd.kernel.backend import native
from yoddd.notation import parse_position, parse_turn
from yoddd.rules import PASS, SWAP, Colour, Position, PositionLike, Rules, make_rules

pytestmark = pytest.mark.skipif(not backend().is_native, reason="needs the native kernel")


def start(game: str, board: str, **options: str) -> PositionLike:
    return Position(make_rules(game, board, options))


@pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
def test_it_plays_legal_games_to_the_end(rules: Rules) -> None:
    position = Position(rules)
    for seed in itertools.count():
        if position.is_over:
            break
        tree = TreeSearch(position, seed=seed)
        tree.run(playouts=50)
        position.play(tree.best_turn())


@pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
def test_advanced_tree_has_half_turns_of_the_new_position(rules: Rules) -> None:
    position = Position(rules)
    tree = TreeSearch(position, seed=1)
    while not position.is_over:
        tree.run(playouts=200)
        turn = tree.best_turn()
        position.play(turn)
        tree.advance(turn)
        fresh = TreeSearch(position, seed=1)
        if not position.is_over:
            fresh.run(visits=1)
            kept = {entry.moves for entry in tree.half_turns()}
            assert kept <= {entry.moves for entry in fresh.half_turns()}


def test_what_fades_takes_some_visits() -> None:
    with pytest.raises(ValueError, match="'prior_fade' must be > 0"):
        TreeSettings(prior_fade=0)
    with pytest.raises(ValueError, match="'value_fade' must be >= 0"):
        TreeSettings(value_fade=-1)


@pytest.mark.parametrize(
    ("game", "board", "own"), [("yodd", "hex3", 6e4), ("xodd", "square5", 1.5e4)]
)
def test_value_fades_by_the_games_own_number(game: str, board: str, own: float) -> None:
    rules = make_rules(game, board)

    def search(fade: float, share: float = 0.5, expected: int = 30_000) -> list[tuple[int, float]]:
        settings = TreeSettings(
            memory=16 << 20, weights=weights_for(rules), value_fade=fade, value_share=share
        )
        tree = TreeSearch(Position(rules), seed=1, settings=settings)
        tree.expect(expected)
        tree.run(playouts=500)
        return [(entry.visits, entry.value) for entry in tree.half_turns()]

    assert search(0) == search(own)
    assert search(0) != search(100)
    assert search(30_000) == search(1, share=0.25, expected=0)


def test_one_thread_and_one_seed_give_one_tree() -> None:
    trees = [TreeSearch(start("yodd", "hex4"), seed=5) for _ in range(2)]
    results = [tree.run(playouts=3000) for tree in trees]
    assert results[0] == results[1]
    assert trees[0].half_turns() == trees[1].half_turns()
    assert TreeSearch(start("yodd", "hex4"), seed=6).run(playouts=3000) != results[0]


@pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
def test_every_instruction_set_grows_the_same_tree(rules: Rules) -> None:
    kernel = native()
    usual = kernel.instruction_set()
    found = []
    try:
        for name in kernel.instruction_sets():
            kernel.use_instruction_set(name)
            tree = TreeSearch(Position(rules), seed=3)
            found.append((tree.run(playouts=400), tree.half_turns(), tree.ownership()))
    finally:
        kernel.use_instruction_set(usual)
    assert all(one == found[0] for one in found)


def test_limits_are_kept_and_playouts_are_those_really_run() -> None:
    tree = TreeSearch(start("yodd", "hex5"), seed=1)
    result = tree.run(playouts=500)
    assert result.playouts == 500
    assert result.visits >= 500  # an end in the tree is visited without a playout
    assert tree.run(visits=700).visits == 700
    assert tree.run(seconds=0.0).playouts > 0


def test_visits_of_half_turns_add_up() -> None:
    tree = TreeSearch(start("yodd", "hex4"), seed=1)
    visits = tree.run(playouts=2000).visits
    entries = tree.half_turns()
    assert sum(entry.visits for entry in entries) == visits
    assert entries == sorted(entries, key=lambda entry: -entry.visits)
    assert all(0 <= entry.value <= 1 and 0 <= entry.lent <= 1 for entry in entries)
    assert tree.lent() == {entry.moves[-1]: entry.lent for entry in entries}


def test_ownership_is_between_the_colours() -> None:
    tree = TreeSearch(parse_position("yodd hex4 4/5/6/3b3/6/5/4 w 0 2"), seed=1)
    tree.run(playouts=500)
    owned = tree.ownership()
    assert len(owned) == 37
    assert owned[18] == 1.0
    assert all(-1 <= value <= 1 for value in owned)


def test_a_full_memory_ends_growth_but_not_the_search() -> None:
    tree = TreeSearch(start("yodd", "hex5"), seed=1, settings=TreeSettings(memory=1 << 18))
    result = tree.run(playouts=20_000)
    assert result.playouts == 20_000
    assert result.nodes < 2000
    position = start("yodd", "hex5")
    position.play(tree.best_turn())


def test_a_full_tree_that_makes_room_grows_on() -> None:
    tree = TreeSearch(start("yodd", "hex6"), seed=1, settings=TreeSettings(memory=2 << 20))
    tree.run(playouts=6000)
    full = tree.run(playouts=500)
    best = tree.half_turns(limit=1)
    assert tree.run(playouts=500).nodes == full.nodes
    tree.make_room()
    kept = tree.result()
    assert kept.nodes < full.nodes
    assert kept.visits > full.visits
    assert tree.half_turns(limit=1)[0].visits >= best[0].visits
    assert tree.run(playouts=1500).nodes > kept.nodes


@pytest.mark.whole
def test_sums_of_millions_of_playouts_keep_their_means() -> None:
    # A tree that cannot grow samples the same values again and again.
    line = "yoin hex4 w1bw/bbwbb/bwbb1w/wbbwb2/wwwb2/1w2w/4 b 0 25 pie=off"
    settings = TreeSettings(memory=6000, leaf_playouts=1, bridges=False)
    tree = TreeSearch(parse_position(line), seed=1, settings=settings)
    tree.run(playouts=200_000)
    (before,) = tree.half_turns(limit=1)
    found = tree.run(playouts=1_500_000)
    (after,) = tree.half_turns(limit=1)
    assert found.winner is None
    assert after.moves == before.moves
    assert after.visits > 0.9 * found.visits
    assert after.value == pytest.approx(before.value, abs=0.002)
    assert after.margin == pytest.approx(before.margin, abs=0.02)


def test_a_tree_that_moves_along_has_room_for_what_is_new() -> None:
    memory = 1 << 20
    position = start("yodd", "hex5")
    tree = TreeSearch(position, seed=1, settings=TreeSettings(memory=memory))
    while position.number < 20:
        nodes = tree.run(playouts=3000).nodes
        assert 200 < nodes < memory / 64
        assert sum(half.visits > 0 for half in tree.half_turns()) > 1
        turn = tree.best_turn()
        position.play(turn)
        tree.advance(turn)


def test_what_is_kept_of_a_tree_is_what_it_was() -> None:
    position = start("odd", "hex4")
    roomy, narrow = (
        TreeSearch(position, seed=1, settings=TreeSettings(memory=memory))
        for memory in (64 << 20, 5 << 20)
    )
    assert roomy.run(playouts=10_000) == narrow.run(playouts=10_000)
    turn = roomy.best_turn()
    for tree in (roomy, narrow):
        tree.advance(turn)
    assert narrow.result().nodes < roomy.result().nodes  # the one was copied, the other not
    assert narrow.half_turns() == roomy.half_turns()
    assert narrow.ownership() == roomy.ownership()
    ways = [half.moves for half in roomy.half_turns(limit=5)]
    assert [narrow.line(way, 8) for way in ways] == [roomy.line(way, 8) for way in ways]


def test_several_threads_share_a_tree() -> None:
    tree = TreeSearch(start("yodd", "hex5"), seed=1, settings=TreeSettings(threads=4))
    result = tree.run(playouts=20_000)
    assert result.playouts == 20_000
    # What each has counted for itself is in the tree, but for what two wrote at once.
    assert result.visits > 19_000
    assert sum(half.visits for half in tree.half_turns()) > 19_000


def test_a_limit_of_visits_holds_for_all_threads_together() -> None:
    tree = TreeSearch(start("yodd", "hex5"), seed=1, settings=TreeSettings(threads=4))
    assert tree.run(visits=5000).playouts <= 5010
    assert tree.run(visits=6000).playouts <= 1510  # what two wrote at once may be missing
    position = start("yodd", "hex5")
    position.play(tree.best_turn())


@pytest.mark.parametrize(
    ("game", "board", "options"),
    [
        ("yodd", "hex2", {}),
        ("xodd", "square2", {}),
        ("odd", "hex2", {"min_group": "3"}),
        ("yoin", "hex2", {"pie": "off"}),
    ],
)
def test_proofs_agree_with_the_exact_solver(game: str, board: str, options: dict[str, str]) -> None:
    position = start(game, board, **options)
    for turn in [None, *position.legal_turns()]:
        if turn is not None:
            position.play(turn)
        result = TreeSearch(position, seed=1).run(playouts=200_000)
        assert result.winner is solve(position).winner
        assert result.winner is not None
        if turn is not None:
            position.undo()


def orders(tree: TreeSearch, length: int) -> list[list[tuple[tuple[int, int], ...]]]:
    """The statistics after each order of the same half turns, if there are several."""
    paths: list[tuple[int, ...]] = [()]
    for _ in range(length):
        paths = [half.moves for path in paths for half in tree.half_turns(path) if half.visits]
    known: dict[frozenset[int], list[tuple[tuple[int, int], ...]]] = {}
    for path in paths:
        after = tuple((half.moves[-1], half.visits) for half in tree.half_turns(path))
        if after:
            known.setdefault(frozenset(path), []).append(after)
    return [found for found in known.values() if len(found) > 1]


@pytest.mark.parametrize(
    ("game", "board", "length"),
    # With stones of one's own colour two of Black's may change places, else any two; of two stones
    # a turn, one of each turn.
    [("odd", "hex3", 2), ("yoin", "hex3", 3), ("product", "hex3", 4)],
)
def test_orders_that_meet_in_a_position_are_one_node(game: str, board: str, length: int) -> None:
    # A playout at a time, so that the search tries many orders.
    tree = TreeSearch(start(game, board), seed=1, settings=TreeSettings(leaf_playouts=1))
    tree.run(playouts=20_000)
    found = orders(tree, length)
    assert found
    assert all(one == same[0] for same in found for one in same)


def test_a_proof_serves_every_order_that_leads_to_it() -> None:
    together, apart = (
        TreeSearch(
            start("yodd", "hex2"), seed=1, settings=TreeSettings(transpositions=transpositions)
        ).run(playouts=200_000)
        for transpositions in (True, False)
    )
    assert together.winner is apart.winner is not None
    assert together.playouts < apart.playouts / 2


@pytest.mark.parametrize(("game", "board"), [("yodd", "hex2"), ("xodd", "square2")])
def test_several_threads_prove_what_the_solver_finds(game: str, board: str) -> None:
    winner = solve(start(game, board)).winner
    for seed in range(20):
        tree = TreeSearch(start(game, board), seed=seed, settings=TreeSettings(threads=4))
        result = tree.run(playouts=200_000)
        assert result.winner is winner
        assert result.nodes < 20_000


def player_wins(position: PositionLike) -> bool:
    """Whether the player on turn wins by best play, by trying everything."""
    colour = position.player
    for turn in list(position.legal_turns()):
        position.play(turn)
        if position.is_over:
            outcome = position.outcome()
            wins = outcome is not None and outcome.winner is colour
        else:
            # After a turn or a swap alike it is the other player's move.
            wins = not player_wins(position)
        position.undo()
        if wins:
            return True
    return False


def test_swap_is_valued_for_the_player_who_swaps() -> None:
    position = start("yoin", "hex2")
    for turn in list(position.legal_turns()):
        position.play(turn)
        position.play(SWAP)
        swapping_wins = not player_wins(position)
        position.undo()
        tree = TreeSearch(position, seed=1)
        result = tree.run(playouts=100_000)
        assert result.winner is not None
        chosen = tree.best_turn()
        position.play(chosen)
        still_wins = not player_wins(position)
        position.undo()
        assert still_wins == player_wins(position)
        if chosen == SWAP:
            assert swapping_wins
        position.undo()


@pytest.mark.parametrize("bridges", [True, False])
def test_playouts_of_yoin_lose_no_bridge(bridges: bool) -> None:
    # After these stones Black wins only where White loses a bridge.
    position = parse_position("yoin hex3 1w1/w1wb/wbbwb/1b1w/2b b 0 13")
    settings = TreeSettings(
        rave=False, exploration=0.7, margin_weight=0, expand_visits=10**6, bridges=bridges
    )
    tree = TreeSearch(position, seed=1, settings=settings)
    tree.run(playouts=500)
    value = {half.moves[0]: half.value for half in tree.half_turns()}
    losing = [value[cell] for cell in (0, 1, 18)]
    assert all(found == 0 for found in losing) if bridges else all(found > 0 for found in losing)


@pytest.mark.parametrize("threads", [1, 2])
def test_spread_of_results_of_one_or_minus_one_follows_from_their_mean(threads: int) -> None:
    tree = TreeSearch(start("odd", "hex4"), seed=1, settings=TreeSettings(threads=threads))
    found = tree.run(playouts=3000)
    assert found.spread == pytest.approx(math.sqrt(1 - found.margin**2))
    for half in tree.half_turns(limit=10):
        assert half.spread == pytest.approx(math.sqrt(1 - half.margin**2))


def test_spread_of_a_position_is_made_of_those_of_its_half_turns() -> None:
    settings = TreeSettings(transpositions=False)
    tree = TreeSearch(start("yodd", "hex5"), seed=1, settings=settings)
    found = tree.run(playouts=3000)
    halves = tree.half_turns()
    assert sum(half.visits for half in halves) == found.visits
    squares = sum(half.visits * (half.spread**2 + half.margin**2) for half in halves)
    assert found.spread > 1
    assert found.spread**2 + found.margin**2 == pytest.approx(squares / found.visits)


def test_spread_after_a_swap_is_the_same_for_both_players() -> None:
    position = start("yoin", "hex4")
    position.play(parse_turn("d4", position.rules, Colour.BLACK))
    tree = TreeSearch(position, seed=1)
    found = tree.run(playouts=3000)
    (swap,) = (half for half in tree.half_turns() if half.moves == (2 * 37 + 2,))
    assert swap.visits > 100
    assert swap.spread == pytest.approx(found.spread, rel=0.25)


def test_a_won_pass_is_proven_at_once() -> None:
    tree = TreeSearch(parse_position("yodd hex4 3w/5/6/3b3/6/5/3w b 1 4"), seed=1)
    result = tree.run(playouts=10_000)
    assert result.winner is Colour.BLACK
    assert result.playouts < 2000
    assert tree.best_turn() == PASS


def play_match(board: str, games: int, playouts: int) -> int:
    """The number of games that the default settings win against plain UCT at equal playouts."""
    wins = 0
    for game in range(games):
        position = start("yodd", board)
        ours = Colour(game % 2)
        while not position.is_over:
            settings = None if position.player is ours else PLAIN_UCT
            tree = TreeSearch(position, seed=game * 997 + position.number, settings=settings)
            tree.run(playouts=playouts)
            position.play(tree.best_turn())
        outcome = position.outcome()
        assert outcome is not None
        wins += outcome.winner is ours
    return wins


def test_it_beats_plain_uct() -> None:
    assert play_match("hex4", 10, 1000) >= 8


def test_search_in_threads_can_be_read_and_stopped_at_any_time() -> None:
    tree = TreeSearch(start("yodd", "hex6"), seed=1, settings=TreeSettings(threads=2))
    tree.begin()
    assert not tree.wait(0.0)
    assert tree.result().visits > 0  # the first simulation is the caller's
    tree.stop()
    turn = tree.best_turn()
    assert start("yodd", "hex6").is_legal(turn)
    tree.advance(turn)
    assert tree.run(playouts=100).playouts >= 100


def test_searching_threads_end_at_their_time_limit() -> None:
    tree = TreeSearch(start("yodd", "hex6"), seed=1, settings=TreeSettings(threads=2))
    tree.begin(seconds=0.01)
    assert tree.wait(60.0)
    tree.begin(seconds=0.0)
    assert tree.wait(60.0)
    assert tree.result().playouts >= 1
