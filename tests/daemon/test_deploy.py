"""The files of docs/deploy, the manual pages and the shell completion."""

from __future__ import annotations

import configparser
import re
import tomllib
from pathlib import Path
from typing import cast

import pytest
from twisted.internet.testing import MemoryReactorClock
from twisted.logger import capturedLogs
from twisted.python.usage import UsageError

from yoddd.daemon import service as daemon_service
from yoddd.daemon import website
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.settings import Settings
from yoddd.daemon.base.world import World
from yoddd.daemon.configuration import Sources, load
from yoddd.daemon.pages.browser_engine import BrowserEngine
from yoddd.daemon.plugins import yoddd_plugin

pytestmark = pytest.mark.whole

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "docs" / "deploy"


def unit(name: str) -> configparser.ConfigParser:
    # Keys may come twice in a unit; the last one stands for all here.
    found = configparser.ConfigParser(strict=False, interpolation=None)
    found.optionxform = str  # type: ignore[assignment, method-assign]  # keys keep their capitals
    found.read(DEPLOY / name, encoding="utf-8")
    return found


@pytest.mark.gate
def test_unit_starts_existing_command_and_outlasts_drain() -> None:
    service = unit("yoddd.service")["Service"]
    assert service["Type"] == "notify"
    assert service["ExecStart"] == "/opt/yoddd/bin/yoddd serve --config /etc/yoddd/yoddd.toml"
    assert (
        f"--config {unit('yoddd.service')['Unit']['Documentation'].removeprefix('file:')}"
        in (service["ExecStart"])
    )
    settings = load(Sources(DEPLOY / "yoddd.toml")).settings
    assert int(service["TimeoutStopSec"]) > settings.drain + settings.limits.close
    assert int(service["LimitNOFILE"]) > settings.limits.connections
    assert settings.tls.certificate == "/run/credentials/yoddd.service/cert.pem"
    assert "cert.pem:" in (DEPLOY / "yoddd.service").read_text(encoding="utf-8")
    assert settings.admin.startswith(f"/run/{service['RuntimeDirectory']}/")
    assert settings.store.startswith(f"/var/lib/{service['StateDirectory']}/")


@pytest.mark.gate
def test_image_sets_existing_keys_and_is_not_root() -> None:
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    environment = dict(re.findall(r"(YODDD_\w+)=(\S+)", text))
    configuration = load(Sources(environment=environment))
    assert not configuration.warnings
    assert len(configuration.origins) == len(environment) == 5
    (volume,) = re.findall(r"^VOLUME (\S+)$", text, re.MULTILINE)
    assert configuration.settings.store.startswith(f"{volume}/")
    assert re.search(r"^RUN make wasm$", text, re.MULTILINE)
    assert configuration.settings.public
    assert re.search(r"^USER [1-9]\d*$", text, re.MULTILINE)
    assert "/healthz" in text
    assert "STOPSIGNAL SIGTERM" in text
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    (chosen,) = re.findall(r'"\.\[([\w,]+)\]"', text)
    assert set(chosen.split(",")) <= set(extras)
    assert "yoddd[store]" in extras["postgres"]
    assert {"metrics", "postgres"} <= set(chosen.split(","))


@pytest.mark.gate
@pytest.mark.parametrize(("http", "worker"), [("tcp:9", ""), ("tcp:9", "worker.js"), ("", "")])
def test_daemon_whose_board_lacks_the_engine_says_how_to_get_it(
    http: str, worker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(website, "shipped_engine", lambda **_: BrowserEngine(worker, {}))
    reactor = cast("Reactor", MemoryReactorClock())
    settings = CurrentSettings(Settings(http=http))
    with capturedLogs() as events:
        daemon_service.make_service(World(reactor), settings, print, Sources())
    told = [event for event in events if "`make wasm`" in event.get("text", "")]
    assert len(told) == bool(http and not worker)


def test_twist_yoddd_says_what_to_use_instead() -> None:
    with pytest.raises(UsageError, match="use yoddd serve"):
        yoddd_plugin.yoddd.options().parseOptions(["--config", "yoddd.toml"])
