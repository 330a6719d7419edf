"""Drawn descriptions in JavaScript: the page's rules and its kernel against the reference."""

from __future__ import annotations

import json
import random
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.rules.test_description import MANY, REFUSED, changed
from tests.rules.test_drawn import any_turn
from tests.support.descriptions import random_rules, seeds_of
from tests.support.js_package import ROOT, WASM
from tests.web.test_javascript import NODE
from yoddd.notation import format_turn
from yoddd.rules import GAMES, PASS, SWAP, Position, Rules, Turn
from yoddd.rules.description import DescriptionError, read_game

pytestmark = [pytest.mark.process, pytest.mark.skipif(NODE is None, reason="no node on the PATH")]

SCRIPT = Path(__file__).parent / "js" / "drawn.mjs"
TOLD = [300, 39, 20, 4, 9, 10, 44, 324, 25, 117, 279, 5]
Answer = dict[str, Any]


def ask(**request: Any) -> Answer:
    """The answer of the page's modules on games and texts, from one process."""
    kernel = [WASM.as_uri()] if WASM.is_file() else []
    assert NODE is not None
    done = subprocess.run(
        [NODE, str(SCRIPT), *kernel],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    found: Answer = json.loads(done.stdout)
    return found


def spelled(turn: Turn, rules: Rules) -> str:
    """A turn with the colours of its stones, whatever the game."""
    labels = rules.geometry.labels
    return ",".join(f"{one.colour + 1}{labels[one.cell]}" for one in turn.stones) or turn.kind.value


def game_of(rules: Rules, rng: random.Random) -> tuple[Answer, list[Answer]]:
    """A random game to ask for, and what the reference finds at each of its turns."""
    position = Position(rules)
    turns, tried, wanted = [], [], []
    while True:
        odd_one = any_turn(rng, rules.geometry.cells)
        legal = list(position.legal_turns())
        outcome = position.outcome()
        tried.append(spelled(odd_one, rules))
        wanted.append(
            {
                "legal": sorted(format_turn(turn, rules) for turn in legal),
                "firsts": sorted(
                    format_turn(Turn.drop(one), rules) for one in position.legal_stones()
                ),
                "refused": position.illegality(odd_one),
                "outcome": outcome and [outcome.winner, outcome.score],
            }
        )
        if not legal:
            break
        turn = rng.choice([turn for turn in legal if turn not in {PASS, SWAP}] or legal)
        turn = rng.choice([turn, turn, turn, legal[-1]])
        turns.append(format_turn(turn, rules))
        position.play(turn)
    known = rules.game.name in GAMES
    asked = {
        "description": None if known else rules.game.description(),
        "game": rules.game.name,
        "board": rules.geometry.name,
        "options": rules.options(),
        "turns": turns,
        "tried": tried,
    }
    return asked, wanted


def check_games(seeds: range) -> None:
    """Turns, refusals, ends, winners, margins, identity and texts of a game for each seed."""
    every = [random_rules(seed) for seed in seeds]
    games = [game_of(rules, random.Random(seed)) for seed, rules in zip(seeds, every, strict=True)]
    answers = ask(games=[asked for asked, _ in games])["games"]
    for rules, (asked, wanted), answer in zip(every, games, answers, strict=True):
        assert answer["hash"] == rules.facts.hash, asked
        assert f"YHASH: {rules.game.title} has other rules here" in answer["foreign"]
        assert answer["again"] == [asked["turns"], asked["turns"]]
        assert answer["facts"], "a link and a file hold the rules"
        for found, one in zip(answer["found"], wanted, strict=True):
            for key in ("legal", "firsts"):
                assert sorted(found[key]) == one[key], asked
            for key in ("refused", "outcome"):
                assert found[key] == one[key], asked
            if WASM.is_file():
                assert sorted(found["kernel"]) == one["legal"], asked
                assert found["score"] == one["outcome"], asked
            if one["outcome"]:
                winner = ("Black", "White")[one["outcome"][0]]
                assert found["words"][0].startswith(f"{winner} wins"), asked
            for text in [*found["words"], *answer["aim"]]:
                assert not re.search(r"undefined|NaN|[{}]|\w\.[a-z]", text), text


@pytest.mark.gate
def test_drawn_games_are_played_in_javascript_as_by_the_reference() -> None:
    check_games(range(100))


@pytest.mark.whole
@pytest.mark.parametrize("part", range(20))
def test_many_drawn_games_are_played_in_javascript_as_by_the_reference(part: int) -> None:
    check_games(seeds_of(part))


def told(seeds: list[int]) -> str:
    """The rules of drawn descriptions in words, and what is said in the middle and at the end."""
    every = [random_rules(seed, ["hex3", "square3", "square4"]) for seed in seeds]
    games = [game_of(rules, random.Random(1))[0] for rules in every]
    parts = []
    for rules, answer in zip(every, ask(games=games)["games"], strict=True):
        found = answer["found"]
        said = [found[len(found) // 2]["words"], found[-1]["words"]]
        facts = json.dumps(dict(rules.facts.by_key))
        parts.append("\n".join([facts, *answer["aim"], *map(" | ".join, said)]))
    return "\n\n".join(parts) + "\n"


@pytest.mark.gate
def test_rules_of_drawn_descriptions_are_told_as_they_were_read() -> None:
    assert told(TOLD) == (SCRIPT.parent / "drawn.txt").read_text("utf-8")


@pytest.mark.gate
def test_javascript_refuses_the_descriptions_that_the_program_refuses() -> None:
    texts = [MANY, *(changed(old, new) for old, new, *_ in REFUSED)]
    tables = [json.dumps(read_game(MANY, "many.toml").description())]
    accepted, *refusals = ask(texts=[*texts, *tables])["texts"]
    assert (accepted, refusals.pop()) == ("", "")
    for text, refusal in zip(texts[1:], refusals, strict=True):
        with pytest.raises(DescriptionError) as caught:
            read_game(text, "many.toml", taken=GAMES)
        line, key = caught.value.line, caught.value.key
        # What TOML has and descriptions have not, such as fractions, is no value of any key.
        begun = (f"line {line}: {key}: " if key else f"line {line}: ", f'line {line}: "')
        assert refusal.startswith(begun), (refusal, str(caught.value))
