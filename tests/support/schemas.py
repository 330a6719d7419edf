"""The JSON Schemas of the protocol, each validated itself."""

from __future__ import annotations

import functools
import json
from pathlib import Path

from jsonschema import Draft202012Validator

FOLDER = Path(__file__).parents[2] / "protocol" / "schemas"


@functools.cache
def validator(name: str) -> Draft202012Validator:
    """The validator of ``protocol/schemas/NAME.schema.json``."""
    text = (FOLDER / f"{name}.schema.json").read_text(encoding="utf-8")
    Draft202012Validator.check_schema(json.loads(text))
    return Draft202012Validator(json.loads(text))
