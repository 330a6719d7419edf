"""Health checks, and the metrics for Prometheus."""

from __future__ import annotations

import sys
from typing import Any, cast

import attrs
import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactorClock

from tests.daemon.doubles import make_services
from tests.daemon.fake_time import world_of
from tests.daemon.pages.browser import Browser
from yoddd.daemon.base.admission.admission import Refused
from yoddd.daemon.base.process.watchdog import Watchdog
from yoddd.daemon.base.settings import Limits, Settings
from yoddd.daemon.base.settings import Metrics as MetricsSettings
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.connections.services import Services
from yoddd.daemon.pages.monitoring import DaemonCollector, Health, Metrics, StandbyRoot
from yoddd.daemon.play.game_runner import GameRunner
from yoddd.daemon.play.game_services import GameServices
from yoddd.extras import absence_text
from yoddd.protocol.config import SessionConfig, SessionServices
from yoddd.protocol.session import Session
from yoddd.referee.hosted.events import Holder
from yoddd.referee.hosted.game import HostedGame
from yoddd.referee.hosted.state import Phase
from yoddd.rules import make_rules


@attrs.define
class FakeConnection:
    kind: str
    number: int = 0
    requests: tuple[int, int] = (0, 0)


@attrs.define
class Daemon:
    """The sources of the metrics."""

    services: Services = attrs.Factory(
        lambda: make_services(MemoryReactorClock(), Limits(connections=1))
    )
    games: GameServices = attrs.Factory(lambda: GameServices(world_of()))
    clock: Clock = attrs.Factory(Clock)
    watchdog: Watchdog = attrs.field(init=False)
    dropped: int = 0
    expirations: dict[str, float] = attrs.Factory(dict)

    def __attrs_post_init__(self) -> None:
        self.watchdog = Watchdog(self.clock, 0.05, self.clock.seconds)

    def metrics(self) -> Metrics:
        counts = DaemonCollector(
            *(self.services, self.games, self.watchdog),
            *(lambda: self.dropped, lambda: self.expirations, lambda: 2),
        )
        return Metrics(counts)

    def values(self) -> dict[str, float]:
        """The daemon's own metrics by name and label."""
        text = Browser(self.metrics()).get("/").body.decode()
        lines = [line for line in text.splitlines() if line.startswith("yoddd_")]
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


@pytest.fixture
def measured() -> Daemon:
    return Daemon()


@pytest.mark.parametrize(
    ("path", "status", "body"),
    [
        ("/healthz", 200, b"ok\n"),
        ("/readyz", 503, b"standby\n"),
        ("/", 503, b"standby\n"),
        ("/js/main.js", 503, b"standby\n"),
    ],
)
def test_standby_site_answers_only_whether_it_lives(path: str, status: int, body: bytes) -> None:
    reply = Browser(StandbyRoot("standby")).get(path)
    assert (reply.status, reply.body) == (status, body)
    assert reply.headers["connection"] == "close"
    posted = Browser(StandbyRoot("standby")).get(path, method="POST")
    assert posted.status == (405 if status == 200 else status)


def test_health_with_a_store_follows_its_answer() -> None:
    answers: list[Deferred[bool]] = []

    def probe() -> Deferred[bool]:
        answers.append(Deferred())
        return answers[-1]

    assert Browser(Health(probe)).get("/").body == b"not ready\n"
    reply = Browser(Health(is_ready=True)).get("/")
    assert (reply.body, reply.headers["cache-control"]) == (b"ok\n", "no-store")
    browser = Browser(Health(probe, is_ready=True))
    for answer, status, body in ((True, 200, b"ok\n"), (False, 503, b"store away\n")):
        browser.send("/")
        assert browser.transport.value() == b""
        answers.pop().callback(answer)
        assert (browser.reply().status, browser.reply().body) == (status, body)


