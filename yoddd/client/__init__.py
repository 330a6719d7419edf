"""The blocking client: engines driven by a program that waits for each reply.

It uses no Twisted and no threads. It shares `yoddd.protocol.controller`, which reads replies, and
`yoddd.referee.engine_requests`, which sets an engine up, with the referee.
"""

from yoddd.client.engine import Analysis, Limit, SimpleEngine
from yoddd.client.errors import EngineFailure, EngineFault, EngineGone, EngineRefusal, EngineTimeout

__all__ = [
    "Analysis",
    "EngineFailure",
    "EngineFault",
    "EngineGone",
    "EngineRefusal",
    "EngineTimeout",
    "Limit",
    "SimpleEngine",
]
