"""The resources of runs below ``/api``: ``runs``, ``runs/NAME``, and its ``games`` and ``playing``.

All are JSON; docs/reference/http.md is the contract.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

import attrs
from twisted.web.http import INTERNAL_SERVER_ERROR, NOT_FOUND
from twisted.web.resource import Resource
from twisted.web.server import Request

from yoddd.daemon.base.process.reactor_share import charge_later
from yoddd.daemon.base.world import Threads, World
from yoddd.daemon.pages import reply_types as types
from yoddd.daemon.pages.json_resource import ApiRoot, JsonResource, PacedResource, Pacer
from yoddd.daemon.pages.openapi import load_document
from yoddd.daemon.pages.parameters import LADDER_PARAMETERS, ApiError, Parameters
from yoddd.daemon.runs.archive import GAMES, RunError
from yoddd.daemon.runs.run_folder import PLAN, read_plan
from yoddd.daemon.runs.status_socket import NotRunning, read_run
from yoddd.notation import NotationError, dump_record
from yoddd.notation.records import GameRecord, read_record
from yoddd.notation.text import decode_chunks, printable
from yoddd.referee.game.facts import facts

_ID: Final = re.compile(rb'\{"id": ?"([^"\\]*)"')
"""The beginning of a record as it is written; one of another program may begin otherwise."""


class GameIndex:
    """The offset of each game of a JSONL file, by id; of two with the same id the first.

    Not safe to use from two threads at a time.
    """

    def __init__(self, path: Path) -> None:
        """Create it for the file ``path``, which is not read yet."""
        self._path = path
        # The offset of the line of each game, and the number of bytes that are indexed.
        self._offsets: dict[str, int] = {}
        self._size = 0

    def find(self, game: str) -> GameRecord | None:
        """Return the record of a game; None if the file has none.

        Raises:
            RunError: the file cannot be read, or the line is no record.
        """
        try:
            self._follow()
            offset = self._offsets.get(game)
            if offset is None:
                return None
            with self._path.open("rb") as file:
                file.seek(offset)
                return read_record("".join(decode_chunks([file.readline()])))
        except OSError as error:
            raise RunError(f"{self._path}: {error.strerror or error}") from None
        except NotationError as error:
            raise RunError(f"{self._path}: {error}") from None

    def _follow(self) -> None:
        """Index the lines that the file has grown by, without a torn last one."""
        with self._path.open("rb") as file:
            if file.seek(0, 2) < self._size:  # another file of the same name
                self._offsets.clear()
                self._size = 0
            file.seek(self._size)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                name = _id_of(line)
                if name is not None:
                    self._offsets.setdefault(name, self._size)
                self._size += len(line)


def _id_of(line: bytes) -> str | None:
    """The id of the record in a line; None if there is none, which costs only that game."""
    found = _ID.match(line)
    try:
        return found[1].decode() if found else str(json.loads(line)["id"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}", re.ASCII)
"""A folder's name as a URL may have it: neither a parent folder nor a hidden one."""

THREADS: Final = 4
"""Replies about runs that are made at once; each reads a file."""

_INDICES: Final = 8
"""Archives whose indices are kept; each takes some 150 bytes a game."""

_CHUNK: Final = 1 << 20
"""Bytes to read at once."""

_LATEST: Final = 253_402_300_799
"""The last second that a date can have; a file may be of a later one."""


@attrs.frozen
class _Stamp:
    """The state of an archive, to see whether it has grown.

    Attributes:
        size: bytes of its file.
        modified: when the file was last modified, in nanoseconds since 1970.
    """

    size: int
    modified: int


