"""Runs ``pip install`` and prints a line for each step: ``python .ci/install.py ARGUMENTS...``.

pip alone compiles the kernel in silence, which takes most of a minute, or prints hundreds of lines
with ``--verbose``. If it fails, all its output is shown.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
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


def install(arguments: list[str]) -> int:
    """Run pip, print its steps, and return its exit status."""
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
    if pip.returncode:
        sys.stderr.writelines(output)
    return pip.returncode


if __name__ == "__main__":
    sys.exit(install(sys.argv[1:]))
