"""The tree search: legal, reproducible, exact where it says so, and much better than plain UCT."""

from __future__ import annotations

import math
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import attrs
import pytest

from tests.kernel.endgames import random_endgame, swept
from tests.support.games import SMALL_RULES, never, outcome_of, rules_id, wins, wins_by
from tests.support.trees import Found, Tree, by_every_instruction_set
from yoddd.engine.weights import weights_for
from yoddd.kernel import PLAIN_UCT, TreeSettings, best_turn, solve
from yoddd.kernel.position import moves_of
from yoddd.notation import parse_position, parse_turn
from yoddd.rules import SWAP, Colour, Position, PositionLike, Rules, make_rules


def start(game: str, board: str, **options: str) -> PositionLike:
    return Position(make_rules(game, board, options))


@pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
def test_advanced_tree_has_turns_of_the_new_position(rules: Rules) -> None:
    position, tree = Position(rules), Tree()
    while not position.is_over:
        found = tree.run(position, playouts=200)
        fresh = Tree().run(position, playouts=1)
        assert [move for move, _ in found.lent] == [move for move, _ in fresh.lent]
        assert {half.moves[0] for half in found.turns} <= {move for move, _ in found.lent}
        position.play(found.turn)


@pytest.mark.parametrize(
    ("game", "board", "own"), [("yodd", "hex3", 6e4), ("xodd", "square5", 1.5e4)]
)
def test_value_fades_by_the_games_own_number(game: str, board: str, own: float) -> None:
    rules = make_rules(game, board)

    def search(fade: float, share: float = 0.5) -> Found:
        settings = TreeSettings(
            memory=16 << 20, weights=weights_for(rules), value_fade=fade, value_share=share
        )
        # A search that goes on counts on 20,000 visits.
        return Tree(settings).run(Position(rules), playouts=500, resume=True)

    assert search(0) == search(own)
    assert search(0) != search(100)
    assert search(20_000) == search(1e300, share=0.25)


def test_one_thread_and_one_seed_give_one_tree() -> None:
    found = [Tree(seed=5).run(start("yodd", "hex4"), playouts=3000) for _ in range(2)]
    assert found[0] == found[1]
    assert Tree(seed=6).run(start("yodd", "hex4"), playouts=3000) != found[0]


@pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
def test_every_instruction_set_grows_the_same_tree(rules: Rules) -> None:
    found = by_every_instruction_set(lambda: Tree().run(Position(rules), playouts=400))
    assert all(one == found[0] for one in found)


def test_limits_are_kept_and_playouts_are_those_really_run() -> None:
    tree, position = Tree(), start("yodd", "hex5")
    found = tree.run(position, playouts=500)
    assert found.playouts == 500
    assert found.visits >= 500  # an end in the tree is visited without a playout
    assert tree.run(position, visits=700, resume=True).visits == 700
    assert all(0 <= worth <= 1 for _, worth in found.lent)


def test_ownership_is_between_the_colours() -> None:
    found = Tree().run(parse_position("yodd hex4 4/5/6/3b3/6/5/4 w 0 2"), playouts=500)
    assert len(found.ownership) == 37
    assert found.ownership[18] == -1.0  # of the player, who is White
    assert all(-1 <= value <= 1 for value in found.ownership)


def test_full_tree_makes_room_and_is_the_same_for_the_same_seed() -> None:
    settings = TreeSettings(memory=1 << 20, weights=weights_for(make_rules("yodd", "hex5")))
    found, again = (Tree(settings).run(start("yodd", "hex5"), playouts=20_000) for _ in range(2))
    assert found == again
    assert found.playouts == 20_000
    # One that cannot grow has no statistics of so many turns.
    narrow = attrs.evolve(settings, memory=(1 << 20) - 64)
    assert Tree(narrow).run(start("yodd", "hex5"), playouts=20_000) != found


