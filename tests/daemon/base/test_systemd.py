"""Notifications to systemd."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from yoddd.daemon.base.systemd import notify


@pytest.mark.parametrize("is_abstract", [False, True])
def test_notify_sends_a_datagram(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_abstract: bool
) -> None:
    path = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(f"\0{path}" if is_abstract else path)
        receiver.settimeout(10)
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{path}" if is_abstract else path)
        notify("READY=1")
        assert receiver.recv(100) == b"READY=1"


@pytest.mark.parametrize("path", ["", "relative", "/dev/null/notify"])
def test_notify_without_a_listener_does_nothing(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", path)
    notify("READY=1")
