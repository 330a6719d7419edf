"""Each misreading of the rules is recognised by the turns that it allows."""

from __future__ import annotations

import random

import pytest

from yoddd.referee.conformance.misreadings import MISREADINGS, Case, Misreading, candidates, explain
from yoddd.rules import PASS, Position, Turn, make_rules

BOARDS = (("yodd", "hex2"), ("xodd", "square3"), ("product", "hex2"), ("yoin", "hex2"))
GAMES = 12


def positions() -> list[Position]:
    """The positions of some random games, passes among them."""
    rng = random.Random(1)
    found: list[Position] = []
    for game, board in BOARDS * GAMES:
        position = Position(make_rules(game, board))
        found.append(position.copy())
        while not position.is_over:
            legal = list(position.legal_turns())
            position.play(PASS if PASS in legal and rng.random() < 0.3 else rng.choice(legal))
            found.append(position.copy())
    return found


POSITIONS = positions()


def answers_of(misreading: Misreading, position: Position) -> dict[Turn, bool]:
    found = {turn: misreading.allows(Case(position, turn)) for turn in candidates(position)}
    return {turn: bool(allowed) for turn, allowed in found.items()}


@pytest.mark.parametrize("misreading", MISREADINGS, ids=lambda one: f"{one.rule}: {one.text}")
def test_explain_engine_with_a_misreading_is_found_out(misreading: Misreading) -> None:
    for position in POSITIONS:
        answers = answers_of(misreading, position)
        if any(allowed != position.is_legal(turn) for turn, allowed in answers.items()):
            found = explain(position, answers)
            assert misreading in found
            if found[0].rule == misreading.rule:
                return
    pytest.fail("nowhere told from misreadings of other rules")


def test_explain_answers_without_a_system_have_no_explanation() -> None:
    position = Position(make_rules("xodd", "square3"))
    answers = {turn: n % 3 == 0 for n, turn in enumerate(candidates(position))}
    assert explain(position, answers) == []
