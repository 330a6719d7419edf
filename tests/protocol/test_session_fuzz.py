"""A session under random lines gives one reply each."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.protocol.peer import Peer
from tests.protocol.vectors import every_exchange
from yoddd.protocol import Phase
from yoddd.protocol.effects import StartAnalysis, StartTask
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
