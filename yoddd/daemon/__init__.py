"""Layer 7: the only packages that import Twisted."""