class Runs:
    """The runs in one folder, each read again only when its archive has changed.

    Every method reads files and blocks meanwhile; call it in a thread.
    """

    def __init__(self, folder: Path) -> None:
        """Create it; ``folder`` has a folder for each run, or is the folder of one run itself."""
        self._folder = folder
        # The latest report of each run, with the state of the archive that it was made from.
        self._reports: dict[str, tuple[_Stamp, types.Run]] = {}
        # The indices of the archives, the least recently used first; `_INDICES` at most.
        self._indices: dict[str, GameIndex] = {}
        # Held while a report or an index is made: a second request waits and does not repeat it.
        self._lock = threading.Lock()

    def any(self) -> bool:
        """Return whether there is a run."""
        return any(True for _ in self._paths())

    def describe(self) -> dict[str, list[types.RunSummary]]:
        """Return all runs, the latest first."""
        found = sorted(self._paths(), key=lambda path: -_stamp(path).modified)
        return {"runs": [_describe(path) for path in found]}

    def report(self, name: str) -> types.Run:
        """Return the report of a run and its latest games.

        Raises:
            KeyError: there is no such run.
            RunError: it cannot be read.
        """
        path = self._path(name)
        with self._lock, self._without_its_place():
            stamp = _stamp(path)
            made = self._reports.get(name)
            if made is None or made[0] != stamp:
                made = self._reports[name] = stamp, _report(path, stamp)
        return made[1]

    def playing(self, name: str, game: str = "") -> dict[str, Any]:
        """Return the games of a run that are in play; with an id one of them, so far.

        Raises:
            KeyError: there is no such run, or no such game is in play.
        """
        path = self._path(name)
        try:
            return read_run(path, "playing", *([game] if game else ()))
        except (NotRunning, ValueError):
            if game:
                raise KeyError(game) from None
            return {"games": []}

    def record(self, name: str, game: str) -> dict[str, Any]:
        """Return the record of one game.

        Raises:
            KeyError: there is no such run or game.
            RunError: the archive cannot be read.
        """
        path = self._path(name)
        with self._lock, self._without_its_place():
            index = self._indices.pop(name, None) or GameIndex(path / GAMES)
            self._indices[name] = index  # the latest in use
            while len(self._indices) > _INDICES:
                self._indices.pop(next(iter(self._indices)))
            record = index.find(game)
        if record is None:
            raise KeyError(game)
        values: dict[str, Any] = json.loads(dump_record(record))
        return values

    @contextmanager
    def _without_its_place(self) -> Iterator[None]:
        """Raise a RunError, whose text begins with a path, without the path of the folder.

        Strangers read it.
        """
        try:
            yield
        except RunError as error:
            text = str(error).removeprefix(str(self._folder)).lstrip("/\\: ")
            raise RunError(text) from None

    def _path(self, name: str) -> Path:
        for path in self._paths():
            if path.name == name:
                return path
        raise KeyError(name)

    def _paths(self) -> Iterator[Path]:
        if _is_run(self._folder):
            yield self._folder
        for path in sorted(self._folder.iterdir()) if self._folder.is_dir() else ():
            if _NAME.fullmatch(path.name) and _is_run(path):
                yield path


def _is_run(path: Path) -> bool:
    return (path / PLAN).is_file() or (path / GAMES).is_file()


def _stamp(path: Path) -> _Stamp:
    file = path / GAMES if (path / GAMES).exists() else path / PLAN
    status = file.stat()
    return _Stamp(status.st_size, status.st_mtime_ns)


