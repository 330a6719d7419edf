"""The targets of the fuzzers for what strangers and files bring in: one function for each format.

With atheris installed this file is a program that lets coverage guide the bytes of one of them,
from its part of the corpus::

    python -m tests.fuzz.input_targets sgf -max_total_time=60

Only the errors that a format names may be raised.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Final
from unittest.mock import patch

from twisted.internet.error import ConnectionDone
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure
from wsproto.events import TextMessage

from tests.daemon.doubles import make_services
from tests.daemon.fake_time import world_of
from tests.daemon.net.websocket.test_transport import Client
from tests.daemon.pages.browser import Browser, no_errors_logged
from tests.fuzz.grammar_target import instrument
from yoddd.daemon.pages import site
from yoddd.daemon.pages.run_pages import api
from yoddd.daemon.runs.control import ControlFactory
from yoddd.notation import NotationError, dump_record, parse_sgf
from yoddd.notation.archives import ArchiveFormat, read_archive
from yoddd.notation.records import load_record
from yoddd.notation.sgf_records import sgf_to_record
from yoddd.protocol.analysis import AnalysisStream
from yoddd.protocol.config import SessionConfig, SessionLimits
from yoddd.protocol.effects import ReportFault, Send
from yoddd.referee.tournament.config import ConfigError, parse_engines, parse_toml

_ASSETS: Final = cache(site.load_assets)
"""The files of the page, which take longer to join than an input takes."""

_CONFIG: Final = SessionConfig(limits=SessionLimits(line=4096, searches=0))


def check_analysis(data: bytes) -> None:
    """Every line of queries is answered by JSON, and none by a fault."""
    stream = AnalysisStream(_CONFIG)
    effects = stream.receive(data)
    while stream.wants_resume:
        effects += stream.resume()
    for effect in effects:
        if isinstance(effect, ReportFault):
            raise effect.error
        if isinstance(effect, Send):
            for line in effect.data.splitlines():
                json.loads(line)
    stream.lost()


def check_sgf(data: bytes) -> None:
    """A file of SGF becomes trees or errors, and each tree a record or an error."""
    trees, _ = parse_sgf(data.decode("utf-8", "replace"))
    for number, tree in enumerate(trees):
        try:
            sgf_to_record(tree, str(number))
        except NotationError:
            continue


def check_record(data: bytes) -> None:
    """A line of an archive is a record, which is written as it was read, or an error."""
    try:
        record = load_record(data.decode("utf-8", "replace"))
    except NotationError:
        return
    if load_record(dump_record(record)) != record:
        raise AssertionError(data)


def check_abstract_play(data: bytes) -> None:
    """A file of Abstract Play becomes records or errors."""
    for _ in read_archive([data.decode("utf-8", "replace")], ArchiveFormat.ABSTRACT_PLAY, "x"):
        pass


def check_toml(data: bytes) -> None:
    """A file of a tournament or of engines is read, or refused."""
    for parse in (parse_toml, parse_engines):
        try:
            parse(data.decode("utf-8", "replace"))
        except ConfigError:
            continue


def check_control(data: bytes) -> None:
    """Every line to a control socket is answered by one line of JSON."""
    transport = StringTransport()
    protocol = ControlFactory({"status": lambda rest: {"rest": rest}}).buildProtocol(None)
    protocol.makeConnection(transport)
    protocol.dataReceived(data)
    for line in transport.value().splitlines():
        json.loads(line)


def check_http(data: bytes) -> None:
    """Every path below ``/api`` has a reply, and none is a fault."""
    path = data.decode("latin-1").translate(dict.fromkeys((*range(33), 127)))
    browser = Browser(api(world_of(), None))
    browser.send(f"/{path}")
    written = browser.transport.value()
    if b" 500 " in written.partition(b"\r\n")[0]:
        raise AssertionError(written)


def check_websocket(data: bytes) -> None:
    """Any bytes after the handshake are answered by frames that a client can read, or the end.

    Each line is a message with a session or with channels, in one or more frames; a first byte
    above ASCII makes all of it bytes of the wire.
    """
    target = "/ws/channels" if data[:1].isdigit() else "/ws"
    clock = MemoryReactorClock()
    with patch.object(site, "load_assets", _ASSETS):
        client = Client(clock, make_services(clock), target)
    client.below._lenient = True  # a real transport may be paused at any time
    client.take()
    with no_errors_logged(generation=1):
        for number, line in enumerate(data.splitlines() or [b""]):
            if client.below.disconnecting:
                break
            if data[:1] > b"\x7f":
                client.channel.dataReceived(line)
            else:
                ends = number % 3 != 2  # else the next line continues the message
                text = line.decode("utf-8", "replace")
                client.send(TextMessage(data=text, message_finished=ends))
            client.take()
            clock.advance(0.01)
        client.channel.connectionLost(Failure(ConnectionDone()))


TARGETS: Final[Mapping[str, Callable[[bytes], None]]] = {
    "analysis": check_analysis,
    "sgf": check_sgf,
    "record": check_record,
    "abstractplay": check_abstract_play,
    "toml": check_toml,
    "control": check_control,
    "http": check_http,
    "websocket": check_websocket,
}
"""The functions by name; each begins from the files of its folder in `CORPUS`."""

CORPUS: Final = Path(__file__).with_name("corpus")
"""Inputs that reach most of the code, and those that once did harm."""


def main() -> None:
    """Fuzz the target that the first argument names until told to stop."""
    import atheris

    name = sys.argv.pop(1)
    instrument(
        "yoddd.notation",
        "yoddd.protocol.analysis",
        "yoddd.referee.tournament.config",
        "yoddd.daemon",
    )
    with tempfile.TemporaryDirectory() as folder:
        # What it finds new goes to the first folder.
        atheris.Setup([*sys.argv, folder, str(CORPUS / name)], TARGETS[name])
        atheris.Fuzz()


if __name__ == "__main__":
    main()
