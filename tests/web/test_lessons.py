"""The lessons of the page, step by step, against the reference rules.

``lessons.mjs`` prints what the page itself makes of each step; here the same is found from
`yoddd.rules`: the turns that are right, the answers, and every text with its counts.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from yoddd.notation import format_turn, parse_position, parse_stone, parse_turn
from yoddd.rules import PASS, Colour, Group, Position, Stone, Turn, make_rules
from yoddd.rules.scoring import tally

pytestmark = pytest.mark.gate

ROOT = Path(__file__).parents[2]
LESSONS = ROOT / "yoddd" / "web" / "lessons"
GAMES = ("yodd", "xodd", "odd", "yoin", "product")
STEPS = {"yodd": 15, "xodd": 6, "odd": 5, "yoin": 5, "product": 5}

Step = dict[str, Any]
Facts = dict[str, Any]

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="no node on the PATH")


@cache
def page(game: str) -> list[dict[str, Any]]:
    """The lesson of a game as the page understands it."""
    assert NODE is not None
    script = Path(__file__).with_name("lessons.mjs")
    done = subprocess.run([NODE, str(script), game], capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def steps(game: str) -> list[Step]:
    found: list[Step] = json.loads((LESSONS / f"{game}.json").read_text())["steps"]
    return found


def position_of(step: Step, stones: Sequence[Stone] = ()) -> Position:
    """The position of a step, with more stones on the board than its line has."""
    position = parse_position(step["position"])
    assert isinstance(position, Position)
    return with_stones(position, stones) if stones else position


def with_stones(position: Position, stones: Sequence[Stone]) -> Position:
    """The same position with the stones of an unfinished turn, whose total may be even."""
    cells = list(position.cells)
    for stone in stones:
        cells[stone.cell] = stone.colour
    copy = position.copy()
    copy._cells = cells
    copy._groups = None
    return copy


def begun_of(step: Step) -> tuple[Stone, ...]:
    position = position_of(step)
    text = step.get("begun")
    return (parse_stone(text, position.rules, position.player),) if text else ()


def verdict_of(position: Position) -> tuple[Colour, int] | None:
    """The winner and the margin if the board stayed as it is; None where that is a tie."""
    try:
        return position.rules.score(position.groups())
    except ValueError:
        return None


def links_of(position: Position) -> list[frozenset[int]]:
    """The two empty cells between stones of the other player that only they connect."""
    cells, neighbours = position.cells, position.rules.geometry.neighbours
    group_of = {cell: group for group in position.groups() for cell in group.cells}
    theirs = [cell for cell, colour in enumerate(cells) if colour is position.player.opponent]
    shared = (
        frozenset(neighbours[one]) & frozenset(neighbours[two])
        for one, two in itertools.combinations(theirs, 2)
        if group_of[one] is not group_of[two]
    )
    return [one for one in shared if len(one) == 2 and all(cells[cell] is None for cell in one)]


def facts_of(position: Position) -> Facts:
    """All that texts and conditions of a lesson may name."""
    groups = position.groups()
    black, white = tally(groups)
    verdict = verdict_of(position)
    facts = {
        "black": black,
        "white": white,
        "total": black + white,
        "parity": parity(black + white),
        "leader": verdict[0].name.title() if verdict else "neither",
        "score": verdict[1] if verdict else 0,
        "empty": position.cells.count(None),
        "links": len(links_of(position)),
    }
    own = {"odd": odd_facts, "yoin": yoin_facts, "product": product_facts}
    of_game = own.get(position.rules.game.name)
    return {**facts, **(of_game(groups, position.rules) if of_game else {})}


def odd_facts(groups: Sequence[Group], rules: Any) -> Facts:
    large = sum(group.size >= rules.facts.k for group in groups)
    return {"large": large, "largeParity": parity(large), "minGroup": rules.facts.k}


def yoin_facts(groups: Sequence[Group], _rules: Any) -> Facts:
    largest = max((group.size for group in groups), default=1)
    differs = (
        size
        for size in range(largest)
        if len(set(tally([group for group in groups if group.size > size]))) == 2
    )
    size = next(differs, largest - 1)
    black, white = tally([group for group in groups if group.size > size])
    return {"least": size + 1, "blackLarger": black, "whiteLarger": white}


def product_facts(groups: Sequence[Group], _rules: Any) -> Facts:
    facts: Facts = {}
    for colour in Colour:
        sizes = sorted((one.size for one in groups if one.colour is colour), reverse=True)
        largest, second = [*sizes, 0, 0][:2]
        name = colour.name.lower()
        facts[f"{name}Product"] = largest * second
        facts[f"{name}Factors"] = f"{largest} × {second}"  # noqa: RUF001 — a sign of the text
        facts[f"{name}Stones"] = sum(sizes)
    return facts


def parity(number: int) -> str:
    return "odd" if number % 2 else "even"


def facts_after(position: Position, turn: Turn) -> Facts:
    """Facts of the position after a turn, and of the turn."""
    after = position.copy()
    after.play(turn)
    verdict = verdict_of(after)
    own = {stone.cell for stone in turn.stones if stone.colour is position.player}
    lead = 0 if verdict is None else verdict[1] * (1 if verdict[0] is position.player else -1)
    return {
        **facts_of(after),
        "kind": turn.kind.value,
        "stones": len(turn.stones),
        "lead": lead,
        "cuts": sum(waist <= own for waist in links_of(position)),
    }


def fill(text: str, facts: Mapping[str, Any]) -> str:
    """The text with its facts: ``{black}`` is a number, ``{black group}`` has its word."""

    def value(match: re.Match[str]) -> str:
        name, word = match.groups()
        plural = "" if facts[name] == 1 else "s"
        return f"{facts[name]} {word}{plural}" if word else str(facts[name])

    return re.sub(r"\{(\w+)(?: ([a-z ]+))?\}", value, text)


def meets(facts: Facts, before: Facts, name: str, wanted: Any, every: Sequence[Facts]) -> bool:
    """Whether the facts after a turn meet one condition of a task."""
    if not isinstance(wanted, dict):
        return bool(facts[name] == wanted)
    if "by" in wanted:
        return bool(facts[name] - before[name] == wanted["by"])
    assert wanted == {"best": "most"}
    return bool(facts[name] == max(one[name] for one in every))


def right_turns(step: Step) -> dict[str, Facts]:
    """All right turns with the facts after them, found from the reference rules."""
    position = position_of(step)
    before, begun = facts_of(position), set(begun_of(step))
    left = {
        format_turn(turn, position.rules): facts_after(position, turn)
        for turn in position.legal_turns()
        if begun <= set(turn.stones)
    }
    for name, wanted in step["ask"]["turn"].items():
        every = list(left.values())
        left = {
            token: facts
            for token, facts in left.items()
            if meets(facts, before, name, wanted, every)
        }
    return left


def answer_of(step: Step) -> Any:
    """The right answer of a question, from the reference rules."""
    position = position_of(step)
    if "fact" in step["ask"]:
        return facts_of(position)[step["ask"]["fact"]]
    if step["ask"]["may"] == "pass":
        return position.is_legal(PASS)
    if step["ask"]["may"] == "end":
        return position.is_legal(parse_turn(step["begun"], position.rules, position.player))
    return any(facts_after(position, turn)["cuts"] for turn in position.legal_turns())


def check_wrong_turns(step: Step, judged: Sequence[tuple[str, str, str]]) -> None:
    """A legal turn that is not right gets the text of the step, unless a right one extends it."""
    assert judged, "every legal turn would be right"
    position = position_of(step)
    for token, verdict, text in judged:
        if verdict == "open":
            assert "," not in token
            continue
        turn = parse_turn(token, position.rules, position.player)
        assert (verdict, text) == ("wrong", fill(step["wrong"], facts_after(position, turn)))


ALL = [(game, index) for game in GAMES for index in range(STEPS[game])]


def test_lessons_have_their_number_of_steps() -> None:
    assert {game: len(steps(game)) for game in GAMES} == STEPS


@pytest.mark.whole
@pytest.mark.process
@needs_node
@pytest.mark.parametrize(("game", "index"), ALL)
def test_step_of_a_lesson_agrees_with_the_reference_rules(game: str, index: int) -> None:
    step, seen = steps(game)[index], page(game)[index]
    shown = position_of(step, begun_of(step))
    assert shown.rules.game.name == game
    assert seen["prompt"] == fill(step["text"], facts_of(shown))
    if "groups" in step["ask"]:
        least = shown.rules.facts.k if step["ask"]["groups"] == "large" else 1
        found = [list(group.cells) for group in shown.groups() if group.size >= least]
        assert seen["groups"] == found != []
        assert seen["right"] == fill(step["right"], facts_of(shown))
    elif "turn" in step["ask"]:
        right = right_turns(step)
        assert right, "no legal turn is right"
        assert set(seen["turns"]) == set(right)
        texts = dict(zip(seen["turns"], seen["texts"], strict=True))
        assert texts == {token: fill(step["right"], facts) for token, facts in right.items()}
        assert seen["verdicts"] == ["right"]
        check_wrong_turns(step, seen["others"])
    else:
        assert seen["answer"] == answer_of(step)
        assert seen["answer"] in seen["choices"]
        assert len(set(map(str, seen["choices"]))) == len(seen["choices"]) > 1
        assert seen["right"] == fill(step["right"], facts_of(shown))
        assert fill(step["wrong"], facts_of(shown))


@pytest.mark.parametrize("game", GAMES)
def test_counts_in_the_texts_of_a_lesson_come_from_the_rules(game: str) -> None:
    for step in steps(game):
        for key in ("title", "text", "right", "wrong"):
            literal = re.sub(r"\{.*?\}", "", step[key])
            assert not re.search(r"\d", literal), f"{step['title']}: {literal}"
        if "You are" in step["text"]:
            player = position_of(step).player.name.title()
            assert f"You are {player}" in step["text"]
            assert "turn" in step["ask"]


@pytest.mark.parametrize("game", GAMES)
def test_boards_of_the_rules_are_positions_of_their_game(game: str) -> None:
    parts = json.loads((LESSONS / "rules.json").read_text())[game]
    assert len(parts) >= 3
    for part in parts:
        position = position_of(part)
        assert position.rules.game.name == game
        assert not position.is_over
        for text in part["text"]:
            assert not re.search(r"\d", re.sub(r"\{.*?\}", "", text))
            assert "{" not in fill(text, facts_of(position))


def test_game_that_the_first_visit_shows_is_legal_to_its_end() -> None:
    example = json.loads((LESSONS / "example.json").read_text())
    for key in ("short", "whole"):
        game = example[key]
        position = Position(make_rules("yodd", game["board"]))
        for token in game["turns"].split("."):
            position.play(parse_turn(token, position.rules, position.player))
        outcome = position.outcome()
        assert outcome is not None
        assert outcome.winner.name.title() == game["winner"]
    assert [one["turn"] for one in example["short"]["captions"]] == sorted(
        {one["turn"] for one in example["short"]["captions"]}
    )
