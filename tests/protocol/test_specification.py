"""The parts of the specification: their numbers, and the length of the engine protocol."""

import re
from pathlib import Path

import pytest

from tests.protocol.vectors import PROTOCOL
from yoddd.referee.conformance.checks import CHECKS

PARTS = sorted(PROTOCOL.glob("*.md"))
TEXT = "\n".join(part.read_text(encoding="utf-8") for part in PARTS)
NUMBERS = re.findall(r"^(?:#+ )?([A-Z]\d+(?:\.\d+)*)\. ", TEXT, re.MULTILINE)
"""The numbers of all sections, in the order of the files."""


def test_specification_has_no_number_twice() -> None:
    assert len(NUMBERS) > 100
    assert [number for number in NUMBERS if NUMBERS.count(number) > 1] == []


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.stem)
def test_part_refers_to_sections_that_exist(part: Path) -> None:
    references = re.findall(r"\b([ESADG]\d+(?:\.\d+)*)\b", part.read_text(encoding="utf-8"))
    assert set(references) <= set(NUMBERS)


def test_checks_name_sections_that_exist() -> None:
    assert {check.section for check in CHECKS} <= set(NUMBERS)
