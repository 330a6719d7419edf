"""The facts for front-ends: what they say, and that the page has no copy of them."""

from __future__ import annotations

import json
import re

import attrs
import pytest

from tests.support.js_package import ROOT
from tests.support.schemas import validator
from tests.support.wire import follows
from yoddd.board import BoardError, Shape, geometry
from yoddd.daemon.pages.shell import ENGLISH, read_catalogue
from yoddd.protocol.arguments import is_name
from yoddd.protocol.errors import Code, Subcode
from yoddd.referee import ClockError, Reason, TimeControl, parse_clock
from yoddd.referee.game.facts import facts
from yoddd.rules import GAMES, RulesError, make_rules
from yoddd.rules.games import read_described

FACTS = facts()


def test_facts_with_a_game_of_a_file_follow_their_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    game = read_described((ROOT / "docs/examples/games/elea.toml").read_text())
    monkeypatch.setitem(GAMES, game.name, game)
    found = json.loads(json.dumps(facts()))
    validator("facts").validate(found)
    assert [one for one, values in found["games"].items() if "description" in values] == [game.name]
    assert read_described(found["games"][game.name]["description"]) == game


@pytest.mark.parametrize("shape", list(Shape))
def test_facts_boards_are_all_that_there_are(shape: Shape) -> None:
    least, most = FACTS["boards"][shape]
    assert {geometry(f"{shape}{size}").size for size in (least, most)} == {least, most}
    for size in (least - 1, most + 1):
        with pytest.raises(BoardError):
            geometry(f"{shape}{size}")


@pytest.mark.parametrize("name", list(GAMES))
def test_facts_of_a_game_are_those_of_its_rules(name: str) -> None:
    found, rules = FACTS["games"][name], make_rules(name)
    assert found["board"] == rules.geometry.name
    assert {key: option["default"] for key, option in found["options"].items()} == rules.options()
    assert found["stones"] == [rules.stones_of_turn(2)[0], rules.stones_of_turn(2)[-1]]
    assert (found["odd_total"], found["own_colour"]) == (rules.has_pass, rules.only_own)
    for shape in set(Shape) - set(found["boards"]):
        with pytest.raises(RulesError):
            make_rules(name, f"{shape}5")


@pytest.mark.parametrize(
    ("game", "option"), [(name, one) for name in GAMES for one in FACTS["games"][name]["options"]]
)
def test_facts_values_of_an_option_are_accepted_and_no_others(game: str, option: str) -> None:
    found = FACTS["games"][game]["options"][option]
    least, most = found.get("range", (0, 0))
    good = found.get("words", [str(least), str(most)])
    bad = ["maybe"] if "words" in found else [str(least - 1), str(most + 1)]
    assert [make_rules(game, None, {option: value}).options()[option] for value in good] == good
    for value in bad:
        with pytest.raises(RulesError):
            make_rules(game, None, {option: value})


def test_facts_reasons_and_errors_are_complete() -> None:
    assert set(FACTS["reasons"]) == {reason.value for reason in Reason}
    without = {reason for reason, texts in FACTS["reasons"].items() if len(texts) != 1}
    assert without == {Reason.VOID}
    assert set(FACTS["errors"]) == {code.value for code in Code}
    listed = [word for cases in FACTS["errors"].values() for word in cases]
    assert sorted(listed) == sorted(Subcode)


def test_facts_names_are_those_that_are_accepted() -> None:
    form, longest = re.compile(FACTS["names"]["form"], re.ASCII), FACTS["names"]["longest"]
    for text in ("a", "A.b-c_9", "-a", "a b", "", "ä", "a" * longest, "a" * (longest + 1)):
        expected = form.fullmatch(text) is not None and len(text) <= longest
        assert is_name(text) is expected, text


def test_facts_clocks_can_be_read() -> None:
    numbers = {"MOVES/": "40/", "+INCREMENT": "+5", "MAIN": "600", "NxS": "3x30", "S": "5"}
    numbers["=N"] = "=3"
    controls = []
    for form in FACTS["clocks"]:
        text = re.sub("|".join(map(re.escape, numbers)), lambda one: numbers[one[0]], form)
        text = re.sub(r"[\[\]]", "", text)
        if re.match("start|lag|margin", text):
            text = f"60,{text}"
        controls.append(parse_clock(text))
        assert str(controls[-1]) != "none" or form == "none", text
        assert follows("clock", text, exactly=True), text
    for field in attrs.fields(TimeControl):
        assert any(getattr(one, field.name) != field.default for one in controls), field.name
    with pytest.raises(ClockError):
        parse_clock("sand=3")


@pytest.mark.parametrize("reason", [name for name, text in FACTS["reasons"].items() if text])
def test_page_words_the_end_of_a_game_as_the_facts_do(reason: str) -> None:
    sentence = read_catalogue(ENGLISH)[f"reason.{reason}"]
    text = FACTS["reasons"][reason]
    expected = f"wins: {{loser}} {text['deed']}" if "deed" in text else f"wins by {text['cause']}"
    assert sentence == f"{{name}} {expected}"
