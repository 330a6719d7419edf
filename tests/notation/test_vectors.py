"""The notation vectors, line by line."""

import pytest

from tests.support.vectors import vectors
from yoddd.notation import NotationError, format_position, format_turn, parse_position, parse_turn


@pytest.mark.parametrize(("text", "canonical"), vectors("positions"))
def test_position_vectors_format_canonically(text: str, canonical: str) -> None:
    assert format_position(parse_position(text)) == canonical


@pytest.mark.parametrize(("line", "typed", "canonical", "after"), vectors("turns"))
def test_turn_vectors_format_canonically_and_give_position(
    line: str, typed: str, canonical: str, after: str
) -> None:
    position = parse_position(line)
    turn = parse_turn(typed, position.rules, position.player)
    assert format_turn(turn, position.rules) == canonical
    position.play(turn)
    assert format_position(position) == after


@pytest.mark.parametrize(("line", "token", "column", "reason"), vectors("turns-malformed"))
def test_turn_vectors_malformed_are_refused_at_column(
    line: str, token: str, column: str, reason: str
) -> None:
    position = parse_position(line)
    with pytest.raises(NotationError) as caught:
        parse_turn(token, position.rules, position.player)
    assert (caught.value.column, caught.value.reason) == (int(column), reason)
