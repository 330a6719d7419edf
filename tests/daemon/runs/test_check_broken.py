"""`yoddd check` names what is wrong with a hundred broken engines, each within ten seconds."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Final

import attrs
import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred, DeferredSemaphore, gatherResults

from tests.programs import broken
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play.confinement import Launch
from yoddd.daemon.runs.check import Examiner
from yoddd.referee.conformance import Finding, Knowledge, Terms, Verdict, examine
from yoddd.rules import make_rules

pytestmark = [pytest.mark.process, pytest.mark.whole, pytest.mark.timeout(600)]

REACTOR: Final[Reactor] = reactor  # type: ignore[assignment]  # a module stands for the reactor

AT_ONCE: Final = 4
"""Engines that are examined at once."""

MOST: Final = 10.0
"""Seconds in which a fault has to be named."""

TERMS: Final = Terms(launch=4.0, move=4.0, games=(make_rules("yodd", "hex3"),))
"""The limits that the author of a quick engine would give."""

PATIENT: Final = attrs.evolve(TERMS, launch=60.0)
"""The limits for engines that keep their replies back, which is found out before."""

NO_END: Final = r"received `[=?]\d* ?.*` but no empty line after it: flush standard output"
NO_LINE_END: Final = r"received `.*` without the end of its line: end each reply with an empty"
WRONG_ID: Final = r"ids \[.*\], expected|reply with id \w+, expected"
NO_REPLY: Final = r"malformed reply|malformed"
EXTRA: Final = r"unrequested output|2 replies, expected 1"

FRAMING: Final = {
    "no-empty-line": NO_END,
    "no-line-end": NO_LINE_END,
    "cr-only": NO_LINE_END,
    "backslash-n": NO_LINE_END,
    "no-id": WRONG_ID,
    "id-apart": WRONG_ID,
    "next-id": WRONG_ID,
    "no-sign": NO_REPLY,
    "colon": NO_REPLY,
    "prompt": NO_REPLY,
    "debug-before": NO_REPLY,
    "debug-behind": EXTRA + "|" + NO_REPLY,
    "twice": EXTRA,
    "nul": "NUL byte",
    "latin-1": "not UTF-8",
    "huge": "line over 16384 bytes",
    "bare": NO_REPLY,
}
"""The text that names a fault of framing, whatever request is answered so."""

ANSWERED: Final = ("protocol_version", "list_commands", "genmove")

OTHERS: Final = {
    "hang@protocol_version": "no reply within",
    "hang@genmove": "`genmove .*`: no reply within",
    "hang@play": "`play.*`: no reply within",
    "silent@clear_board": "`clear_board`: no reply within",
    "close-output@protocol_version": "closed its output",
    "close-output@genmove": "`genmove .*`: closed its output",
    "crash@protocol_version": "exit status 1.*broken on cue",
    "crash@genmove": "`genmove .*`: exit status 1.*broken on cue",
    "crash@play": "`play.*`: exit status 1.*broken on cue",
    "exit@genmove": "`genmove .*`: exit status 0",
    "exit-1@boardsize": "`boardsize.*`: exit status 1",
    "leave@protocol_version": "exit status 0",
    "refuse@genmove": "`genmove` refused: cannot",
    "refuse@play": "the legal `play . .*` is refused: cannot",
    "refuse@list_commands": "`list_commands`: no answer",
    "refuse@clear_board": "`clear_board` refused: cannot",
    "exit@quit": "`quit` with a request behind it is answered with b''",
    "hang@quit": "has not ended within",
    "buffered": "no reply until its input was closed: .* flush standard output",
    "reads-all": "no reply until its input was closed: read line by line",
    "banner": "unrequested output before the first reply: .*Broken 1.0 ready",
    "sleeps": "no reply within 4 s",
    "at-once": "exit status 2",
    "no-main": "exit status 0",
    "echo": "malformed reply: '1 protocol_version",
    "one-a-read": "requests? in|in three pieces|no reply within",
    "keeps-cr": "CR before LF: refused|blank lines before",
    "keeps-tabs": "HT for a space",
    "keeps-comments": "comment",
    "keeps-spaces": "spaces around|malformed",
    "strict-utf8": "exit status 1.*UnicodeDecodeError",
    "short-lines": "a line of 16384 bytes|replies, expected 1|unrequested",
    "deaf-to-quit": "has not ended within",
    "loops-at-end": "has not ended within",
    "answers-behind-quit": "`quit` with a request behind it is answered with",
    "status-1": "exit status 1",
    "all-unknown": "expected `\\? unknown command`",
    "empty-lines-between": EXTRA + "|" + NO_REPLY,
    "ignores-boardsize": "is no turn|is illegal: |off the board",
    "ignores-clear": "is illegal: ",
    "ignores-play": "is illegal: ",
    "int-id": r"ids \['7'\], expected \['007'\]",
    "lacks-clear_board": "lacks clear_board",
    "lacks-genmove": "lacks genmove",
    "lacks-play": "lacks play",
    "lacks-quit": "lacks quit",
    "lacks-version": "lacks version|`version`: no answer",
    "nameless": "`name`: no answer",
    "refuses-pairs": "the legal `play . .*,.*` is refused: syntax error",
    "refuses-pass": "the legal `play . pass` is refused: syntax error",
    "version-1": "speaks GTP version 1, expected 2",
    "late-1.3": "loses on time .*: took 1.3. s and 1.3",
    "late-2.6": "loses on time .*: took 2.6. s and 2.6",
}

TURNS: Final = {
    "no-comma": "a comma joins two stones",
    "first-pair": "is illegal: ",
    "same-cell": "is illegal: |is no turn: ",
    "three-stones": "is no turn: |is illegal: ",
    "always-a1": "1a1 is illegal: ",
    "even": "is illegal: .* groups, even",
    "pass-first": "pass is illegal: ",
    "swap": "swap is illegal: |is no turn",
    "resign": "resigned in its first turn",
    "empty": "`genmove` answers without a turn",
}

EXPECTED: Final = {
    **{f"{name}@{one}": text for name, text in FRAMING.items() for one in ANSWERED},
    **OTHERS,
    **{name: TURNS.get(name, "is no turn: ") for name in broken.TURNS},
}

FILE: Final = Path(broken.__file__)


@ensureDeferred
async def test_check_names_the_faults_of_a_hundred_engines_in_time() -> None:
    found: dict[str, tuple[str, float]] = {}

    async def one(name: str) -> None:
        begun = REACTOR.seconds()
        found[name] = (await named(name), REACTOR.seconds() - begun)

    def failed() -> list[str]:
        return [
            f"{name}: {seconds:.1f} s: {text!r}"
            for name, (text, seconds) in found.items()
            if seconds > MOST or not re.search(EXPECTED[name], text)
        ]

    gate = DeferredSemaphore(AT_ONCE)
    await gatherResults([gate.run(Deferred.fromCoroutine, one(name)) for name in EXPECTED])
    assert len(found) >= 100
    # They wait for one another where the machine is busy: by itself each has its time.
    for name in [line.partition(":")[0] for line in failed()]:
        await one(name)
    assert len(failed()) <= len(found) * 0.02, "\n".join(failed())


async def named(name: str) -> str:
    """The first failure that is found."""
    words = [sys.executable, "-S", "-E", str(FILE), name]
    examiner = Examiner(REACTOR, Launch(command=shlex.join(words)))
    terms = PATIENT if name in {"buffered", "reads-all"} else TERMS
    try:
        await examiner.examine(examine(terms, _stop_at_failure))
    except _Found as failure:
        return str(failure)
    return "no failure"


class _Found(Exception):
    """A failure; the text is its detail."""


def _stop_at_failure(finding: Finding, _knowledge: Knowledge) -> None:
    if finding.verdict is Verdict.FAIL:
        raise _Found(finding.detail)
