"""The gate: what was built is not used for other sources, and the verdict counts every step."""

from __future__ import annotations

import importlib
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
