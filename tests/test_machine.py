"""The part of the machine that this process may use, read from a folder like that of the kernel."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Final

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yoddd import system

pytestmark = pytest.mark.gate
PACKAGE: Final = Path(system.__file__).parent
PHYSICAL: Final = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


@attrs.frozen(eq=False)
class Hierarchy:
    """A way in which systems mount control groups.

    Attributes:
        line: of the file of the process, but for the path of its group.
        folder: where the groups are.
        cpu: the files of a quota, and the words without one.
        memory: the files of the limits, and the word without one.
    """

    line: str
    folder: str
    cpu: dict[str, str]
    memory: dict[str, str]


TWO: Final = ({"cpu.max": "max 100000"}, {"memory.max": "max", "memory.high": "max"})
QUOTA: Final = {"cpu.cfs_quota_us": "-1", "cpu.cfs_period_us": "100000"}
MOST: Final = {"memory.limit_in_bytes": "9223372036854771712"}
HIERARCHIES: Final = (
    Hierarchy("0::", "", *TWO),
    Hierarchy("0::", "unified", *TWO),
    Hierarchy("4:cpu,cpuacct:", "cpu,cpuacct", QUOTA, {}),
    Hierarchy("4:cpuacct,cpu:", "cpu", QUOTA, {}),
    Hierarchy("1:cpu:", "cpu", QUOTA, {}),
    Hierarchy("7:memory:", "memory", {}, MOST),
    Hierarchy("3:cpuset:", "cpuset", {}, {}),
)
NAMES: Final = st.sampled_from(["system.slice", "user@1000.service", "docker", "a b", "x:y"])


@given(st.data())
def test_machine_is_what_affinity_and_the_groups_around_us_allow(
    data: st.DataObject,
) -> None:
    cpus = data.draw(st.integers(1, 64))
    quotas, limits, lines = [float(cpus)], [PHYSICAL], []
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        for one in data.draw(
            st.lists(st.sampled_from(HIERARCHIES), unique_by=lambda one: one.folder)
        ):
            path = data.draw(st.lists(NAMES, max_size=3))
            lines.append(one.line + "/" + "/".join(path))
            top = Path(name, one.folder)
            # In a container the path may be that outside, and its own limits are at the top.
            depth = data.draw(st.integers(0, len(path)))
            for each in [top.joinpath(*path[:end]) for end in range(depth + 1)]:
                each.mkdir(parents=True, exist_ok=True)
                files = dict(one.cpu)
                if data.draw(st.booleans()) and files:
                    quota, period = data.draw(st.integers(1, 9_900_000)), 100_000
                    files = dict(zip(files, [str(quota), str(period)], strict=False))
                    files = {"cpu.max": f"{quota} {period}"} if "cpu.max" in files else files
                    quotas.append(quota / period)
                for file, without in one.memory.items():
                    files[file] = without
                    if data.draw(st.booleans()):
                        limits.append(data.draw(st.integers(1 << 20, 2 * PHYSICAL)))
                        files[file] = str(limits[-1])
                for file, text in files.items():
                    (each / file).write_text(f"{text}\n")
        own = Path(name, "own")
        if data.draw(st.booleans()):
            own.write_text("".join(f"{line}\n" for line in lines))
        else:
            del quotas[1:], limits[1:]
        patch.setattr(system, "_GROUPS", Path(name))
        patch.setattr(system, "_OWN_GROUPS", own)
        patch.setattr(system, "allowed_cpus", lambda: [*range(cpus)])
        assert system.processors() == max(1, int(min(quotas)))
        assert system.memory() == min(limits)


def test_only_the_system_module_asks_what_the_machine_has() -> None:
    asks = re.compile(r"cpu_count|sched_getaffinity|SC_PHYS|SC_NPROC|virtual_memory|hardware_conc")
    files = [one for kind in ("py", "cpp", "h", "pyx") for one in PACKAGE.rglob(f"*.{kind}")]
    users = [one.name for one in files if asks.search(one.read_text(errors="replace"))]
    assert users == ["system.py"]
