"""The base of the state machines of a connection: bytes in, lines, effects out; no I/O."""

from __future__ import annotations

from abc import ABC, abstractmethod

from yoddd.protocol.config import SessionConfig
from yoddd.protocol.effects import Close, Effect, EffectBuffer
from yoddd.protocol.grammar import LineSplitter
from yoddd.protocol.origin import OPEN_GATE, TRUSTED, Identity, LoginGate
from yoddd.protocol.rate_limit import RateLimiter


class LineMachine(ABC):
    """The state machine of one connection, which serves lines in batches.

    The adapter carries the effects out in their order and calls back. It reads while `wants_input`,
    and while `wants_resume` calls `resume` from a later turn of its reactor.

    Attributes:
        served: the number of lines served or refused.
        errors: the number of these whose refusals count.
        useful: the number of these that were of use to the peer.
        is_closed: whether everything is over.
    """

    __slots__ = (
        "_at_end",
        "_config",
        "_gate",
        "_identity",
        "_limits",
        "_lines",
        "_out",
        "_rate_limiter",
        "_token",
        "errors",
        "is_closed",
        "served",
        "useful",
    )

    def __init__(
        self, config: SessionConfig, rate_limiter: RateLimiter | None, identity: Identity | None
    ) -> None:
        """Start; nothing is sent before the first line.

        A ``rate_limiter`` delays lines; without one they are served as they arrive. The machines of
        one connection share the ``identity``; None for a trusted peer.
        """
        # Set once.
        self._config = config
        self._limits = config.limits
        self._rate_limiter = rate_limiter or RateLimiter.without_limits()
        self._identity = identity or Identity(TRUSTED)
        # Refuses what requires log-in until the peer has logged in.
        required = config.services.login_required
        self._gate = LoginGate(config.limits.login, self._identity) if required else OPEN_GATE
        # They only grow.
        self.served = self.errors = self.useful = 0
        # Bytes received and not yet cut into lines; empty once closed.
        self._lines = LineSplitter(config.limits.line)
        # Whether the peer will send no more; `finish` sets it. The machine closes when the last
        # line is served.
        self._at_end = False
        # The token of the latest effect that is called back about.
        self._token = 0
        # Whether the connection is closed; set once.
        self.is_closed = False
        # Effects of the current call; empty between calls.
        self._out = EffectBuffer()

    @property
    @abstractmethod
    def wants_input(self) -> bool:
        """Whether to read on; if not, the adapter pauses reading."""

    @property
    @abstractmethod
    def wants_resume(self) -> bool:
        """Whether `resume` has something to do."""

    @property
    def resume_after(self) -> float:
        """Seconds until `resume` may handle a line; 0 for now."""
        return self._rate_limiter.wait()

    @property
    def in_line(self) -> bool:
        """Whether the peer has begun a line that it has not finished."""
        return self.wants_input and self._lines.in_line

    @property
    def is_admitted(self) -> bool:
        """Whether the peer has logged in, or need not."""
        return self._gate.is_open

    @property
    def user(self) -> str | None:
        """The account that the peer is logged in to; None before that."""
        return self._identity.origin.user

    def receive(self, data: bytes) -> list[Effect]:
        """Take ``data`` from the peer."""
        if not self.is_closed:
            self._lines.push(data)
        return self._advance()

    def resume(self) -> list[Effect]:
        """Continue with the rest of a batch, and with what was held back."""
        return self._advance()

    @abstractmethod
    def finish(self) -> list[Effect]:
        """Take the end of the peer's input: answer what is pending, then close."""

    @abstractmethod
    def lost(self) -> list[Effect]:
        """Take the loss of the connection: stop what runs for it, send nothing any more."""

    @abstractmethod
    def task_done(self, token: int, result: object) -> list[Effect]:
        """Take the ``result`` of a task or call."""

    @abstractmethod
    def task_failed(self, token: int, message: str) -> list[Effect]:
        """Take the failure of a task; what is left over waits for `resume`."""

    @abstractmethod
    def stream_line(self, token: int, text: str) -> list[Effect]:
        """Take a line of a task that goes on."""

    @abstractmethod
    def _advance(self) -> list[Effect]:
        """Serve a batch of lines, and close at the end of input."""

    def _may_serve(self, budget: int) -> bool:
        """Whether a batch with some budget left may go on, and the peer is in time."""
        is_small = len(self._out.output) < self._limits.batch_output
        return budget > 0 and is_small and self.resume_after == 0

    def _count_error(self) -> bool:
        """Count an error; return whether it was one too many."""
        self.errors += 1
        return self._rate_limiter.count_error()

    def _next_token(self) -> int:
        self._token += 1
        return self._token

    def _write(self, data: bytes) -> None:
        """Send a whole reply."""
        self._out.write(data)
        self._gate.replied(len(data))

    def _end(self, reason: str) -> None:
        if not self.is_closed:
            self._out.add(Close(reason))
            self._shut()

    def _shut(self) -> None:
        """Drop everything that waits."""
        self.is_closed = True
        self._lines.take_rest()
