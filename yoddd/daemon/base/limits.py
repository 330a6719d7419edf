"""The limits in force, which a reload of the configuration can replace."""

from __future__ import annotations

import attrs

from yoddd.daemon.base.settings import Limits


@attrs.define(eq=False)
class CurrentLimits:
    """Holds the limits of a daemon; shared by everything that enforces them.

    A connection keeps the limits that were in force when it began; `Admission` reads them here each
    time.

    Attributes:
        value: the limits of new connections; replaced by a reload, never changed in place.
    """

    value: Limits = attrs.Factory(Limits)
