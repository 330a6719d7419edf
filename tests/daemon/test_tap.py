"""The plugin of Twisted: its command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from twisted.internet import reactor as installed
from twisted.python.usage import UsageError

from yoddd.daemon.base.clock import ReactorClock
from yoddd.daemon.service import Daemon
from yoddd.daemon.tap import Options, makeService

pytestmark = pytest.mark.gate


def parse(*words: str) -> Options:
    options = Options()
    options.parseOptions(list(words))
    return options


def test_options_keep_keys_by_name_and_refuse_a_mistake() -> None:
    flags = parse("--set", "limits.rate=5", "--set", "http=").flags
    assert flags == {"limits.rate": "5", "http": ""}
    for setting in ("limits.rat=5", "limits.rate"):
        with pytest.raises(UsageError):
            parse("--set", setting)


def test_make_service_builds_a_daemon_from_file_and_flags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed, "running", False)  # this reactor runs already
    monkeypatch.setattr(installed, "seconds", installed.seconds)
    monkeypatch.setattr(installed, "addSystemEventTrigger", lambda *_: None)
    file = tmp_path / "yoddd.toml"
    file.write_text("[limits]\nrate = 5\n")
    options = parse("--config", str(file), "--set", "http=", "--set", "limits.burst=3")
    assert isinstance(makeService(options), Daemon)
    assert isinstance(installed.seconds, ReactorClock)
    file.write_text("[limits]\nrat = 5\n")
    with pytest.raises(SystemExit, match="unknown key"):
        makeService(options)
