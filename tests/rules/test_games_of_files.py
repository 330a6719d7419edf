"""Games that files, processes and peers add to those of the program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

from tests.protocol.peer import Peer
from tests.support.descriptions import drawn_game
from yoddd.library import load_game
from yoddd.protocol.commands.referee import read_attach
from yoddd.protocol.controller import EngineInfo, ReplyReceived
from yoddd.protocol.errors import PeerError
from yoddd.referee.game.clock import NO_LIMIT
from yoddd.referee.game.engine_requests import EngineState, Purpose, other_rules, set_up
from yoddd.rules import (
    GAMES,
    DescriptionError,
    Game,
    RulesError,
    add_game,
    described,
    find_game,
    load_game_files,
    make_rules,
)
from yoddd.rules.facts import difference
from yoddd.rules.games import BUILT_IN, compare, meet_games, read_described


def other_than(game: Game) -> Game:
    """Another game of the same name."""
    return next(one for seed in range(99) if (one := drawn_game(seed)[0]).facts != game.facts)


def write(path: Path, game: Game) -> Path:
    path.write_text(json.dumps(game.description(), indent=1))
    return path


def test_games_of_files_are_in_force_here_and_in_children(tmp_path: Path) -> None:
    game, rules = drawn_game(5)
    assert load_game_files([write(tmp_path / "drawn.json", game)]) == [game]
    assert load_game_files([tmp_path / "drawn.json"]) == [game]
    assert find_game("DRAWN") == GAMES["drawn"] == game
    assert make_rules("drawn", rules.geometry.name, rules.options()) == rules
    code = "from yoddd.rules import GAMES; print(*GAMES, GAMES['drawn'].facts.hash)"
    # A new interpreter is the only way to see what a child gets.
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert child.stdout.split() == [*BUILT_IN, "drawn", game.facts.hash]


test_games_of_files_are_in_force_here_and_in_children.pytestmark = [  # type: ignore[attr-defined]
    pytest.mark.process,
    pytest.mark.whole,
]


def test_files_of_one_name_are_refused_together(tmp_path: Path) -> None:
    game, _ = drawn_game(5)
    first = write(tmp_path / "first.json", game)
    second = write(tmp_path / "second.json", other_than(game))
    with pytest.raises(DescriptionError, match=r"second\.json, line 3: name: 'drawn' is taken"):
        load_game_files([first, second])
    assert "drawn" not in GAMES
    third = write(tmp_path / "third.json", attrs.evolve(game, name="yodd"))
    with pytest.raises(DescriptionError, match=r"third\.json, line 3: name: 'yodd' is taken"):
        load_game_files([third])
    with pytest.raises(OSError, match="No such file"):
        load_game_files([tmp_path / "none.toml"])


def test_load_game_takes_a_path_and_replaces(tmp_path: Path) -> None:
    game, _ = drawn_game(5)
    path = write(tmp_path / "drawn.json", game)
    state = load_game(path).new_initial_state()
    assert load_game("drawn").rules.game == load_game(str(path)).rules.game == game
    write(path, other_than(game))
    assert load_game(path).rules.facts == other_than(game).facts
    assert load_game(path).rules != state.game.rules
    again = state.game.deserialize_state(state.serialize())
    assert again.game.rules == state.game.rules


@pytest.mark.parametrize("seed", range(20))
def test_peers_exchange_descriptions_and_name_what_differs(seed: int) -> None:
    game, rules = drawn_game(seed)
    add_game(game)
    client = Peer()
    options = " ".join(f"{name}={text}" for name, text in rules.options().items())
    client.setup(f"game drawn {rules.geometry.name} {options}")
    answer = client.ask("describe drawn")
    assert read_described(answer.removeprefix("= ")) == game
    assert f"rules_hash {rules.facts.hash}" in client.ask("status")
    reply = ReplyReceived("describe drawn", True, answer.removeprefix("= "))
    assert other_rules(reply, rules) == ""
    engine = EngineInfo("", "", "2", frozenset({"game", "describe"}))
    state = EngineState(rules, NO_LIMIT, None, (), None)
    assert next(set_up(engine, state)).purpose is Purpose.RULES
    assert read_attach(("bot", f"games=yodd,drawn:{game.facts.hash}")).name == "bot"
    other = other_than(game)
    with pytest.raises(PeerError, match="drawn has other rules here"):
        read_attach(("bot", f"games=drawn:{other.facts.hash}"))
    meet_games([game.description()])
    with pytest.raises(RulesError, match="drawn has other rules: "):
        meet_games([other.description()])
    assert GAMES["drawn"] == game
    assert compare(game, other) == difference(game.facts, other.facts) != ""


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "\x1b[2J", '{"format": 1, "\\u001b[2J": 1}', "x" * 10**6]
)
def test_answer_that_is_no_description_is_told_in_printable_text(text: str) -> None:
    _, rules = drawn_game(5)
    found = other_rules(ReplyReceived("describe drawn", True, text), rules)
    assert found.startswith("drawn: description, line 1: ")
    assert found.isprintable()
    assert len(found) < 1000


def test_described_games_of_the_program_need_no_description() -> None:
    assert [described(game) for game in GAMES.values()] == [None] * len(BUILT_IN)
    assert not [name for name in os.environ if name.startswith("YODDD_RULES_")]
