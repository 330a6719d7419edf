"""The report of an examination, as text and as JSON."""

from __future__ import annotations

import enum
from typing import Final

import attrs


class Verdict(enum.StrEnum):
    """The result of one check."""

    OK = "ok"
    FAIL = "fail"
    WARN = "warn"
    SLOW = "slow"
    SKIP = "skip"


@attrs.frozen
class Finding:
    """One check and its verdict.

    Attributes:
        check: its short name.
        section: of protocol/SPEC.md.
        wants: the requirement, as a sentence.
        verdict: its result.
        detail: the observation behind it.
    """

    check: str
    section: str
    wants: str
    verdict: Verdict
    detail: str = ""


@attrs.frozen
class ConformanceReport:
    """The whole examination.

    Attributes:
        name: the engine's reply to ``name``.
        version: its reply to ``version``.
        findings: in the order of the checks.
    """

    name: str
    version: str
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        """Whether no check failed; warnings and slowness are allowed."""
        return all(finding.verdict is not Verdict.FAIL for finding in self.findings)

    def count(self, verdict: Verdict) -> int:
        """The number of checks with a verdict."""
        return sum(finding.verdict is verdict for finding in self.findings)

    def as_json(self) -> dict[str, object]:
        """The report as plain values."""
        return {
            "engine": {"name": self.name, "version": self.version},
            "passed": self.passed,
            "findings": [
                {**attrs.asdict(finding), "verdict": finding.verdict.value}
                for finding in self.findings
            ],
        }


_MARKS: Final = {
    Verdict.OK: "ok  ",
    Verdict.FAIL: "FAIL",
    Verdict.WARN: "warn",
    Verdict.SLOW: "slow",
    Verdict.SKIP: "skip",
}


def describe(report: ConformanceReport) -> str:
    """The report as text: a line for each check, the reasons below, and the sums."""
    lines = [f"{report.name or 'nameless'} {report.version}".rstrip()]
    for finding in report.findings:
        lines.append(f"  {_MARKS[finding.verdict]}  {finding.check:<16} {finding.wants}")
        if finding.detail:
            lines.append(f"        {'':<16} {finding.detail}")
    if report.count(Verdict.SLOW):
        lines.append("slow: right, but late; check again while nothing else runs on this machine")
    counts = ", ".join(f"{report.count(verdict)} {verdict}" for verdict in Verdict)
    lines.append(f"{'conforms' if report.passed else 'DOES NOT CONFORM'}: {counts}")
    return "\n".join(lines)
