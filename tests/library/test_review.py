"""Reviews: formulas, judgements by values and by estimates, SGF and JSON."""

from __future__ import annotations

import itertools
import random
import statistics
from typing import Any

import attrs
import pytest

from tests.kernel.endgames import cost_of
from tests.kernel.tables import Made
from tests.support.engines import Answering
from tests.support.games import SMALL_RULES, never, rules_id
from tests.support.reviews import HEADING, LIAR, ONE_OF_EACH, PUZZLES, Scripted, blundered, settings
from tests.support.schemas import validator
from yoddd.engine import ENGINES, Budget, SearchResult, values_of
from yoddd.kernel import backend, best_position
from yoddd.library.review import (
    Chance,
    ExactLimits,
    GameReview,
    Grade,
    Reviewer,
    ReviewInterrupted,
    ReviewSettings,
    TurnReview,
    review_game,
)
from yoddd.library.review.texts import annotate, as_json
from yoddd.notation import (
    Node,
    NotationError,
    format_turn,
    parse_sgf,
    parse_turn,
    position_to_sgf,
    read_sgf_game,
    write_sgf,
)
from yoddd.rules import PASS, RESIGN, Colour, Position, PositionLike, Rules, Turn, make_rules

pytestmark = pytest.mark.skipif(not backend().is_native, reason=backend().detail)

# -- formulas -------------------------------------------------------------------------------


def judged(best: float, played: float, visits: int = 10_000) -> TurnReview:
    """The first turn of a game, 1a1, with the chances after 1c3, the best one, and after it."""
    rules = make_rules("yodd", "hex3")
    engine = Scripted(lambda one: 1 - (best if one.cells[9] is not None else played), choose="1c3")
    made = attrs.evolve(settings(engine, seconds=0), visits=visits)
    return review_game(Position(rules), [parse_turn("1a1", rules, Colour.BLACK)], made).turns[0]


@pytest.mark.parametrize(
    ("loss", "accuracy"), [(0, 100), (0.05, 80.8), (0.1, 64.6), (0.2, 41.0), (0.4, 15.9), (1, 0)]
)
def test_accuracy_of_a_loss_follows_the_curve_of_lichess(loss: float, accuracy: float) -> None:
    assert judged(1, 1 - loss).accuracy == pytest.approx(accuracy, abs=0.05)


@pytest.mark.parametrize(
    ("played", "visits", "grade"),
    [
        (0.60, 10_000, Grade.SOUND),
        (0.551, 10_000, Grade.SOUND),
        (0.55, 10_000, Grade.INACCURACY),
        (0.50, 10_000, Grade.MISTAKE),
        (0.45, 10_000, Grade.BLUNDER),
        (0.45, 50, Grade.SOUND),  # two standard errors are 0.2
        (0.30, 50, Grade.BLUNDER),
    ],
)
def test_grade_depends_on_the_loss_and_its_error(played: float, visits: int, grade: Grade) -> None:
    assert judged(0.6, played, visits).grade is grade


