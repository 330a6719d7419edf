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
class Evidence:
    """The evidence of a fault.

    Attributes:
        position: the position line of the game at that moment; empty outside a game.
        request: the last request, as Python writes its bytes.
        reply: what came after it, likewise; empty if nothing did.
        transcript: the last pieces sent (``>``) and received (``<``), each with the seconds since
            the start of the engine.
    """

    position: str
    request: str
    reply: str
    transcript: tuple[str, ...]


@attrs.frozen
class Finding:
    """One check and its verdict.

    Attributes:
        check: its short name.
        section: of the specification, protocol/engine.md for most.
        wants: the requirement, as a sentence.
        verdict: its result.
        detail: the observation behind it.
        plays: whether the check plays a game to its end.
        evidence: what shows a fault; None without one.
    """

    check: str
    section: str
    wants: str
    verdict: Verdict
    detail: str = ""
    plays: bool = False
    evidence: Evidence | None = None

    def as_json(self) -> dict[str, object]:
        """The finding as plain values."""
        values = attrs.asdict(self, filter=lambda field, _: field.name != "plays")
        return {**values, "verdict": self.verdict.value}


@attrs.frozen
class ConformanceReport:
    """The whole examination.

    Attributes:
        name: the engine's reply to ``name``.
        version: its reply to ``version``.
        findings: in the order of the checks.
        whole: whether all checks were made, or those that the introduction allows.
    """

    name: str
    version: str
    findings: tuple[Finding, ...]
    whole: bool = True

    @property
    def failed(self) -> bool:
        """Whether a check failed; warnings and slowness are allowed."""
        return any(finding.verdict is Verdict.FAIL for finding in self.findings)

    @property
    def played(self) -> int:
        """The number of games that were played to their end."""
        return sum(one.plays and one.verdict is Verdict.OK for one in self.findings)

    @property
    def passed(self) -> bool:
        """Whether no check failed and, among all checks, a game was played."""
        return not self.failed and (self.played > 0 or not self.whole)

    def count(self, verdict: Verdict) -> int:
        """The number of checks with a verdict."""
        return sum(finding.verdict is verdict for finding in self.findings)

    def as_json(self) -> dict[str, object]:
        """The report as plain values."""
        return {
            "engine": {"name": self.name, "version": self.version},
            "passed": self.passed,
            "played": self.played,
            "findings": [finding.as_json() for finding in self.findings],
        }


_INDENT: Final = " " * 25
_PIECES: Final = 4
"""Pieces of a transcript in the text; JSON has more."""

_MARKS: Final = {
    Verdict.OK: "ok  ",
    Verdict.FAIL: "FAIL",
    Verdict.WARN: "warn",
    Verdict.SLOW: "slow",
    Verdict.SKIP: "skip",
}


def describe(report: ConformanceReport) -> str:
    """The report as text: a line for each check, the reasons below, and the sums."""
    findings = map(describe_finding, report.findings)
    return "\n".join([title(report.name, report.version), *findings, describe_sums(report)])


def title(name: str, version: str) -> str:
    """The first line of a report."""
    return f"{name or 'nameless'} {version}".rstrip()


def describe_finding(finding: Finding) -> str:
    """One check: its line, the reason and what shows it."""
    lines = [f"  {_MARKS[finding.verdict]}  {finding.check:<16} {finding.wants}"]
    if finding.detail:
        lines.append(_INDENT + finding.detail)
    if finding.evidence is not None:
        lines += _describe_evidence(finding.evidence)
    return "\n".join(lines)


def describe_sums(report: ConformanceReport) -> str:
    """The last lines of a report."""
    lines = []
    if report.count(Verdict.SLOW):
        lines.append("slow: right, but late; check again while nothing else runs on this machine")
    counts = ", ".join(f"{report.count(verdict)} {verdict}" for verdict in Verdict)
    return "\n".join([*lines, f"{_sentence(report)}: {counts}"])


def _sentence(report: ConformanceReport) -> str:
    if report.failed:
        return "DOES NOT CONFORM"
    if report.played:
        return f"conforms, {report.played} games played"
    if report.whole:
        return "NOTHING PLAYED, name a game that it plays with --game"
    return "nothing failed, no game played"


def _describe_evidence(evidence: Evidence) -> list[str]:
    """The position and the last pieces of the transcript, which have the request and the reply."""
    position = [f"position: {evidence.position}"] if evidence.position else []
    return [_INDENT + line for line in [*position, *evidence.transcript[-_PIECES:]]]
