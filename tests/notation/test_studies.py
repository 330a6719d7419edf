"""Game trees with comments, glyphs and variations, as this package and the page write them."""

import json
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from yoddd.notation import Node, format_turn, parse_sgf, read_sgf_game, write_sgf

ROOT = Path(__file__).parents[2]
FILE = ROOT / "protocol" / "vectors" / "sessions" / "studies.jsonl"
PAGE = Path("tests", "web", "js", "studies.mjs")
NODE = shutil.which("node")
GLYPHS = {
    ("TE", "1"): "!",
    ("TE", "2"): "!!",
    ("BM", "1"): "?",
    ("BM", "2"): "??",
    ("IT", ""): "!?",
    ("DO", ""): "?!",
}

STUDIES: list[dict[str, Any]] = [
    json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()
]


def tree_of(node: Node) -> dict[str, Any]:
    """A node and what follows it, as the vectors have it."""
    glyphs = [sign for (name, value), sign in GLYPHS.items() if node.text(name) == value]
    return {
        "turn": node.text("B") or node.text("W") or "",
        "glyph": "".join(glyphs),
        "comment": node.text("C") or "",
        "children": [tree_of(child) for child in node.children],
    }


def lines_of(node: Node) -> list[list[Node]]:
    """Every line from a node to an end."""
    if not node.children:
        return [[node]]
    return [[node, *line] for child in node.children for line in lines_of(child)]


def read_one(text: str) -> Node:
    """The only tree of a text that has no error in any of its lines."""
    (root,), errors = parse_sgf(text)
    assert errors == []
    for line in lines_of(root):
        nodes = [Node(dict(node.properties)) for node in line]
        for before, after in pairwise(nodes):
            before.children.append(after)
        game = read_sgf_game(nodes[0])
        assert game.errors == ()
        turns = [format_turn(turn, game.rules) for turn in game.turns]
        assert turns == [token for node in line if (token := tree_of(node)["turn"])]
    return root


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study["title"])
def test_study_vectors_survive_reading_and_writing(study: dict[str, Any]) -> None:
    root = read_one(study["sgf"])
    tree = study["tree"]
    assert tree_of(root) == tree
    written = write_sgf([root])
    assert tree_of(read_one(written)) == tree
    assert write_sgf([read_one(written)]) == written


@pytest.mark.process
@pytest.mark.gate
@pytest.mark.skipif(NODE is None, reason="no node on the PATH")
def test_studies_that_the_page_writes_are_read_here_and_the_other_way_round() -> None:
    assert NODE is not None
    ours = [write_sgf([read_one(study["sgf"])]) for study in STUDIES]
    done = subprocess.run(
        [NODE, PAGE], input=json.dumps(ours), capture_output=True, text=True, check=True, cwd=ROOT
    )
    answers = json.loads(done.stdout)
    assert [answer["problems"] for answer in answers] == [[]] * len(STUDIES)
    for study, answer in zip(STUDIES, answers, strict=True):
        theirs = read_one(answer["sgf"])
        assert tree_of(theirs) == study["tree"]
        kept = {"XX", "SBKV", "N", "YEVAL", "PB", "PW", "RE", "YSTART"}
        expected = dict(_properties(read_one(study["sgf"]), kept))
        assert dict(_properties(theirs, kept)) == expected


def _properties(root: Node, names: set[str]) -> list[tuple[str, list[str]]]:
    """The properties of the main line with these names."""
    return [
        (f"{index} {name}", values)
        for index, node in enumerate(root.main_line())
        for name, values in node.properties.items()
        if name in names
    ]
