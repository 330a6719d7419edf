"""Reloading the configuration and the certificates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import attrs
import pytest
from twisted.logger import ILogObserver, LogEvent, eventAsText, globalLogPublisher
from zope.interface import provider

from yoddd.daemon import reload
from yoddd.daemon.base.limits import CurrentLimits
from yoddd.daemon.base.logs import LogControl
from yoddd.daemon.base.settings import Settings
from yoddd.daemon.configuration import Sources, load
from yoddd.daemon.net.tls import Certificate, CertificateError
from yoddd.daemon.net.websocket.upgrade import Origins
from yoddd.daemon.reload import Reloader

pytestmark = pytest.mark.gate


@attrs.define(eq=False)
class FakeCertificate:
    """Counts its reloads; fails if it is broken."""

    is_broken: bool = False
    reloads: int = 0

    def reload(self) -> None:
        if self.is_broken:
            raise CertificateError("cert.pem: no certificate")
        self.reloads += 1


@attrs.define(eq=False)
class FakeLogs:
    """Keeps the level."""

    level: str = "info"

    def set_level(self, level: str) -> None:
        self.level = level


class Reloading:
    """A reloader with a configuration file."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "yoddd.toml"
        self.write("")
        sources = Sources(self.file)
        settings = load(sources).settings
        self.limits, self.origins, self.logs = CurrentLimits(settings.limits), Origins(), FakeLogs()
        logs = cast("LogControl", self.logs)
        self.reloader = Reloader(settings, sources, self.limits, self.origins, logs)

    def write(self, text: str) -> None:
        self.file.write_text(text)

    def reload(self, *certificates: FakeCertificate) -> Settings:
        self.reloader.reload(cast("tuple[Certificate, ...]", certificates))
        return self.reloader.settings


@pytest.fixture
def reloading(tmp_path: Path) -> Reloading:
    return Reloading(tmp_path)


@pytest.fixture(autouse=True)
def states(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    states: list[str] = []
    monkeypatch.setattr(reload, "notify", states.append)
    return states


@pytest.fixture
def log() -> Iterator[list[str]]:
    """The texts of the log."""
    lines: list[str] = []

    @provider(ILogObserver)
    def observe(event: LogEvent) -> None:
        lines.append(eventAsText(event, includeTimestamp=False, includeSystem=False))

    globalLogPublisher.addObserver(observe)
    yield lines
    globalLogPublisher.removeObserver(observe)


def test_reload_applies_the_keys_that_can_change(reloading: Reloading, log: list[str]) -> None:
    reloading.write(
        'origins = ["https://yodd.example"]\ncors = ["*"]\ndrain = 3.0\n'
        '[limits]\nrate = 7.0\n[log]\nlevel = "debug"\n[metrics]\nallow = []\n'
    )
    settings = reloading.reload()
    assert reloading.limits.value.rate == 7
    assert reloading.limits.value is settings.limits
    assert reloading.origins.allow("https://yodd.example", "10.0.0.1")
    assert reloading.logs.level == settings.log.level == "debug"
    assert (settings.drain, settings.metrics.allow, settings.cors) == (3, (), ("*",))
    assert log == [
        "configuration reloaded: origins, cors, drain, limits.rate, log.level, metrics.allow",
    ]


def test_reload_keeps_and_names_the_keys_that_need_a_restart(
    reloading: Reloading, log: list[str]
) -> None:
    reloading.write("threads = 4\n[limits]\nbacklog = 9\nrate = 7\n")
    settings = reloading.reload()
    assert (settings.threads, settings.limits.backlog, settings.limits.rate) == (1, 4096, 7)
    assert log[:2] == [
        "threads changes only with a restart",
        "limits.backlog changes only with a restart",
    ]


def test_reload_of_an_invalid_configuration_changes_nothing(
    reloading: Reloading, log: list[str]
) -> None:
    before = reloading.reloader.settings
    reloading.write("[limits]\nrate = 7\nunknown = 1\n")
    certificate = FakeCertificate()
    assert reloading.reload(certificate) is before
    assert reloading.limits.value is before.limits
    assert certificate.reloads == 1
    assert log[0] == "certificate reloaded"
    assert log[1].startswith("the old configuration stays: ")


def test_reload_of_a_broken_certificate_keeps_it_and_goes_on(
    reloading: Reloading, log: list[str]
) -> None:
    reloading.write("[limits]\nrate = 7\n")
    good = FakeCertificate()
    reloading.reload(FakeCertificate(is_broken=True), good)
    assert good.reloads == 1
    assert reloading.limits.value.rate == 7
    assert log[0] == "the old certificate stays: cert.pem: no certificate"


def test_reload_reports_its_beginning_and_end(reloading: Reloading, states: list[str]) -> None:
    reloading.reload()
    assert states == ["RELOADING=1", "READY=1"]


def test_reload_without_sources_reads_certificates_only() -> None:
    settings = Settings()
    reloader = Reloader(settings, None, CurrentLimits(), Origins(), None)
    certificate = FakeCertificate()
    reloader.reload(cast("list[Certificate]", [certificate]))
    assert certificate.reloads == 1
    assert reloader.settings is settings
