"""The registry of games, and rules made from text."""

import pickle
from collections.abc import Mapping

import pytest

import yoddd.rules
from tests.support.games import SMALL_RULES, rules_id
from yoddd.rules import Colour, Rules, RulesError, Turn, make_rules, parity_text


def test_names_and_values_are_read_in_any_case() -> None:
    rules = make_rules("YODD", "Hex-6", {"END_ON_FULL": "On"})
    assert rules.options() == {"end_on_full": "on", "own_colour": "off"}
    assert rules.chosen_options() == {"end_on_full": "on"}
    assert make_rules("yodd", "hex6", rules.options()) == rules
    assert make_rules("odd", options={"min_group": "7"}).options() == {"min_group": "7"}
    assert make_rules("yoin").options() == {"pie": "on"}


def test_option_given_as_bool_or_number_equals_its_text() -> None:
    assert make_rules("odd", options={"min_group": 7}) == make_rules(
        "odd", None, {"min_group": "7"}
    )
    assert make_rules("yoin", options={"pie": False}) == make_rules("yoin", None, {"pie": "off"})
    with pytest.raises(RulesError, match="pie=0: expected on or off"):
        make_rules("yoin", options={"pie": 0})
    with pytest.raises(RulesError, match="min_group=on: expected a number"):
        make_rules("odd", options={"min_group": True})


@pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
def test_rules_are_values_with_an_evaluable_repr(rules: Rules) -> None:
    assert eval(repr(rules), {"make_rules": make_rules}) == rules  # noqa: S307 — our own text
    again = pickle.loads(pickle.dumps(rules))  # noqa: S301 — our own bytes
    assert again == rules
    assert len({again, rules, make_rules("yodd")}) == 2


@pytest.mark.parametrize(
    ("game", "board", "options", "reason", "about"),
    [
        ("go", None, {}, "no game 'go': expected one of yodd, xodd, odd, yoin, product", "game"),
        ("yodd", "hex99", {}, "no board hex99: hex boards are 2 to 13", "board"),
        ("yodd", "", {}, "no board '': expected hexN or squareN, such as hex8", "board"),
        ("yodd", "square9", {}, "Yodd is played on hex boards, not on square9", "board"),
        ("xodd", "hex9", {}, "Xodd is played on square boards, not on hex9", "board"),
        (
            "yodd",
            None,
            {"pie": "on"},
            "Yodd has no option 'pie': it has end_on_full, own_colour",
            "pie",
        ),
        ("product", None, {"own_colour": "on"}, "Product has no option 'own_colour'", "own_colour"),
        ("product", None, {"tie": "draw"}, "tie=draw: expected stones, black or white", "tie"),
        ("yoin", None, {"pie": "yes"}, "pie=yes: expected on or off", "pie"),
        ("odd", None, {"min_group": "0"}, "min_group=0: expected a number from 1 to 999", ""),
        ("odd", None, {"min_group": "1000"}, "min_group=1000: expected a number from 1", ""),
        ("odd", None, {"min_group": "٣"}, "min_group=٣: expected a number from 1 to 999", ""),
        ("odd", None, {"min_group": "9" * 9999}, "min_group=999", ""),
    ],
)
def test_make_rules_of_unknown_names_raises(
    game: str, board: str | None, options: Mapping[str, str], reason: str, about: str
) -> None:
    with pytest.raises(RulesError) as caught:
        make_rules(game, board, options)
    assert str(caught.value).startswith(reason)
    assert caught.value.about == (about or "min_group")


def test_a_turn_keeps_its_stones_in_order() -> None:
    one, two = yoddd.rules.Stone(Colour.BLACK, 9), yoddd.rules.Stone(Colour.WHITE, 3)
    assert Turn.drop(two, one) == Turn.drop(one, two)
    assert Turn.drop(two, one).stones == (one, two)
    assert hash(Turn.drop(two, one)) == hash(Turn.drop(one, two))


def test_parity_text_states_count_and_parity() -> None:
    assert [parity_text(n) for n in (0, 1, 2)] == [
        "0 groups, even",
        "1 group, odd",
        "2 groups, even",
    ]
