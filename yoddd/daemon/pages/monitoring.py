"""Resources for monitoring: ``/healthz``, ``/readyz`` and ``/metrics``.

The daemon counts with or without them. Only ``/metrics`` needs the library ``prometheus-client``;
without it the reply is 404.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

import attrs
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure
from twisted.web.http import FORBIDDEN, NOT_ALLOWED, NOT_FOUND, SERVICE_UNAVAILABLE
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

import yoddd
from yoddd.daemon.base.admission.admission import REFUSALS, host_of, is_within
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.process.watchdog import Watchdog
from yoddd.daemon.connections.connection_table import BOUNDS, CUT_OFFS, KINDS
from yoddd.daemon.connections.services import Services
from yoddd.daemon.play.game_services import GameServices
from yoddd.extras import absence_text
from yoddd.kernel import backend
from yoddd.protocol.command_table import command_table
from yoddd.referee.hosted.state import WORDS

if TYPE_CHECKING:
    from prometheus_client.core import Metric
    from sqlalchemy import Connection

    from yoddd.daemon.base.store.journal import Journal

PATIENCE: Final = 2.0
"""Seconds after which a store that has not answered counts as away."""


class StoreProbe:
    """Reads a row of the store; all probes during a read share it."""

    def __init__(self, reactor: Reactor, journal: Journal) -> None:
        """Create it for the store of ``journal``."""
        self._reactor = reactor
        self._journal = journal
        # Those who wait for the read in progress.
        self._waiting: list[Deferred[bool]] = []
        # Whether a read is in progress; a store that hangs must not use up the threads.
        self._is_reading = False

    def probe(self) -> Deferred[bool]:
        """Fire with whether the store answers within `PATIENCE`."""
        answer: Deferred[bool] = Deferred()
        self._waiting.append(answer)
        if not self._is_reading:
            self._is_reading = True
            self._journal.read(_touch).addBoth(self._answered)
        return answer.addTimeout(PATIENCE, self._reactor, lambda *_: False)

    def _answered(self, result: object) -> None:
        self._is_reading = False
        waiting, self._waiting = self._waiting, []
        for answer in waiting:
            answer.callback(not isinstance(result, Failure))


def _touch(connection: Connection) -> object:
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA shrink_memory")  # a cached page says nothing of the file
    return connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()


_TEXT = b"text/plain; charset=utf-8"


class _Text(Resource):
    """A resource that is read, and that answers any other method with 405."""

    def render(self, request: Request) -> Any:
        """Reply by ``render_GET``; 405 for other methods, for which Twisted says 501 of some."""
        if request.method in (b"GET", b"HEAD"):
            return super().render(request)
        request.setHeader(b"content-type", _TEXT)
        request.setHeader(b"allow", b"GET, HEAD")
        request.setResponseCode(NOT_ALLOWED)
        return b"expected GET or HEAD\n"


class Health(_Text):
    """Tells a load balancer whether the daemon accepts work.

    Attributes:
        is_ready: whether it does; changes when the daemon has started and when it stops.
    """

    isLeaf = True

    def __init__(
        self,
        probe: Callable[[], Deferred[bool]] | None = None,
        *,
        is_ready: bool = False,
        otherwise: str = "not ready",
    ) -> None:
        """Create it.

        Args:
            probe: fires with whether the store answers; None without a store.
            is_ready: the first state.
            otherwise: the text of the reply while it is not ready.
        """
        super().__init__()
        self._probe = probe
        self._otherwise = otherwise
        self.is_ready = is_ready

    def render(self, request: Request) -> Any:
        """Reply as `render_GET`; any method is answered with 503 while it is not ready.

        At a daemon that waits, 405 would say that there is no such resource.
        """
        return super().render(request) if self.is_ready else self.render_GET(request)

    def render_GET(self, request: Request) -> int:
        """Reply 200 if ready and the store answers, else 503."""
        if not self.is_ready:
            _write_health(request, self._otherwise)
        elif self._probe is None:
            _write_health(request, None)
        else:
            lost: list[object] = []
            request.notifyFinish().addErrback(lost.append)
            self._probe().addCallback(
                lambda answers: (
                    None if lost else _write_health(request, None if answers else "store away")
                )
            )
        return NOT_DONE_YET


class StandbyRoot(Resource):
    """The whole site of a daemon that waits for the store: 503, but 200 for ``/healthz``."""

    def __init__(self, state: str) -> None:
        """Create it; ``state`` is the text of the replies."""
        super().__init__()
        self._state = state

    def getChild(self, path: bytes, request: Request) -> Resource:
        """Return what answers for ``path`` and all below it."""
        # A connection that stayed open would read the same once the store is served, too.
        request.channel.persistent = False
        request.setHeader(b"connection", b"close")
        below, request.postpath = request.postpath, []
        return Health(is_ready=path == b"healthz" and not below, otherwise=self._state)


def _write_health(request: Request, problem: str | None) -> None:
    request.setHeader(b"content-type", _TEXT)
    request.setHeader(b"cache-control", b"no-store")
    if problem is not None:
        request.setResponseCode(SERVICE_UNAVAILABLE)
    body = f"{problem or 'ok'}\n".encode()
    request.setHeader(b"content-length", str(len(body)).encode())
    request.write(b"" if request.method == b"HEAD" else body)
    request.finish()


class Metrics(_Text):
    """The metrics of the daemon in the text format of Prometheus, for allowed networks only."""

    isLeaf = True

    def __init__(self, collector: DaemonCollector) -> None:
        """Create it for the counts of a daemon."""
        super().__init__()
        self._settings = collector.services.settings
        self._collector = collector

    @cached_property
    def _render(self) -> Callable[[], bytes] | None:
        try:
            import prometheus_client as prometheus
        except ImportError:
            return None
        registry = prometheus.CollectorRegistry()
        registry.register(self._collector)
        prometheus.ProcessCollector(registry=registry)
        prometheus.PlatformCollector(registry=registry)
        return lambda: prometheus.generate_latest(registry)

    def render_GET(self, request: Request) -> bytes:
        """Reply with all metrics; 403 outside the allowed networks, 404 without the library."""
        request.setHeader(b"content-type", _TEXT)
        if not is_within(host_of(request.getClientAddress()), self._settings.value.metrics.allow):
            request.setResponseCode(FORBIDDEN)
            return b"not permitted\n"
        if self._render is None:
            request.setResponseCode(NOT_FOUND)
            return f"{absence_text('metrics', 'metrics')}\n".encode()
        return self._render()


@attrs.frozen(eq=False)
class DaemonCollector:
    """A collector of ``prometheus-client`` that reads the daemon's counts at each scrape.

    Attributes:
        services: for the connections of clients, and the networks that may read the metrics.
        games: those that can be watched.
        watchdog: measures how late the reactor is.
        dropped: gives the number of lines of the log that were not written.
        expirations: gives for each file of a certificate when it expires, in seconds since 1970.
        failed_reads: gives the number of reads that failed of a sound store.
    """

    services: Services
    games: GameServices
    watchdog: Watchdog
    dropped: Callable[[], int]
    expirations: Callable[[], Mapping[str, float]]
    failed_reads: Callable[[], int]

    def collect(self) -> Iterator[Metric]:
        """Yield every metric of the daemon."""
        services, watchdog = self.services, self.watchdog
        pool = services.pool
        requests, errors = services.connections.requests
        # Every label has a series from the start: a rate needs its first value, 0.
        kinds = Counter(dict.fromkeys(KINDS, 0))
        kinds.update(peer.kind for peer in services.connections.by_number.values())
        phases = Counter(dict.fromkeys(WORDS, 0))
        phases.update(one.game.phase.word for one in self.games)
        spectators = sum(one.spectators for one in self.games)
        refused = dict.fromkeys(REFUSALS, 0) | services.admission.refused
        cut_off = dict.fromkeys(CUT_OFFS, 0) | services.connections.cut_off
        yield _build_info()
        yield _gauge("connections", "Open connections.", "kind", kinds)
        yield _counter("accepted", "Connections accepted.", services.admission.accepted)
        yield _counter("refused", "Connections refused.", refused, "reason")
        yield _counter("cut_off", "Connections cut off.", cut_off, "reason")
        yield _counter("requests", "Requests answered.", requests)
        yield _reply_times(services)
        yield _counter("request_errors", "Unknown commands and syntax errors.", errors)
        yield _gauge("engines_attached", "Attached engines.", "", len(services.engines.names))
        yield _gauge("games", "Games offered, in play, or lately over.", "state", phases)
        yield _gauge("watchers", "Spectators of games.", "", spectators)
        yield _gauge("searches_running", "Running searches.", "", pool.running)
        yield _gauge("searches_waiting", "Searches waiting for a thread.", "", pool.waiting)
        yield _counter("reactor_late", "Times the reactor was late.", watchdog.late)
        yield _counter("reactor_late_seconds", "Seconds the reactor was late.", watchdog.total)
        yield _gauge(
            "reactor_worst_seconds", "Seconds the reactor was late at worst.", "", watchdog.worst
        )
        yield _counter("log_dropped", "Lines of the log dropped.", self.dropped())
        yield _gauge(
            "certificate_expires_timestamp_seconds",
            "When a certificate expires.",
            "file",
            self.expirations(),
        )
        yield _counter(
            "store_failed_reads", "Reads that failed of a sound store.", self.failed_reads()
        )


def _build_info() -> Metric:
    from prometheus_client.core import GaugeMetricFamily

    labels = {"version": yoddd.__version__, "kernel": backend().name}
    metric = GaugeMetricFamily("yoddd_build_info", "What is running; 1.", labels=[*labels])
    metric.add_metric([*labels.values()], 1)
    filled: Metric = metric
    return filled


def _reply_times(services: Services) -> Metric:
    from prometheus_client.core import HistogramMetricFamily

    times, commands = services.reply_times, command_table(services.session.services)
    metric = HistogramMetricFamily("yoddd_reply_seconds", "Time of a reply.", labels=["group"])
    for group in dict.fromkeys(command.group for command in commands.values()):
        buckets = zip((*map(str, BOUNDS), "+Inf"), accumulate(times.counts[group]), strict=True)
        metric.add_metric([group], [*buckets], times.seconds[group])
    filled: Metric = metric
    return filled


def _fill(metric: Any, values: Mapping[str, float] | float) -> Metric:
    if isinstance(values, Mapping):
        for name, value in values.items():
            metric.add_metric([name], value)
    else:
        metric.add_metric([], values)
    filled: Metric = metric
    return filled


def _gauge(name: str, text: str, label: str, values: Mapping[str, float] | float) -> Metric:
    from prometheus_client.core import GaugeMetricFamily

    labels = [label] if label else None
    return _fill(GaugeMetricFamily(f"yoddd_{name}", text, labels=labels), values)


def _counter(name: str, text: str, values: Mapping[str, float] | float, label: str = "") -> Metric:
    from prometheus_client.core import CounterMetricFamily

    labels = [label] if label else None
    return _fill(CounterMetricFamily(f"yoddd_{name}", text, labels=labels), values)
