"""The reload of the configuration and the certificates of a running daemon."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from twisted.logger import Logger

from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.systemd import notify
from yoddd.daemon.composition import check
from yoddd.daemon.configuration import SettingsError, Sources, changed, load, merge
from yoddd.daemon.net.listeners import ListenError
from yoddd.daemon.net.tls import Certificate, CertificateError

_LOG: Final = Logger()


def reload(current: CurrentSettings, sources: Sources, certificates: Iterable[Certificate]) -> None:
    """Re-read everything and log what changes; if anything is invalid, nothing changes.

    Args:
        current: the settings in force, which are replaced.
        sources: the sources of the configuration.
        certificates: those of all ports.
    """
    notify("RELOADING=1")
    try:
        _replace(current, sources, certificates)
    except (SettingsError, ListenError, CertificateError) as error:
        _LOG.error("the old configuration stays: {error}", error=str(error))
    notify("READY=1")


def _replace(
    current: CurrentSettings, sources: Sources, certificates: Iterable[Certificate]
) -> None:
    old, new = current.value, load(sources).settings
    merged = merge(old, new)
    for name in changed(merged, new):
        _LOG.warn("{key} changes only with a restart", key=name)
    check(new)
    check(merged)
    contexts = [(one, one.read(merged)) for one in certificates]
    # Nothing fails from here on.
    current.value = merged
    for one, context in contexts:
        one.context = context
        if context is not None:
            _LOG.info("certificate reloaded")
    keys = ", ".join(changed(old, merged))
    _LOG.info("configuration reloaded: {keys}", keys=keys or "nothing new")
