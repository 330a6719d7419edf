"""The engine of the browser: what it is made of, and that it answers as the program does."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Final

import attrs
import pytest

from tests.support.js_package import WASM
from yoddd.daemon.pages.browser_engine import (
    BrowserEngine,
    make_engine,
    shipped_engine,
)
from yoddd.kernel.position import NativePosition
from yoddd.kernel.square5 import STONES
from yoddd.kernel.sweep import make_sweep
from yoddd.library.review import ExactLimits, Reviewer, ReviewSettings
from yoddd.library.review.as_json import Heading, as_json
from yoddd.notation import format_position, format_turn
from yoddd.pictures.scripts import read_resource
from yoddd.rules import Turn, make_rules

NODE: Final = shutil.which("node")
RUN: Final = Path(__file__).parents[2] / "web/engine/run.mjs"


def test_make_engine_names_its_module_and_holds_what_it_needs() -> None:
    engine = make_engine(lambda path: read_resource(f"web/{path}"), b"module")
    worker, module = sorted(engine.files, key=lambda path: path[-5:] == ".wasm")
    assert worker == engine.worker
    assert engine.files[module] == b"module"
    code = engine.files[worker].decode()
    assert f'"module": "{module.removeprefix("joined/")}"' in code
    assert '"playouts": 2200' in code
    assert "getElementById" not in code
    assert "await READY" not in code


def test_make_engine_paths_change_with_the_module() -> None:
    one, other = (
        make_engine(lambda path: read_resource(f"web/{path}"), module) for module in (b"1", b"2")
    )
    assert not one.files.keys() & other.files.keys()


def test_make_engine_names_the_table_of_square5_by_its_content() -> None:
    engine = make_engine(lambda path: read_resource(f"web/{path}"), b"module", square5=b"table")
    (path,) = [path for path, content in engine.files.items() if content == b"table"]
    name = path.removeprefix("joined/")
    assert f'"square5": "{name}"' in engine.files[engine.worker].decode()


# -- what it answers -------------------------------------------------------------------------------


@attrs.frozen
class Worker:
    """The worker in Node.js instead of a browser."""

    path: Path

    def ask(self, *lines: str, options: Sequence[str] = ()) -> list[list[Any]]:
        """The messages that answer each line; the options are those of Node.js."""
        assert NODE is not None
        done = subprocess.run(
            [NODE, "--no-warnings", *options, str(RUN), str(self.path)],
            input="".join(f"{line}\n" for line in lines),
            capture_output=True,
            text=True,
            check=True,
        )
        return [json.loads(line) for line in done.stdout.splitlines()]


def save(engine: BrowserEngine, folder: Path) -> Worker:
    for path, content in engine.files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_bytes(content)
    return Worker(folder / engine.worker)


@pytest.fixture
def worker(tmp_path: Path) -> Worker:
    if NODE is None:
        pytest.skip("no node on the PATH")
    if not WASM.is_file():
        pytest.skip("the kernel is not compiled to WebAssembly: make wasm")
    return save(shipped_engine(), tmp_path)


def native(*lines: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "yoddd", "gtp"],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return [reply.strip() for reply in done.stdout.split("\n\n")[: len(lines)]]


LEVELS = [f"set_param level {level}\nreg_genmove" for level in range(1, 10)]
SESSION: Final = "\n".join(
    [
        "set_param seed 3",
        "position yodd hex4 4/5/6/3b3/6/5/4 w 0 2",
        *LEVELS,
        "policy 1a1",
        "position product hex3 3/4/5/4/3 b 0 1 moves 1c3",
        *LEVELS,
        "policy",
        "position yoin hex4 4/5/6/7/6/5/4 b 0 1 moves d4",
        *LEVELS,
        "position odd hex3 3/4/bwb2/4/3 w 0 4",
        *LEVELS,
        "probe 1",
        "position yodd hex3 3/4/bwb2/4/3 w 0 4",
        "probe 1",
    ]
).split("\n")


@pytest.mark.whole
@pytest.mark.process
def test_engine_of_the_browser_answers_as_the_program_does(worker: Worker) -> None:
    found = ["\n".join(messages) for messages in worker.ask(*SESSION)]
    expected = native(*SESSION)
    assert dict(enumerate(zip(SESSION, map(bare, found), strict=True))) == dict(
        enumerate(zip(SESSION, map(bare, expected), strict=True))
    )


def bare(reply: str) -> str:
    assert reply.startswith("=")
    return reply[1:].strip()


@pytest.mark.process
@pytest.mark.gate
def test_engine_of_the_browser_refuses_what_it_cannot_do(worker: Worker) -> None:
    over = "position odd hex2 bw/bwb/wb b 0 8"
    replies = worker.ask("nope", "position yodd hex4", over, "reg_genmove", "review", "analyze")
    assert [bool(reply[0].startswith("?")) for reply in replies] == [True, True, False] + [True] * 3
    assert replies[3] == ["? the game is over"]


@pytest.mark.process
@pytest.mark.whole
@pytest.mark.parametrize(
    ("pages", "level"), [pytest.param(16, 5, id="module"), pytest.param(300, 10, id="tree")]
)
def test_engine_of_the_browser_without_memory_says_so(
    worker: Worker, pages: int, level: int
) -> None:
    limit = f"--wasm-max-mem-pages={pages}"
    lines = ["position yodd hex3 3/4/5/4/3 b 0 1", f"set_param level {level}", "reg_genmove"]
    *_, last = worker.ask(*lines, options=[limit])
    assert last == [{"end": "it has run out of memory"}]


def played(name: str, board: str, most: int) -> tuple[NativePosition, list[Turn]]:
    """A position, and random turns from there."""
    random, start = Random(5), NativePosition(make_rules(name, board))
    position, turns = start.copy(), list[Turn]()
    while not position.is_over and len(turns) < most:
        turns.append(random.choice(list(islice(position.legal_turns(), 400))))
        position.play(turns[-1])
    return start, turns


@pytest.mark.whole
@pytest.mark.process
@pytest.mark.parametrize(
    ("game", "board", "most", "most_exact"),
    [
        pytest.param("odd", "hex4", 15, 0, id="estimates"),
        pytest.param("xodd", "square5", 30, 20, id="a whole game"),
        pytest.param("yoin", "hex3", 40, 12, id="a swap"),
    ],
)
def test_review_of_the_browser_judges_as_the_program_does(
    worker: Worker, game: str, board: str, most: int, most_exact: int
) -> None:
    start, turns = played(game, board, most)
    tokens = " ".join(format_turn(turn, start.rules) for turn in turns)
    position = f"position {format_position(start)} moves {tokens}"
    messages = worker.ask(position, "review visits 50")[1]
    summary = json.loads(messages[-len(turns) - 2].removeprefix("review "))
    found = [json.loads(line.removeprefix("turn ")) for line in messages[-len(turns) - 1 : -1]]
    expected = reviewed(start, turns)
    assert messages[0] == "="
    assert messages[1] == "progress 0"
    first = max(expected["exact_from"] or 0, summary["exact_from"] or 0)
    assert most_exact >= first
    # How far back the end is solved is a question of speed.
    for mine, theirs in zip(found, expected["turns"], strict=True):
        if mine["number"] > first + 1 or first == 0:
            assert mine == theirs
    assert summary["chances"][first:] == expected["chances"][first:]


def reviewed(start: NativePosition, turns: list[Turn]) -> dict[str, Any]:
    exact = ExactLimits(memory=128 << 20, seconds=1.0, nodes=10_000)
    settings = ReviewSettings(visits=50, memory=32 << 20, exact=exact)
    review = Reviewer(start, turns, settings).review()
    heading = Heading(id="game", black="", white="", result=None, engine="mcts", visits=50, seed=0)
    return as_json(review, heading)


# -- tables ----------------------------------------------------------------------------------------


def probed(worker: Worker, positions: list[NativePosition]) -> list[dict[str, bool]]:
    """The turns that the worker lists for each position, and whether they win."""
    lines = [f"position {format_position(position)}\nprobe" for position in positions]
    replies = [text for [text] in worker.ask(*"\n".join(lines).split("\n"))[1::2]]
    return [
        {token: word == "won" for token, word, *_ in map(str.split, reply.split("\n")[1:])}
        for reply in replies
    ]


@pytest.mark.process
@pytest.mark.whole
def test_proof_of_the_browser_by_a_table_is_that_of_the_program(worker: Worker) -> None:
    starts = ["xodd square5 5/5/5/5/5 b 0 1", "odd square5 5/5/5/5/5 b 0 1"]
    lines = [f"position {start}{rest}\nsolve" for start in starts for rest in ("", " moves 1a1")]
    session = "\n".join(lines).split("\n")
    found = [bare(reply) for [reply] in worker.ask(*session)]
    assert found == [bare(reply) for reply in native(*session)]
    assert all("by table" in reply for reply in found[1::2])


def strongest_turns(worker: Worker, positions: list[NativePosition]) -> list[str]:
    """The turns that the strongest level plays."""
    lines = [f"position {format_position(position)}\nreg_genmove" for position in positions]
    replies = worker.ask("set_param seed 1", *"\n".join(lines).split("\n"))[2::2]
    return [bare(text) for [text] in replies]


@pytest.mark.whole
@pytest.mark.process
@pytest.mark.parametrize("game", STONES)
def test_square5_in_the_browser_is_perfect_before_and_behind_its_table(
    worker: Worker, game: str
) -> None:
    rules, random = make_rules(game, "square5"), Random(7)
    positions = list[NativePosition]()
    for stones in (5, 5, 6, 6, 7, 7):
        position = NativePosition(rules)
        while position.cells.count(None) != rules.geometry.cells - stones:
            turns = [turn for turn in position.legal_turns() if len(turn.stones) > 0]
            fitting = [
                turn
                for turn in turns
                if len(turn.stones) <= position.cells.count(None) - rules.geometry.cells + stones
            ]
            position.play(random.choice(fitting))
        positions.append(position)
    answers = zip(
        positions, probed(worker, positions), strongest_turns(worker, positions), strict=True
    )
    for position, found, token in answers:
        sweep = make_sweep(position, distances=False)
        assert sweep is not None
        expected = {format_turn(one.turn, rules): one.wins for one in sweep.turns(position)}
        assert found == expected, format_position(position)
        assert expected[token] or not any(expected.values()), format_position(position)
