"""Floor 7: the only rooms that know Twisted."""
