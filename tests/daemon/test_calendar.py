"""Games, limits and names while the calendar of the machine is set, and after a suspension."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.daemon.conftest import PATIENCE, YODDD, Daemon, Peer, engine, serving, until
from tests.daemon.runs.matches import records
from tests.daemon.stores import TOKENS, make_store
from tests.daemon.test_lobby import put
from tests.support.calendar_shift import COMPILER, Calendar, compile_library
from tests.support.programs import Program

pytestmark = [
    pytest.mark.process,
    pytest.mark.whole,
    pytest.mark.skipif(
        COMPILER is None or sys.platform != "linux", reason="preloads a library that it compiles"
    ),
]

HOUR = 3600
BOTH_WAYS = (HOUR, -HOUR)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_library(tmp_path_factory.mktemp("shift"))


@pytest.fixture
def calendar(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Calendar:
    return Calendar(library, tmp_path, monkeypatch)


def two_humans(daemon: Daemon, clock: str) -> tuple[Peer, str, str, Peer]:
    """A player, the keys of both, and a spectator of their game after Black's first turn."""
    peer, spectator = daemon.peer(), daemon.peer()
    game, black = peer.ask(f"seek ann board=hex3 seat=b clock={clock}").split()[1:]
    white = peer.ask(f"accept {game} bob").removeprefix("= ")
    spectator.send(f"observe {game}\n")
    put(peer, black, "1a1")
    return peer, black, white, spectator


def record_of(spectator: Peer) -> dict[str, object]:
    """The record of the game, once it is over."""
    while not (line := spectator.line()).startswith("record "):
        pass
    found: dict[str, object] = json.loads(line.removeprefix("record "))
    return found


def test_calendar_is_that_of_the_programs(calendar: Calendar) -> None:
    code = "import time; print(time.time() - time.monotonic())"
    apart = []
    for seconds in (0, HOUR, -HOUR):
        calendar.shift(seconds)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        apart.append(float(done.stdout))
    assert [round(one - apart[0], -1) for one in apart] == [0, HOUR, -HOUR]


def test_lobby_game_lasts_as_long_as_its_clocks(calendar: Calendar) -> None:
    with serving() as daemon:
        for seconds in BOTH_WAYS:
            peer, black, white, spectator = two_humans(daemon, "600")
            calendar.shift(seconds)
            time.sleep(0.5)
            assert peer.ask(f"put {white} pass") == "= "
            calendar.shift(0)
            assert peer.ask(f"put {black} resign") == "= "
            record = record_of(spectator)
            assert record["reason"] == "resign"
            assert max(record["times"]) < PATIENCE  # type: ignore[call-overload]
        daemon.hang_up()


def test_lobby_game_ends_when_a_clock_runs_out(calendar: Calendar) -> None:
    with serving() as daemon:
        for seconds in BOTH_WAYS:
            begun = time.monotonic()
            spectator = two_humans(daemon, "10")[-1]
            calendar.shift(seconds)
            record = record_of(spectator)
            assert (record["winner"], record["reason"]) == ("b", "time")
            assert time.monotonic() - begun > 10
        daemon.hang_up()


@pytest.mark.parametrize("seconds", BOTH_WAYS)
def test_match_blames_no_engine_for_the_calendar(
    calendar: Calendar, tmp_path: Path, seconds: int
) -> None:
    out = tmp_path / "run"
    slow = engine("--seed=3", "--fault", "slow", "--delay", "0.1")
    words = ["match", slow, slow, "--board", "hex3", "--games", "2", "--clock", "60"]
    with Program([*YODDD, *words, "--out", str(out)], stdout=subprocess.DEVNULL) as run:
        until((out / "status.sock").exists)
        for shift in (seconds, 0, seconds):
            time.sleep(0.3)
            calendar.shift(shift)
        assert run.wait(PATIENCE) == 0, run.error_text()
    assert {record.reason for record in records(out)} == {"groups"}


def test_ladder_goes_on_pairing(calendar: Calendar, tmp_path: Path) -> None:
    path = make_store(tmp_path / "s")
    ladder = ("ladder.concurrency=1", "ladder.board=hex2", "ladder.clock=60", "ladder.pace=0.5")
    options = [word for key in ladder for word in ("--set", key)]
    with serving("--store", str(path), *options) as daemon, ExitStack() as stack:
        peer, connected = daemon.peer(), []
        for name in ("bot", "box"):
            words = ["connect", daemon.address, "--as", name, "--", *engine("--seed=3").split()]
            run = ["env", f"YODDD_TOKEN={TOKENS[name]}", *YODDD, *words]
            connected.append(stack.enter_context(Program(run, stdout=subprocess.DEVNULL)))

        def played() -> int:
            found = peer.ask("leaderboard yodd hex2").split()
            return int(found[5]) if len(found) > 5 else 0

        until(lambda: played() > 0)
        for seconds in BOTH_WAYS:
            calendar.shift(seconds)
            wanted = played() + 2
            until(lambda: played() >= wanted)  # noqa: B023 — at once
        for program in connected:
            program.terminate()
            program.rest()
        daemon.hang_up()


def test_failed_log_ins_count_for_a_minute(calendar: Calendar, tmp_path: Path) -> None:
    path = make_store(tmp_path / "s")
    with serving("--store", str(path)) as daemon:
        peer = daemon.peer()
        for _ in range(3):
            assert peer.ask("login ann guess") == "? not permitted: wrong name or token"
        for seconds in BOTH_WAYS:
            calendar.shift(seconds)
            refusal = daemon.peer().ask("login ann guess")
            assert refusal.startswith("? not permitted: too many failed log-ins, wait ")
            assert 0 < int(refusal.split()[-2]) <= 60
        daemon.hang_up()


def test_name_of_a_lost_engine_is_kept_for_its_time(calendar: Calendar) -> None:
    kept = 15  # long enough for both refusals on any machine
    limits = ("--set", "limits.exempt=127.0.0.1/32", "--set", f"limits.name_kept={kept}")
    with serving(*limits) as daemon:
        watcher = daemon.peer()
        first = daemon.peer("127.0.0.2")
        first.send("attach one\n")
        until(lambda: watcher.ask("attached") == "= one")
        first.close()
        until(lambda: watcher.ask("attached") == "= ")
        for seconds in BOTH_WAYS:
            calendar.shift(seconds)
            squatter = daemon.peer("127.0.0.3")
            squatter.send("attach one\n")
            assert squatter.rest().startswith(b"? busy: the name one is kept for its engine")
        time.sleep(kept)

        def is_free() -> bool:  # by the daemon's clock, which rests while it has no processor
            daemon.peer("127.0.0.3").send("attach one\n")
            return watcher.ask("attached") == "= one"

        until(is_free)
        daemon.hang_up()


def test_suspended_daemon_charges_no_player_for_it() -> None:
    clock = 20  # long enough for what the machine takes, too
    with serving() as daemon:
        early, late = (two_humans(daemon, str(clock)) for _ in range(2))
        daemon.process.send_signal(signal.SIGSTOP)
        early[0].send(f"put {early[2]} pass\n")
        time.sleep(clock + 1)
        daemon.process.send_signal(signal.SIGCONT)
        late[0].send(f"put {late[2]} pass\n")
        for peer, black, _, spectator in (early, late):
            assert peer.reply() == "= "
            assert peer.ask(f"put {black} resign") == "= "
            record = record_of(spectator)
            assert record["reason"] == "resign"
            assert max(record["times"]) < clock  # type: ignore[call-overload]
        daemon.hang_up()
