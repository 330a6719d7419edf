"""The examination: all checks in order, each with a fresh engine."""

from __future__ import annotations

from yoddd.protocol.errors import one_line
from yoddd.referee.conformance.checks import CHECKS, Check
from yoddd.referee.conformance.report import ConformanceReport, Finding, Verdict
from yoddd.referee.conformance.script import (
    Advised,
    Failed,
    Interview,
    Script,
    Skipped,
    Slow,
    Stop,
)
from yoddd.referee.conformance.terms import Knowledge, Terms


def examine(terms: Terms) -> Script[ConformanceReport]:
    """Examine one engine."""
    knowledge = Knowledge(terms)
    findings: list[Finding] = []
    for check in CHECKS:
        if not (check.vital or terms.only is None or check.name in terms.only):
            continue
        finding = yield from _try(check, knowledge)
        findings.append(finding)
        if check.vital and finding.verdict is Verdict.FAIL:
            break
    engine = knowledge.engine
    names = (engine.name, engine.version) if engine is not None else ("", "")
    return ConformanceReport(*names, tuple(findings))


def _try(check: Check, knowledge: Knowledge) -> Script[Finding]:
    interview = Interview(knowledge.terms.patience, knowledge.terms.launch)
    verdict = Verdict.OK
    try:
        yield from interview.start()
        detail = yield from check.run(interview, knowledge)
    except Failed as failure:
        verdict, detail = Verdict.FAIL, str(failure)
    except Advised as advice:
        verdict, detail = Verdict.WARN, str(advice)
    except Slow as slow:
        verdict, detail = Verdict.SLOW, str(slow)
    except Skipped as skipped:
        verdict, detail = Verdict.SKIP, str(skipped)
    yield Stop()
    return Finding(check.name, check.section, check.wants, verdict, one_line(detail))
