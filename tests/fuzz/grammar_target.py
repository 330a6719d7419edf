"""The target of the fuzzers: the splitter, the grammar, a session and a controller.

With atheris installed this file is a program that lets coverage guide the bytes::

    python tests/fuzz/grammar_target.py -max_total_time=60
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from types import FunctionType

from yoddd.protocol import Session, SessionConfig, SessionLimits
from yoddd.protocol.controller import Controller
from yoddd.protocol.effects import Send
from yoddd.protocol.errors import LineTooLong
from yoddd.protocol.grammar import LineSplitter, Request, format_reply, parse_line

REPLY = re.compile(rb"[=?][0-9]* [^\n]*\n([^\n]+\n)*\n")
CONFIG = SessionConfig(limits=SessionLimits(line=200))


def check_bytes(data: bytes) -> None:
    """Feed ``data`` to everything that reads bytes from a peer; nothing may be raised."""
    check_lines(data)
    check_session(data)
    controller = Controller(line_limit=200, reply_limit=1000)
    controller.request("name")
    middle = len(data) // 2
    events = controller.receive(data[:middle]) + controller.receive(data[middle:])
    if controller.broken and not events:
        raise AssertionError("broken without a word")


def check_lines(data: bytes) -> None:
    """A request says itself again in one canonical line."""
    splitter = LineSplitter(200)
    splitter.push(data)
    try:
        while (line := splitter.pop()) is not None:
            request = parse_line(line)
            if isinstance(request, Request) and request.command:
                words = [request.id or "", request.command, *request.args]
                again = parse_line(" ".join(words).encode())
                if again != request:
                    raise AssertionError(f"{line!r}: {request} and {again}")
                check_reply(format_reply(" ".join(request.args), request_id=request.id))
    except LineTooLong:
        pass


def check_session(data: bytes) -> None:
    """All that a session sends at once is whole replies."""
    session = Session(CONFIG)
    sent = b"".join(e.data for e in session.receive(data) if isinstance(e, Send))
    while session.wants_resume:
        sent += b"".join(e.data for e in session.resume() if isinstance(e, Send))
    rest = sent
    while match := REPLY.match(rest):
        rest = rest[match.end() :]
    if rest and not re.fullmatch(rb"=[0-9]* \n", rest):  # the beginning of a streaming reply
        raise AssertionError(f"{data!r}: no whole reply: {rest!r}")
    session.lost()


def check_reply(data: bytes) -> None:
    """One whole reply, and nothing else."""
    if not REPLY.fullmatch(data):
        raise AssertionError(f"not one reply: {data!r}")


def _functions(package: str) -> Iterator[FunctionType]:
    """The functions and methods of a package, as far as it is imported."""
    modules = [module for name, module in sys.modules.items() if name.startswith(package)]
    for module in modules:
        for value in list(vars(module).values()):
            if isinstance(value, type) and value.__module__ == module.__name__:
                yield from (one for one in vars(value).values() if isinstance(one, FunctionType))
            if isinstance(value, FunctionType) and value.__module__ == module.__name__:
                yield value


def instrument(*packages: str) -> None:
    """Measure the coverage of what reads bytes; of everything imported it takes half a minute."""
    import atheris

    for package in packages:
        for function in _functions(package):
            atheris.instrument_func(function)


def main() -> None:
    """Fuzz until told to stop."""
    import atheris

    instrument("yoddd.protocol")
    atheris.Setup(sys.argv, check_bytes)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
