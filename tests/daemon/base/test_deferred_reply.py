"""Replies to requests whose work takes several turns of the reactor."""

from __future__ import annotations

from typing import Any

import pytest
from twisted.internet.defer import Deferred

from tests.daemon.leaks import LoggedErrors
from yoddd.daemon.base.deferred_reply import answer_when_done, deferred_reply
from yoddd.protocol.errors import Code, PeerError


async def wait_for(value: Deferred[Any]) -> object:
    return await value


@pytest.mark.parametrize("result", ["3 4", PeerError(Code.BUSY, "too many games")])
def test_answer_when_done_answers_once_the_work_is_done(result: str | PeerError) -> None:
    answers: list[object] = []
    value: Deferred[str] = Deferred()
    answer_when_done(answers.append, wait_for(value))
    assert answers == []
    if isinstance(result, str):
        value.callback(result)
    else:
        value.errback(result)
    assert answers == [result]


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


def test_deferred_reply_begins_its_work_when_it_is_started() -> None:
    begun: list[str] = []
    answers: list[object] = []

    async def work() -> object:
        begun.append("begun")
        return "done"

    reply = deferred_reply(work)
    assert begun == []
    reply.start(None, answers.append)  # type: ignore[arg-type]  # the connection is not used
    assert (begun, answers) == (["begun"], ["done"])
