"""The gate: what was built is not used for other sources, and the verdict counts every step."""

from __future__ import annotations

import importlib
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, ModuleType]:
    """The modules of the gate, with a cache folder of their own."""
    monkeypatch.syspath_prepend(str(ROOT / ".ci"))
    monkeypatch.setenv("YODDD_CI_CACHE", str(tmp_path / "cache"))
    return {name: importlib.import_module(name) for name in ("cache", "wasm", "steps")}


def test_keep_builds_again_what_changed_and_nothing_else(
    gate: dict[str, ModuleType], tmp_path: Path
) -> None:
    source, out = tmp_path / "source.cpp", tmp_path / "out"

    def make(text: str, *flags: str) -> bool:
        source.write_text(text)
        out.unlink(missing_ok=True)
        name = gate["cache"].key([source], *flags)
        was_built = gate["cache"].keep(out, name, lambda: shutil.copyfile(source, out))
        assert out.read_text() == text
        return bool(was_built)

    assert make("one", "-O3")
    assert not make("one", "-O3")
    assert make("two", "-O3")
    assert make("two", "-O2")
    assert not make("one", "-O3")


def test_module_of_a_changed_header_has_another_name(
    gate: dict[str, ModuleType], tmp_path: Path
) -> None:
    wasm = gate["wasm"]
    for part in ("c", "src"):
        shutil.copytree(ROOT / wasm.KERNEL / part, tmp_path / wasm.KERNEL / part)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    name = wasm.name_of(tmp_path)
    assert name == wasm.name_of()
    with (tmp_path / wasm.KERNEL / "src" / "board.hpp").open("a") as header:
        header.write("\n")
    assert wasm.name_of(tmp_path) != name


@pytest.mark.gate
@pytest.mark.process
def test_kernel_source_that_changed_is_compiled_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ccache = shutil.which("ccache")
    if ccache is None:
        pytest.skip("no ccache on the PATH")
    monkeypatch.setenv("CCACHE_DIR", str(tmp_path / "cache"))
    objects = []
    for number, text in enumerate((1, 1, 2)):
        folder = tmp_path / f"clone{number}"
        folder.mkdir()
        (folder / "a.hpp").write_text(f"inline int a() {{ return {text}; }}\n")
        (folder / "a.cpp").write_text('#include "a.hpp"\nint b() { return a(); }\n')
        monkeypatch.setenv("CCACHE_BASEDIR", str(folder))
        command = [ccache, "c++", "-O3", "-c", str(folder / "a.cpp"), "-o", "a.o"]
        subprocess.run(command, cwd=folder, check=True)
        objects.append((folder / "a.o").read_bytes())
    assert objects[0] == objects[1] != objects[2]


MAKEFILE = """
good: ; @echo fine
bad: ; @echo broken; exit 1
silent: ; @sleep 60
"""


@pytest.mark.gate
@pytest.mark.process
def test_every_step_runs_and_a_silent_one_is_ended(
    gate: dict[str, ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    steps = gate["steps"]
    (tmp_path / "Makefile").write_text(MAKEFILE)
    monkeypatch.setattr(steps, "ROOT", tmp_path)
    named = [steps.Step(name, name, has_tests=True) for name in ("bad", "silent", "good")]
    monkeypatch.setattr(steps, "RINGS", {"gate": tuple(named)})
    monkeypatch.setattr(steps, "SILENCE", {"gate": 1.0})
    monkeypatch.setattr("sys.argv", ["steps.py", "gate"])
    assert steps.main() == 1
    table = capfd.readouterr().out.splitlines()[-4:]
    assert [line.split()[:2] for line in table] == [
        ["bad", "failed"],
        ["silent", "failed"],
        ["good", "passed"],
        ["all", "red"],
    ]
