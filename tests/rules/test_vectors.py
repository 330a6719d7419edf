"""The published vectors about rules, line by line."""

import pytest

from tests.rules.test_refusals import check_refused
from tests.support.games import Implementation, again, outcome_of
from tests.support.vectors import vectors
from yoddd.kernel import NativePosition, backend
from yoddd.notation import NotationError, parse_position, parse_turn

COUNTED = 300_000
"""Sequences that the reference no longer counts in seconds."""


@pytest.mark.invariant
@pytest.mark.parametrize(
    ("line", "depth", "count"), vectors("perft", slow_from=20_000, numbers=range(COUNTED))
)
def test_sequences_of_turns_are_as_many_as_counted(
    implementation: Implementation, line: str, depth: str, count: str
) -> None:
    position = again(implementation, parse_position(line))
    assert position.perft(int(depth)) == int(count)
    assert position.history == ()


@pytest.mark.invariant
@pytest.mark.skipif(not backend().is_native, reason="needs the native kernel")
@pytest.mark.parametrize(
    ("line", "depth", "count"), vectors("perft", numbers=range(COUNTED, 10**9))
)
def test_more_sequences_are_as_many_as_the_kernel_counts(line: str, depth: str, count: str) -> None:
    assert again(NativePosition, parse_position(line)).perft(int(depth)) == int(count)


@pytest.mark.parametrize(("line", "result"), vectors("outcomes"))
def test_finished_positions_have_their_winner_and_score(
    implementation: Implementation, line: str, result: str
) -> None:
    outcome = outcome_of(again(implementation, parse_position(line)))
    assert f"{outcome.winner.letter.upper()}+{outcome.score}" == result


@pytest.mark.parametrize(("line", "token", "reason"), vectors("turns-refused"))
def test_turns_that_the_rules_forbid_are_refused_with_the_reason(
    implementation: Implementation, line: str, token: str, reason: str
) -> None:
    position = again(implementation, parse_position(line))
    check_refused(position, parse_turn(token, position.rules, position.player), reason)


@pytest.mark.parametrize(("text", "column", "reason"), vectors("positions-refused"))
def test_lines_of_no_position_are_refused_at_their_column(
    implementation: Implementation, text: str, column: str, reason: str
) -> None:
    with pytest.raises(NotationError) as caught:
        parse_position(text, implementation)
    assert (caught.value.column, caught.value.reason) == (int(column), reason)
