"""A session under random lines and callbacks only replies, and keeps its invariants."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.protocol.peer import Peer, begin_match
from tests.protocol.vectors import every_exchange
from yoddd.protocol import Phase
from yoddd.protocol.effects import StartAnalysis, StartStream, StartTask
from yoddd.protocol.grammar import Request, parse_line

WORDS = sorted(
    {word for exchange in every_exchange() for word in exchange.line.split()}
    | {b"#", b"# interrupt", b"\r", b"\x00", b"1", b"99999999999"}
)

words = st.sampled_from(WORDS) | st.binary(max_size=8)
lines = st.lists(words, max_size=6).map(b" ".join)


@settings(max_examples=300, deadline=None)
@given(st.lists(lines, max_size=12))
def test_session_any_request_has_one_well_formed_reply(script: list[bytes]) -> None:
    peer = Peer()
    peer.setup("game yodd hex2")
    for line in script:
        if b"\n" in line or parse_line(line) == Request("quit"):
            continue
        wanted = 1 if isinstance(parse_line(line), Request) else 0
        mark = len(peer.log)
        sent = peer.feed(line + b"\n")
        for effect in peer.log[mark:]:
            if isinstance(effect, StartTask | StartAnalysis):
                sent += peer.finish_task(effect, stop=True)
        if peer.session.phase is Phase.CLOSED:
            return
        assert re.fullmatch(rb"([=?][0-9]* [^\n]*\n([^\n]+\n)*\n){%d}" % wanted, sent), line


class SessionMachine(RuleBasedStateMachine):
    """Bytes, results, lines of streams and ends in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.peer = Peer(attach=True, match=begin_match, queue=4, batch_cost=300, line=200)
        self.peer.setup("game yodd hex2")
        self.ended = False

    @property
    def running(self) -> StartTask | StartAnalysis | StartStream | None:
        kinds = StartTask | StartAnalysis | StartStream
        started = [effect for effect in self.peer.log if isinstance(effect, kinds)]
        return started[-1] if started else None

    @rule(line=lines, end=st.sampled_from([b"\n", b"\n", b"\n", b""]))
    def send(self, line: bytes, end: bytes) -> None:
        if not self.ended:
            self.peer.feed(line + end)

    @rule(line=st.sampled_from([b"match a b", b"analyze", b"genmove_analyze", b"genmove"]))
    def begin(self, line: bytes) -> None:
        self.send(line, b"\n")

    @rule()
    def resume(self) -> None:
        self.peer.take(self.peer.session.resume())

    @precondition(lambda self: isinstance(self.running, StartTask | StartAnalysis))
    @rule(fail=st.booleans())
    def end_task(self, fail: bool) -> None:
        task = self.running
        if not isinstance(task, StartTask | StartAnalysis):
            return
        if fail:
            self.peer.take(self.peer.session.task_failed(task.token, "busy"))
        elif self.peer.session.phase in (Phase.BUSY, Phase.STREAMING):
            self.peer.finish_task(task, stop=True)

    @rule(text=st.text(st.characters(codec="utf-8"), max_size=20))
    def say(self, text: str) -> None:
        if isinstance(self.running, StartStream | StartAnalysis):
            self.peer.take(self.peer.session.stream_line(self.running.token, text))

    @rule(error=st.none() | st.just("it broke"))
    def end_stream(self, error: str | None) -> None:
        if isinstance(self.running, StartStream):
            self.peer.take(self.peer.session.stream_end(self.running.token, error))

    @rule()
    def finish(self) -> None:
        self.ended = True
        self.peer.take(self.peer.session.finish())

    @precondition(lambda self: self.ended)
    @rule()
    def lost(self) -> None:
        self.peer.take(self.peer.session.lost())

    @invariant()
    def it_can_always_continue(self) -> None:
        session = self.peer.session
        wakes = session.wants_input or session.wants_resume or session.phase is Phase.BUSY
        assert wakes or self.ended or session.phase is Phase.CLOSED

    @invariant()
    def it_has_a_task_exactly_while_busy(self) -> None:
        session = self.peer.session
        assert (session._task is not None) == (session.phase is Phase.BUSY)

    @invariant()
    def it_ignores_input_once_closed(self) -> None:
        if self.peer.session.phase is Phase.CLOSED:
            assert self.peer.session.receive(b"name\n") == []
            assert self.peer.session.resume() == []


TestSession = SessionMachine.TestCase
TestSession.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)
