"""Floor 4: the wire protocol without I/O: bytes or events in, effects out."""

from yoddd.protocol.config import SessionConfig
from yoddd.protocol.errors import Code, EngineError, PeerError, ProtocolError
from yoddd.protocol.session import Phase, Session

__all__ = [
    "Code",
    "EngineError",
    "PeerError",
    "Phase",
    "ProtocolError",
    "Session",
    "SessionConfig",
]
