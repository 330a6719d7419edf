"""One connection of the analysis engine: bytes in, effects out; no I/O, no clock, no threads."""

from __future__ import annotations

import json
import re
from bisect import insort
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

import attrs

from yoddd.engine import Budget, Insight, Restriction, Searcher, StopFlag, Tabled, Tables, analyze
from yoddd.kernel.backend import backend
from yoddd.notation import NotationError
from yoddd.notation.errors import BadKey
from yoddd.notation.records import decode_unique
from yoddd.protocol.analysis.messages import (
    Action,
    Login,
    Query,
    QueryError,
    Subject,
    Termination,
    dump,
    empty_answer,
    error_answer,
    failure_answer,
    full_answer,
    read_fields,
    read_query,
    subjects_of,
    unknown_fields,
    warning_answer,
)
from yoddd.protocol.config import SessionConfig
from yoddd.protocol.effects import (
    Effect,
    ReportFault,
    Say,
    StartAnalysis,
    StartCall,
    StopTask,
)
from yoddd.protocol.errors import Code, LineTooLong, PeerError, ProtocolError
from yoddd.protocol.grammar import PROTOCOL
from yoddd.protocol.line_machine import LineMachine
from yoddd.protocol.origin import Identity
from yoddd.protocol.rate_limit import RateLimiter

_NEVER: Final = float("inf")


@attrs.define(eq=False)
class PositionSearch:
    """Searches one position up to the limits of its query.

    Attributes:
        searcher: searches; it keeps its tree between two runs.
        tables: the tables that answer first.
        budget: the memory and the threads of the search.
        clock: returns seconds.
        most: the seconds that any search may take; infinite for no limit.
        insight: the findings of the latest run.
        seconds: the time of the runs for this query.
    """

    searcher: Searcher
    tables: Tables
    budget: Budget
    clock: Callable[[], float]
    most: float = _NEVER
    insight: Insight = attrs.field(factory=Insight, init=False)
    seconds: float = attrs.field(default=0.0, init=False)

    def run(self, subject: Subject, stop: StopFlag, say: Say) -> str:
        """Search on, say what is found on the way, and return the last answer."""
        if not (subject.position.is_over or self._is_complete(subject)):
            begun, before = self.clock(), self.seconds
            is_wanted = subject.query.reportDuringSearchEvery is not None

            def report(insight: Insight) -> None:
                self.insight, self.seconds = insight, before + self.clock() - begun
                if is_wanted:
                    say(self.answer(subject, is_during=True))

            self._search(subject, begun, stop, report)
        return self.answer(subject, is_during=False)

    def _is_complete(self, subject: Subject) -> bool:
        """Whether it has the visits already, from an earlier run or query."""
        return subject.visits is not None and self.insight.visits >= subject.visits

    def _search(
        self, subject: Subject, begun: float, stop: StopFlag, report: Callable[[Insight], None]
    ) -> None:
        time = subject.query.maxTime
        left = max(0.0, min(self.most, _NEVER if time is None else time) - self.seconds)
        budget = attrs.evolve(
            self.budget,
            visits=subject.visits,
            seconds=None if left == _NEVER else left,
            restriction=subject.restriction,
            resume=True,
        )
        analyze(
            Tabled(self.searcher, self.tables),
            subject.position,
            budget,
            subject.query.seed,
            lambda: stop() or self.clock() - begun >= left,
            report,
        )

    def answer(self, subject: Subject, *, is_during: bool) -> str:
        """The answer by the findings so far, as a line."""
        return dump(full_answer(subject, self.insight, is_during=is_during, seconds=self.seconds))


_Key = tuple[str, int, Restriction | None]
"""The position of a kept search, its seed, and what it leaves out."""


