"""The settings in force."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yoddd.daemon.base.settings import Limits, Settings


class CurrentSettings:
    """Holds the settings in force; shared by everything that a live key concerns.

    A connection keeps the limits that were in force when it began; all else reads them here each
    time and keeps no copy, so that a reload has replaced every one at once.
    """

    def __init__(self, value: Settings | None = None) -> None:
        """Hold settings; None for the defaults."""
        # Replaced by a reload, never changed in place; None until defaults are read.
        self._value = value

    @property
    def value(self) -> Settings:
        """The settings; a reload replaces them."""
        if self._value is None:
            # Not at import: `yoddd gtp` reads none, and would take a tenth longer to start.
            from yoddd.daemon.base.settings import Settings

            self._value = Settings()
        return self._value

    @value.setter
    def value(self, value: Settings) -> None:
        self._value = value

    @property
    def limits(self) -> Limits:
        """The limits in force."""
        return self.value.limits
