"""The limits in force, which a reload of the configuration can replace."""

from __future__ import annotations

import attrs

from yoddd.daemon.base.settings import Limits


@attrs.define(eq=False)
class CurrentLimits:
    """One cell for the limits of a daemon, shared by everything that obeys them.

    A connection keeps the limits that it began with, except where a check reads this cell each
    time, as admission does.

    Attributes:
        value: the limits of new connections; replaced by a reload, never changed in place.
    """

    value: Limits = attrs.Factory(Limits)