def test_metrics_exist_from_the_start_with_value_0(measured: Daemon) -> None:
    kinds, states = ("tcp", "tls", "unix", "websocket"), ("open", "playing", "over")
    reasons = ("handshake", "slow line", "no login", "silence", "unread", "close", "room")
    values = measured.values()
    info = [name for name in values if name.startswith("yoddd_build_info{")]
    assert [values.pop(name) for name in info] == [1]
    replies = [name for name in values if name.startswith("yoddd_reply_seconds_")]
    assert {values.pop(name) for name in replies} == {0}
    assert 'yoddd_reply_seconds_bucket{group="engine",le="+Inf"}' in replies
    assert values == dict.fromkeys(
        [
            *(f'yoddd_connections{{kind="{kind}"}}' for kind in kinds),
            "yoddd_accepted_total",
            *(
                f'yoddd_refused_total{{reason="{reason}"}}'
                for reason in ("memory", "full", "address", "rate")
            ),
            *(f'yoddd_cut_off_total{{reason="{reason}"}}' for reason in reasons),
            "yoddd_requests_total",
            "yoddd_request_errors_total",
            "yoddd_engines_attached",
            *(f'yoddd_games{{state="{state}"}}' for state in states),
            "yoddd_watchers",
            "yoddd_searches_running",
            "yoddd_searches_waiting",
            "yoddd_reactor_late_total",
            "yoddd_reactor_late_seconds_total",
            "yoddd_reactor_worst_seconds",
            "yoddd_log_dropped_total",
        ],
        0,
    ) | {"yoddd_store_failed_reads_total": 2}


def test_metrics_reply_times_are_counted_by_group(measured: Daemon) -> None:
    times = SessionServices(time_reply=measured.services.reply_times.begin)
    session = Session(SessionConfig(services=times))
    session.receive(b"dance\ngenmove b\n")
    cast("MemoryReactorClock", measured.services.reactor).advance(0.25)
    session.task_failed(1, "busy")
    values = measured.values()
    series = 'yoddd_reply_seconds_{}{{group="engine"{}}}'
    counts = [values[series.format("bucket", f',le="{end}"')] for end in ("0.2", "1.0", "+Inf")]
    assert counts == [0, 1, 1]
    assert values[series.format("sum", "")] == 0.25
    assert sum(values[name] for name in values if "reply_seconds_count" in name) == 1


def test_metrics_are_counted(measured: Daemon) -> None:
    for kind in ("tcp", "tcp", "websocket"):
        measured.services.connections.add(cast("Any", FakeConnection(kind)))
    measured.services.connections.count_session(5, 2)
    measured.services.admission.admit("first", None)
    with pytest.raises(Refused):
        measured.services.admission.admit("second", None)
    measured.watchdog.startService()
    for seconds in (0.25, 0.5):
        measured.clock.advance(seconds)
    measured.watchdog.stopService()
    measured.dropped = 3
    measured.expirations = {"cert.pem": 1.5e9}
    rules = make_rules("yodd", "hex2")
    for game_id in ("t1", "t2", "t3"):
        phase = Phase.PLAYING if game_id == "t2" else Phase.OFFERED
        game = HostedGame(game_id, rules, "none", (Holder("ann"), None), phase=phase)
        measured.games.add(GameRunner(world_of(), game, (None, None)))
    for _ in range(2):
        measured.games.find("t2").watch(lambda _: None, lambda _: None)
    measured.services.engines.add(EngineLink("box"))
    values = measured.values()
    expected = {
        'games{state="open"}': 2,
        'games{state="playing"}': 1,
        "watchers": 2,
        "engines_attached": 1,
        'connections{kind="tcp"}': 2,
        'connections{kind="websocket"}': 1,
        "requests_total": 5,
        "request_errors_total": 2,
        "accepted_total": 1,
        'refused_total{reason="full"}': 1,
        "reactor_late_total": 2,
        "reactor_late_seconds_total": 0.75,
        "reactor_worst_seconds": 0.5,
        "log_dropped_total": 3,
        'certificate_expires_timestamp_seconds{file="cert.pem"}': 1.5e9,
    }
    assert {name: values[f"yoddd_{name}"] for name in expected} == expected


def test_metrics_address_outside_the_allowed_networks_is_refused(measured: Daemon) -> None:
    metrics = measured.metrics()
    assert Browser(metrics, "192.0.2.1").get("/").status == 403
    allowed = MetricsSettings(allow=("192.0.2.0/24",))
    measured.services.settings.value = Settings(metrics=allowed)
    assert Browser(metrics, "192.0.2.1").get("/").status == 200
    assert Browser(metrics).get("/").status == 403


def test_metrics_without_the_library_are_not_found(
    measured: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    reply = Browser(measured.metrics()).get("/")
    assert (reply.status, reply.body.decode()) == (404, f"{absence_text('metrics', 'metrics')}\n")
