"""Reader of the facts of ``protocol/vectors/engine``, which the README of the vectors describes."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "protocol" / "vectors" / "engine"


def vectors(
    name: str, *, slow_from: int | None = None, numbers: range | None = None
) -> list[object]:
    """The lines of a file as test cases; a last field of ``slow_from`` or more is slow.

    With ``numbers`` only the lines whose last field is among them.
    """
    cases: list[object] = []
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        if line and not line.startswith("#"):
            fields = line.split(" ; ")
            if numbers is not None and int(fields[-1]) not in numbers:
                continue
            slow = slow_from is not None and int(fields[-1]) >= slow_from
            marks = [pytest.mark.whole] if slow else []
            cases.append(pytest.param(*fields, marks=marks, id=f"line{number}"))
    return cases