def accuracy_of(review: GameReview, seat: Colour) -> float:
    """The mean of two means: weighed by how the chances change around a turn, and harmonic."""
    percents = [100 * chance for chance in review.chances]
    size = min(max(len(review.turns) // 10, 2), 8, len(percents))
    windows = [percents[:size]] * (size - 2)
    windows += [percents[at : at + size] for at in range(len(percents) - size + 1)]
    weights = [min(max(statistics.pstdev(window), 0.5), 12) for window in windows]
    own = [
        (one.accuracy, w) for one, w in zip(review.turns, weights, strict=True) if one.seat is seat
    ]
    accuracies, shares = zip(*own, strict=True)
    harmonic: float = statistics.harmonic_mean([max(1, accuracy) for accuracy in accuracies])
    return (statistics.fmean(accuracies, shares) + harmonic) / 2


# -- judgements -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_review_of_a_solved_ending_names_the_blunder_and_nothing_else(name: str) -> None:
    final, review = blundered(name)
    first, *others = review.turns
    rules = final.rules
    assert first.grade is Grade.BLUNDER
    assert first.turning
    assert (first.best.value, first.played.value, first.loss) == (1, 0, 1)
    assert format_turn(first.better[0], rules) in PUZZLES[name].turns
    assert first.refutation == final.history[1:][: len(first.refutation)]
    assert {turn.grade for turn in others} <= {Grade.SOUND}
    assert all(turn.best.exact and turn.played.exact for turn in review.turns)
    assert review.exact_from == 0
    assert review.turning_points == (first,)
    blame = review.players[first.seat]
    assert blame.errors == {Grade.INACCURACY: 0, Grade.MISTAKE: 0, Grade.BLUNDER: 1}
    assert review.players[first.seat.opponent].accuracy == 100
    assert blame.average_loss == pytest.approx(1 / blame.turns)


@pytest.mark.parametrize(
    ("game", "board"), [("xodd", "square3"), ("yoin", "hex2"), ("product", "hex2")]
)
def test_review_with_a_table_judges_every_turn_by_it(game: str, board: str) -> None:
    rules = make_rules(game, board)
    made = Made(rules)
    exact = ExactLimits(tables=made, seconds=0)
    blunders = 0
    for seed in range(8):
        rng = random.Random(seed)
        position = Position(rules)
        lost: list[bool] = []
        while (values := values_of(made, position)) and len(lost) < 40:
            value = rng.choice(values)
            lost.append(values[0].wins and not value.wins)
            position.play(value.turn)
        liar = ReviewSettings(engine=lambda: LIAR, visits=1000, exact=exact)
        review = review_game(Position(rules), position.history, liar)
        assert review.exact_from == 0
        assert [turn.grade is Grade.BLUNDER for turn in review.turns] == lost
        assert [turn.loss for turn in review.turns] == list(map(float, lost))
        blunders += sum(lost)
    assert blunders > 4


def test_review_at_the_edge_of_what_is_solved_finds_a_turn_that_wins() -> None:
    # Too little memory for a sweep of the position itself, enough for one of those after it.
    final, _ = blundered("yodd-hex3-17")
    start = PUZZLES["yodd-hex3-17"].start()
    empty = start.cells.count(None)
    memory = cost_of(start.rules, empty, distances=False).memory - 1
    win = PUZZLES["yodd-hex3-17"].turns[0]
    engine = Scripted(lambda _: 0.9)

    def find(position: PositionLike, budget: Budget) -> SearchResult:
        found = engine.search(position, budget, 0, never)
        if position.cells.count(None) == empty:
            return attrs.evolve(found, turn=parse_turn(win, start.rules, position.player))
        return found

    review = review_game(start, final.history, settings(Answering(find), memory=memory))
    assert review.exact_from == 1
    assert review.turns[0].grade is Grade.BLUNDER
    assert review.turns[0].best == Chance(1.0, exact=True, distance=review.turns[0].best.distance)
    blind = review_game(start, final.history, settings(LIAR, memory=memory))
    assert blind.turns[0].grade is Grade.SOUND


def test_review_by_estimates_compares_the_best_turn_with_the_one_played() -> None:
    rules = make_rules("yodd", "hex3")
    position = Position(rules)

    def chances(after: PositionLike) -> float:
        # Before turn 2 Black has 60 % with c3 taken and 40 % without; later all is even.
        if after.number != 2:
            return 0.5
        return 0.4 if after.cells[rules.geometry.labels.index("c3")] is not None else 0.6

    turns = [parse_turn(text, rules, Colour.BLACK) for text in ("1a1", "2c1,2c5")]
    engine = Scripted(chances, choose="1c3")
    review = review_game(position, turns, settings(engine, seconds=0))
    first, second = review.turns
    assert first.best.value == 0.6
    assert first.played.value == pytest.approx(0.4)
    assert first.grade is Grade.BLUNDER
    assert format_turn(first.better[0], rules) == "1c3"
    assert first.turning
    assert second.loss == 0
    # What looks like an error is searched once more, and longer.
    assert (first.best.visits, first.played.visits, second.played.visits) == (4000, 4000, 1000)
    assert list(review.chances) == pytest.approx([0.5, 0.4, 0.5])
    assert review.exact_from is None


def test_review_counts_a_turn_better_than_the_best_as_no_loss() -> None:
    rules = make_rules("yodd", "hex3")
    turns = [parse_turn("1a1", rules, Colour.BLACK)]
    # After c3, the engine's choice, White has better chances than after a1.
    engine = Scripted(lambda after: 0.9 if after.cells[9] is not None else 0.2, choose="1c3")
    review = review_game(Position(rules), turns, settings(engine, seconds=0))
    assert (review.turns[0].loss, review.turns[0].better) == (0, ())


def test_review_of_a_swap_counts_by_participant() -> None:
    rules = make_rules("yoin", "hex2")
    final = Position(rules)
    for token in ("c1", "swap", "a1", "b1"):
        final.play(parse_turn(token, rules, final.player))
    review = review_game(Position(rules), final.history, settings(LIAR))
    assert [turn.seat for turn in review.turns] == [
        Colour.BLACK, Colour.WHITE, Colour.BLACK, Colour.WHITE
    ]  # fmt: skip
    assert [turn.player for turn in review.turns] == [
        Colour.BLACK, Colour.WHITE, Colour.WHITE, Colour.BLACK
    ]  # fmt: skip
    # White may take over the colour that wins: the swap is as good as any turn that wins.
    assert review.turns[1].best.value == 1
    assert review.exact_from == 1


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(rules, marks=[pytest.mark.whole] if rules.geometry.cells > 9 else [])
        for rules in SMALL_RULES
    ],
    ids=rules_id,
)
def test_review_of_a_random_game_is_consistent(rules: Rules) -> None:
    rng = random.Random(1)
    final = best_position()(rules)
    while not final.is_over and len(final.history) < 12:
        turn = rng.choice(list(itertools.islice(final.legal_turns(), 200)))
        final.play(turn)
    start = best_position()(rules)
    exact = ExactLimits(seconds=0.001, nodes=100)
    made = ReviewSettings(engine=ENGINES["uct"], visits=8, exact=exact)
    review = review_game(start, final.history, made)
    assert [one.turn for one in review.turns] == list(final.history)
    validator("review").validate(as_json(review, HEADING))
    first = len(review.turns) if review.exact_from is None else review.exact_from
    for at, one in enumerate(review.turns):
        assert one.best.value >= one.played.value
        after = review.chances[at + 1]
        assert one.played.value == pytest.approx(after if one.seat is Colour.BLACK else 1 - after)
        if at >= first:
            assert one.best.exact
            assert one.played.exact
    for seat, player in review.players.items():
        assert player.accuracy == pytest.approx(accuracy_of(review, seat))
        own = [one.loss for one in review.turns if one.seat is seat]
        assert player.average_loss == pytest.approx(statistics.fmean(own))
    root = position_to_sgf(final)
    annotate(root, review)
    (tree,), problems = parse_sgf(write_sgf([root]))
    assert problems == []
    legal_nodes(tree, start)


