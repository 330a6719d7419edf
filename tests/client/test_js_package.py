"""The turns of levels that the JavaScript package is tested with, and its C interface.

`make test-js` runs the package itself.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.bench.levels_js import played, samples
from tests.support.programs import output_of
from yoddd.kernel import backend

pytestmark = pytest.mark.gate

GCC = shutil.which("gcc")
ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not backend().is_native, reason="needs an installed kernel")
def test_levels_play_the_turns_that_the_package_is_tested_with() -> None:
    known = samples()
    assert len(known) > 70
    assert [played(sample) for sample in known] == [sample.turn for sample in known]


@pytest.mark.process
@pytest.mark.skipif(GCC is None, reason="no gcc on the PATH")
def test_c_interface_is_plain_c() -> None:
    assert GCC is not None
    header = ROOT / "yoddd/kernel/c/yoddd.h"
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-xc"]
    output_of(GCC, *flags, header)
