"""Weight files, and the weights that come with the program."""

from __future__ import annotations

import json

import attrs
import pytest

from yoddd.engine.weights import (
    INPUTS,
    Weights,
    WeightsError,
    format_weights,
    parse_weights,
    shipped,
    weights_for,
)
from yoddd.rules import make_rules

WIDTH = len(INPUTS)
WEIGHTS = Weights(game="yodd", knots=((1.0,) * WIDTH, (3.0,) * WIDTH), provenance={"seed": "1"})


def changed(**fields: object) -> str:
    return json.dumps(json.loads(format_weights(WEIGHTS)) | fields)


def test_parse_weights_reads_what_format_wrote() -> None:
    found = parse_weights(format_weights(WEIGHTS))
    assert found == attrs.evolve(WEIGHTS, sha256=WEIGHTS.digest())
    assert found.provenance == {"seed": "1"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nonsense", "no weights"),
        ("{}", "no weights"),
        ("[]", "no weights"),
        (changed(format=3), "another version"),
        (changed(inputs=["groups"]), "another version"),
        (changed(game="xodd"), "damaged"),
        (changed(knots=[[1.0] * WIDTH, [2.0] * WIDTH]), "damaged"),
        (changed(policy=[[1.0] * WIDTH, [2.0] * WIDTH]), "damaged"),
    ],
)
def test_parse_weights_refuses_other_files(text: str, reason: str) -> None:
    with pytest.raises(WeightsError, match=reason):
        parse_weights(text)


@pytest.mark.parametrize("knots", [((1.0,) * WIDTH,), ((1.0,), (2.0,)), ()])
def test_parse_weights_refuses_knots_of_another_shape(knots: tuple[tuple[float, ...], ...]) -> None:
    with pytest.raises(WeightsError, match="expected 2 knots or more"):
        parse_weights(format_weights(attrs.evolve(WEIGHTS, knots=knots)))


@pytest.mark.parametrize("policy", [((1.0,) * WIDTH,), ((1.0,), (2.0,))])
def test_parse_weights_refuses_a_policy_of_another_shape(
    policy: tuple[tuple[float, ...], ...],
) -> None:
    with pytest.raises(WeightsError, match="expected"):
        parse_weights(format_weights(attrs.evolve(WEIGHTS, policy=policy)))


def test_rows_are_linear_between_the_knots() -> None:
    rows = WEIGHTS.rows(4)
    assert rows == tuple(value for value in (1.0, 1.5, 2.0, 2.5, 3.0) for _ in range(WIDTH))


def test_rows_with_a_policy_hold_both() -> None:
    both = attrs.evolve(WEIGHTS, policy=((5.0,) * WIDTH, (7.0,) * WIDTH))
    assert parse_weights(format_weights(both)).policy == both.policy
    assert both.rows(1) == (*[1.0] * WIDTH, *[5.0] * WIDTH, *[3.0] * WIDTH, *[7.0] * WIDTH)


@pytest.mark.parametrize("game", ["yodd", "xodd", "yoin"])
def test_shipped_weights_name_how_they_were_made(game: str) -> None:
    weights = shipped(game)
    assert weights is not None
    assert weights.game == game
    assert weights.provenance["command"].startswith(f"yoddd train {game} --boards ")


def test_weights_for_a_board_are_a_row_for_each_number_of_empty_cells() -> None:
    assert len(weights_for(make_rules("yodd", "hex5"))) == 62 * WIDTH
    assert weights_for(make_rules("yodd", "hex5", {"end_on_full": "on"}))
    assert weights_for(make_rules("yodd", "hex5", {"own_colour": "on"})) == ()
    assert weights_for(make_rules("odd", "hex5")) == ()
