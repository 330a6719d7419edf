"""Beside the daemon: engines driven by a program that just waits for them.

No Twisted here, and no events: every call returns when the engine has answered. The protocol itself
is `yoddd.protocol.controller`, and what an engine is told is `yoddd.referee.engine_requests`, as
for the referee.
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