class SearchShelf:
    """The searches of a connection that have ended, for further queries about their positions."""

    def __init__(self, config: SessionConfig) -> None:
        """Create it empty."""
        self._config = config
        # The latest last; they keep their trees.
        self._kept: dict[_Key, PositionSearch] = {}

    def take(self, subject: Subject) -> PositionSearch:
        """Remove the search of a position, if it has not too many visits already, or make one."""
        kept = self._kept.pop(_key(subject), None)
        if kept is not None and (subject.visits is None or kept.insight.visits <= subject.visits):
            kept.seconds = 0.0
            return kept
        limits, services = self._config.limits, self._config.services
        return PositionSearch(
            services.engines[self._config.defaults.engine](),
            services.tables,
            Budget(memory=limits.memory << 20, threads=limits.threads),
            services.timekeeper.clock,
            _NEVER if limits.analysis is None else limits.analysis,
        )

    def put(self, subject: Subject, search: PositionSearch) -> None:
        """Keep a search that has ended; the oldest one makes room."""
        if not subject.position.is_over:
            self._kept[_key(subject)] = search
            while len(self._kept) > self._config.limits.kept:
                del self._kept[next(iter(self._kept))]

    def clear(self) -> None:
        """Drop all searches."""
        self._kept.clear()


def _key(subject: Subject) -> _Key:
    return subject.line, subject.query.seed, subject.restriction


_BATCH: Final = 16
"""Lines that one call serves, each of which may be the record of a long game."""

_WARNINGS: Final = 8
"""Unknown fields of one query that are named; each warning repeats its id."""

_HTTP: Final = b"HTTP/"
_ID: Final = re.compile(r'"id"\s*:\s*("(?:[^"\\]|\\.)*")')
_GATED: Final = {"login": "login", "query_version": "version"}
"""The actions that need no log-in, with the commands of a session that are the same."""


