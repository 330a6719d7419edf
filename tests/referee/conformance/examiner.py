"""Engines in memory, and an examiner that carries out the actions of an examination of one."""

from __future__ import annotations

import argparse
import io
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import attrs

from tests.programs.engine import Engine
from yoddd.referee.conformance import (
    Action,
    CloseInput,
    ConformanceReport,
    Done,
    Ended,
    Event,
    Finding,
    Receive,
    Received,
    Script,
    Send,
    Start,
    Stop,
    Terms,
    TimedOut,
    examine,
)
from yoddd.rules import make_rules

_Result = TypeVar("_Result")

Answers = Mapping[str, bytes | None]
"""Output by line, request or command, with ``@`` for the id; None for silence."""

EXIT = b"exit"
"""The answer of an engine that exits."""

SMALL = Terms(
    launch=2.0,
    patience=2.0,
    move=3.0,
    leave=2.0,
    games=(make_rules("yodd", "hex2"), make_rules("xodd", "square3")),
)


class MemoryEngine(Engine):
    """The test engine without a process; its answers can be replaced."""

    def __init__(
        self,
        answers: Answers,
        *,
        plain: bool,
        banner: bytes,
        status: str,
        won: Path | None,
        **more: str,
    ) -> None:
        self.output = bytearray(banner)
        self.ended: str | None = None
        options = argparse.Namespace(
            delay=0.0,
            name="Fake",
            plain=plain,
            fault=None,
            turn=1,
            seed=1,
            won=won,
            until=None,
            **more,
        )
        super().__init__(options, io.BytesIO(), self.output.extend)
        self._answers = answers
        self._status = status
        self._rest = b""
        if banner == EXIT:
            self.output.clear()
            self.ended = status

    def feed(self, data: bytes) -> None:
        """Take bytes of the examiner."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            words = line.decode("utf-8", "replace").partition("#")[0].split()
            number = words.pop(0) if words and words[0].isdigit() else ""
            if words and self.ended is None:
                self._answer(number, words)

    def _answer(self, number: str, words: list[str]) -> None:
        keys = (" ".join([number, *words]), " ".join(words), words[0])
        key = next((one for one in keys if one in self._answers), None)
        answer = self._answers[key] if key is not None else b""
        if key is None:
            self.serve(number, words[0].lower(), words[1:])
        elif answer is not None and answer != EXIT:
            self.output += answer.replace(b"@", number.encode())
        if answer == EXIT or (words[0].lower() == "quit" and answer is not None):
            self.ended = self._status

    def close_input(self) -> None:
        """The examiner has closed the stream."""
        answer = self._answers.get("end of input", b"")
        if answer is not None:
            self.output += answer
            self.ended = self._status


@attrs.define
class Examiner:
    """Carries out the actions of an examination.

    Attributes:
        answers: replaced answers of the engine.
        plain: whether the engine lists the mandatory commands only.
        banner: output before any request, or `EXIT`.
        status: how the engine ends.
        think: seconds before any output.
        linger: seconds from its last output to its end.
        won: the file of positions whose first winning turn the engine plays.
        kind: the class of the engine.
        more: further options of its class.
    """

    answers: Answers = attrs.Factory(dict)
    plain: bool = False
    banner: bytes = b""
    status: str = "exit status 0"
    think: float = 0.01
    linger: float = 0.0
    won: Path | None = None
    kind: type[MemoryEngine] = MemoryEngine
    more: Mapping[str, str] = attrs.Factory(dict)
    now: float = 100.0
    engine: MemoryEngine | None = None
    starts: int = 0

    def run(self, terms: Terms = SMALL) -> ConformanceReport:
        return self.carry_out(examine(terms))

    def carry_out(self, script: Script[_Result]) -> _Result:
        """The result of an examination."""
        action = next(script)
        while True:
            try:
                action = script.send(self._event(action))
            except StopIteration as stop:
                result: _Result = stop.value
                return result

    def check(self, name: str, terms: Terms = SMALL) -> Finding:
        """The finding of one check."""
        report = self.run(attrs.evolve(terms, only=frozenset({name})))
        return report.findings[-1]

    def _event(self, action: Action) -> Event:
        match action:
            case Start():
                self.starts += 1
                self.engine = self.kind(
                    self.answers,
                    plain=self.plain,
                    banner=self.banner,
                    status=self.status,
                    won=self.won,
                    **self.more,
                )
            case Receive(seconds):
                return self._receive(seconds)
            case Send(data) if self.engine is not None:
                self.engine.feed(data)
            case CloseInput() if self.engine is not None:
                self.engine.close_input()
            case Stop():
                self.engine = None
        return Done(self.now)

    def _receive(self, seconds: float) -> Event:
        assert self.engine is not None
        data = bytes(self.engine.output)
        self.engine.output.clear()
        if data and self.think <= seconds:
            self.now += self.think
            return Received(data, self.now)
        if self.engine.ended is not None and not data and self.linger <= seconds:
            self.now += self.linger
            return Ended(self.engine.ended, self.now)
        self.now += seconds
        return TimedOut(self.now)
