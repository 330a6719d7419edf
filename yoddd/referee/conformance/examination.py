"""The examination: all checks in order, each with a fresh engine."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import attrs

from yoddd.notation import format_position
from yoddd.referee.conformance.checks import Check, list_checks
from yoddd.referee.conformance.report import ConformanceReport, Evidence, Finding, Verdict
from yoddd.referee.conformance.script import (
    PROBE,
    Advised,
    Failed,
    Interview,
    Script,
    Skipped,
    Slow,
    Stop,
)
from yoddd.referee.conformance.terms import Knowledge, Terms

_LONGEST: Final = 600
_HEAD: Final = 200
"""The characters of a detail that are shown, and those at its beginning."""

_CURES: Final = {
    "byte order mark": "write UTF-8 without it (.NET: new UTF8Encoding(false))",
    "malformed reply|unrequested output": "",
    r"[\u0660-\u0669\u06f0-\u06f9]|\\\\u06[6f]": (
        "write the digits 0 to 9 in every locale (Java: String.format(Locale.ROOT, …); .NET: "
        "CultureInfo.InvariantCulture)"
    ),
    r"after '(0 name|[\\# ]).*no reply|[0-9] of [0-9]+ replies": (
        "read all lines by one reader, since another loses what the first has read ahead (Java: "
        "one BufferedReader or Scanner for the whole run)"
    ),
}
"""Causes of failures by a pattern of their text, and what cures them."""


def examine(
    terms: Terms, found: Callable[[Finding, Knowledge], None] | None = None
) -> Script[ConformanceReport]:
    """Examine one engine; ``found`` is called with each finding as it is made."""
    knowledge = Knowledge(terms)
    findings: list[Finding] = []
    for check in list_checks():
        if not (check.vital or terms.only is None or check.name in terms.only):
            continue
        finding = yield from _try(check, knowledge)
        findings.append(finding)
        if found is not None:
            found(finding, knowledge)
        if check.vital and finding.verdict in {Verdict.FAIL, Verdict.SKIP}:
            break
    engine = knowledge.engine
    names = (engine.name, engine.version) if engine is not None else ("", "")
    return ConformanceReport(*names, tuple(findings), whole=terms.only is None)


def _try(check: Check, knowledge: Knowledge) -> Script[Finding]:
    terms = knowledge.terms
    slow = knowledge.start is not None and knowledge.start > PROBE
    interview = Interview(terms.patience, knowledge.launch, starts_slowly=slow)
    verdict = Verdict.OK
    try:
        yield from interview.start()
        detail = yield from check.run(interview, knowledge)
    except Failed as failure:
        verdict, detail = Verdict.FAIL, str(failure)
        cause, cure = _cause(failure)
        first = knowledge.causes.setdefault(cause, check.name)
        detail += cure
        if first != check.name:
            verdict, detail = Verdict.SKIP, f"fails as {first!r} does: {detail}"
    except Advised as advice:
        verdict, detail = Verdict.WARN, str(advice)
    except Slow as late:
        verdict, detail = Verdict.SLOW, str(late)
    except Skipped as skipped:
        verdict, detail = Verdict.SKIP, str(skipped)
    yield Stop()
    if interview.waited is not None:
        knowledge.start = max(interview.waited, knowledge.start or 0.0)
    finding = Finding(check.name, check.section, check.wants, verdict, _clip(detail))
    return attrs.evolve(finding, plays=check.plays, evidence=_evidence(verdict, interview))


def _cause(failure: Failed) -> tuple[str, str]:
    """The cause of a failure, by which others are compared with it, and its cure."""
    text = str(failure)
    for pattern, cure in _CURES.items():
        if re.search(pattern, text):
            return pattern, f"; {cure}" * bool(cure)
    return failure.cause or re.sub(r"`[^`]*`|\d+", "", text), ""


def _evidence(verdict: Verdict, interview: Interview) -> Evidence | None:
    """The evidence of a fault; None without one."""
    if verdict in {Verdict.OK, Verdict.SKIP}:
        return None
    position = interview.position
    return Evidence(
        position="" if position is None else format_position(position),
        request=interview.request,
        reply=interview.reply,
        transcript=interview.transcript,
    )


def _clip(text: str) -> str:
    """A text on one line, of which the middle is left out if it is long: a traceback ends well."""
    clean = "".join(letter if letter.isprintable() else " " for letter in text)
    return clean if len(clean) <= _LONGEST else f"{clean[:_HEAD]} … {clean[_HEAD - _LONGEST :]}"
