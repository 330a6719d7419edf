"""Adds to the JavaScript package what it takes from the program: ``python .ci/js_facts.py FOLDER``.

Boards and games with their options, what these mean in words, the values of facts, which only the
kernel and descriptions need, the weights of the learned values, the levels, and the version.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from yoddd import __version__
from yoddd.daemon.pages.browser_engine import board_facts, learned_values, levels


def main() -> None:
    """Write the module of facts, and the version into the description that is there."""
    folder = Path(sys.argv[1])
    found = board_facts()
    helps = {}
    for name, game in found["games"].items():
        for unused in ("stones", "odd_total"):
            del game[unused]
        helps[name] = {option: one.pop("help") for option, one in game["options"].items()}
    values = {
        "GIVEN": found,
        "HELPS": helps,
        "VALUES": {key: found["facts"].pop(key) for key in ("keys", "words")},
        "KNOTS": learned_values(),
        "LEVELS": levels(),
    }
    lines = [f"export const {name} = {json.dumps(value)};\n" for name, value in values.items()]
    (folder / "facts.js").write_text("".join(lines), encoding="utf-8")
    file = folder / "package.json"
    about = {**json.loads(file.read_text(encoding="utf-8")), "version": __version__}
    file.write_text(json.dumps(about, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