@pytest.mark.whole
def test_sums_of_millions_of_playouts_keep_their_means() -> None:
    # A tree that cannot grow samples the same values again and again.
    position = parse_position("yoin hex4 w1bw/bbwbb/bwbb1w/wbbwb2/wwwb2/1w2w/4 b 0 25 pie=off")
    tree = Tree(TreeSettings(memory=6000, leaf_playouts=1, bridges=False, swept_cells=0))
    before = tree.run(position, playouts=200_000, resume=True).turns[0]
    found = tree.run(position, playouts=1_500_000, resume=True)
    after = found.turns[0]
    assert found.winner is None
    assert after.moves == before.moves
    assert after.visits > 0.9 * found.visits
    assert after.value == pytest.approx(before.value, abs=0.002)
    assert after.margin == pytest.approx(before.margin, abs=0.02)


def test_a_tree_that_moves_along_has_room_for_what_is_new() -> None:
    position, tree = start("yodd", "hex5"), Tree(TreeSettings(memory=1 << 20))
    while position.number < 20:
        found = tree.run(position, playouts=3000)
        assert sum(half.visits > 0 for half in found.turns) > 1
        position.play(found.turn)


def test_what_is_kept_of_a_tree_is_what_it_was() -> None:
    position = start("odd", "hex4")
    # The narrow one is copied when it moves along, the other is not.
    trees = [Tree(TreeSettings(memory=memory)) for memory in (64 << 20, 5 << 20)]
    roomy, narrow = (tree.run(position, playouts=10_000) for tree in trees)
    assert roomy == narrow
    position.play(roomy.turn)
    roomy, narrow = (tree.run(position, playouts=1) for tree in trees)
    assert roomy == narrow
    assert roomy.visits > 100


@pytest.mark.whole
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="Linux tells the peak")
@pytest.mark.parametrize("threads", [1, 4])
def test_tree_that_makes_room_takes_the_memory_that_was_asked_for(threads: int) -> None:
    memory = 32 << 20
    # A process of its own: what others have freed in this one would serve the tree.
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        grown = pool.submit(_growth, memory, threads).result()
    assert 0.9 * memory < grown < 1.05 * memory


def _growth(memory: int, threads: int) -> int:
    """Bytes by which a tree that becomes full raises the peak of the process."""
    position = start("yodd", "hex6")
    settings = TreeSettings(memory=memory, threads=threads, weights=weights_for(position.rules))
    Tree(attrs.evolve(settings, memory=1 << 20)).run(position, playouts=1000)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forget the peak
    before = _peak()
    tree = Tree(settings)
    found = tree.run(position, playouts=300_000)
    assert found.playouts == 300_000
    return _peak() - before


