"""Settings and hooks of all tests."""

import gc
import importlib.util
import os
import signal
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

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
    """Take all objects so far out of later collections."""
    gc.collect()
    gc.freeze()
    gc.enable()


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