def test_review_ends_before_a_resignation() -> None:
    rules = make_rules("yodd", "hex3")
    turn = parse_turn("1c3", rules, Colour.BLACK)
    review = review_game(Position(rules), [turn, RESIGN], settings(LIAR, seconds=0))
    assert [one.turn for one in review.turns] == [turn]
    assert len(review.chances) == 2


def test_review_with_a_plain_engine_is_exact_only_at_the_end() -> None:
    rules = make_rules("yodd", "hex2")
    turns = [parse_turn("1b2", rules, Colour.BLACK), PASS, PASS]
    made = ReviewSettings(engine=ENGINES["uct"], visits=20, exact=ExactLimits(seconds=0))
    review = review_game(Position(rules), turns, made)
    assert [turn.played.exact for turn in review.turns] == [False, False, True]
    assert review.exact_from == 3
    assert review.chances[3] == 0


# -- SGF ------------------------------------------------------------------------------------


def annotated(name: str) -> tuple[Node, PositionLike, GameReview]:
    """The tree of a blundered game with comments and a variation, with its review."""
    final, review = blundered(name)
    root = position_to_sgf(final)
    root.put("C", "kept")
    root.children[0].put("C", "a [comment]\\")
    variation = Node()
    variation.put(final.player.letter.upper(), "pass")
    root.children.append(variation)
    annotate(root, review)
    return root, final, review


