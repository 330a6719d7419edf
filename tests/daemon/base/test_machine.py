"""The limits of control groups, read from a folder like that of the kernel."""

from __future__ import annotations

from pathlib import Path

from yoddd.daemon.base.limits import group_limits


def test_group_limits_are_those_of_the_group_and_around_it(tmp_path: Path) -> None:
    inner = tmp_path / "system.slice" / "yoddd.service"
    inner.mkdir(parents=True)
    (inner / "memory.max").write_text("max\n")
    (inner.parent / "memory.max").write_text("1000000\n")
    (inner / "memory.high").write_text("800000\n")
    found = group_limits("0::/system.slice/yoddd.service\n", tmp_path)
    assert sorted(found) == [800000, 1000000]


def test_group_limits_of_the_older_hierarchy_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "memory" / "docker"
    folder.mkdir(parents=True)
    (folder / "memory.limit_in_bytes").write_text("2000\n")
    assert group_limits("5:cpu:/docker\n4:memory:/docker\n", tmp_path) == [2000]
