"""The installation shows what it does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.gate
ROOT = Path(__file__).parents[1]


def test_release_publishes_nothing_until_it_is_switched_on() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    (publish,) = [job for job in jobs.values() if "environment" in job]
    assert "vars.PUBLISH == 'true'" in publish["if"]
    assert set(publish["needs"]) == set(jobs) - {"publish"}
    assert publish["permissions"]["id-token"] == "write"
    assert "secrets." not in text


def test_workflows_pin_every_action_by_its_commit() -> None:
    for file in (ROOT / ".github" / "workflows").glob("*.yml"):
        used = re.findall(r"uses: (.*)", file.read_text(encoding="utf-8"))
        assert used
        for action in used:
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", action), action
