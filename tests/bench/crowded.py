"""Play by the clock on a crowded machine: where turns wait, and whether any is lost.

    python -m tests.bench.crowded --turns 5000 --seconds 0.15 --busy 2
    python -m tests.bench.crowded --where --turns 300

A real ``yoddd match`` between two engines of this program plays beside ``--busy`` processes that
spin, until so many turns are played. Told are the games by the reason of their end, the turns that
took longer than the clock allows, and the time that the machine took of the turns, as the records
have it. Exits with status 1 if a game was lost on time.

With ``--where`` a single engine is driven directly, and what Linux counts as a wait for a processor
is told by thread: of the one that reads requests and writes replies, of those that search, and of
the referee.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.bench.clock import Engine, busy, describe, turns
from yoddd.daemon.play.run_queue import ThreadTimes, read_threads

BATCH = 16
"""Games of one match; the next one begins while turns are missing."""


def play(folder: Path, board: str, clock: str, seed: int) -> list[dict[str, Any]]:
    """The records of one match."""
    words = ["match", "builtin:mcts", "builtin:mcts", "--board", board, "--clock", clock]
    words += ["--games", str(BATCH), "--seed", str(seed), "--out", str(folder / str(seed))]
    subprocess.run([sys.executable, "-m", "yoddd", *words], check=True, stdout=subprocess.DEVNULL)
    lines = (folder / str(seed) / "games.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def report(records: list[dict[str, Any]], seconds: float) -> list[str]:
    """The use of time in the records."""
    played = [
        pair
        for record in records
        for pair in zip(record["times"], record.get("machine", []), strict=False)
    ]
    over = [(took, machine) for took, machine in played if took > seconds]
    ends = Counter(record["reason"] for record in records)
    lost = [record["detail"] for record in records if record["reason"] == "time"]
    lines = [
        f"{len(played)} turns of {1000 * seconds:g} ms in {len(records)} games: {dict(ends)}",
        f"they took {describe([took for took, _ in played])}",
        f"the machine took {describe([machine for _, machine in played])} of them",
        f"{len(over)} turns took more than the clock has, and were in time without the machine",
    ]
    lines += [f"lost: {detail}" for detail in lost]
    return lines + [
        f"  {1000 * took:.1f} ms, of which the machine took {1000 * machine:.1f} ms"
        for took, machine in sorted(over)[-10:]
    ]


def where(game: str, wanted: int, seconds: float) -> list[str]:
    """The waits of each kind of thread, by turn."""
    engine = Engine()
    engine.ask(f"kata-time_settings byoyomi 0 {seconds} 1")
    pid = engine.pid
    waits: dict[str, list[float]] = {"reads and writes": [], "searches": [], "referee": []}
    used = []
    for _ in turns(engine, game, wanted):
        before = {**read_threads([pid]), **read_threads([os.getpid()])}
        begun = time.perf_counter()
        engine.ask("genmove")
        used.append(time.perf_counter() - begun)
        found: dict[str, float] = dict.fromkeys(waits, 0.0)
        for path, times in {**read_threads([pid]), **read_threads([os.getpid()])}.items():
            kind = _kind(path, pid)
            waited = times.waited - before.get(path, ThreadTimes(0, 0)).waited
            found[kind] = max(found[kind], waited / 1e9)
        for kind, most in found.items():
            waits[kind].append(most)
    engine.close()
    late = sum(one > seconds for one in used)
    lines = [f"{wanted} turns of {1000 * seconds:g} ms, {late} late: {describe(used)}"]
    return lines + [f"wait, {kind}: {describe(found)}" for kind, found in waits.items()]


def _kind(path: str, pid: int) -> str:
    _, _, process, _, thread = path.split("/")
    if int(process) != pid:
        return "referee"
    return "reads and writes" if thread == process else "searches"


def main() -> int:
    """Play and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--board", default="hex5")
    parser.add_argument("--turns", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=0.15)
    parser.add_argument("--busy", type=int, default=2)
    parser.add_argument("--where", action="store_true")
    chosen = parser.parse_args()
    with busy(chosen.busy):
        if chosen.where:
            lines = where(f"yodd {chosen.board}", chosen.turns, chosen.seconds)
            print(*lines, sep="\n")
            return 0
        records: list[dict[str, Any]] = []
        with tempfile.TemporaryDirectory(prefix="yoddd-crowded-") as folder:
            for seed in range(1 << 30):
                records += play(Path(folder), chosen.board, f"move={chosen.seconds}", seed)
                if sum(len(record["turns"]) for record in records) >= chosen.turns:
                    break
        load = os.getloadavg()[0]
    print(*report(records, chosen.seconds), f"load {load:.1f}", sep="\n")
    return int(any(record["reason"] == "time" for record in records))


if __name__ == "__main__":
    sys.exit(main())
