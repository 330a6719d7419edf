"""A module of 0.2 that is gone; its name stays until 0.4."""

from yoddd.suggestions import REMOVED

raise ImportError(f"GameBatch was removed: {REMOVED['GameBatch']}")
