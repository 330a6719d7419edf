"""The engine that runs in the browser: its worker, joined from modules, and what that loads.

All have paths that change with their content. A page names the worker; the worker has the learned
values and the levels, and names the kernel's module and the tables, so that no page mixes parts of
two versions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

import attrs

from yoddd.daemon.base.tables import SHIPPED
from yoddd.daemon.pages.joined import join_modules, path_of
from yoddd.engine import LEVELS
from yoddd.engine.weights import shipped
from yoddd.kernel.table_file import TableFile
from yoddd.pictures.scripts import read_resource
from yoddd.referee.facts import facts
from yoddd.rules.games import GAMES

ENTRY: Final = "js/kernel/session.js"
MODULE: Final = "js/kernel/yoddd.wasm"
"""Compiled by ``make wasm``; an installation may be without it."""

TABLE: Final = "table"
"""The suffix of tables, which are loaded when a position that they hold is first analysed."""


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
    """Return the facts that the rules need: the boards, and the games with their options."""
    known = facts()
    return {name: known[name] for name in ("boards", "games")}


def learned_values() -> dict[str, Any]:
    """Return the weights of the learned values at their knots, by game."""
    return {game: weights.knots for game in GAMES if (weights := shipped(game))}


def levels() -> list[dict[str, Any]]:
    """Return the levels of play."""
    return [attrs.asdict(level) for level in LEVELS]


def shipped_tables() -> list[bytes]:
    """Return the tables that the browser's engine looks positions up in."""
    return [path.read_bytes() for path in sorted(SHIPPED.glob(f"*.{TABLE}"))]


def make_engine(
    read: Callable[[str], str], module: bytes, tables: Iterable[bytes] = ()
) -> BrowserEngine:
    """Return the engine made of the page's modules and of the kernel's module.

    Args:
        read: returns the text of a file by its path.
        module: the kernel as WebAssembly.
        tables: files of tables, of games with the default options.
    """
    module_path = path_of(module, "wasm")
    table_files = {path_of(table, TABLE): table for table in tables}
    parts = {
        "knots": learned_values(),
        "levels": levels(),
        "module": _beside(module_path),
        "tables": dict(_table_part(path, table) for path, table in table_files.items()),
    }
    texts = read("js/texts.js")
    given = {
        # The worker speaks English, which needs no request.
        "js/texts.js": texts.replace("\nawait READY;\n", "\n"),
        "js/facts.js": f"export const FACTS = {json.dumps(board_facts())};\n",
        "js/kernel/parts.js": f"export const PARTS = {json.dumps(parts)};\n",
    }
    # Modules are strict code; the joined worker is none.
    joined = join_modules(ENTRY, lambda path: given.get(path) or read(path))
    worker = f"'use strict';\n{joined}".encode()
    path = path_of(worker, "js")
    return BrowserEngine(path, {path: worker, module_path: module, **table_files})


def _table_part(path: str, table: bytes) -> tuple[str, dict[str, Any]]:
    """Return what a table is of, and what the worker needs to load it."""
    header = TableFile(table).header
    return f"{header.game}@{header.board}", {"file": _beside(path), "stones": header.stones}


def _beside(path: str) -> str:
    """Return the address of a file from where the worker lies."""
    return path.rpartition("/")[2]


@cache
def shipped_engine() -> BrowserEngine:
    """Return the engine of this installation; an empty one where the kernel's module is missing."""
    module = files("yoddd") / "web" / MODULE
    if not module.is_file():
        return BrowserEngine("", {})
    tables = shipped_tables()
    return make_engine(lambda path: read_resource(f"web/{path}"), module.read_bytes(), tables)
