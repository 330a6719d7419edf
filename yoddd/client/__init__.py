"""The client: engines driven by a program that waits for each reply, or by one for asyncio.

It uses no Twisted. It shares `yoddd.protocol.controller`, which reads replies, and
`yoddd.referee.game.engine_requests`, which sets an engine up, with the referee.
"""

from yoddd.client.engine import Analysis, SimpleEngine
from yoddd.client.errors import EngineFailure, EngineFault, EngineGone, EngineRefusal, EngineTimeout
from yoddd.client.game_requests import Limit

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
