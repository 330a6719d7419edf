"""The client's side of ``match``: the streaming reply, and how it can end."""

from __future__ import annotations

import pytest
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure

from yoddd.daemon.play.news import News
from yoddd.daemon.runs.remote_match import MatchClient, RemoteError


class Transport(StringTransport):
    """In memory, with the method that TCP has besides."""

    def setTcpNoDelay(self, enabled: object) -> None:
        assert enabled


class Session:
    """A client that has sent its request."""

    def __init__(self) -> None:
        self.news: list[News] = []
        self.transport = Transport()
        self.client = MatchClient("match a b", self.news.append)
        self.errors: list[BaseException] = []
        self.client.done.addErrback(self._keep)
        self.client.makeConnection(self.transport)

    def _keep(self, failure: Failure) -> None:
        assert failure.value is not None
        self.errors.append(failure.value)

    def error(self) -> str:
        (error,) = self.errors
        assert isinstance(error, RemoteError)
        return str(error)


@pytest.fixture
def session() -> Session:
    session = Session()
    assert session.transport.value() == b"match a b\n"
    return session


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        ("? syntax error: games\n\n", "syntax error: games"),
        ("= \nerror not attached: a\n\n", "not attached: a"),
        ("= \ngame one\n", "not a line of a match: 'game one'"),
        ("= \n", "the daemon closed the connection"),
    ],
)
def test_match_client_fails_with_the_reason_of_the_daemon(
    session: Session, reply: str, error: str
) -> None:
    session.client.dataReceived(reply.encode())
    assert session.transport.disconnecting is (reply != "= \n")
    session.client.connectionLost()
    assert error in session.error()
