"""A controller under random requests, replies and bytes raises nothing."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from yoddd.protocol.controller import Controller, ControllerFault, ReplyReceived

LIMIT = 60
texts = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=12)
lines = st.lists(texts.filter(bool), max_size=3)
noise = st.sampled_from([b"", b"\r\n", b"\n\n", b" \t\n"])


class ControllerMachine(RuleBasedStateMachine):
    """Requests, whole replies in any pieces, and junk in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.controller = Controller(line_limit=LIMIT, reply_limit=200)
        self.asked = 0
        self.faults = 0

    def receive(self, data: bytes) -> list[ReplyReceived]:
        before, was_broken = self.controller.outstanding, self.controller.broken
        events = self.controller.receive(data)
        assert not (events and was_broken)
        self.faults += sum(isinstance(event, ControllerFault) for event in events)
        replies = [event for event in events if isinstance(event, ReplyReceived)]
        assert len(replies) <= 1
        assert all(reply.command == before for reply in replies)
        return replies

    @precondition(lambda self: self.controller.outstanding is None)
    @rule(command=texts.filter(bool))
    def ask(self, command: str) -> None:
        self.asked += 1
        assert self.controller.request(command) == f"{self.asked} {command}\n".encode()

    @precondition(lambda self: self.controller.outstanding is not None)
    @rule(ok=st.booleans(), first=texts, more=lines, before=noise, cut=st.integers(0, 99))
    def answer(self, ok: bool, first: str, more: list[str], before: bytes, cut: int) -> None:
        sign = "=" if ok else "?"
        data = before + f"{sign}{self.asked} {first}\n".encode()
        data += "".join(f"{line}\n" for line in more).encode() + b"\n"
        replies = self.receive(data[:cut]) + self.receive(data[cut:])
        if self.controller.broken:
            return
        (reply,) = replies
        assert (reply.ok, reply.text) == (ok, "\n".join([first, *more]).strip())

    @rule(data=st.binary(max_size=80))
    def junk(self, data: bytes) -> None:
        self.receive(data)

    @invariant()
    def it_reports_one_fault(self) -> None:
        assert self.faults == self.controller.broken


TestController = ControllerMachine.TestCase
TestController.settings = settings(max_examples=100, stateful_step_count=20, deadline=None)
