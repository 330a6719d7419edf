"""Engines that cannot play stop a run before its first game, and nothing has to be deleted."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor as installed

from tests.daemon.conftest import engine, processes_with, until
from tests.daemon.runs.matches import records
from tests.daemon.runs.test_run import arguments, run
from tests.programs import broken
from tests.support.programs import PATIENCE, Program
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play.confinement import Launch
from yoddd.daemon.runs.introduction import meet, why_unstartable
from yoddd.daemon.runs.preparation import first_starts
from yoddd.referee.config import ConfigError, EngineConfig, TournamentConfig
from yoddd.referee.game_setup import WaitLimits


async def introduce(
    command: str, say: Callable[[str], None] = print, launch: float = 60, **settings: object
) -> None:
    engines = (EngineConfig(engine=command, **settings), EngineConfig(engine="builtin:random"))  # type: ignore[arg-type]  # a test names its own settings
    config = TournamentConfig(board="hex3", engine=engines)
    starts = first_starts(config, say)
    await meet(cast("Reactor", installed), [*starts.values()], WaitLimits(launch=launch, reply=60))


@pytest.mark.process
@pytest.mark.whole
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--fault", "banner"], "Welcome to the test engine!"),
        (["--fault", "lacks-genmove"], "lacks genmove"),
        (["--no-such-option"], "no handshake: exit status 2; stderr: .*--no-such-option"),
    ],
)
@ensureDeferred
async def test_introduce_engine_without_a_handshake_is_refused(
    marker: str, options: list[str], reason: str
) -> None:
    command = engine(marker, *options)
    with pytest.raises(ConfigError, match=reason) as caught:
        await introduce(command, name="mine")
    assert str(caught.value).startswith(f"mine: {command}: ")


@pytest.mark.process
@pytest.mark.whole
@ensureDeferred
async def test_introduce_engine_that_says_nothing_is_refused_after_the_limit() -> None:
    said: list[str] = []
    with pytest.raises(ConfigError, match=r"no handshake within 5 s; --launch allows more"):
        await introduce("/bin/sleep 600", said.append, launch=5)
    # The other engine may be late, too, where the machine is busy.
    assert [line for line in said if line.startswith("/bin/sleep")] == [
        "/bin/sleep 600: no reply for 2 s, waiting 3 s more: an engine that keeps its replies back"
        " has to flush standard output after each"
    ]


@pytest.mark.process
@pytest.mark.whole
@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (
            "no-empty-line@protocol_version",
            "no handshake: received `=1 2` but no empty line after it: flush standard output",
        ),
        ("buffered", "no handshake within 5 s, but a reply when its input was closed: flush"),
    ],
)
@ensureDeferred
async def test_introduce_engine_whose_reply_is_unfinished_is_told_what_it_lacks(
    fault: str, reason: str
) -> None:
    with pytest.raises(ConfigError, match=reason):
        await introduce(f"{sys.executable} -S -E {broken.__file__} {fault}", launch=5)


@pytest.mark.process
@pytest.mark.gate
@ensureDeferred
async def test_introduce_engine_that_dies_by_a_signal_is_refused_with_it() -> None:
    with pytest.raises(ConfigError, match="killed by SIGTERM"):
        await introduce("sh -c 'kill -TERM $$'")


@pytest.mark.process
@pytest.mark.gate
@ensureDeferred
async def test_introduce_engine_that_closes_its_output_is_refused() -> None:
    with pytest.raises(ConfigError, match="no handshake: closed its output"):
        await introduce("sh -c 'exec >&-; sleep 600'")


@pytest.mark.process
@pytest.mark.whole
@ensureDeferred
async def test_introduce_engine_that_refuses_its_parameter_is_refused(marker: str) -> None:
    reason = "builtin:uct: refused set_param playuts 10: .*playuts"
    with pytest.raises(ConfigError, match=reason):
        await introduce("builtin:uct", params={"playuts": "10"})
    await introduce("builtin:uct", params={"playouts": "10"})
    with pytest.raises(ConfigError, match="refused set_param level 3: unknown command"):
        await introduce(engine(marker, "--plain"), params={"level": "3"})


@pytest.mark.process
@pytest.mark.whole
@ensureDeferred
async def test_introduce_engine_over_its_limits_is_refused() -> None:
    with pytest.raises(ConfigError, match="cannot be confined"):
        await introduce("builtin:random", files=10**12)


@pytest.mark.process
@pytest.mark.whole
@ensureDeferred
async def test_introduce_leaves_no_process(marker: str) -> None:
    await introduce(engine(marker, "--fault", "ignore-sigterm"))
    assert processes_with(marker) == []


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("{0}/missing --fast", "/missing: no such file"),
        ("{0}", ": a folder, not a program"),
        ("{0}/plain", "/plain: not executable; try chmod +x"),
        (".\\bots\\mine", ".botsmine: no such program in PATH (a backslash quotes"),
        ("no-such-program", "no-such-program: no such program in PATH"),
        (sys.executable, None),
        ("sh", None),
    ],
)
def test_why_unstartable_tells_what_is_wrong(
    tmp_path: Path, command: str, reason: str | None
) -> None:
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    found = why_unstartable(Launch(command=command.format(tmp_path)))
    assert found is None if reason is None else reason in (found or "")


@pytest.mark.process
@pytest.mark.whole
def test_run_that_is_refused_leaves_nothing_to_delete(marker: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    good = engine(marker)
    for bad, options in (
        (f"{tmp_path}/bot", []),
        (engine(marker, "--fault", "lacks-genmove"), []),
        (engine(marker, "--name", "x"), ["--first", "param.sead=1"]),
        (good, ["--first", "param.seed=1", "--second", "name=b"]),
    ):
        done = run(out, (bad, "builtin:random"), "--games", "2", *options)
        assert done.returncode == (0 if bad == good else 2), done.stderr
        if bad != good:
            assert bad in done.stderr
            assert not out.exists()
    assert {record.reason for record in records(out)} <= {"groups", "resign"}


@pytest.mark.process
@pytest.mark.gate
def test_run_that_is_interrupted_before_its_first_game_ends_at_once(tmp_path: Path) -> None:
    command = arguments(tmp_path / "run", ("/bin/sleep 6363", "builtin:random"))
    with Program(command) as process:
        until(lambda: bool(processes_with("6363")))
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 1
    until(lambda: processes_with("6363") == [])
    assert not (tmp_path / "run").exists()
