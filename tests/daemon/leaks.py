"""Checks that a test leaves no Deferred in error and no delayed call behind, as trial does."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import attrs
import pytest
import pytest_twisted
from twisted.internet import reactor as installed
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.posixbase import PosixReactorBase
from twisted.internet.task import deferLater
from twisted.logger import ILogObserver, LogEvent, globalLogPublisher
from twisted.python.failure import Failure
from zope.interface import implementer

reactor: PosixReactorBase = installed  # type: ignore[assignment]  # a module stands for the reactor


@implementer(ILogObserver)
@attrs.define(eq=False)
class LoggedErrors:
    """The failures that Twisted's log has received during a test.

    Those of Deferreds are logged when the garbage collector finds a Deferred whose error was never
    handled. A test that causes a failure on purpose takes it out by `flush`.
    """

    failures: list[Failure] = attrs.Factory(list)

    def __call__(self, event: LogEvent) -> None:
        if "log_failure" in event:
            self.failures.append(event["log_failure"])

    def flush(self, kind: type[BaseException]) -> list[BaseException]:
        """Take out the errors of a kind."""
        gc.collect()
        found = [one for one in self.failures if one.check(kind)]
        self.failures = [one for one in self.failures if one not in found]
        return [one.value for one in found if one.value is not None]


@pytest.fixture(scope="module", autouse=True)
def frozen_objects() -> None:
    """Exclude the objects so far from the collection after each test: 0.1 ms then, else 30.

    They are those of imports, and what earlier tests have left: caches and reports.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def logged_errors() -> Iterator[LoggedErrors]:
    """Fail a test that leaves an error in the log or in a Deferred."""
    errors = LoggedErrors()
    globalLogPublisher.addObserver(errors)
    yield errors
    gc.collect()
    globalLogPublisher.removeObserver(errors)
    texts = [failure.getTraceback() for failure in errors.failures]
    assert not texts, "errors that were not flushed:\n" + "\n".join(texts)


@pytest.fixture(autouse=True)
def delayed_calls() -> Iterator[None]:
    """Fail a test that leaves a delayed call in the reactor."""
    before = set(reactor.getDelayedCalls())
    yield
    if calls_since(before):  # those of this turn of the reactor may run
        pytest_twisted.blockon(deferLater(reactor, 0))
    left = calls_since(before)
    for call in left:
        call.cancel()
    assert not left, f"delayed calls that were left: {[str(call) for call in left]}"


def calls_since(before: set[IDelayedCall]) -> list[IDelayedCall]:
    """The delayed calls in the reactor that are not of ``before``."""
    return [call for call in reactor.getDelayedCalls() if call not in before]
