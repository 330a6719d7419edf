"""The published vectors about rules, line by line."""

import pytest

from tests.support.games import Implementation, again
from tests.support.vectors import vectors
from yoddd.notation import parse_position, parse_turn


@pytest.mark.parametrize(("line", "depth", "count"), vectors("perft", slow_from=20_000))
def test_sequences_of_turns_are_as_many_as_counted(
    implementation: Implementation, line: str, depth: str, count: str
) -> None:
    position = again(implementation, parse_position(line))
    assert position.perft(int(depth)) == int(count)
    assert position.history == ()


@pytest.mark.parametrize(("line", "result"), vectors("outcomes"))
def test_finished_positions_have_their_winner_and_score(
    implementation: Implementation, line: str, result: str
) -> None:
    position = again(implementation, parse_position(line))
    outcome = position.outcome()
    assert outcome is not None
    assert f"{outcome.winner.letter.upper()}+{outcome.score}" == result


@pytest.mark.parametrize(("line", "token", "reason"), vectors("turns-refused"))
def test_turns_that_the_rules_forbid_are_refused_with_the_reason(
    implementation: Implementation, line: str, token: str, reason: str
) -> None:
    position = again(implementation, parse_position(line))
    assert position.illegality(parse_turn(token, position.rules, position.player)) == reason
