"""Writes what the JavaScript package takes from the program: ``python .ci/js_facts.py [--check]``.

Boards and games with their options, the weights of the learned values, and the levels. With
``--check`` nothing is written; a file that differs is an error.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Final

from yoddd import __version__
from yoddd.daemon.pages.browser_engine import board_facts, learned_values, levels

PACKAGE: Final = Path(__file__).parents[1] / "clients/js"


def text() -> str:
    """The module's text."""
    values = {"GIVEN": board_facts(), "KNOTS": learned_values(), "LEVELS": levels()}
    lines = ["// Written by .ci/js_facts.py: the games, the learned values and the levels.\n"]
    for name, value in values.items():
        lines += ["// prettier-ignore\n", f"export const {name} = {json.dumps(value)};\n"]
    return "".join(lines)


def package_json() -> str:
    """The package's description with the program's version."""
    content = (PACKAGE / "package.json").read_text(encoding="utf-8")
    return re.sub(r'"version": "[^"]*"', f'"version": "{__version__}"', content)


def main() -> None:
    """Write the files, or compare them."""
    for name, wanted in (("facts.js", text()), ("package.json", package_json())):
        path = PACKAGE / name
        if "--check" not in sys.argv:
            path.write_text(wanted, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != wanted:
            sys.exit(f"{path} is not what .ci/js_facts.py writes")


if __name__ == "__main__":
    main()