def legal_nodes(node: Node, position: PositionLike) -> int:
    """Play a whole tree, and count the nodes of variations.

    Raises:
        NotationError: a turn is illegal.
    """
    seen = 0
    for index, child in enumerate(node.children):
        names = [name for name in ("B", "W") if name in child.properties]
        assert names == [position.player.letter.upper()]
        after = position.copy()
        turn = parse_turn(child.text(names[0]) or "", position.rules, position.player)
        if (problem := after.illegality(turn)) is not None:
            raise NotationError(problem)
        after.play(turn)
        seen += (index > 0) + legal_nodes(child, after)
    return seen


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_annotated_sgf_is_read_back(name: str) -> None:
    root, final, review = annotated(name)
    (tree,), problems = parse_sgf(write_sgf([root]))
    assert problems == []
    game = read_sgf_game(tree, type(final))
    assert game.errors == ()
    assert game.turns == final.history
    blunder = tree.children[0]
    assert blunder.text("BM") == "2"
    assert blunder.text("N") == "blunder"
    assert (blunder.text("C") or "").startswith("a [comment]\\\nReview: blunder: won to lost")
    assert tree.text("C") == "kept"
    own, better = tree.children[1:]
    assert "YREVIEW" not in own.properties
    assert (better.text("YREVIEW"), better.text("N")) == ("better", "better, won")
    assert blunder.children[1].text("YREVIEW") == "refutation"
    winner = "B" if review.turns[0].seat is Colour.WHITE else "W"
    assert blunder.text(f"G{winner}") == "2"
    assert float(blunder.text("V") or "") == (100 if winner == "B" else -100)
    tree.children.remove(own)
    assert legal_nodes(tree, game.start) == 2


# -- JSON and the page ----------------------------------------------------------------------


def test_json_of_estimates_follows_the_schema() -> None:
    rules = make_rules("yodd", "hex3")
    turns: list[Turn] = [parse_turn("1c3", rules, Colour.BLACK), PASS]
    found = as_json(review_game(Position(rules), turns, settings(LIAR, seconds=0)), HEADING)
    validator("review").validate(found)
    assert found["position"] is None
    broken = found | {"turns": [{**found["turns"][0], "grade": "awful"}]}
    assert not validator("review").is_valid(broken)


# -- interruptions --------------------------------------------------------------------------


def test_reviewer_interrupted_repeats_only_the_search_that_was_running() -> None:
    rules = make_rules("yodd", "hex3")
    black, white = Colour
    tokens = (("1c3", black), ("1a1,2e3", white), ("1b2,2d2", black))
    turns = [parse_turn(token, rules, player) for token, player in tokens]
    searched: list[PositionLike] = []
    stops: list[int] = []

    def each(function: Any, items: Any) -> Any:
        for item in items:
            searched.append(item)
            yield function(item)

    def stop() -> bool:
        return len(searched) in stops

    limits = ExactLimits(seconds=0)
    wanted = ReviewSettings(engine=ENGINES["uct"], visits=30, each=each, exact=limits)
    fresh = review_game(Position(rules), turns, wanted)
    total = len(searched)
    searched.clear()
    stops.append(3)
    reviewer = Reviewer(Position(rules), turns, attrs.evolve(wanted, stop=stop))
    with pytest.raises(ReviewInterrupted):
        reviewer.review()
    stops.clear()
    again = reviewer.review()
    assert (again.turns, again.chances) == (fresh.turns, fresh.chances)
    assert len(searched) == total + 1
