"""A module of 0.2 that is gone; its name stays until 0.4."""

from yoddd.gone import removal

raise ImportError(removal("GameBatch"))
