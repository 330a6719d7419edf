"""The gate of new games."""

from __future__ import annotations

import pytest
from twisted.internet.defer import CancelledError

from yoddd.daemon.base.start_gate import StartGate
from yoddd.protocol.errors import PeerError


def test_gate_while_closed_refuses_games_and_keeps_those_that_wait() -> None:
    gate = StartGate()
    begun: list[object] = []
    gate.check()
    assert gate.opened().called
    gate.close("not now")
    with pytest.raises(PeerError, match="not now"):
        gate.check()
    first, second = gate.opened(), gate.opened()
    first.addCallback(lambda _: begun.append("first"))
    second.addErrback(lambda failure: begun.append(failure.type))
    second.cancel()
    assert begun == [CancelledError]
    gate.open()
    assert begun == [CancelledError, "first"]
    gate.check()
