"""The conformance kit against engines in memory: each check passes and fails on cue."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.referee.conformance.examiner import EXIT, SMALL, Answers, Examiner, MemoryEngine
from yoddd.protocol import Session, SessionConfig
from yoddd.protocol.effects import Send as SendBytes
from yoddd.protocol.effects import StartTask
from yoddd.referee.conformance import (
    Action,
    ConformanceReport,
    Event,
    Finding,
    Receive,
    Send,
    Start,
    Terms,
    TimedOut,
    Verdict,
    describe,
    list_checks,
)
from yoddd.rules import make_rules

TERMS = attrs.evolve(SMALL, games=(make_rules("yodd", "hex2"),))
JUNK = b"\xff\xfe\x80junk\x01\x02".decode("utf-8", "replace")


def test_examine_sound_engine_passes_every_check() -> None:
    report = Examiner().run()
    assert report.passed
    assert [finding.check for finding in report.findings] == [one.name for one in list_checks()]
    assert report.count(Verdict.OK) + report.count(Verdict.SKIP) == len(list_checks())
    assert (report.name, report.version) == ("Fake", "1")
    found = {finding.check: finding for finding in report.findings}
    assert found["odd as Black"].detail == "not asked for"
    assert found["yodd as White"].detail.endswith("turns on hex2")


@pytest.mark.whole
def test_examine_engine_without_game_plays_yodd_on_its_default_board() -> None:
    report = Examiner(plain=True).run(Terms())
    found = {finding.check: finding for finding in report.findings}
    assert (report.passed, report.played) == (True, 2)
    assert found["yodd as Black"].detail.endswith("turns on hex8")
    assert found["odd as Black"].detail == "lists no `game`, plays Yodd"


def test_examine_engine_that_always_answers_one_cell_fails() -> None:
    answers = {"genmove": b"=@ 1a1\n\n"}
    finding = Examiner(answers, plain=True).check("yodd as Black", Terms(seed=1))
    assert finding.verdict is Verdict.FAIL
    assert "1a1 is illegal: " in finding.detail
    assert finding.evidence is not None
    assert finding.evidence.position.startswith("yodd hex8 ")
    assert finding.evidence.request.endswith(" genmove b")
    assert finding.evidence.reply.endswith(" 1a1\\n\\n")
    text = describe(Examiner(answers, plain=True).run(Terms(only=frozenset({"yodd as Black"}))))
    assert "position: yodd hex8 " in text
    assert " genmove b" in text


@pytest.mark.parametrize("rules", ["", f":{make_rules('odd').facts.hash}"])
def test_examine_engine_that_attaches_plays_the_games_that_it_declares(rules: str) -> None:
    report = Examiner(banner=f"attach bot games=Odd{rules}\n".encode()).run(Terms(patience=2.0))
    found = {one.check: one for one in report.findings}
    assert report.passed, report
    assert found["odd as White"].verdict is Verdict.OK
    assert found["yodd as White"].verdict is Verdict.SKIP
    assert found["yodd as White"].detail == "refuses yodd: attaches with games=odd"


def test_examine_engine_that_attaches_plays_the_boards_and_clocks_that_it_declares() -> None:
    banner = b"attach bot games=odd,xodd boards=hex4 clock=60..\n"
    report = Examiner(banner=banner).run(Terms(patience=2.0))
    found = {one.check: one for one in report.findings}
    assert report.passed, report
    assert found["odd as White"].detail.endswith(" turns on hex4")
    assert found["xodd as White"].detail.startswith("refuses xodd: attaches with games=odd,xodd")
    assert found["time"].detail == "plays no clock move=1: attaches with clock=60+0.."
    report = Examiner(banner=b"attach bot clock=60\n").run()
    assert "`attach`: clock '60': expected LEAST..MOST" in report.findings[0].detail


def test_examine_engine_that_attaches_with_an_unknown_game_fails() -> None:
    report = Examiner(banner=b"attach bot games=chess\n").run()
    assert "`attach`: no game 'chess': expected some of" in report.findings[0].detail
    report = Examiner(banner=b"attach bot games=odd:0\n").run()
    assert "`attach`: odd has other rules here" in report.findings[0].detail
    other = Examiner(banner=b"attached!\n").run()
    assert "nothing may be written before the first reply" in other.findings[0].detail


def test_examine_engine_refusing_the_game_asked_for_fails() -> None:
    finding = Examiner({"game": REFUSAL}).check("yodd as Black", TERMS)
    assert (finding.verdict, finding.detail) == (Verdict.FAIL, "`game yodd hex2` refused: no")
    report = Examiner({"game": REFUSAL}).run(Terms())
    assert report.findings[-1].detail == "lists `game`, but refuses every game: no"


def test_check_turn_without_its_comma_is_explained() -> None:
    finding = Examiner({"genmove": b"=@ 2d2 2f5\n\n"}).check("yodd as Black")
    assert "a comma joins two stones: 2d2,2f5" in finding.detail


@pytest.mark.parametrize(
    ("reply", "lack"),
    [
        (b"=@ 2\n", "received `=1 2` but no empty line after it: flush standard output, end each "),
        (b"=@ 2", "received `=1 2` without the end of its line: end each reply with an empty line"),
    ],
)
def test_check_reply_without_its_end_is_said_after_two_seconds(reply: bytes, lack: str) -> None:
    engine = Examiner({"1 protocol_version": reply})
    report = engine.run(attrs.evolve(SMALL, launch=60.0, patience=10.0))
    assert lack in report.findings[0].detail
    assert engine.now < 110


def test_check_reply_that_comes_at_the_end_of_input_is_explained() -> None:
    engine = Examiner({"protocol_version": None, "end of input": b"=1 2\n\n"})
    report = engine.run(attrs.evolve(SMALL, launch=60.0))
    assert "no reply until its input was closed: read line by line, and flush standard output" in (
        report.findings[0].detail
    )
    assert engine.now < 115


def test_check_slow_start_is_waited_for_again_and_then_not_probed() -> None:
    engine = SlowStartExaminer({"end of input": None})
    report = engine.run(attrs.evolve(SMALL, launch=60.0, only=frozenset({"ids"})))
    assert [one.verdict for one in report.findings] == [Verdict.OK] * 2
    assert engine.starts == 3


class SlowStartExaminer(Examiner):
    """Examiner whose engine answers nothing in the first 20 seconds after its start."""

    begun = 0.0

    def _event(self, action: Action) -> Event:
        if isinstance(action, Start):
            self.begun = self.now
        wait = max(0.0, self.begun + 20 - self.now)
        if isinstance(action, Receive) and wait:
            self.now += min(wait, action.seconds)
            return TimedOut(self.now) if wait >= action.seconds else super()._event(action)
        return super()._event(action)


def test_examine_plain_engine_plays_one_game() -> None:
    engine = Examiner(plain=True)
    report = engine.run()
    assert not report.failed
    details = {finding.detail for finding in report.findings if finding.verdict is Verdict.SKIP}
    assert "lists no `game`; name the one that it plays with --game" in details
    assert "lists neither time_settings nor kata-time_settings" in details
    terms = attrs.evolve(SMALL, games=(make_rules("yodd", "hex5"),))
    assert engine.check("yodd as Black", terms).verdict is Verdict.OK


MUSTS = {
    "SPEC.md": {"": "tests/protocol"},
    "engine.md": {
        "E1.2": "silence",
        "E1.3": "quit, end of input",
        "E2.4": "unknown, turns",
        "E5.1": "introduction, boardsize, turns",
        "E7.2": "tests/referee",
    },
    "sessions.md": {
        "S1.2": "tests/protocol",
        "S2.2": "tests/protocol",
        "S2.6": "tests/protocol",
        "S2.7": "tests/protocol",
        "S3.1": "tests/protocol",
        "S3.3": "tests/protocol",
        "S8.4": "clients",
        "S8.5": "tests/protocol",
        "S10.2": "clients",
    },
    "analysis.md": {"A1.4": "clients", "A2.3": "tests/referee", "A4.": "clients", "A5.": "clients"},
}
"""Who is asked for each requirement: an engine by these checks, or other programs by tests."""


def test_check_asks_for_every_must_of_an_engine() -> None:
    root = Path(__file__).parents[3]
    names = {one.name for one in list_checks()}
    for table in MUSTS.values():
        for asked in table.values():
            assert (root / asked).exists() or {*asked.split(", ")} <= names
    missing = []
    for path in (root / "protocol").glob("*.md"):
        section = ""
        for line in path.read_text().splitlines():
            found = re.match(r"([A-Z]\d+\.\d+)\.? ", line)
            section = found[1] if found else section
            if "MUST" in line and "RFC 2119" not in line:
                known = MUSTS.get(path.name, {})
                missing += [f"{path.name} {section}"] * (not section.startswith((*known,)))
    assert missing == []


def test_describe_lists_findings_and_sums() -> None:
    text = describe(Examiner({"protocol_version": b"=@ 3\n\n"}).run())
    assert text.splitlines()[0] == "Fake 1"
    assert "  FAIL  introduction" in text
    assert "speaks GTP version 3, expected 2" in text
    assert text.endswith("DOES NOT CONFORM: 1 ok, 1 fail, 0 warn, 0 slow, 0 skip")
    assert describe(ConformanceReport("", "", ())).splitlines()[0] == "nameless"


OK_REPLY = b"=@ \n\n"

REFUSAL = b"?@ no\n\n"

TWICE = b"=@ 2\n\n=@ 2\n\n"

VERSION = "007 protocol_version"

LONG = "yoddd-check-nonsense"


@pytest.mark.parametrize(
    ("name", "answers", "detail"),
    [
        ("ids", {VERSION: None}, "after '007 protocol_version\\n': no reply within 2 s"),
        ("ids", {VERSION: TWICE}, "2 replies, expected 1"),
        ("ids", {VERSION: b"= 2\n\n"}, "is answered with '= 2', expected '=007 2'"),
        ("ids", {VERSION: b"2\n\n"}, "malformed reply: '2\\n\\n'"),
        ("ids", {VERSION: b"=@ 2\n\n" + b"x" * 70}, f"'{'x' * 70}'"),
        ("ids", {VERSION: EXIT}, "after '007 protocol_version\\n': exit status 0"),
        ("lines", {"PROTOCOL_VERSION": b"?@ no\n\n"}, "I is not the capital of i in Turkish"),
        ("lines", {"1 PROTOCOL_VERSION": OK_REPLY + b"\n"}, ""),
        ("unknown", {LONG: OK_REPLY}, "expected '? unknown command*'"),
        ("junk", {JUNK: OK_REPLY}, "is answered with '= ', expected '?*'"),
        ("long line", {LONG: b"? unknown command\n\n"}, "not refused under its id"),
        ("overlong line", {LONG: OK_REPLY}, "a line of 32768 bytes is accepted"),
        ("yodd as Black", {"genmove": REFUSAL}, "turn 1: `genmove` refused: no"),
        ("yodd as Black", {"genmove": b"=@ zz99\n\n"}, "turn 1: 'zz99' is no turn"),
        ("yodd as Black", {"genmove": b"=@ 1a1,2b2\n\n"}, "turn 1: 1a1,2b2 is illegal"),
        ("yodd as Black", {"genmove": b"=@ resign\n\n"}, "turn 1: resigned in its first turn"),
        ("yodd as Black", {"genmove": None}, "`genmove b`: no reply within 3 s"),
        ("yodd as Black", {"genmove": EXIT}, "`genmove b`: exit status 0"),
        ("yodd as Black", {"genmove": b"=7 1a1\n\n"}, "`genmove b`: reply with id 7"),
        ("yodd as White", {"play": REFUSAL}, "refused: no"),
        ("yodd as Black", {"genmove": b"=@ 1a0\n\n"}, "on hex2; the cells of a are a1 to a2"),
        ("yodd as Black", {"genmove": b"=@ 1z1\n\n"}, "the letters of hex2 are a to c, i included"),
        ("boardsize", {"boardsize 2": EXIT}, "`boardsize 2`: exit status 0"),
        ("time", {"genmove": REFUSAL}, "`genmove b` refused: no"),
        ("quit", {"quit": TWICE}, "`quit` with a request after it is answered with"),
        ("quit", {"quit": None}, "=2 Fake\\n\\n', and it has not ended"),
        (
            "quit",
            {"quit": EXIT},
            "`quit` is not answered: reply `=1` and an empty line, flush",
        ),
        ("end of input", {"end of input": None}, "has not ended within 6 s"),
        ("end of input", {"1 name": None}, "the request before the end is answered with b''"),
    ],
)
def test_check_fault_is_reported(name: str, answers: Answers, detail: str) -> None:
    finding = Examiner(answers).check(name)
    assert finding.check == name
    assert finding.verdict is (Verdict.FAIL if detail else Verdict.OK)
    assert detail in finding.detail


def test_check_replies_with_carriage_returns_warn() -> None:
    finding = Examiner({"protocol_version": b"=@ 2\r\n\r\n"}).check("introduction")
    assert (finding.verdict, finding.detail[:21]) == (Verdict.WARN, "ends lines with CR LF")


@pytest.mark.parametrize(
    ("answers", "detail"),
    [
        ({"boardsize 1000": OK_REPLY}, "'boardsize 1000' is answered with '= ', expected '? un"),
        ({"play b": REFUSAL}, "'play b' is answered with '? no', expected '? syntax error*'"),
    ],
)
def test_check_errors_with_other_words_warns(answers: Answers, detail: str) -> None:
    finding = Examiner(answers).check("errors")
    assert finding.verdict is Verdict.WARN
    assert detail in finding.detail


@pytest.mark.parametrize(
    ("banner", "detail"),
    [
        (b"hello\n", "after '1 protocol_version\\n': malformed reply: 'hello\\n"),
        (b"= hello\n\n", "2 replies, expected 1"),
        (EXIT, "after '1 protocol_version\\n': exit status 0"),
    ],
)
@pytest.mark.parametrize("think", [0.01, 1.9])
def test_check_silence_slow_start_reports_a_banner_or_an_exit(
    banner: bytes, detail: str, think: float
) -> None:
    finding = Examiner(banner=banner, think=think).run().findings[0]
    assert (finding.check, finding.verdict) == ("silence", Verdict.FAIL)
    assert detail in finding.detail


@pytest.mark.parametrize("name", ["time", "time left"])
def test_check_time_turn_late_again_and_again_loses_as_in_a_match(name: str) -> None:
    terms = attrs.evolve(SMALL, only=frozenset({name}))
    report = Examiner(think=1.4).run(terms)
    finding = report.findings[-1]
    assert finding.verdict is Verdict.FAIL
    assert finding.detail.startswith("loses on time under ")
    assert "(margin 0.1 s): took 1.40 s and 1.40 s and 1.40 s of 1 s; " in finding.detail
    allowed = Examiner(think=1.4).run(attrs.evolve(terms, margin=0.5)).findings[-1]
    assert allowed.verdict is Verdict.OK


def test_check_time_turn_late_once_is_slow_and_no_fault() -> None:
    report = OnceLateExaminer().run(attrs.evolve(SMALL, only=frozenset({"time"})))
    finding = report.findings[-1]
    assert (finding.verdict, finding.detail) == (Verdict.SLOW, "took 1.80 s and 0.01 s of 1 s")
    assert report.passed
    assert "check again while nothing else runs" in describe(report)


class OnceLateExaminer(Examiner):
    """Examiner whose engine takes 1.8 seconds for its first turn."""

    late = True

    def _event(self, action: Action) -> Event:
        if isinstance(action, Send) and b"genmove" in action.data and self.late:
            self.late, self.think = False, 1.8
        elif isinstance(action, Send):
            self.think = 0.01
        return super()._event(action)


@pytest.mark.parametrize("name", ["quit", "end of input"])
def test_check_late_end_is_slow_and_no_fault(name: str) -> None:
    finding = Examiner(linger=4.0).check(name, attrs.evolve(SMALL, launch=10.0))
    assert (finding.verdict, finding.detail) == (Verdict.SLOW, "ended after 4.00 s of 2 s")
    finding = Examiner(linger=7.0).check(name, attrs.evolve(SMALL, launch=10.0))
    assert (finding.verdict, finding.detail) == (Verdict.FAIL, "has not ended within 6 s")


@pytest.mark.parametrize("name", ["quit", "end of input"])
def test_check_exit_status_other_than_0_is_reported(name: str) -> None:
    assert Examiner(status="exit status 3").check(name).detail == "exit status 3"
    assert Examiner(status="connection closed").check(name).verdict is Verdict.OK


class SessionEngine(MemoryEngine):
    """A session of the daemon, whose searches are done at once."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.session = Session(SessionConfig())

    def serve(self, number: str, command: str, args: list[str]) -> None:
        effects = self.session.receive(" ".join([number, command, *args, "\n"]).encode())
        while effects:
            effect = effects.pop(0)
            if isinstance(effect, SendBytes):
                self.output += effect.data
            elif isinstance(effect, StartTask):
                effects += self.session.task_done(effect.token, effect.work(lambda: True))


