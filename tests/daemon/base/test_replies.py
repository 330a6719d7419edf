"""Replies to requests whose work takes several turns of the reactor."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred

from tests.daemon.leaks import LoggedErrors
from yoddd.daemon.base.replies import answer_when_done
from yoddd.protocol.errors import Code, PeerError


async def wait_for(value: Deferred[Any]) -> object:
    return await value


def test_answer_when_done_logs_another_error_and_answers_internal_error(
    logged_errors: LoggedErrors,
) -> None:
    answers: list[object] = []
    value: Deferred[str] = Deferred()
    answer_when_done(answers.append, wait_for(value))
    value.errback(KeyError("bug"))
    (answer,) = answers
    assert isinstance(answer, PeerError)
    assert answer.code is Code.INTERNAL
    assert [type(error) for error in logged_errors.flush(KeyError)] == [KeyError]
