"""The checks of optional commands against our own session, and against its replies falsified."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import pytest

from yoddd.protocol import Session, SessionConfig
from yoddd.protocol.effects import Send as SendBytes
from yoddd.protocol.effects import StartTask
from yoddd.referee.conformance import ConformanceReport, Finding, Terms, Verdict, examine
from yoddd.referee.conformance.script import Done, Event, Received, Send, Start, TimedOut
from yoddd.rules import make_rules

TERMS = Terms(launch=2.0, patience=2.0, move=3.0, leave=2.0, games=(make_rules("yodd", "hex2"),))

Falsify = Callable[[str, bytes], bytes]
"""Takes a request and the right reply, and returns what is sent instead."""


@attrs.define
class SessionEngine:
    """A session whose searches are done at once; its replies can be falsified.

    Attributes:
        falsify: changes the replies.
        deaf: commands that are answered, but not carried out.
        session: serves the requests.
        output: the bytes that were not read yet.
    """

    falsify: Falsify
    deaf: tuple[str, ...]
    session: Session = attrs.Factory(lambda: Session(SessionConfig()))
    output: bytes = b""

    def feed(self, data: bytes) -> None:
        for line in data.splitlines(keepends=True):
            words = line.split()
            if not words:  # stops an analysis, whose reply was falsified as a whole
                continue
            if words[1].decode() in self.deaf and words[1:] != [b"position"]:
                self.output += b"=" + words[0] + b" \n\n"
                continue
            found = b""
            effects = self.session.receive(line)
            while effects:
                effect = effects.pop(0)
                if isinstance(effect, SendBytes):
                    found += effect.data
                elif isinstance(effect, StartTask):
                    effects += self.session.task_done(effect.token, effect.work(lambda: True))
            self.output += self.falsify(line.decode(), found)


def check(name: str, falsify: Falsify = lambda _, data: data, *deaf: str) -> Finding:
    """The finding of one check."""
    script = examine(attrs.evolve(TERMS, only=frozenset({name})))
    action, now, engine = next(script), 0.0, SessionEngine(falsify, deaf)
    while True:
        event: Event = Done(now)
        now += 0.01
        if isinstance(action, Start):
            engine = SessionEngine(falsify, deaf)
        elif isinstance(action, Send):
            engine.feed(action.data)
        elif hasattr(action, "seconds"):
            event = Received(engine.output, now) if engine.output else TimedOut(now + 9)
            engine.output = b""
        try:
            action = script.send(event)
        except StopIteration as end:
            report: ConformanceReport = end.value
            return report.findings[-1]


LISTED = ("position", "final_score", "legal", "undo", "set_param", "time left")


@pytest.mark.parametrize("name", LISTED)
def test_check_of_a_listed_command_passes_where_it_works(name: str) -> None:
    finding = check(name)
    assert (finding.check, finding.verdict) == (name, Verdict.OK), finding.detail


@pytest.mark.parametrize(
    ("name", "command", "reply", "detail"),
    [
        ("final_score", "final_score", "B+999", "`final_score` answers 'B+999', expected"),
        ("final_score", "final_score", "?", "`final_score` refused"),
        ("legal", "legal count", "7", "`legal count` answers '7', expected"),
        ("legal", "legal turns", "total 7", "`legal turns`: begins with 'total 7', expected"),
        ("position", "position\n", "", "`position` answers ''"),
        ("analyze", "analyze", "thinking", "`analyze"),
        ("set_param", "get_param", "9", "`get_param"),
    ],
)
def test_check_of_a_listed_command_finds_a_wrong_reply(
    name: str, command: str, reply: str, detail: str
) -> None:
    def falsify(request: str, right: bytes) -> bytes:
        number, _, rest = request.partition(" ")
        if not rest.startswith(command):
            return right
        return f"?{number} no\n\n".encode() if reply == "?" else f"={number} {reply}\n\n".encode()

    finding = check(name, falsify)
    assert finding.verdict is Verdict.FAIL
    assert detail in finding.detail


@pytest.mark.parametrize(("name", "command"), [("position", "position"), ("undo", "undo")])
def test_check_of_a_listed_command_finds_one_without_effect(name: str, command: str) -> None:
    finding = check(name, lambda _, data: data, command)
    assert finding.verdict is Verdict.FAIL, finding


def test_check_of_set_param_warns_where_any_name_is_accepted() -> None:
    def falsify(request: str, right: bytes) -> bytes:
        number = request.partition(" ")[0]
        return f"={number} \n\n".encode() if "nonsense" in request else right

    finding = check("set_param", falsify)
    assert finding.verdict is Verdict.WARN
    assert "no misspelling is noticed" in finding.detail