class AnalysisStream(LineMachine):
    """The state machine of one connection; a line that was not refused nor empty is useful."""

    def __init__(
        self,
        config: SessionConfig,
        rate_limiter: RateLimiter | None = None,
        identity: Identity | None = None,
        *,
        is_held: Callable[[], bool] = lambda: False,
        is_short: Callable[[], bool] = lambda: False,
        waits: bool = True,
    ) -> None:
        """Start; see `LineMachine`.

        Args:
            config: the limits and services, those of a session.
            rate_limiter: as there.
            identity: as there.
            is_held: returns whether no search may begin, because the peer leaves answers unread.
            is_short: returns whether no position may wait, because memory is short.
            waits: whether the end of the input waits for the answers to all queries.
        """
        super().__init__(config, rate_limiter, identity)
        # Set once.
        self._is_held = is_held
        self._is_short = is_short
        self._waits = waits
        # The positions that wait for a search, by priority, then as they came; empty once closed.
        self._waiting: list[Subject] = []
        # The positions that are searched, by the token of their effect; empty once closed.
        self._running: dict[int, tuple[Subject, PositionSearch]] = {}
        # The searches that have ended.
        self._kept = SearchShelf(config)
        # The log-in whose result is awaited, with its token; no line is served meanwhile.
        self._login: tuple[int, Login] | None = None

    # -- what the adapter asks ----------------------------------------------------------------

    @property
    def wants_input(self) -> bool:
        """Whether to read on; if not, the adapter pauses reading."""
        closes = self.is_closed or self._at_end
        return not (closes or self._lines.ready or self._is_full)

    @property
    def wants_resume(self) -> bool:
        """Whether `resume` would serve lines or begin searches."""
        return self._serves or self._begins

    # -- events -------------------------------------------------------------------------------

    def finish(self, *, warns: bool = False) -> list[Effect]:
        """Take the end of the peer's input: answer every query, then close.

        A line without its LF is served all the same.

        Args:
            warns: whether to say how much is still to be answered. If the peer is gone, which looks
                the same, its system refuses these bytes and so tells us.
        """
        if self._lines.in_line:
            self._lines.push(b"\n")
        self._at_end = True
        if warns and (self._waiting or self._running):
            count = len(self._waiting) + len(self._running)
            self._say({"warning": f"end of input: positions still to be answered: {count}"})
        if not self._waits:
            self._end("end of input")
        return self._advance()

    def lost(self) -> list[Effect]:
        """Take the loss of the connection: stop every search, send nothing any more."""
        self._shut()
        return self._out.take()

    def stream_line(self, token: int, text: str) -> list[Effect]:
        """Take an answer of a search that goes on."""
        if token in self._running and not self._is_held():
            self._say_line(text)
        return self._out.take()

    def task_done(self, token: int, result: object) -> list[Effect]:
        """Take the last answer of a search, or the result of a log-in."""
        running = self._running.pop(token, None)
        if running is not None:
            self._say_line(str(result))
            self._kept.put(*running)
        elif self._login is not None and self._login[0] == token:
            (_, login), self._login = self._login, None
            if isinstance(result, ProtocolError):
                self._refuse(QueryError(result.text), login.id, fatal=result.fatal)
            else:
                self._identity.log_in(str(result))
                self._say({"id": login.id, "action": login.action, "name": self.user})
        return self._advance()

    def task_failed(self, token: int, message: str) -> list[Effect]:
        """Take the failure of a search; what is left over waits for `resume`."""
        running = self._running.pop(token, None)
        if running is not None:
            self._say(failure_answer(running[0], message))
        return self._out.take()

    # -- lines --------------------------------------------------------------------------------

    @property
    def _is_full(self) -> bool:
        """Whether as many positions wait as may, so that no further line is served."""
        limits, waiting = self._limits, self._waiting
        size = sum(one.size for one in waiting[: limits.positions])
        return len(waiting) >= limits.positions or size >= limits.queries

    @property
    def _serves(self) -> bool:
        # A closed stream has no line.
        return self._lines.ready and not self._is_full and self._login is None

    @property
    def _begins(self) -> bool:
        has_room = len(self._running) < self._limits.searches
        return bool(self._waiting) and has_room and not self._is_held()

    def _advance(self) -> list[Effect]:
        """Serve a batch of lines, begin searches, and close after the last answer."""
        budget = _BATCH
        while self._serves and self._may_serve(budget):
            budget -= 1
            self._serve_next()
        while self._begins:
            self._begin(self._waiting.pop(0))
        left = self._lines.ready or self._waiting or self._running or self._login
        if self._at_end and not left:
            self._end("end of input")
        return self._out.take()

    def _serve_next(self) -> None:
        line = b""
        self.served += 1
        self._rate_limiter.count_request()
        try:
            line = self._lines.pop() or b""
            if line.strip():
                self._serve(_decode(line), len(line))
                self.useful += 1
        except QueryError as error:
            self._refuse(error, _id_of(line))
        except LineTooLong as error:
            self._refuse(QueryError(error.detail), None)
        except ProtocolError as error:
            self._refuse(QueryError(error.text), _id_of(line), fatal=error.fatal)
        except Exception as error:  # noqa: BLE001 — a fault of ours ends no stream
            self._out.add(ReportFault(error))
            self._refuse(QueryError("internal error", is_ours=True), _id_of(line))

    def _serve(self, values: Mapping[str, Any], size: int) -> None:
        action = values.get("action")
        self._gate.check(_GATED.get(str(action), "analyze"))
        if action is None:
            self._analyze(values, size)
        else:
            serve = _ACTIONS.get(action) if isinstance(action, str) else None
            if serve is None:
                read_fields({**values, "action": ""}, Action)  # the id is checked first
                known = ", ".join(_ACTIONS)
                raise QueryError(f"{action!r:.40}: expected one of {known}", "action")
            serve(self, values)

    def _refuse(self, error: QueryError, query_id: str | None, *, fatal: bool = False) -> None:
        self._say(error_answer(error, query_id))
        if error.is_ours:
            return
        if self._count_error():
            self._end("too many errors")
        elif fatal:
            self._end(error.reason)

    # -- queries ------------------------------------------------------------------------------

    def _analyze(self, values: Mapping[str, Any], size: int) -> None:
        if self._is_short():
            raise QueryError("busy: the server is short of memory", is_ours=True)
        query = read_query(values)
        subjects = subjects_of(query, size)
        for name in unknown_fields(values, Query)[:_WARNINGS]:
            self._say(warning_answer(name, query))
        for subject in subjects:
            insort(self._waiting, subject, key=lambda one: -one.priority)

    def _query_version(self, values: Mapping[str, Any]) -> None:
        limits = self._limits
        names = ("line", "searches", "positions", "queries")
        read_fields(values, Action)
        about = {
            "version": self._config.version,
            "protocol": PROTOCOL,
            "kernel": backend().name,
            "engine": self._config.defaults.engine,
            "limits": {name: getattr(limits, name) for name in names},
        }
        self._say({**values, **about})

    def _clear_cache(self, values: Mapping[str, Any]) -> None:
        read_fields(values, Action)
        self._kept.clear()
        self._say(values)

    def _terminate(self, values: Mapping[str, Any]) -> None:
        termination = read_fields(values, Termination)
        if termination.action == "terminate" and termination.terminateId is None:
            raise QueryError("missing", "terminateId")
        if termination.action == "terminate_all":
            termination = attrs.evolve(termination, terminateId=None)
        self._say(values)
        for subject in filter(termination.covers, self._waiting):
            self._say(empty_answer(subject))
        self._waiting = [one for one in self._waiting if not termination.covers(one)]
        for token, (subject, _) in self._running.items():
            if termination.covers(subject):
                self._out.add(StopTask(token))

    def _log_in(self, values: Mapping[str, Any]) -> None:
        login, accounts = read_fields(values, Login), self._config.services.accounts
        if accounts is None:
            raise QueryError("this server has no accounts", "action")
        self._login = (self._next_token(), login)
        self._out.add(
            StartCall(
                self._token,
                lambda connection, answer: accounts.log_in(
                    connection, login.name, login.token, answer
                ),
            )
        )

    # -- searches -----------------------------------------------------------------------------

    def _begin(self, subject: Subject) -> None:
        search, token = self._kept.take(subject), self._next_token()
        self._running[token] = subject, search

        def work(stop: StopFlag, say: Say) -> str:
            return search.run(subject, stop, say)

        every = subject.query.reportDuringSearchEvery
        self._out.add(StartAnalysis(token, work, every, None, resumes=True))

    # -- output and the end -------------------------------------------------------------------

    def _say(self, answer: Mapping[str, Any]) -> None:
        self._say_line(dump(answer))

    def _say_line(self, answer: str) -> None:
        self._write(f"{answer}\n".encode())

    def _shut(self) -> None:
        super()._shut()
        for token in self._running:
            self._out.add(StopTask(token))
        self._running.clear()
        self._waiting.clear()
        self._kept.clear()
        self._login = None


