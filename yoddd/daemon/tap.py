"""The daemon as a plugin of Twisted: ``twist yoddd``, which sets up the log itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from twisted.internet import reactor as installed
from twisted.python.usage import Options as TwistedOptions
from twisted.python.usage import UsageError

from yoddd.daemon.base.clock import Reactor, install_clock
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.world import World
from yoddd.daemon.configuration import SettingsError, Sources, load, parse_setting
from yoddd.daemon.net.listeners import ListenError
from yoddd.daemon.service import Daemon, make_service
from yoddd.extras import ExtraMissing


class Options(TwistedOptions):
    """The command line of ``twist yoddd``.

    Attributes:
        flags: the values of ``--set``, by key.
    """

    optParameters = [["config", "c", None, "A TOML file with any of the keys of the reference."]]  # noqa: RUF012 — Twisted's name, and never changed

    def __init__(self) -> None:
        """Create options without values."""
        super().__init__()
        self.flags: dict[str, str] = {}

    def opt_set(self, text: str) -> None:
        """Any configuration key, as KEY=VALUE; repeatable."""
        try:
            name, value = parse_setting(text)
        except SettingsError as error:
            raise UsageError(str(error)) from None
        self.flags[name] = value


def makeService(options: Options) -> Daemon:
    """Return the daemon that ``options`` describe; end the program if there can be none."""
    file = options["config"]
    sources = Sources(Path(file) if file else None, dict(os.environ), options.flags)
    reactor: Reactor = installed  # type: ignore[assignment]  # a module stands for the reactor

    def say(text: str) -> None:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    install_clock(reactor)
    try:
        configuration = load(sources)
        daemon = make_service(World(reactor), CurrentSettings(configuration.settings), say, sources)
    except (SettingsError, ListenError, ExtraMissing) as error:
        # Twist reports errors of the options in this way, but not those of this function.
        sys.exit(f"Error: {error}")
    for warning in configuration.warnings:
        daemon.log.warn("{warning}", warning=warning)
    daemon.failed.addCallback(lambda _: reactor.stop())
    return daemon