def _peak() -> int:
    """The most bytes of memory that this process has had."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def test_a_tree_of_two_threads_serves_one() -> None:
    position, tree = start("yodd", "hex5"), Tree(TreeSettings(threads=2))
    position.play(tree.run(position, playouts=2000).turn)
    tree.settings.threads = 1
    assert tree.run(position, playouts=1).visits > 100
    assert Tree(TreeSettings(threads=0)).run(position, playouts=10).playouts == 10


def test_a_limit_of_visits_holds_for_all_threads_together() -> None:
    tree, position = Tree(TreeSettings(threads=4)), start("yodd", "hex5")
    assert tree.run(position, visits=5000, resume=True).playouts <= 5010
    # What two wrote at once may be missing.
    assert tree.run(position, visits=6000, resume=True).playouts <= 1510


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
    # With a learned value nodes have a part of their half turns at first.
    settings = TreeSettings(weights=weights_for(position.rules))
    for turn in [None, *position.legal_turns()]:
        if turn is not None:
            position.play(turn)
        winner = Tree(settings).run(position, playouts=200_000).winner
        assert winner is solve(position).winner is not None
        if turn is not None:
            position.undo()


def test_a_proof_serves_every_order_that_leads_to_it() -> None:
    together, apart = (
        Tree(TreeSettings(transpositions=transpositions, swept_cells=0)).run(
            start("yodd", "hex2"), playouts=200_000
        )
        for transpositions in (True, False)
    )
    assert together.winner is apart.winner is not None
    assert together.playouts < apart.playouts / 2


@pytest.mark.parametrize(("game", "board"), [("yodd", "hex2"), ("xodd", "square2")])
def test_several_threads_prove_what_the_solver_finds(game: str, board: str) -> None:
    winner = solve(start(game, board)).winner
    for seed in range(20):
        tree = Tree(TreeSettings(threads=4), seed)
        assert tree.run(start(game, board), playouts=200_000).winner is winner


def test_what_two_threads_have_found_counts_once() -> None:
    """Without transpositions the value of a position is the mean of those that follow."""
    settings = TreeSettings(threads=2, transpositions=False, margin_weight=0)
    for seed in range(5):
        found = Tree(settings, seed).run(start("yoin", "hex3"), playouts=20_000)
        mean = sum(half.visits * half.value for half in found.turns) / found.visits
        assert mean == pytest.approx(found.winrate, abs=1e-3)


HARD = [
    "yodd hex4 1b2/1wbwb/wwbwb1/1wbwb1w/1wb1b1/1w1b1/1w2 w 0 12",
    "yodd hex4 1b2/1wbwb/wwbwb1/1wbwb1w/1wb1bw/1wwb1/1w2 b 0 13",
    "xodd square6 1wwww1/1wbbbb/1w1bw1/1w1bw1/1wbbbb/1wwb2 b 0 13",
    "yodd hex4 w1w1/1w1wb/2bwb1/1bbw1b1/2bwwb/wbw2/bw2 w 0 12",
    "yodd hex4 1wwb/2wb1/wwwb2/1bbwbb1/bwwb2/wbb2/4 w 0 12",
]
"""Won positions with 12 to 14 empty cells, in which few of some 200 turns win.

