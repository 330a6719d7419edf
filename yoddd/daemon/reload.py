"""Reloads the configuration and the certificates of a running daemon."""

from __future__ import annotations

from collections.abc import Iterable

import attrs
from twisted.logger import Logger

from yoddd.daemon.base.limits import CurrentLimits
from yoddd.daemon.base.logs import LogControl
from yoddd.daemon.base.settings import Settings
from yoddd.daemon.base.systemd import notify
from yoddd.daemon.configuration import Configuration, SettingsError, Sources, changes, load
from yoddd.daemon.net.tls import Certificate, CertificateError
from yoddd.daemon.net.websocket.upgrade import Origins


class Reloader:
    """Applies the keys that can change without a restart; invalid input changes nothing.

    Attributes:
        settings: the settings in force.
        logs: the log whose level changes; None if the daemon does not control it.
    """

    log = Logger()

    def __init__(
        self,
        settings: Settings,
        sources: Sources | None,
        limits: CurrentLimits,
        origins: Origins,
        logs: LogControl | None,
    ) -> None:
        """Create it.

        Args:
            settings: the settings at the start.
            sources: the sources of the configuration; None if it cannot be re-read.
            limits: holds the limits, which are replaced.
            origins: holds the allowed origins, which are replaced.
            logs: as the attribute.
        """
        self.settings = settings
        self._sources = sources
        self._limits = limits
        self._origins = origins
        self.logs = logs

    def reload(self, certificates: Iterable[Certificate]) -> None:
        """Re-read ``certificates`` and the configuration, and log what changes."""
        notify("RELOADING=1")
        for certificate in certificates:
            try:
                certificate.reload()
                self.log.info("certificate reloaded")
            except CertificateError as error:
                self._log_error("the old certificate stays", error)
        if self._sources is not None:
            try:
                self._apply(load(self._sources))
            except SettingsError as error:
                self._log_error("the old configuration stays", error)
        notify("READY=1")

    def _log_error(self, text: str, error: Exception) -> None:
        self.log.error("{text}: {error}", text=text, error=str(error))

    def _apply(self, configuration: Configuration) -> None:
        old, new = self.settings, configuration.settings
        live, fixed = changes(old, new)
        for name in fixed:
            self.log.warn("{key} changes only with a restart", key=name)
        limits = attrs.evolve(new.limits, backlog=old.limits.backlog)
        self.settings = attrs.evolve(
            old,
            origins=new.origins,
            cors=new.cors,
            drain=new.drain,
            limits=limits,
            metrics=new.metrics,
            log=attrs.evolve(old.log, level=new.log.level),
        )
        self._limits.value = limits
        self._origins.others = new.origins
        if self.logs is not None:
            self.logs.set_level(new.log.level)
        self.log.info("configuration reloaded: {keys}", keys=", ".join(live) or "nothing new")
