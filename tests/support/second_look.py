"""Runs tests that failed once more, after all others: a pytest plugin.

Each runs alone, and if it passes, after those that ran before it in its process. A test that passes
then as well is *flaky*: its logs, and a line in a ledger, are kept in the folder that
the environment variable ``YODDD_SECOND_LOOK`` names, and the run passes. It stays red where

* the test fails or hangs again when it is alone;
* it fails only after the others, which is the kind *ORDER*: they share state;
* the test is marked ``invariant``: there one failure is a bug, however rare;
* the test function was added or edited by the change that is tested (`changes`);
* tests could not be collected;
* more than ``YODDD_MOST_FLAKES`` roots failed in the run, whose name is ``YODDD_RUN``, in all of
  its steps; failures in one shared fixture or of one daemon are one root.

``python -m tests.support.second_look FOLDER`` prints the ledger.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

from tests.support.changes import changed_tests, git

LIMIT: Final = 300.0
"""Seconds of a test that has no limit of its own."""

MORE: Final = 60.0
"""Seconds that a second look may take beyond the limit of its test."""

SLOWER: Final = 3
"""By how much the tests that ran before another may be slower when they run again."""


@attrs.frozen
class Failed:
    """A test that failed in the company of others.

    Attributes:
        test: its node id.
        root: what failures with the same cause have in common.
        is_invariant: whether it is marked so.
        log: the first report.
        before: the tests that ran before it in its process, in their order.
        seconds: that these took.
        limit: the seconds that the test may take.
    """

    test: str
    root: str
    is_invariant: bool
    log: str
    before: list[str]
    seconds: float
    limit: float

    @property
    def function(self) -> str:
        """The node id without the case of a parametrised test."""
        return self.test.partition("[")[0]


@attrs.frozen
class Verdict:
    """The fate of a failed test; ``why`` it stays red is empty for a flake."""

    failed: Failed
    why: str


class Ledger:
    """The folder in which flakes are kept, with a line for each in ``flaky.jsonl``."""

    def __init__(self, folder: Path) -> None:
        """Use a folder, which need not exist."""
        self.folder = folder
        self._file = folder / "flaky.jsonl"
        self._runs = folder / "runs.jsonl"
        self._looks = folder / "looks.jsonl"

    def _read(self, file: Path) -> list[dict[str, Any]]:
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        return [json.loads(line) for line in text.splitlines()]

    def begin(self, run: str) -> None:
        """Note a run, once for all of its steps."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if run not in {one["run"] for one in self._read(self._runs)}:
            with self._runs.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"run": run, "commit": _commit()}) + "\n")

    def excused(self, run: str) -> int:
        """Return the number of roots that were excused in a run."""
        return len({one["root"] for one in self._read(self._file) if one["run"] == run})

    def look(self, run: str, test: str, kind: str) -> None:
        """Note that a test of a run was looked at twice, for `.ci/steps.py`."""
        with self._looks.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"run": run, "test": test, "kind": kind}) + "\n")

    def add(self, run: str, failed: Failed, second: str) -> None:
        """Keep both logs of a flake."""
        name = re.sub(r"\W+", "-", failed.test)[-80:]
        logs = self.folder / f"{time.strftime('%Y%m%dT%H%M%S')}{name}"
        logs.mkdir(parents=True, exist_ok=True)
        (logs / "first.log").write_text(failed.log, encoding="utf-8")
        (logs / "second.log").write_text(second, encoding="utf-8")
        entry = {
            "test": failed.test,
            "root": failed.root,
            "run": run,
            "at": time.strftime("%FT%TZ", time.gmtime()),
            "commit": _commit(),
            "load": os.getloadavg()[0],
            "error": (failed.log.strip().splitlines() or [""])[-1],
            "logs": str(logs),
        }
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def table(self) -> Generator[str, None, None]:
        """Yield a line for each test: how often in how many runs, first and last commit."""
        entries, runs = self._read(self._file), len(self._read(self._runs))
        for test, count in Counter(one["test"] for one in entries).most_common():
            commits = [one["commit"][:8] for one in entries if one["test"] == test]
            due = "  (twice: belongs in the whole)" if count > 1 else ""
            yield f"{count:4} of {runs} runs  {commits[0]}..{commits[-1]}  {test}{due}"
        if not entries:
            yield f"no flake in {runs} runs"


def _commit() -> str:
    return git("rev-parse", "HEAD")


def _root(item: pytest.Item, report: pytest.TestReport) -> str:
    """Return what failures of one cause share: a line of a fixture, or a program."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if report.when != "call":
        return report.longreprtext if crash is None else f"{crash.path}:{crash.lineno}"
    values = getattr(item, "funcargs", {}).values()
    programs = (getattr(getattr(value, "process", None), "pid", None) for value in values)
    return next((f"program {pid}" for pid in programs if pid is not None), item.nodeid)


class Roots:
    """In the process that runs the tests: notes the root and limit of a failure in its report."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add them to the properties, which reach the process that hands the tests out."""
        report = yield
        if report.failed:
            limit = item.get_closest_marker("timeout")
            report.user_properties.append(("root", _root(item, report)))
            report.user_properties.append(("limit", limit.args[0] if limit else LIMIT))
        return report


