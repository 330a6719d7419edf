"""Layer 4: the wire protocol without I/O: bytes or events in, effects out."""

from yoddd.protocol.config import SessionConfig, SessionDefaults, SessionLimits, SessionServices
from yoddd.protocol.errors import Code, EngineError, PeerError, ProtocolError
from yoddd.protocol.phases import Phase
from yoddd.protocol.session import Session

__all__ = [
    "Code",
    "EngineError",
    "PeerError",
    "Phase",
    "ProtocolError",
    "Session",
    "SessionConfig",
    "SessionDefaults",
    "SessionLimits",
    "SessionServices",
]
