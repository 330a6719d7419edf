"""Layer 8: the command line."""

from yoddd.cli.main import main

__all__ = ["main"]
