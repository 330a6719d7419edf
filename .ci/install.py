"""Runs ``pip install`` and prints a line for each step: ``python .ci/install.py ARGUMENTS...``.

pip alone compiles the kernel in silence, which takes most of a minute, or prints hundreds of lines
with ``--verbose``. If it fails, all its output is shown. What cannot be fetched is tried three
times.

What an editable package is built with is installed beside it, not in a folder of another name each
time: with ccache a source that has been compiled before, in whichever clone, is not compiled again.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

STEPS: Final = (
    (r"^Collecting ([\w.-]+)", "collecting {}"),
    (r"^\s*Running command pip subprocess to install build dependencies", "preparing the build"),
    (
        r"^\s*(\[ *\d+(?:/\d+|%)\]) Building CXX object .*?(\w+)/(\w+)\.c\w+\.o",
        "{} compiling {}/{}",
    ),
    (r"^\s*(\[ *\d+(?:/\d+|%)\]) Linking CXX shared \w+ .*?(\w+)\.", "{} linking {}"),
    (r"^Installing collected packages: (.*)", "installing {}"),
)
"""Patterns of pip's and the build's lines, and what is printed for them."""


NOT_FETCHED: Final = re.compile(r"No matching distribution|Connection|[Tt]imed out|HTTP error")
"""What pip prints of an index or a network that does not answer."""


def progress(lines: Iterable[str]) -> Iterator[str]:
    """The steps that pip's output tells of, each once."""
    seen = set()
    for line in lines:
        for pattern, text in STEPS:
            found = re.search(pattern, line)
            step = text.format(*found.groups()) if found else None
            if step is not None and step not in seen:
                seen.add(step)
                yield step


def try_install(arguments: list[str]) -> tuple[int, list[str]]:
    """Run pip and print its steps; return its exit status and its output."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--verbose"]
    # Python compiles what it imports when it does; all modules of all packages take seconds.
    command += ["--no-compile"]
    output: list[str] = []

    def read(stream: Iterable[str]) -> Iterator[str]:
        for line in stream:
            output.append(line)
            yield line

    with subprocess.Popen(
        [*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as pip:
        for step in progress(read(pip.stdout or ())):
            print(f"  {step}", flush=True)
    return pip.returncode, output


def install(arguments: list[str]) -> int:
    """Install, and return pip's exit status."""
    if "--editable" in arguments:
        with Path("pyproject.toml").open("rb") as file:
            tools = tomllib.load(file)["build-system"]["requires"]
        if status := install([*tools, "cmake", "ninja"]):
            return status
        arguments = ["--no-build-isolation", *arguments]
    for pause in (5, 30, None):
        status, output = try_install(arguments)
        if not status or pause is None or not any(map(NOT_FETCHED.search, output)):
            break
        print(f"  not fetched; trying again in {pause} s", flush=True)
        time.sleep(pause)
    if status:
        sys.stderr.writelines(output)
    return status


if __name__ == "__main__":
    sys.exit(install(sys.argv[1:]))
