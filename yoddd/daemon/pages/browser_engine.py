"""The engine that runs in the browser: its worker, joined from modules, and what that loads.

All have paths that change with their content. A page names the worker; the worker has the learned
values and the levels, and names the kernel's module and the table of square5, so that no page mixes
parts of two versions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

import attrs

from yoddd.daemon.pages.joined import join_modules, path_of
from yoddd.engine import LEVELS
from yoddd.engine.weights import shipped
from yoddd.kernel.square5 import PATH
from yoddd.pictures.scripts import read_resource
from yoddd.referee.game.facts import facts
from yoddd.rules.games import GAMES

ENTRY: Final = "js/kernel/session.js"
MODULE: Final = "js/kernel/yoddd.wasm"
"""Compiled by ``make wasm``; an installation may be without it."""


@attrs.frozen
class BrowserEngine:
    """An engine for browsers.

    Attributes:
        worker: the path of its worker's script; empty if there is no engine.
        files: what it is made of, by path.
    """

    worker: str
    files: Mapping[str, bytes]


def board_facts() -> dict[str, Any]:
    """Return the facts that the rules need: boards, games, and the words of facts."""
    known = facts()
    return {name: known[name] for name in ("boards", "games", "facts")}


def learned_values() -> dict[str, Any]:
    """Return the weights of the learned values at their knots, by game."""
    return {game: weights.whole for game in GAMES if (weights := shipped(game))}


def levels() -> list[dict[str, Any]]:
    """Return the levels of play."""
    return [attrs.asdict(level) for level in LEVELS]


def make_engine(read: Callable[[str], str], module: bytes, square5: bytes = b"") -> BrowserEngine:
    """Return the engine made of the page's modules and of the kernel's module.

    Args:
        read: returns the text of a file by its path.
        module: the kernel as WebAssembly.
        square5: the table of square5.
    """
    names = {"module": path_of(module, "wasm"), "square5": ""}
    made = {names["module"]: module}
    if square5:
        names["square5"] = path_of(square5, "table")
        made[names["square5"]] = square5
    parts = {
        "knots": learned_values(),
        "levels": levels(),
        **{part: _beside(path) for part, path in names.items()},
    }
    given = {
        "js/base/facts.js": f"export const FACTS = {json.dumps(board_facts())};\n"
        "export const FACT_VALUES = FACTS.facts;\n",
        "js/kernel/parts.js": f"export const PARTS = {json.dumps(parts)};\n",
    }
    # Modules are strict code; the joined worker is none.
    joined = join_modules(ENTRY, lambda path: given.get(path) or read(path))
    worker = f"'use strict';\n{joined}".encode()
    path = path_of(worker, "js")
    return BrowserEngine(path, {path: worker, **made})


def _beside(path: str) -> str:
    """Return the address of a file from where the worker lies."""
    return path.rpartition("/")[2]


@cache
def shipped_engine() -> BrowserEngine:
    """Return the engine of this installation; an empty one where the kernel's module is missing."""
    module = files("yoddd") / "web" / MODULE
    if not module.is_file():
        return BrowserEngine("", {})
    square5 = files("yoddd").joinpath(PATH).read_bytes()
    return make_engine(lambda path: read_resource(f"web/{path}"), module.read_bytes(), square5)