A tree without sweeps is sure of turns that lose after 200,000 playouts.
"""


@pytest.mark.parametrize("line", HARD)
@pytest.mark.parametrize("threads", [1, 2])
def test_tree_finds_the_only_turns_that_win_and_proves_it(line: str, threads: int) -> None:
    position = parse_position(line)
    settings = TreeSettings(weights=weights_for(position.rules), threads=threads)
    judged = swept(position).turns(position)
    wins = {tuple(moves_of(position.rules, one.turn)) for one in judged if one.wins}
    seen = set[float]()
    for seed in range(5):
        found = Tree(settings, seed).run(position, playouts=200_000)
        assert found.winner is position.player
        assert found.winrate == 1.0
        assert tuple(moves_of(position.rules, found.turn)) in wins
        # What is proven of a turn is its value.
        assert all(half.moves in wins for half in found.turns if half.value == 1)
        assert not any(half.moves in wins for half in found.turns if half.value == 0)
        seen |= {half.value for half in found.turns}
        if seen >= {0, 1}:
            break
    # Two threads may prove a turn that wins before any that loses.
    assert seen >= {0, 1}


def test_turn_that_is_not_proven_is_not_sure() -> None:
    # Two of 312 turns win, with 16 empty cells.
    position = parse_position("yodd hex4 1ww1/2w2/wwwb2/1bbwbb1/bwwb2/wbb2/4 b 0 11")
    settings = TreeSettings(weights=weights_for(position.rules))
    for seed in range(3):
        found = Tree(settings, seed).run(position, playouts=100_000)
        assert found.winner is position.player or 0.1 < found.winrate < 0.9


def test_moving_along_to_a_position_whose_winner_is_known_finds_the_turn() -> None:
    position = parse_position(HARD[1])
    tree = Tree(TreeSettings(weights=weights_for(position.rules)))
    judge = swept(position)
    winner = position.player
    while not position.is_over:
        found = tree.run(position, playouts=50_000)
        values = judge.turns(position)
        assert found.winner is winner
        assert found.turn in {one.turn for one in values if one.wins is values[0].wins}
        position.play(found.turn)
    assert outcome_of(position).winner is winner


def test_bars_are_no_part_of_what_is_solved_in_the_tree() -> None:
    rules = make_rules("yodd", "hex4")
    free, passes = (0,) * (2 * rules.geometry.cells + 2), (99,) * 2 * rules.geometry.cells + (0, 0)
    turned = 0
    for seed in range(20):
        position = random_endgame(rules, seed, 7)
        barred = (passes + free, free + passes)[position.player]  # the player on turn can only pass
        found, plain = (
            Tree(TreeSettings(barred=barred, swept_cells=cells)).run(position, playouts=50_000)
            for cells in (12, 0)
        )
        assert found.winner is plain.winner
        turned += found.winner not in {None, solve(position).winner}
    assert turned


def test_swap_is_valued_for_the_player_who_swaps() -> None:
    position = start("yoin", "hex2")
    for turn in list(position.legal_turns()):
        position.play(turn)
        found = Tree().run(position, playouts=100_000)
        assert found.winner is not None
        assert wins_by(position, found.turn, {}) == wins(position, {})
        assert found.turn != SWAP or wins_by(position, SWAP, {})
        position.undo()


@pytest.mark.parametrize("bridges", [True, False])
def test_playouts_of_yoin_lose_no_bridge(bridges: bool) -> None:
    # After these stones Black wins only where White loses a bridge.
    position = parse_position("yoin hex3 1w1/w1wb/wbbwb/1b1w/2b b 0 13")
    settings = attrs.evolve(PLAIN_UCT, expand_visits=10**6, bridges=bridges)
    found = Tree(settings).run(position, playouts=500)
    value = {half.moves[0]: half.value for half in found.turns}
    losing = [value[cell] for cell in (0, 1, 18)]
    assert all(worth == 0 for worth in losing) if bridges else all(worth > 0 for worth in losing)


@pytest.mark.parametrize("threads", [1, 2])
def test_spread_of_results_of_one_or_minus_one_follows_from_their_mean(threads: int) -> None:
    found = Tree(TreeSettings(threads=threads)).run(start("odd", "hex4"), playouts=3000)
    of_turns = [(one.margin, one.spread) for one in found.turns]
    for margin, spread in [(found.margin, found.spread), *of_turns]:
        assert spread == pytest.approx(math.sqrt(1 - margin**2))


def test_spread_after_a_swap_is_the_same_for_both_players() -> None:
    position = start("yoin", "hex4")
    position.play(parse_turn("d4", position.rules, Colour.BLACK))
    found = Tree().run(position, playouts=3000)
    (swap,) = (half for half in found.turns if half.moves == (2 * 37 + 2,))
    assert swap.visits > 100
    assert swap.spread == pytest.approx(found.spread, rel=0.25)


def play_match(board: str, games: int, playouts: int) -> int:
    """The number of games that the default settings win against plain UCT at equal playouts."""
    wins = 0
    for game in range(games):
        position = start("yodd", board)
        ours = Colour(game % 2)
        while not position.is_over:
            settings = TreeSettings() if position.player is ours else PLAIN_UCT
            seed = game * 997 + position.number
            position.play(best_turn(position, settings, playouts=playouts, seed=seed))
        wins += outcome_of(position).winner is ours
    return wins


def test_it_beats_plain_uct() -> None:
    assert play_match("hex4", 10, 1000) >= 8


@pytest.mark.parametrize("seconds", [0.01, 0.0])
def test_searching_threads_end_at_their_time_limit(seconds: float) -> None:
    tree = Tree(TreeSettings(threads=2))
    tree.begin(start("yodd", "hex6"), seconds=seconds)
    while tree.player.step(never):
        pass
    assert tree.found().visits >= 1
