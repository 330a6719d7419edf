"""The reading of descriptions by itself, which the program gives to others in a kit."""

from yoddd.rules.reading import Cells, Drop, Reading, State, Turn

__all__ = ["Cells", "Drop", "Reading", "State", "Turn"]
