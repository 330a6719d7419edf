"""Settings and hooks of all tests."""

import faulthandler
import gc
import importlib.util
import math
import os
import signal
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, settings

from tests.support import rings, second_look, skips
from yoddd.daemon.base.clock import Reactor
from yoddd.rules.games import BUILT_IN, GAMES

# Without a deadline, since machines differ in speed; CI draws the same examples on every run.
settings.register_profile(
    "yoddd",
    max_examples=int(os.environ.get("YODDD_EXAMPLES", "20")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
)
settings.load_profile("yoddd")


# Tables that programs build on demand are no files of the user.
_CACHE = tempfile.TemporaryDirectory(prefix="yoddd-cache-")
os.environ["XDG_CACHE_HOME"] = _CACHE.name

# The tests are run by as many processes as there are processors: in each, further threads of numpy
# would spend most of their time waiting for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A shell that starts the tests in the background ignores SIGINT, which their children inherit.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _load_another_kernel(folder: Path) -> None:
    """Test the kernel that was built in ``folder`` instead of the installed one."""
    (path,) = folder.glob("_native.*.so")
    name = "yoddd.kernel._native"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


if "YODDD_TEST_NATIVE" in os.environ:
    _load_another_kernel(Path(os.environ["YODDD_TEST_NATIVE"]))


# The garbage collector would look through the modules and the tests again and again, none of which
# ever becomes garbage: not while they are made, and then no more.
gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Take all objects so far out of later collections, with the garbage among them."""
    gc.freeze()
    gc.enable()


def pytest_sessionstart() -> None:
    """Let the end of a child process wake a test that waits in a lock.

    Twisted has such calls restarted, so that Python's handler waits with them. Until the main
    thread has called it, Python 3.11 has every other thread that is traced, as for coverage, start
    its next function again and again.
    """
    from twisted.internet import reactor

    if sys.platform != "win32":
        cast("Reactor", reactor).callWhenRunning(signal.siginterrupt, signal.SIGCHLD, True)
    # Twisted's handler would stop the reactor, and every test after it would fail.
    handler = signal.getsignal(signal.SIGTERM)
    cast("Reactor", reactor).callWhenRunning(signal.signal, signal.SIGTERM, handler)


class Watchdog:
    """Prints every stack and ends the process when a test does not end, whatever it hangs in.

    The one that pytest has starts a thread for each test and waits for its end, which takes
    milliseconds where the processors are busy. This one is set again at most every ``SLACK``.
    """

    SLACK = 30.0
    """Seconds that a test may get beyond the limit, as the watchdog was set before it began."""

    def __init__(self, errors: int, limit: float) -> None:
        self._errors = errors
        self._limit = limit
        # When it was set last, by the clock of `time.monotonic`; long ago if it is to be set.
        self._set = -math.inf

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, object, object]:
        mark = item.get_closest_marker("timeout")
        limit = max([self._limit, *(mark.args if mark else ())])
        is_longer = limit > self._limit
        if is_longer or time.monotonic() - self._set >= self.SLACK:
            faulthandler.dump_traceback_later(limit + self.SLACK, file=self._errors, exit=True)
            # After a test with a longer limit it is set again.
            self._set = -math.inf if is_longer else time.monotonic()
        try:
            return (yield)
        finally:
            if nextitem is None:
                self.pytest_exception_interact()
                faulthandler.cancel_dump_traceback_later()

    def pytest_exception_interact(self) -> None:
        """Set it again at the next test: pytest cancels it now."""
        self._set = -math.inf

    def pytest_enter_pdb(self) -> None:
        self.pytest_exception_interact()


def pytest_runtest_teardown() -> None:
    """Take the games out of force that a test has added."""
    for name in GAMES.keys() - set(BUILT_IN):
        del GAMES[name]
        os.environ.pop(f"YODDD_RULES_{name}", None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--renew", action="store_true", help="write what vectors of sessions expect")
    # The alarm of pytest-timeout should have ended a test long before.
    parser.addini("watchdog", "seconds until a test is ended with its process, or 0", default="330")


def pytest_configure(config: pytest.Config) -> None:
    skips.pytest_configure(config)
    config.pluginmanager.register(rings)
    second_look.pytest_configure(config)
    if limit := float(config.getini("watchdog")):
        config.pluginmanager.register(Watchdog(os.dup(2), limit))  # output is not captured yet


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Give a hypothesis test its own function back after each call.

    pytest-twisted wraps it once more at every call, so that the second case of a parametrised test
    would run inside the first one's wrapper and fail.
    """
    handle = getattr(pyfuncitem.obj, "hypothesis", None)
    inner = getattr(handle, "inner_test", None)
    try:
        return (yield)
    finally:
        if handle is not None:
            handle.inner_test = inner
