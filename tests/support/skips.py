"""In CI a skipped test fails, unless its reason is one of a short list.

A test that is skipped where a program is missing says nothing there: without Node.js all
comparisons with the page's rules would vanish in silence.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from typing import Final, TypeVar

import pytest

ALLOWED: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # What a container of CI does not have.
        r"no control group \(cgroup v2\) is delegated to this process",
        r"no (PID )?namespaces here",
        r"the kernel does not tell how many processes share a page",
        r"not counted here",  # /proc/self/schedstat
        # What serves deployments, and is installed for no other test.
        r"needs (zsh|fish|Java)",
        # `make sanitize` has no installed kernel.
        r"needs (an|the) installed kernel.*",
    )
)

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """The reason of a skipped test, as its mark or call gives it."""
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")


def judge(report: Report) -> Report:
    """The report as it is, or as a failure where it is a skip that CI does not allow."""
    if report.outcome != "skipped" or hasattr(report, "wasxfail"):
        return report
    reason = reason_of(report)
    if not any(pattern.fullmatch(reason) for pattern in ALLOWED):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI: {reason}; allowed skips: tests/support/skips.py"
    return report


class NoSkips:
    """The plugin, registered where the environment variable ``CI`` is set."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        return judge((yield))

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self,
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        return judge((yield))


def pytest_configure(config: pytest.Config) -> None:
    """Judge skips in CI."""
    if os.environ.get("CI"):
        config.pluginmanager.register(NoSkips())
