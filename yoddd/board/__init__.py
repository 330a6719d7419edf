"""Layer 0: the geometry of the boards."""

from yoddd.board.geometry import BoardError, Geometry, Shape, geometry, geometry_of, sizes_of

__all__ = ["BoardError", "Geometry", "Shape", "geometry", "geometry_of", "sizes_of"]