def check_session(name: str, answers: Answers) -> Finding:
    return Examiner(answers, kind=SessionEngine).check(name, TERMS)


LISTED = ("position", "final_score", "legal", "undo", "set_param", "time left")


@pytest.mark.parametrize("name", LISTED)
def test_check_of_a_listed_command_passes_where_it_works(name: str) -> None:
    finding = check_session(name, {})
    assert (finding.check, finding.verdict) == (name, Verdict.OK), finding.detail


@pytest.mark.parametrize(
    ("name", "answers", "detail"),
    [
        ("final_score", {"final_score": b"=@ B+999\n\n"}, "answers 'B+999', expected"),
        ("final_score", {"final_score": REFUSAL}, "`final_score` refused"),
        ("legal", {"legal count": b"=@ 7\n\n"}, "`legal count` answers '7', expected"),
        (
            "legal",
            {"legal turns from=0 limit=1": b"=@ total 7\n\n"},
            "`legal turns`: begins with 'total 7', expected",
        ),
        ("position", {"position": OK_REPLY}, "`position` answers ''"),
        ("undo", {"undo": OK_REPLY}, "after `undo`: `position` answers"),
        ("analyze", {"analyze": b"=@ thinking\n\n"}, "`analyze"),
        ("set_param", {"get_param": b"=@ 9\n\n"}, "`get_param"),
    ],
)
def test_check_of_a_listed_command_finds_a_wrong_reply(
    name: str, answers: Answers, detail: str
) -> None:
    finding = check_session(name, answers)
    assert finding.verdict is Verdict.FAIL
    assert detail in finding.detail


def test_check_of_set_param_warns_where_any_name_is_accepted() -> None:
    finding = check_session("set_param", {"set_param yoddd-check-nonsense 1": OK_REPLY})
    assert finding.verdict is Verdict.WARN
    assert "no misspelling is noticed" in finding.detail
