"""The registry of games, and rules made from text."""

import pickle
from collections.abc import Mapping

import pytest

import yoddd.rules
from tests.support.games import SMALL_RULES, rules_id
from yoddd.board import geometry
from yoddd.rules import GAMES, Colour, Rules, RulesError, Turn, make_rules, parity_text


def test_every_game_has_its_title_and_default_board() -> None:
    assert {name: game.default_board for name, game in GAMES.items()} == {
        "yodd": "hex8",
        "xodd": "square12",
        "odd": "hex5",
        "yoin": "hex8",
        "product": "hex5",
    }
    assert {name: game.title.lower() for name, game in GAMES.items()} == {
        name: name for name in GAMES
    }


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_the_default_board_is_a_suggested_one_and_all_suggested_exist(
    game: yoddd.rules.Game,
) -> None:
    board = geometry(game.default_board)
    assert board.size in game.boards[board.shape]
    for shape, sizes in game.boards.items():
        for size in sizes:
            assert make_rules(game.name, f"{shape}{size}").geometry.size == size


def test_games_have_their_options_and_turns() -> None:
    yodd, odd, yoin = make_rules("yodd"), make_rules("odd"), make_rules("yoin")
    product = make_rules("product")
    assert (yodd.two_stones, yodd.has_pass, yodd.only_own) == (True, True, False)
    assert (odd.two_stones, odd.has_pass, odd.only_own) == (False, False, False)
    assert (yoin.two_stones, yoin.has_pass, yoin.only_own) == (False, False, True)
    assert make_rules("xodd", options={"own_colour": "on"}).only_own
    assert (product.two_stones, product.has_pass, product.only_own) == (True, False, False)
    for rules, later in ((yodd, [1, 2]), (odd, [1]), (yoin, [1]), (product, [2])):
        assert list(rules.stones_of_turn(1)) == [1]
        assert list(rules.stones_of_turn(2)) == list(rules.stones_of_turn(9)) == later


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


def test_colours_have_their_letters_and_titles() -> None:
    black, white = Colour
    assert (black.opponent, white.opponent) == (white, black)
    assert (black.letter, white.letter) == ("b", "w")
    assert (black.digit, white.digit) == ("1", "2")
    assert (black.title, white.title) == ("Black", "White")


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
