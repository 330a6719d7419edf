"""The kit, the words and the measures of drawn games."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from tests.support.descriptions import TITLE, drawn_game, random_rules
from yoddd.kernel import best_position
from yoddd.notation import load_record, parse_position, parse_turn
from yoddd.notation.records import replay
from yoddd.referee.kit import make_kit
from yoddd.referee.measures import measure, play_oneself, with_swap
from yoddd.rules import IllegalTurn, add_game
from yoddd.rules.description import read_game
from yoddd.rules.facts import rules_in_words
from yoddd.rules.game import Game
from yoddd.rules.games import BUILT_IN, read_described

EXAMPLES = Path(__file__).parents[2] / "docs/examples/games"


def fields(text: str) -> list[list[str]]:
    return [line.split(" ; ") for line in text.splitlines() if line and line[0] != "#"]


def faults(files: dict[str, str], game: Game) -> list[str]:
    """The files that the rules and the kernel do not reproduce."""
    kind, found = best_position(), []
    for line, depth, count in fields(files["perft.txt"]):
        if kind(parse_position(line, kind, game).rules).perft(int(depth)) != int(count):
            found.append("perft.txt")
    for line, token in fields(files["refused.txt"]):
        position = parse_position(line, kind, game)
        try:
            position.play(parse_turn(token, position.rules, position.player))
            found.append("refused.txt")
        except IllegalTurn:
            pass
    for line, result in fields(files["outcomes.txt"]):
        outcome = parse_position(line, kind, game).outcome()
        if outcome is None or f"{outcome.winner.letter.upper()}+{outcome.score}" != result:
            found.append("outcomes.txt")
    return found


@pytest.mark.parametrize("seed", range(4))
def test_kit_of_a_drawn_game_is_reproduced_by_the_kernel_and_not_by_another_game(seed: int) -> None:
    game, _ = drawn_game(seed)
    files = dict(make_kit(game, seed))
    assert faults(files, game) == []
    assert TITLE in files["README.md"]
    assert read_described(files["description.json"]) == game
    records = [load_record(line) for line in files["games.jsonl"].splitlines()]
    assert all(replay(record).outcome() for record in records)
    add_game(game)
    assert len(fields(files["outcomes.txt"])) > 3
    assert len(fields(files["refused.txt"])) > 3


def test_kit_shows_where_the_rules_differ() -> None:
    for seed in range(4):
        rules = random_rules(seed, ["hex2"])
        game = rules.game
        files = dict(make_kit(game, seed))
        wrong = files["outcomes.txt"].replace("B+", "X+").replace("W+", "B+").replace("X+", "W+")
        assert faults({**files, "outcomes.txt": wrong}, game)


def test_words_tell_apart_all_facts_that_differ() -> None:
    drawn = [random_rules(seed).facts for seed in range(150)]
    texts = {facts: " ".join(rules_in_words(facts)) for facts in drawn}
    assert len(texts) > 50
    for one, other in combinations(texts, 2):
        assert texts[one] != texts[other], (one, other)
    assert all("None" not in text and "{" not in text for text in texts.values())


@pytest.mark.parametrize("seed", range(4))
def test_measures_of_a_drawn_game_are_within_their_bounds(seed: int) -> None:
    rules = random_rules(seed, ["hex2", "square3"])
    for pie in (False, True):
        games = [play_oneself((with_swap(rules, pie=pie), 20, 1, n)) for n in range(3)]
        assert games == [play_oneself((with_swap(rules, pie=pie), 20, 1, n)) for n in range(3)]
        found = measure(games, pie=pie)
        assert (found.swaps is None) is not pie
        assert found.length.low <= found.length.value <= found.length.high
        assert 0 <= found.first.low <= found.first.high <= 1
        assert 0 <= found.last_change.value < 1
        assert found.branching.value >= 1
        assert all(one.length > 0 and (pie or not one.swapped) for one in games)


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.toml")), ids=lambda file: str(file.stem))
def test_example_is_a_published_game_with_the_vectors_beside_it(file: Path) -> None:
    game = read_game(file.read_bytes(), file.name, BUILT_IN)
    folder = file.with_suffix("")
    kit = {one.name: one.read_text("utf-8") for one in folder.iterdir()}
    assert (game.name, kit) == (file.stem, dict(make_kit(game, 0)))
    assert faults(kit, game) == []
    assert game.source
