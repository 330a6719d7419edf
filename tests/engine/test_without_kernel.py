"""Without the native kernel `mcts` is another name of `uct`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.programs import PATIENCE

ROOT = Path(__file__).parents[2]

_WITHOUT = (
    "import sys; sys.modules['yoddd.kernel._native'] = None;"
    "from yoddd.cli import main; main(prog_name='yoddd')"
)

_PLAY = "get_param engine\nset_param playouts 20\ngenmove b\ngenmove w\nquit\n"


def _gtp_without_kernel(*options: str) -> tuple[list[str], str]:
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT, "gtp", "--board", "hex3", "--seed", "5", *options],
        input=_PLAY,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd=ROOT,
    )
    return done.stdout.split("\n\n"), done.stderr


@pytest.mark.process
@pytest.mark.whole
def test_gtp_without_the_kernel_says_so_once_and_plays_as_uct_does() -> None:
    replies, errors = _gtp_without_kernel()
    assert replies[0] == "= mcts"
    assert all(reply.startswith("= ") for reply in replies[:5])
    assert errors.count("the engine plays in plain Python, slowly") == 1
    assert _gtp_without_kernel("--engine", "uct")[0] == ["= uct", *replies[1:]]
