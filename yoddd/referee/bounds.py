"""Numbers with bounds as fields of attrs classes."""

from __future__ import annotations

from typing import Any

import attrs
from attrs import validators


def bounded(default: Any, least: float, most: float | None = None) -> Any:
    """Return an attrs field for a number with bounds, which options of commands read from it.

    Args:
        default: the default of the field; None is allowed where it is the default.
        least: the smallest number allowed; a NaN is not.
        most: the greatest; None for no limit.
    """
    check: Any = validators.ge(least)
    if most is not None:
        check = validators.and_(check, validators.le(most))
    if default is None:
        check = validators.optional(check)
    return attrs.field(default=default, validator=check, metadata={"least": least, "most": most})
