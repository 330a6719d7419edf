"""The targets of the fuzzers for what strangers and files bring in: one function for each format.

With atheris installed this file is a program that lets coverage guide the bytes of one of them,
from a small corpus of its own::

    python -m tests.fuzz.input_targets sgf -max_total_time=60

Only the errors that a format names may be raised.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from twisted.internet.testing import StringTransport

from tests.daemon.pages.browser import Browser
from tests.fuzz.grammar_target import instrument
from tests.support.games import SAMPLE
from yoddd.daemon.pages.run_pages import api
from yoddd.daemon.runs.control import ControlFactory
from yoddd.notation import NotationError, dump_record, parse_sgf, record_to_sgf, write_sgf
from yoddd.notation.archives import ArchiveFormat, read_archive
from yoddd.notation.records import load_record
from yoddd.notation.sgf_records import sgf_to_record
from yoddd.protocol.analysis import AnalysisStream
from yoddd.protocol.config import SessionConfig, SessionLimits
from yoddd.protocol.effects import ReportFault, Send
from yoddd.referee.config import ConfigError, parse_engines, parse_toml

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
    browser = Browser(api(None))
    browser.send(f"/{path}")
    written = browser.transport.value()
    if b" 500 " in written.partition(b"\r\n")[0]:
        raise AssertionError(written)


TARGETS: Final[Mapping[str, tuple[Callable[[bytes], None], bytes]]] = {
    "analysis": (
        check_analysis,
        b'{"id": "a", "game": "yodd", "board": "hex3", "turns": ["1c3"], "analyzeTurns": [0, 1]}\n'
        b'{"id": "b", "action": "terminate_all", "turnNumbers": [1]}\n',
    ),
    "sgf": (check_sgf, write_sgf([record_to_sgf(SAMPLE)]).encode()),
    "record": (check_record, dump_record(SAMPLE).encode()),
    "abstractplay": (
        check_abstract_play,
        b'{"header": {"game": {"name": "Yodd", "variants": ["hex3"]}, "site": {"gameid": "g"},'
        b' "players": [{"name": "Ada", "result": 1}, {"name": "Bea", "result": 0}]},'
        b' "moves": [["1b2", "pass"], ["pass"]]}',
    ),
    "toml": (
        check_toml,
        b'name = "cup"\ngame = "yodd"\nboard = "hex3"\npairs = 2\nclock = "60+1"\n'
        b'[[engine]]\nengine = "builtin:uct"\nparams = { playouts = 400 }\n'
        b'[[engine]]\nengine = "builtin:random"\nmemory = 100\n',
    ),
    "control": (check_control, b"status\nstatus all\n\xff\n"),
    "http": (check_http, b"api/runs/cup/games/a%20b?as=sgf&limit=5"),
}
"""By name, the function and the corpus from which it begins."""


def main() -> None:
    """Fuzz the target that the first argument names until told to stop."""
    import atheris

    check, seed = TARGETS[sys.argv.pop(1)]
    instrument("yoddd.notation", "yoddd.protocol.analysis", "yoddd.referee.config", "yoddd.daemon")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "seed").write_bytes(seed)
        atheris.Setup([*sys.argv, folder], check)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