def _iso_time(stamp: _Stamp) -> str:
    seconds = min(max(stamp.modified // 10**9, 0), _LATEST)
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def _describe(path: Path) -> types.RunSummary:
    values: types.RunSummary = {
        "name": path.name,
        "title": printable(path.name),
        "finished": _count_lines(path / GAMES),
        "updated": _iso_time(_stamp(path)),
    }
    with suppress(RunError):  # without a plan the title is the name of the folder
        values["title"] = read_plan(path).name
    return values


def _report(path: Path, stamp: _Stamp) -> types.Run:
    # Not at import: few daemons show runs, and all start.
    from yoddd.daemon.runs.reports import read_report
    from yoddd.referee.reports.text import report_values

    report = read_report(path)
    return {
        "name": path.name,
        "updated": _iso_time(stamp),
        "report": report_values(report),
        "recent": [_result(record) for record in reversed(report.recent)],
    }


def _count_lines(path: Path) -> int:
    """Return the number of whole lines of a file; 0 if there is none."""
    count = 0
    if path.exists():
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                count += chunk.count(b"\n")
    return count


def _result(record: GameRecord) -> types.RunGame:
    return {
        "id": record.id,
        "black": record.black,
        "white": record.white,
        "winner": record.winner,
        "reason": record.reason,
        "score": record.score,
        "detail": record.detail,
        "turns": len(record.turns),
    }


# -- over HTTP ------------------------------------------------------------------------------


def threaded(
    threads: Threads,
    work: Callable[[], Mapping[str, Any]],
    parameters: Parameters | None = None,
    pacer: Pacer | None = None,
) -> PacedResource:
    """Return the resource of one address, whose replies are made in a thread.

    Args:
        threads: where ``work`` is called.
        work: makes the reply; its KeyError is 404, its RunError 500.
        parameters: those that are accepted and change nothing.
        pacer: shared by the resources whose work for one address takes turns.
    """

    def reply() -> Mapping[str, Any]:
        try:
            return work()
        except KeyError as error:
            raise ApiError(NOT_FOUND, f"no {error.args[0]}") from None
        except RunError as error:
            raise ApiError(INTERNAL_SERVER_ERROR, str(error)) from None

    return PacedResource(lambda _: threads.run(reply, charge_later()), parameters, pacer)


class RunsResource(JsonResource):
    """``runs``, and each run below it."""

    def __init__(self, threads: Threads, runs: Runs) -> None:
        """Create it for ``runs``, which are read in ``threads``."""
        super().__init__()
        self._threads = threads
        self._runs = runs
        self._pacer = Pacer()
        self.putChild(b"", self._resource(runs.describe))

    def render_GET(self, request: Request) -> int:
        """Reply with the list of runs to a request without a slash after ``runs``."""
        return self._resource(self._runs.describe).render_GET(request)

    def getChild(self, path: bytes, request: Request) -> Resource:
        """Return the resource of ``runs/NAME`` or one below it."""
        name = path.decode(errors="replace")
        rest = [part.decode(errors="replace") for part in request.postpath or ()]
        request.postpath = []
        if not rest:
            return self._resource(lambda: self._runs.report(name))
        if rest == ["playing"]:
            return self._resource(lambda: self._runs.playing(name))
        if len(rest) == 2 and rest[0] in {"games", "playing"}:
            find = self._runs.record if rest[0] == "games" else self._runs.playing
            return self._resource(lambda: find(name, rest[1]))
        return self._resource(lambda: _unknown("/".join([name, *rest])))

    def _resource(self, work: Callable[[], Mapping[str, Any]]) -> PacedResource:
        return threaded(self._threads, work, pacer=self._pacer)


def _unknown(path: str) -> dict[str, Any]:
    raise KeyError(path)


def _no_session(runs: Runs | None) -> types.Session:
    """The reply of ``session`` without a store."""
    return {
        "accounts": False,
        "user": None,
        "ticket": None,
        "registration": False,
        "runs": runs is not None and runs.any(),
        "ladder": False,
    }


def api(world: World, runs: Runs | None, origins: Callable[[], tuple[str, ...]] = tuple) -> ApiRoot:
    """Return the resource ``/api`` of a daemon without a store; with one, some are replaced.

    Args:
        world: gives the threads in which runs are read.
        runs: the runs; None if none are shown.
        origins: returns the origins whose pages may read, or ``*`` for all.
    """
    root, threads = ApiRoot(origins), world.threads("pages", THREADS)
    unset = threaded(threads, lambda: {"runs": None})
    root.putChild(b"runs", unset if runs is None else RunsResource(threads, runs))
    root.putChild(b"ladder", threaded(threads, lambda: {"ladders": None}, LADDER_PARAMETERS))
    root.putChild(b"session", threaded(threads, lambda: _no_session(runs)))
    root.putChild(b"openapi.json", threaded(threads, cache(load_document)))
    root.putChild(b"facts.json", threaded(threads, cache(facts)))
    return root
