"""Which test functions a change adds or edits, by git."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def git(*words: str) -> str:
    """Return what git prints of this checkout, or an empty text where it fails."""
    command = ["/usr/bin/env", "git", *words]
    # Some files of the tests are not UTF-8.
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False
    )
    return done.stdout.strip() if done.returncode == 0 else ""


def base(landed: str = "origin/main") -> str:
    """Return the commit that a change began at.

    That is where it left the ``landed`` branch. A clone that is made of the change itself does not
    know it: there it is the last commit that is older than a day, or an empty text for none.
    """
    head, fork = git("rev-parse", "HEAD"), git("merge-base", "HEAD", landed)
    return fork if fork not in ("", head) else git("rev-list", "-1", "--before=1 day ago", "HEAD")


def _functions(source: str) -> Iterator[tuple[str, int, int]]:
    """The tests of a module as ``Class::function``, with their first and last lines."""
    for node in ast.parse(source).body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        for one in inner:
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name[:4] == "test":
                first = min([one.lineno, *(mark.lineno for mark in one.decorator_list)])
                yield prefix + one.name, first, one.end_lineno or first


def changed_in(diff: str, root: Path = ROOT) -> set[str]:
    """Return the functions that a diff without context touches, as ``path::function``."""
    found, path, functions = set(), "", list[tuple[str, int, int]]()
    for line in diff.splitlines():
        if line.startswith("+++ "):
            path = line.removeprefix("+++ b/")
            is_test = path.endswith(".py") and (root / path).is_file()
            functions = (
                list(_functions((root / path).read_text(encoding="utf-8"))) if is_test else []
            )
        elif match := re.match(r"@@ \S+ \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(match[1]), int(match[2] or 1)
            last = first + max(count, 1) - 1
            found |= {f"{path}::{name}" for name, a, b in functions if a <= last and first <= b}
    return found


def changed_tests(since: str | None = None) -> set[str]:
    """Return the test functions added or edited since a commit, or not committed at all."""
    since = base() if since is None else since
    # All there is, where no commit is older than the change.
    since = since or git("hash-object", "-t", "tree", "/dev/null")
    found = changed_in(git("diff", "-U0", "--no-color", since, "--", "tests"))
    for path in git("ls-files", "--others", "--exclude-standard", "tests/*.py").splitlines():
        names = _functions((ROOT / path).read_text(encoding="utf-8"))
        found |= {f"{path}::{name}" for name, _, _ in names}
    return found


BUSY = "while True: pass"


def main(times: int = 20) -> int:
    """Run the changed tests with real programs, while two loops keep the processors busy."""
    tests = sorted(changed_tests())
    if not tests:
        print("no test was added or edited")
        return 0
    loops = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(2)]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "process"]
    try:
        for number in range(1, times + 1):
            print(f"run {number} of {times}", flush=True)
            # 5: none of the tests that were changed starts a program.
            status = subprocess.run([*command, *tests], cwd=ROOT, check=False).returncode
            if status:
                return 0 if status == pytest.ExitCode.NO_TESTS_COLLECTED else status
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
