"""Engines that cannot play stop a run before its first game, and nothing has to be deleted."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import cast

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor as installed

from tests.daemon.conftest import engine, processes_with, until
from tests.daemon.runs.test_run import arguments, run
from tests.support.programs import PATIENCE, Program
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play import participants
from yoddd.daemon.runs.introduction import meet
from yoddd.daemon.runs.preparation import first_starts
from yoddd.engine import ENGINES
from yoddd.referee import WaitLimits
from yoddd.referee.conformance import CARRIAGE_RETURNS, UNANSWERED_QUIT
from yoddd.referee.tournament.config import ConfigError, EngineConfig, TournamentConfig

pytestmark = [pytest.mark.process, pytest.mark.whole]

UNFLUSHED = r"""sh -c 'cat >/dev/null; printf "=1 2\n\n"'"""
"""An engine whose replies stay in a buffer until its input ends."""


async def introduce(command: str, launch: float = 60, **settings: object) -> list[str]:
    """Introduce an engine; return what its organiser is told."""
    said: list[str] = []
    engines = (EngineConfig(engine=command, **settings), EngineConfig(engine="builtin:random"))  # type: ignore[arg-type]  # a test names its own settings
    config = TournamentConfig(board="hex3", engine=engines)
    starts = first_starts(config, said.append)
    await meet(cast("Reactor", installed), [*starts.values()], WaitLimits(launch=launch, reply=60))
    return said


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (engine("--name=x", "--fault", "banner"), "Welcome to the test engine!"),
        (engine("--name=x", "--fault", "lacks-genmove"), "lacks genmove"),
        (engine("--no-such-option"), "no handshake: exit status 2; stderr: .*--no-such-option"),
        (engine("--name=x", "--fault", "crash"), "exit status 3; stderr: .*crashes on cue"),
        (engine("--name=x", "--fault", "illegal"), "played an illegal turn: a1,a1: "),
        (engine("--name=x", "--fault", "refuse-genmove"), "refused genmove b: illegal move"),
        (engine("--name=x", "--fault", "malformed"), "malformed reply: "),
        ("/bin/sleep 600", r"no handshake within 5 s; --launch allows more"),
        (UNFLUSHED, "no handshake within 5 s, but a reply when its input was closed: flush"),
        ("sh -c 'kill -TERM $$'", "killed by SIGTERM"),
        ("sh -c 'exec >&-; sleep 600'", "closed its output"),
    ],
)
@ensureDeferred
async def test_introduce_engine_without_a_handshake_is_refused(command: str, reason: str) -> None:
    launch = 5 if "5 s" in reason else 60
    with pytest.raises(ConfigError, match=reason) as caught:
        await introduce(command, launch=launch, name="mine")
    assert str(caught.value).startswith(f"mine: {command}: ")


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        (engine("--name=x"), []),
        (engine("--name=x", "--fault", "stall"), []),  # it thinks
        (f"sh -c 'sed -u /quit/d | {engine('--name=x')}'", [UNANSWERED_QUIT]),
        (f"sh -c '{engine('--name=x')} | sed -u \"s/$/\\r/\"'", [CARRIAGE_RETURNS]),
    ],
)
@ensureDeferred
async def test_introduce_engine_with_bad_habits_is_advised(command: str, advice: list[str]) -> None:
    assert await introduce(command, name="mine") == [f"mine: {command}: {one}" for one in advice]


@pytest.mark.parametrize("name", ENGINES)
@ensureDeferred
async def test_introduce_builtin_engine_without_the_kernel_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    code = (
        "import sys, yoddd.cli, yoddd.kernel.backend as _; m = sys.modules[_.__module__]; "
        "m._loaded = lambda: (None, m.Backend('reference', 'no kernel')); yoddd.cli.main()"
    )
    words = [sys.executable, "-c", code]
    monkeypatch.setattr(participants, "own_command", lambda _, *more: [*words, *more])
    with pytest.raises(ConfigError, match="refused genmove b: engine failed: no kernel"):
        await introduce(f"builtin:{name}")


@ensureDeferred
async def test_introduce_engine_that_refuses_its_parameter_is_refused(marker: str) -> None:
    reason = "builtin:uct: refused set_param playuts 10: .*playuts"
    with pytest.raises(ConfigError, match=reason):
        await introduce("builtin:uct", params={"playuts": "10"})
    await introduce("builtin:uct", params={"playouts": "10"})
    with pytest.raises(ConfigError, match="refused set_param level 3: unknown command"):
        await introduce(engine(marker, "--plain"), params={"level": "3"})


@ensureDeferred
async def test_introduce_engine_over_its_limits_is_refused() -> None:
    with pytest.raises(ConfigError, match="cannot be confined"):
        await introduce("builtin:random", files=10**12)


@ensureDeferred
async def test_introduce_leaves_no_process(marker: str) -> None:
    await introduce(engine(marker, "--fault", "ignore-sigterm"))
    assert processes_with(marker) == []


def test_run_that_is_refused_leaves_nothing_to_delete(marker: str, tmp_path: Path) -> None:
    done = run(tmp_path / "run", (engine(marker), "builtin:random"), "--first", "param.sead=1")
    assert (done.returncode, (tmp_path / "run").exists()) == (1, False)
    assert "param" in done.stderr


@pytest.mark.gate
def test_run_that_is_interrupted_before_its_first_game_ends_at_once(tmp_path: Path) -> None:
    command = arguments(tmp_path / "run", ("/bin/sleep 6363", "builtin:random"))
    with Program(command) as process:
        until(lambda: bool(processes_with("6363")))
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 1
    until(lambda: processes_with("6363") == [])
    assert not (tmp_path / "run").exists()