class SecondLook:
    """In the process that hands the tests out, where the reports of all workers arrive."""

    def __init__(self, folder: Path, run: str, most: int) -> None:
        """Keep flakes of the ``run`` in ``folder``, of which ``most`` are excused."""
        self._ledger = Ledger(folder)
        self._ledger.begin(run)
        self._run = run
        self._most = most
        # By the worker, the tests that have begun in it.
        self._begun: dict[str, list[str]] = {}
        # By the worker, the seconds that its tests have taken.
        self._seconds: defaultdict[str, float] = defaultdict(float)
        # By node id, the first failure of each test.
        self._failed: dict[str, Failed] = {}
        # Whether something could not be collected.
        self._is_broken = False
        self._verdicts: list[Verdict] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note what cannot be looked at twice."""
        self._is_broken |= report.failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failure, also of a set-up, a tear-down, or a worker that died."""
        worker = getattr(report, "worker_id", "")
        begun = self._begun.setdefault(worker, [])
        self._seconds[worker] += report.duration
        if report.when == "setup":
            begun.append(report.nodeid)
        if report.failed:
            before = [one for one in begun if one != report.nodeid]
            properties = dict(report.user_properties)
            root = properties.get("root", report.nodeid)
            parts = (report.nodeid, report.longreprtext, report.capstdout, report.capstderr)
            failed = Failed(
                report.nodeid,
                str(root),
                "invariant" in report.keywords,
                "\n\n".join(parts),
                before,
                self._seconds[worker],
                float(str(properties.get("limit", LIMIT))),
            )
            self._failed.setdefault(report.nodeid, failed)

    @pytest.hookimpl(trylast=True)  # when the workers have ended
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Look again at what failed, and pass if all of it was flaky."""
        if self._is_broken or session.exitstatus != pytest.ExitCode.TESTS_FAILED:
            return
        most = self._most - self._ledger.excused(self._run)
        roots = len({one.root for one in self._failed.values()})
        changed = changed_tests()
        for one in self._failed.values():
            if roots > most:
                why = f"{roots} roots failed, at most {most} are excused"
            elif one.is_invariant:
                why = "checks an invariant"
            elif one.function in changed:
                why = "was added or edited by this change"
            else:
                why = self._look_again(session.config, one)
                kind = why.partition(":")[0] if why else "flaky"
                self._ledger.look(self._run, one.test, kind)
            self._verdicts.append(Verdict(one, why))
        if self._verdicts and not any(one.why for one in self._verdicts):
            session.exitstatus = pytest.ExitCode.OK

    def _look_again(self, config: pytest.Config, failed: Failed) -> str:
        """Run a test once more; return why it is not excused, or an empty text."""
        print(f"\nsecond look at {failed.test}", flush=True)  # a sign of life for .ci/steps.py
        limit = failed.limit + MORE
        alone = _run(config, [failed.test], limit)
        if alone is None:
            return "hung when it ran alone"
        if alone.returncode:
            print(alone.stdout)
            return "failed again when it ran alone"
        print(f"once more, after {len(failed.before)} others", flush=True)
        tests, limit = [*failed.before, failed.test], limit + SLOWER * failed.seconds
        after = _run(config, tests, limit) if failed.before else alone
        if after is None:
            return f"ORDER: passes alone, and after those that ran before it not in {limit:.0f} s"
        line = rf"^\w+ {re.escape(failed.test)}( |$)"
        if re.search(line, after.stdout, re.MULTILINE):
            print(after.stdout)
            return "ORDER: passes alone, and failed again after those that ran before it"
        self._ledger.add(self._run, failed, alone.stdout)
        return ""

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name each test that failed, and what became of it."""
        if self._verdicts:
            terminalreporter.section("second look")
        for one in self._verdicts:
            terminalreporter.line(f"{'RED' if one.why else 'FLAKY'} {one.failed.test} {one.why}")


def _run(
    config: pytest.Config, tests: list[str], limit: float
) -> subprocess.CompletedProcess[str] | None:
    """Run tests in a new process, in this order; None if they take more seconds than ``limit``."""
    names: Iterable[str] = config.getoption("--browser", None) or ()
    words = [*tests, *(f"--browser={name}" for name in names)]
    plugins = ["-p", "no:xdist", "-p", "no:cacheprovider"]
    try:
        return subprocess.run(
            [sys.executable, "-m", "pytest", *plugins, "-q", "-rfE", *words],
            cwd=config.rootpath,
            env={name: value for name, value in os.environ.items() if name != "YODDD_SECOND_LOOK"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None


def pytest_configure(config: pytest.Config) -> None:
    """Look twice where the environment names a folder."""
    folder = os.environ.get("YODDD_SECOND_LOOK")
    if not folder:
        return
    config.pluginmanager.register(Roots())
    if not hasattr(config, "workerinput"):
        run = os.environ.get("YODDD_RUN", "alone")
        most = int(os.environ.get("YODDD_MOST_FLAKES", "3"))
        config.pluginmanager.register(SecondLook(Path(folder), run, most))


if __name__ == "__main__":
    for line in Ledger(Path(sys.argv[1])).table():
        print(line)
