"""A module of 0.2 that is gone; its name stays until 0.4."""

from yoddd.gone import NAMES, removal

raise ImportError(removal("VectorGames", NAMES))
