"""Which backend is active, and how a missing or stale kernel is noticed."""

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from yoddd.engine import ENGINES, Budget
from yoddd.kernel import NativePosition, backend, best_position
from yoddd.kernel import backend as _backend_function
from yoddd.kernel.backend import Backend, KernelMissing, _load, source_digest
from yoddd.rules import Position, make_rules

_MODULE = sys.modules[_backend_function.__module__]
_PACKAGE = Path(_MODULE.__file__ or "").parent


def without_kernel() -> tuple[None, Backend]:
    return None, Backend("reference", "install a C++20 compiler")


def test_the_fastest_class_is_offered() -> None:
    assert best_position() is (NativePosition if backend().is_native else Position)


def flags() -> set[str]:
    """The flags of the processor, as Linux lists them."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return {flag for line in lines if line.startswith("flags") for flag in line.split()}


@pytest.mark.skipif(
    not backend().is_native or not flags() or "YODDD_TEST_NATIVE" in os.environ,
    reason="needs the installed kernel and Linux on x86-64",
)
def test_the_instruction_set_is_what_the_processor_offers() -> None:
    from yoddd.kernel import _native

    offers = {"avx2", "bmi1", "bmi2", "fma", "popcnt"} <= flags()
    assert ("x86-64-v3" in _native.instruction_sets()) is offers


def test_sources_have_a_digest_and_an_installed_package_has_none(tmp_path: Path) -> None:
    assert source_digest(tmp_path) is None
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.cpp").write_text("int a;")
    before = source_digest(tmp_path)
    (tmp_path / "src" / "a.cpp").write_text("int b;")
    assert before is not None
    assert source_digest(tmp_path) != before


@pytest.mark.skipif(not backend().is_native, reason=backend().detail)
def test_a_stale_binary_is_refused_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text("# other sources")
    with pytest.warns(RuntimeWarning, match="built from other sources"):
        module, active = _load(tmp_path)
    assert module is None
    assert not active.is_native
    assert "pip install -e ." in active.detail


@pytest.mark.skipif(not backend().is_native, reason=backend().detail)
def test_the_binary_in_use_is_that_of_these_sources() -> None:
    module, active = _load(_PACKAGE)
    assert module is not None
    assert active.is_native
    assert active.detail in module.instruction_sets()


def test_without_a_binary_the_reference_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yoddd.kernel._native", None)
    monkeypatch.setattr(sys, "path", [])
    module, active = _load(_PACKAGE)
    assert module is None
    assert active.name == "reference"
    assert "C++20 compiler" in active.detail


@pytest.mark.process
@pytest.mark.whole
@pytest.mark.skipif(
    not backend().is_native or "YODDD_TEST_NATIVE" in os.environ, reason="needs an installed kernel"
)
def test_clone_that_shadows_an_installed_wheel_is_named_with_the_remedy(tmp_path: Path) -> None:
    from yoddd.kernel import _native

    clone, site = tmp_path / "clone", tmp_path / "site-packages"
    for folder in (clone, site):
        shutil.copytree(
            _PACKAGE.parent,
            folder / "yoddd",
            ignore=lambda _, names: {"src", "CMakeLists.txt"} & set(names),
        )
    shutil.copy(_native.__file__, site / "yoddd" / "kernel")
    libraries = str(Path(pytest.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-S", "-m", "yoddd.kernel"],
        cwd=clone,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(site), libraries])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert f"the sources in {clone / 'yoddd'} shadow the package in {site / 'yoddd'}" in done.stderr
    assert "another folder" in done.stderr
    assert "compiler" not in done.stderr


def test_position_without_a_kernel_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_MODULE, "_loaded", without_kernel)
    assert best_position() is Position
    with pytest.raises(KernelMissing, match="compiler"):
        NativePosition(make_rules("yodd", "hex2"))


def test_main_prints_only_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runpy.run_module("yoddd.kernel", run_name="__main__")
    assert capsys.readouterr().err == (
        "" if backend().is_native else f"yoddd: {backend().detail}\n"
    )
    monkeypatch.setattr(_MODULE, "_loaded", without_kernel)
    runpy.run_module("yoddd.kernel", run_name="__main__")
    assert capsys.readouterr().err == "yoddd: install a C++20 compiler\n"


def test_engine_without_a_kernel_names_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_MODULE, "_loaded", without_kernel)
    position = Position(make_rules("yodd", "hex3"))
    for name in ("mcts", "uct"):
        with pytest.raises(KernelMissing, match="compiler"):
            ENGINES[name]().search(position, Budget(playouts=10), 1, lambda: False)
    assert ENGINES["random"]().search(position, Budget(), 1, lambda: False).turn
