"""What came out of an examination, for people and for programs."""

from __future__ import annotations

import enum
from typing import Final

import attrs


class Verdict(enum.StrEnum):
    """What became of one check."""

    OK = "ok"
    FAIL = "fail"
    WARN = "warn"
    SKIP = "skip"


@attrs.frozen
class Finding:
    """One check and its verdict.

    Attributes:
        check: its short name.
        section: of protocol/SPEC.md.
        wants: the requirement, as a sentence.
        verdict: what became of it.
        detail: what was seen.
    """

    check: str
    section: str
    wants: str
    verdict: Verdict
    detail: str = ""


@attrs.frozen
class Report:
    """The whole examination.

    Attributes:
        name: what the engine calls itself.
        version: likewise.
        findings: in the order of the checks.
    """

    name: str
    version: str
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing failed; warnings are allowed."""
        return all(finding.verdict is not Verdict.FAIL for finding in self.findings)

    def count(self, verdict: Verdict) -> int:
        """How many checks came out like this."""
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
    Verdict.SKIP: "skip",
}


def describe(report: Report) -> str:
    """The report for people: a line a check, the reasons below, and a sum."""
    lines = [f"{report.name or 'nameless'} {report.version}".rstrip()]
    for finding in report.findings:
        lines.append(f"  {_MARKS[finding.verdict]}  {finding.check:<16} {finding.wants}")
        if finding.detail:
            lines.append(f"        {'':<16} {finding.detail}")
    counts = ", ".join(f"{report.count(verdict)} {verdict}" for verdict in Verdict)
    lines.append(f"{'conforms' if report.passed else 'DOES NOT CONFORM'}: {counts}")
    return "\n".join(lines)
