"""The examination of an engine: its checks, one for each requirement of protocol/engine.md.

Each check has a fresh engine. Those of single requests are vectors, which authors can also run by
hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

import attrs

from yoddd.notation import format_position
from yoddd.protocol.grammar import LINE_LIMIT
from yoddd.referee.conformance import games, listed, questions
from yoddd.referee.conformance.listed import NONSENSE
from yoddd.referee.conformance.questions import explained
from yoddd.referee.conformance.report import ConformanceReport, Evidence, Finding, Verdict
from yoddd.referee.conformance.script import (
    PROBE,
    Advised,
    CloseInput,
    Ended,
    Failed,
    Interview,
    Malformed,
    Received,
    Script,
    Skipped,
    Slow,
    Stop,
)
from yoddd.referee.conformance.terms import Knowledge, Terms
from yoddd.rules import Position

_PAUSE: Final = 0.05
"""Seconds between the pieces of a request, so that they arrive apart; nothing is judged by it."""

_SHORT: Final = 4
"""Turns of the game that `boardsize` sets up."""

CARRIAGE_RETURNS: Final = "ends lines with CR LF, expected LF: open standard output in binary mode"
"""Advises an engine whose output has carriage returns."""

UNANSWERED_QUIT: Final = "`quit` is not answered: reply `=1` and an empty line, flush, then exit"
"""Tells that an engine exits without a reply to ``quit``."""

_PACKAGE: Final = Path(__file__).parents[2]
_ROOTS: Final = (_PACKAGE.parent / "protocol", _PACKAGE)
"""The folder above the vectors in a clone, and in a wheel."""

_EXCHANGE: Final = re.compile(r"((?:# .*\n)*)> (.*)\n((?:< .*\n)*)")
"""A hint, what is sent, and the replies, in which ``*`` stands for anything."""


@attrs.frozen
class Check:
    """One requirement.

    Attributes:
        name: short, for reports.
        section: of the specification, protocol/engine.md for most.
        wants: the requirement as a sentence.
        run: the script; returns a note, raises `Failed`, `Advised`, `Slow` or `Skipped`.
        vital: whether the examination ends if it fails.
        plays: whether it plays a game to its end.
    """

    name: str
    section: str
    wants: str
    run: Callable[[Interview, Knowledge], Script[str]]
    vital: bool = False
    plays: bool = False


def _vector_checks() -> Iterator[Check]:
    """The checks of single requests."""
    files = (root / "vectors" / "engine" / "requests.txt" for root in _ROOTS)
    text = next(file for file in files if file.exists()).read_text(encoding="ascii")
    for case in text.split("\n== ")[1:]:
        name, section, level, wants = case.partition("\n")[0].split(" ; ")
        run = partial(_follow, exchanges=_EXCHANGE.findall(case), must=level == "MUST")
        yield Check(name, section, wants, run)


def _follow(
    interview: Interview,
    _knowledge: Knowledge,
    *,
    exchanges: list[tuple[str, str, str]],
    must: bool,
) -> Script[str]:
    """Send requests, and compare the replies."""
    advice: list[str] = []
    for comment, sent, wanted in exchanges:
        data = sent.encode().decode("unicode_escape").encode("latin-1")
        if not wanted:
            yield from interview.send(data)
            yield from interview.quiet(_PAUSE)
            continue
        lines = wanted.splitlines()
        hint = comment.replace("# ", "; ", 1).replace("\n# ", " ").rstrip()
        try:
            replies = yield from interview.raw(data, len(lines))
        except Malformed as failure:
            raise Failed(f"{failure}{hint}") from None
        for line, reply in zip(lines, replies, strict=True):
            expected = line.removeprefix("< ")
            if not re.fullmatch(re.escape(expected).replace(r"\*", "(?s:.*)"), reply):
                request = sent.removesuffix("\\n")
                fault = f"'{request}' is answered with {reply[:60]!r}, expected {expected!r}{hint}"
                if must or expected.startswith("="):
                    raise Failed(fault)
                advice.append(fault)
    if advice:
        raise Advised("; ".join(advice))
    return ""


def _introduction(interview: Interview, knowledge: Knowledge) -> Script[str]:
    yield from games.shake_hands(interview, knowledge)
    engine = knowledge.engine
    if engine is not None and engine.problem is not None:
        raise Failed(engine.problem)
    knowledge.declared = interview.declared
    yield from games.find_games(interview, knowledge)
    if interview.returns:
        raise Advised(CARRIAGE_RETURNS)
    return f"{len(engine.commands) if engine else 0} commands"


def _long_line(interview: Interview, _knowledge: Knowledge) -> Script[str]:
    words = f"9 {NONSENSE} ".encode()
    (reply,) = yield from interview.raw(words + b"x" * (LINE_LIMIT - len(words)) + b"\n", 1)
    if not reply.startswith("?9 "):
        raise Failed(f"a line of {LINE_LIMIT} bytes: not refused under its id")
    try:
        yield from interview.demand("name")
    except Failed as failure:
        raise Failed(f"after a line of {LINE_LIMIT} bytes: {failure}") from None
    return ""


def _overlong_line(interview: Interview, knowledge: Knowledge) -> Script[str]:
    (reply,) = yield from interview.raw(NONSENSE.encode() + b" x" * LINE_LIMIT + b"\n", 1)
    if reply.startswith("="):
        raise Failed(f"a line of {2 * LINE_LIMIT} bytes is accepted")
    yield from interview.send(b"1 name\n")
    event = yield from interview.receive(knowledge.terms.patience)
    if isinstance(event, Received) and event.data.startswith(b"=1"):
        return "refused, and continues"
    if isinstance(event, Ended):
        return "refused, and exits"
    raise Failed("refused, but neither continues nor exits")


def _boardsize(interview: Interview, knowledge: Knowledge) -> Script[str]:
    rules = games.rules_of(knowledge)
    yield from games.set_up_game(interview, knowledge, rules)
    yield from interview.demand(f"boardsize {rules.geometry.size}")
    yield from interview.demand("clear_board")
    position = Position(rules)
    while not position.is_over and len(position.history) < _SHORT:
        position.play((yield from games.engine_turn(interview, position, knowledge.terms.move)))
    return f"{len(position.history)} turns on {rules.geometry.name}"


def _time(interview: Interview, knowledge: Knowledge) -> Script[str]:
    settings = next(
        (
            command
            for command in ("kata-time_settings byoyomi 0 1 1", "time_settings 0 1 1")
            if knowledge.lists(command.split()[0])
        ),
        None,
    )
    if settings is None:
        raise Skipped("lists neither time_settings nor kata-time_settings")
    yield from games.set_up_game(interview, knowledge, games.rules_of(knowledge))
    requests = [settings, *(["time_left b 1 1"] if knowledge.lists("time_left") else [])]
    return (yield from listed.timed_turns(interview, knowledge, requests, "move=1"))


def _check_end(how: str, seconds: float, limit: float) -> str:
    """A process ends with status 0; a connection just ends."""
    if not how:
        raise Failed(f"has not ended within {seconds:.0f} s")
    if how.startswith(("killed by", "exit status")) and not how.startswith("exit status 0"):
        raise Failed(how)
    if seconds > limit:
        raise Slow(f"ended after {seconds:.2f} s of {limit:g} s")
    return ""


def _quit(interview: Interview, knowledge: Knowledge) -> Script[str]:
    yield from interview.send(b"1 quit\n2 name\n")
    limit = knowledge.terms.leave
    said, how, seconds = yield from interview.end(limit)
    if how and not said.strip():
        raise Failed(UNANSWERED_QUIT)
    if said.replace(b"\r", b"") not in (b"=1 \n\n", b"=1\n\n"):
        ending = "" if how else ", and it has not ended"
        found = f"{said[:60]!r}{ending}"
        raise Failed(f"`quit` with a request after it is answered with {found}")
    return _check_end(how, seconds, limit)


def _end_of_input(interview: Interview, knowledge: Knowledge) -> Script[str]:
    yield from interview.send(b"1 name\n2 na")
    yield CloseInput()
    limit = knowledge.terms.leave
    said, how, seconds = yield from interview.end(limit)
    if how and not said.startswith(b"=1"):
        raise Failed(f"the request before the end is answered with {said[:60]!r}")
    if how and said.replace(b"\r", b"").count(b"\n\n") > 1:
        raise Advised("a last line without its LF is no request, but was answered")
    return _check_end(how, seconds, limit)


def list_checks() -> tuple[Check, ...]:
    """Every check, the most basic requirements first."""
    first, *others = _vector_checks()
    return (
        first,
        Check(
            "introduction", "E5.1", "names itself and every mandatory command", _introduction, True
        ),
        *others,
        Check("long line", "E2.2", "takes a line of 16384 bytes", _long_line),
        Check("overlong line", "E2.2", "refuses a longer line once", _overlong_line),
        *(
            Check(
                f"{name} as {colour.title}",
                "E4",
                f"plays {name.title()} to its end",
                explained(run),
                plays=True,
            )
            for name in games.NAMES
            for colour, run in games.runs(name)
        ),
        Check("boardsize", "E5.1", "plays on the board that boardsize sets up", _boardsize),
        Check("position", "E5.2", "sets the position that it is given", listed.check_position),
        Check("turns", "E4", "takes legal turns for legal, and others not", questions.check_turns),
        Check(
            "final_score", "E5.2", "says who has won, and by how much", questions.check_final_score
        ),
        Check("legal", "E5.2", "counts the legal turns", explained(listed.check_legal)),
        Check("undo", "E5.2", "takes back a turn", listed.check_undo),
        Check("analyze", "A1", "reports legal candidates, and stops", listed.check_analyze),
        Check(
            "set_param", "E5.2", "sets its parameters, and refuses others", listed.check_set_param
        ),
        Check("time left", "E6.2", "plays within the time that is left", listed.check_time_left),
        Check("time", "E6.1", "plays within its time", _time),
        Check("quit", "E1.3", "answers quit, then ends, and answers nothing after it", _quit),
        Check("end of input", "E1.3", "ends when its input ends, having answered", _end_of_input),
    )


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
