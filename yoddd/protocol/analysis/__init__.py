"""The analysis engine without I/O: JSON queries in, answers out of order."""

from yoddd.protocol.analysis.stream import AnalysisStream

__all__ = ["AnalysisStream"]
