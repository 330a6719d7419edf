"""A game that is added by one entry of the registry, and the lists that have to name every game."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import attrs
import pytest

from tests.protocol.peer import Peer
from tests.protocol.vectors import PROTOCOL
from tests.support.games import outcome_of
from yoddd.board import Shape
from yoddd.engine import MctsSearcher
from yoddd.engine.uniform import random_turn
from yoddd.kernel import NativePosition, backend
from yoddd.notation import parse_turn
from yoddd.pictures.scripts import read_resource
from yoddd.rules import GAMES, Position, make_rules

WEB = Path(__file__).parents[2] / "yoddd/web"
SQUARE_PRODUCT = attrs.evolve(
    GAMES["product"],
    name="quad",
    title="Quad",
    boards={Shape.SQUARE: range(5, 10, 2)},
    default_board="square5",
)


@pytest.fixture
def _sixth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "quad", SQUARE_PRODUCT)


@pytest.mark.skipif(not backend().is_native, reason=backend().detail)
@pytest.mark.usefixtures("_sixth")
def test_game_of_one_entry_is_played_on_the_wire_by_the_engine() -> None:
    client = Peer(engines={"mcts": MctsSearcher}, engine="mcts")
    client.setup("game quad", "set_param playouts 50", "set_param seed 1")
    position = Position(make_rules("quad"))
    while not position.is_over:
        token = client.ask(f"genmove {position.player.letter}").removeprefix("= ")
        position.play(parse_turn(token, position.rules, position.player))
    outcome = outcome_of(position)
    assert client.ask("final_score") == f"= {outcome.winner.letter.upper()}+{outcome.score}"


@pytest.mark.skipif(not backend().is_native, reason=backend().detail)
@pytest.mark.usefixtures("_sixth")
def test_kernel_scores_a_game_of_one_entry_as_the_reference_does() -> None:
    rules = make_rules("quad", "square7")
    for seed in range(20):
        rng, fast, plain = Random(seed), NativePosition(rules), Position(rules)
        while not fast.is_over:
            turn = random_turn(fast, rng)
            fast.play(turn)
            plain.play(turn)
        assert fast.outcome() == plain.outcome()


def lacking(game: str) -> list[str]:
    """The files of the page that have nothing about a game."""
    files = ["lessons/rules.json", "texts/lessons.de.json", "texts/lessons.es.json"]
    found = [name for name in files if game not in json.loads(read_resource(f"web/{name}"))]
    own = [f"lessons/{game}.json", f"previews/{game}.png"]
    return [*(name for name in own if not (WEB / name).is_file()), *found]


@pytest.mark.usefixtures("_sixth")
def test_page_needs_a_lesson_the_rules_and_their_translations_of_a_game() -> None:
    *known, sixth = map(lacking, GAMES)
    assert known == [[]] * 5
    assert sixth == [
        *("lessons/quad.json", "previews/quad.png", "lessons/rules.json"),
        *("texts/lessons.de.json", "texts/lessons.es.json"),
    ]


def enums(schema: Any) -> Iterator[list[Any]]:
    """The enumerations of a JSON schema that name a game."""
    if isinstance(schema, dict):
        if "yodd" in schema.get("enum", ()):
            yield schema["enum"]
        schema = list(schema.values())
    for part in schema if isinstance(schema, list) else ():
        yield from enums(part)


def test_lists_of_games_in_the_protocol_are_those_of_the_registry() -> None:
    grammar = re.search(r"^game += (.*)$", (PROTOCOL / "grammar.abnf").read_text(), re.MULTILINE)
    assert grammar is not None
    lists = [re.findall(r'"(\w+)"', grammar[1])]
    for file in (PROTOCOL / "schemas").glob("*.json"):
        lists += enums(json.loads(file.read_text()))
    puzzle = json.loads((PROTOCOL / "schemas" / "puzzle.schema.json").read_text())
    lists += [one.split("|") for one in re.findall(r"\((yodd\|[a-z|]+)\)", json.dumps(puzzle))]
    assert len(lists) >= 5
    assert all(names == list(GAMES) for names in lists)
