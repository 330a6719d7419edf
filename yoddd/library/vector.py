"""A module of 0.2 that is gone; its name stays until 0.4."""

from yoddd.suggestions import REMOVED

raise ImportError(f"VectorGames was removed: {REMOVED['VectorGames']}")
