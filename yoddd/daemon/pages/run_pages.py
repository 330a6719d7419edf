"""What the pages of the board ask for over HTTP: runs with their crosstables, and records.

Under ``/api`` stand ``runs``, ``runs/NAME`` and ``runs/NAME/games/ID``, all JSON; see
docs/reference/http.md. Others may put further resources beside them.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import attrs
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread
from twisted.python.failure import Failure
from twisted.web.http import INTERNAL_SERVER_ERROR, NOT_FOUND
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from yoddd.daemon.pages.json_reply import write_json
from yoddd.daemon.runs.archive import GAMES, RunError, read_games
from yoddd.daemon.runs.reports import read_report
from yoddd.daemon.runs.run_folder import PLAN, read_plan
from yoddd.notation import dump_record
from yoddd.notation.records import GameRecord
from yoddd.referee.report_text import report_values

_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}", re.ASCII)
"""A folder's name as a URL may have it: no way up, nothing hidden."""

_PIECE: Final = 1 << 20


@attrs.frozen
class _Stamp:
    """Tells whether an archive has grown."""

    size: int
    changed: int


class Runs:
    """The runs in one folder, each read again only when its archive has changed.

    Every method reads files and may take its time; call it in a thread.
    """

    def __init__(self, folder: Path) -> None:
        """``folder`` has a folder for each run, or is one itself."""
        self._folder = folder
        self._known: dict[str, tuple[_Stamp, dict[str, Any]]] = {}
        # Whoever asks while a report is made waits for it instead of making it once more.
        self._reading = threading.Lock()

    def describe(self) -> dict[str, Any]:
        """All runs, the latest first."""
        found = sorted(self._paths(), key=lambda path: -_stamp(path).changed)
        return {"runs": [_describe(path) for path in found]}

    def report(self, name: str) -> dict[str, Any]:
        """The report of a run and its latest games.

        Raises:
            KeyError: there is no such run.
            RunError: it cannot be read.
        """
        path = self._path(name)
        with self._reading:
            stamp = _stamp(path)
            known = self._known.get(name)
            if known is None or known[0] != stamp:
                known = self._known[name] = stamp, _report(path, stamp)
        return known[1]

    def record(self, name: str, game: str) -> dict[str, Any]:
        """The record of one game.

        Raises:
            KeyError: there is no such run or game.
            RunError: the archive cannot be read.
        """
        for record in read_games(self._path(name) / GAMES):
            if record.id == game:
                values: dict[str, Any] = json.loads(dump_record(record))
                return values
        raise KeyError(game)

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


def _moment(stamp: _Stamp) -> str:
    return datetime.fromtimestamp(stamp.changed // 10**9, UTC).isoformat().replace("+00:00", "Z")


def _describe(path: Path) -> dict[str, Any]:
    values: dict[str, Any] = {
        "name": path.name,
        "title": path.name,
        "finished": _lines(path / GAMES),
        "updated": _moment(_stamp(path)),
    }
    with suppress(RunError):  # an archive without a plan goes by its folder's name
        values["title"] = read_plan(path).name
    return values


def _report(path: Path, stamp: _Stamp) -> dict[str, Any]:
    report = read_report(path)
    return {
        "name": path.name,
        "updated": _moment(stamp),
        "report": report_values(report),
        "recent": [_result(record) for record in reversed(report.recent)],
    }


def _lines(path: Path) -> int:
    """How many whole lines a file has."""
    count = 0
    if path.exists():
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                count += piece.count(b"\n")
    return count


def _result(record: GameRecord) -> dict[str, Any]:
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


class Answer(Resource):
    """A reply in JSON that a thread works out."""

    isLeaf = True  # noqa: N815 — Twisted's name

    def __init__(self, work: Callable[[], dict[str, Any]]) -> None:
        """``work`` makes the values; its KeyError is 404, its RunError 500."""
        super().__init__()
        self._work = work

    def render_GET(self, request: Request) -> int:
        """Work it out and write it, unless the browser has gone meanwhile."""
        gone: list[Failure] = []
        request.notifyFinish().addErrback(gone.append)
        answered: Deferred[tuple[int, dict[str, Any]]] = deferToThread(self._values)

        def write(answer: tuple[int, dict[str, Any]]) -> None:
            if not gone:
                write_json(request, *answer)

        answered.addCallback(write)
        answered.addErrback(self._broken, request, gone)
        return NOT_DONE_YET

    def _values(self) -> tuple[int, dict[str, Any]]:
        try:
            return 200, self._work()
        except KeyError as error:
            return NOT_FOUND, {"error": f"no {error.args[0]}"}
        except RunError as error:
            return INTERNAL_SERVER_ERROR, {"error": str(error)}

    def _broken(self, failure: Failure, request: Request, gone: list[Failure]) -> None:
        if not gone:
            request.processingFailed(failure)


class RunsResource(Resource):
    """``runs``, and below it each run."""

    def __init__(self, runs: Runs) -> None:
        """Serve ``runs``."""
        super().__init__()
        self._runs = runs
        self.putChild(b"", Answer(runs.describe))

    def render_GET(self, request: Request) -> int:
        """The list; also without a slash behind the name."""
        return Answer(self._runs.describe).render_GET(request)

    def getChild(self, path: bytes, request: Request) -> Resource:
        """``runs/NAME`` and ``runs/NAME/games/ID``."""
        name = path.decode(errors="replace")
        rest = [part.decode(errors="replace") for part in request.postpath or ()]
        request.postpath = []
        if not rest:
            return Answer(lambda: self._runs.report(name))
        if len(rest) == 2 and rest[0] == "games":  # noqa: PLR2004 — games, ID
            return Answer(lambda: self._runs.record(name, rest[1]))
        return Answer(lambda: _unknown("/".join([name, *rest])))


def _unknown(path: str) -> dict[str, Any]:
    raise KeyError(path)


def api(runs: Path | None) -> Resource:
    """What stands under ``/api`` without a store, which puts its own resources over these.

    Args:
        runs: the folder of the runs; None if none are shown.
    """
    root = Resource()
    listed = Answer(lambda: {"runs": None}) if runs is None else RunsResource(Runs(runs))
    root.putChild(b"runs", listed)
    root.putChild(b"ladder", Answer(lambda: {"ladders": None}))
    return root
