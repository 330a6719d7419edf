"""The engine of the browser: what it is made of, and that it answers as the program does."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

from tests.support.js_package import WASM
from yoddd.daemon.pages.browser_engine import (
    BrowserEngine,
    make_engine,
    shipped_engine,
)
from yoddd.pictures.scripts import read_resource

NODE: Final = shutil.which("node")
RUN: Final = Path(__file__).parents[2] / "web/engine/run.mjs"


def test_make_engine_names_its_module_and_holds_what_it_needs() -> None:
    one, engine = (
        make_engine(lambda path: read_resource(f"web/{path}"), module, square5=b"table")
        for module in (b"1", b"module")
    )
    paths = {content: path for path, content in engine.files.items()}
    module, table = paths[b"module"], paths[b"table"]
    assert one.files.keys() & engine.files.keys() == {table}
    worker = engine.worker
    code = engine.files[worker].decode()
    assert f'"module": "{module.removeprefix("joined/")}"' in code
    assert f'"square5": "{table.removeprefix("joined/")}"' in code
    assert '"playouts": 2200' in code
    assert "getElementById" not in code
    assert '"game.leave"' not in code


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
        "position xodd square5 5/5/5/5/5 b 0 1 moves 1a1",
        "solve",
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
    assert last == [{"end": "not enough memory"}]
