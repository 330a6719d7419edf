"""A calendar that is set while programs run: a library that is loaded before theirs.

It shifts the calendar alone; the monotonic clocks of the system go on as they are.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

COMPILER: Final = shutil.which("cc") or shutil.which("gcc")

_SOURCE: Final = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Whole seconds by which the calendar is ahead, from the file that is named at the start. */
static long shift(void) {
    static int file = -1;
    char text[32] = "";
    if (file < 0) file = open(getenv("CALENDAR_SHIFT"), O_RDONLY | O_CLOEXEC);
    return pread(file, text, sizeof text - 1, 0) > 0 ? strtol(text, NULL, 10) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *found) {
    int result = syscall(SYS_clock_gettime, clock, found);
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) found->tv_sec += shift();
    return result;
}

time_t time(time_t *found) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (found) *found = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict found, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    found->tv_sec = now.tv_sec;
    found->tv_usec = now.tv_nsec / 1000;
    return 0;
}
"""


def compile_library(folder: Path) -> Path:
    """The library, compiled in a folder."""
    source, library = folder / "shift.c", folder / "shift.so"
    source.write_text(_SOURCE)
    command = [str(COMPILER), "-shared", "-fPIC", "-O1", "-o", str(library), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    return library


class Calendar:
    """The calendar of the programs that are started after this."""

    def __init__(self, library: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have all programs load the library, which reads a file in ``folder``."""
        self._file = folder / "shift"
        self._file.write_text("0")
        monkeypatch.setenv("LD_PRELOAD", str(library))
        monkeypatch.setenv("CALENDAR_SHIFT", str(self._file))

    def shift(self, seconds: int) -> None:
        """Set the calendar ahead of the true one, or behind it if ``seconds`` is below 0."""
        text = f"{seconds:<12}"  # of one length: it is read while it is written
        with self._file.open("r+") as file:
            file.write(text)
