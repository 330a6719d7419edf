"""Repeated measurements, and a description of the machine."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from yoddd.system import processors

Figures = Mapping[str, tuple[Callable[[], float], str]]
"""By name what measures a figure, and its unit."""


def rate(
    work: Callable[[], int],
    repetitions: int = 5,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """The median rate of ``work`` in units a second; it returns how many units it did.

    One run warms up and does not count. On a busy machine `time.process_time` is the fairer clock.
    """
    work()
    rates = []
    for _ in range(repetitions):
        start = clock()
        units = work()
        rates.append(units / (clock() - start))
    return statistics.median(rates)


def seconds(work: Callable[[], object], repetitions: int = 5) -> float:
    """The median time of ``work`` after one run to warm up."""

    def once() -> int:
        work()
        return 1

    return 1 / rate(once, repetitions)


def machine() -> str:
    """The processor, its cores and the load of the last minute."""
    name = platform.machine()
    with suppress(OSError, StopIteration):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        line = next(line for line in text.splitlines() if line.startswith("model name"))
        name = line.partition(":")[2].strip()
    return f"{name}, {processors()} processors, load {os.getloadavg()[0]:.1f}"
