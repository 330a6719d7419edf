"""What watches the daemon from outside: ``/healthz``, ``/readyz`` and ``/metrics``.

The daemon counts by itself, whether anybody asks or not; only the page for Prometheus needs the
library ``prometheus-client``, and without it says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from twisted.web.http import FORBIDDEN, NOT_IMPLEMENTED, SERVICE_UNAVAILABLE
from twisted.web.resource import Resource
from twisted.web.server import Request

from yoddd.daemon.base.admission import host_of, is_within
from yoddd.daemon.base.watchdog import Watchdog
from yoddd.daemon.connections.services import Services
from yoddd.daemon.play.live_games import LiveGames

if TYPE_CHECKING:
    from prometheus_client.core import Metric

_TEXT = b"text/plain; charset=utf-8"


class Health(Resource):
    """Says whether work can be sent here.

    Attributes:
        is_ready: whether it can.
    """

    isLeaf = True  # noqa: N815 — Twisted's name

    def __init__(self, *, is_ready: bool = False) -> None:
        """Not ready until told so."""
        super().__init__()
        self.is_ready = is_ready

    def render_GET(self, request: Request) -> bytes:
        """200 or 503."""
        request.setHeader(b"content-type", _TEXT)
        request.setHeader(b"cache-control", b"no-store")
        if self.is_ready:
            return b"ok\n"
        request.setResponseCode(SERVICE_UNAVAILABLE)
        return b"not ready\n"


class Metrics(Resource):
    """The figures for Prometheus, for those who may read them."""

    isLeaf = True  # noqa: N815 — Twisted's name

    def __init__(
        self,
        services: Services,
        live: LiveGames,
        watchdog: Watchdog,
        allowed: Callable[[], tuple[str, ...]],
    ) -> None:
        """``allowed`` gives the networks that may read."""
        super().__init__()
        self._allowed = allowed
        self._render = _renderer(services, live, watchdog)

    def render_GET(self, request: Request) -> bytes:
        """All of them as text."""
        request.setHeader(b"content-type", _TEXT)
        if not is_within(host_of(request.getClientAddress()), self._allowed()):
            request.setResponseCode(FORBIDDEN)
            return b"not for you\n"
        if self._render is None:
            request.setResponseCode(NOT_IMPLEMENTED)
            return b"install yoddd[metrics] for this\n"
        return self._render()


def _renderer(
    services: Services, live: LiveGames, watchdog: Watchdog
) -> Callable[[], bytes] | None:
    try:
        import prometheus_client as prometheus  # noqa: PLC0415 — an extra
    except ImportError:
        return None
    registry = prometheus.CollectorRegistry()
    registry.register(Figures(services, live, watchdog))
    prometheus.ProcessCollector(registry=registry)
    prometheus.PlatformCollector(registry=registry)
    return lambda: prometheus.generate_latest(registry)


class Figures:
    """Reads the daemon's counts when Prometheus asks."""

    def __init__(self, services: Services, live: LiveGames, watchdog: Watchdog) -> None:
        """Of this daemon."""
        self._services = services
        self._live = live
        self._watchdog = watchdog

    def collect(self) -> Iterator[Metric]:
        """Every figure."""
        services, live, watchdog = self._services, self._live, self._watchdog
        pool = services.pool
        requests, errors = services.connections.requests
        kinds = Counter(peer.kind for peer in services.connections.by_number.values())
        games = Counter(game.state for game in live)
        yield _gauge("connections", "Peers that are connected.", "kind", kinds)
        yield _counter("accepted", "Connections that came in.", services.admission.accepted)
        yield _counter("refused", "Connections refused.", services.admission.refused, "reason")
        yield _counter("cut_off", "Connections cut off.", services.connections.cut_off, "reason")
        yield _counter("requests", "Requests answered.", requests)
        yield _counter("request_errors", "Unknown commands and syntax errors.", errors)
        yield _gauge(
            "engines_attached", "Engines that have dialled in.", "", len(services.engines.names)
        )
        yield _gauge("games", "Games offered, played, or lately over.", "state", games)
        yield _gauge("watchers", "Peers that watch.", "", sum(game.spectators for game in live))
        yield _gauge("searches_running", "Searches that run.", "", pool.running)
        yield _gauge(
            "searches_waiting", "Searches that wait for a thread.", "", services.pool.waiting
        )
        yield _counter("reactor_late", "Times the reactor was held up.", watchdog.late)
        yield _counter("reactor_late_seconds", "Seconds it was held up.", watchdog.total)
        yield _gauge(
            "reactor_worst_seconds", "The longest time it was held up.", "", watchdog.worst
        )


def _fill(metric: Any, values: Mapping[str, float] | float) -> Metric:  # noqa: ANN401 — a family of any kind
    if isinstance(values, Mapping):
        for name, value in values.items():
            metric.add_metric([name], value)
    else:
        metric.add_metric([], values)
    found: Metric = metric
    return found


def _gauge(name: str, text: str, label: str, values: Mapping[str, float] | float) -> Metric:
    from prometheus_client.core import GaugeMetricFamily  # noqa: PLC0415 — an extra

    labels = [label] if label else None
    return _fill(GaugeMetricFamily(f"yoddd_{name}", text, labels=labels), values)


def _counter(name: str, text: str, values: Mapping[str, float] | float, label: str = "") -> Metric:
    from prometheus_client.core import CounterMetricFamily  # noqa: PLC0415 — an extra

    labels = [label] if label else None
    return _fill(CounterMetricFamily(f"yoddd_{name}", text, labels=labels), values)