_ACTIONS: Final[Mapping[str, Callable[[AnalysisStream, Mapping[str, Any]], None]]] = {
    "query_version": AnalysisStream._query_version,  # noqa: SLF001 — its own table
    "clear_cache": AnalysisStream._clear_cache,  # noqa: SLF001
    "terminate": AnalysisStream._terminate,  # noqa: SLF001
    "terminate_all": AnalysisStream._terminate,  # noqa: SLF001
    "login": AnalysisStream._log_in,  # noqa: SLF001
}


def _id_of(line: bytes) -> str | None:
    """The id of a line that is refused, also of one that is no object of unique keys."""
    text = line.decode(errors="replace")
    with suppress(ValueError, RecursionError):
        found = json.loads(text)
        return str(found["id"]) if isinstance(found, dict) and _is_text(found.get("id")) else None
    spelled = _ID.search(text)  # no JSON, or deeper or longer than Python reads
    with suppress(ValueError):
        return str(json.loads(spelled[1])) if spelled else None
    return None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _decode(line: bytes) -> dict[str, Any]:
    """Return the object of a line.

    Raises:
        QueryError: it is none.
        PeerError: it is a request of HTTP, as of a browser, which gets no line of its own served.
    """
    try:
        return decode_unique(line.decode())
    except BadKey as error:
        raise QueryError(error.reason, error.key) from None
    except UnicodeDecodeError as error:
        raise QueryError(f"byte {error.start + 1} is not UTF-8") from None
    except NotationError as error:
        if line.split()[-1].startswith(_HTTP):
            raise PeerError(Code.SYNTAX, "this port does not speak HTTP", fatal=True) from None
        raise QueryError(f"column {error.column}: {error.reason}") from None
