"""Attachments: the name, the owner and the terms of an engine, and the claims of clients to it."""

from __future__ import annotations

import hmac
from collections.abc import Mapping

import attrs

from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.origin import TRUSTED, Origin


@attrs.frozen
class Attachment:
    """An accepted ``attach``.

    Attributes:
        name: of the engine; as the account spells it, if it is that of an account.
        owner: the client that attached it.
        is_open: whether other clients may play against it.
        secret: resumes the name after a disconnection; None if the engine gave none.
        is_confirmed: whether the engine expects a reply to ``attach``.
        former: the owners of the connections that it had before, by its secret; their games go on.
    """

    name: str
    owner: Origin = TRUSTED
    is_open: bool = False
    secret: str | None = attrs.field(default=None, repr=False)
    is_confirmed: bool = False
    former: frozenset[Origin] = frozenset()

    @classmethod
    def read(cls, name: str, owner: Origin, options: Mapping[str, str]) -> Attachment:
        """The attachment that the options of ``attach`` describe."""
        is_open = options.get("open", "no").lower() == "yes"
        is_confirmed = options.get("reply") == "on"
        return cls(name, owner, is_open, options.get("secret"), is_confirmed)

    def is_of(self, origin: Origin) -> bool:
        """Whether a client owns the engine."""
        return any(origin.owns(owner) for owner in (self.owner, *self.former))

    def after(self, former: Attachment) -> Attachment:
        """The attachment that follows ``former``, whose owner it keeps if it has its secret."""
        if not self.has_secret_of(former):
            return self
        return attrs.evolve(self, former=former.former | {former.owner} - {self.owner})

    def may_follow(self, former: Attachment) -> bool:
        """Whether it may have the name that another attachment has lost lately.

        The secret of the former one decides. Without one it is the owner who may.
        """
        if self.owner.is_trusted or self.has_secret_of(former):
            return True
        by_address = former.secret is None or former.owner.user is not None
        return by_address and self.owner.owns(former.owner)

    def has_secret_of(self, former: Attachment) -> bool:
        """Whether it is the same engine, by its secret."""
        if self.secret is None or former.secret is None:
            return False
        return hmac.compare_digest(self.secret, former.secret)


@attrs.frozen
class Claim:
    """The right of a client to an engine in a game.

    Attributes:
        origin: the client.
        is_owner: whether only an engine of its own will do, as one that is to have parameters.
    """

    origin: Origin
    is_owner: bool = False

    def allows(self, engine: Attachment) -> bool:
        """Whether the client may have the engine play."""
        return engine.is_of(self.origin) or (engine.is_open and not self.is_owner)

    def check(self, engine: Attachment) -> None:
        """Refuse an engine that the client may not have play.

        Raises:
            PeerError: the refusal.
        """
        if self.allows(engine):
            return
        if engine.is_open:
            raise PeerError(Code.DENIED, f"only its owner sets parameters of {engine.name}")
        raise PeerError(Code.DENIED, f"{engine.name} is another peer's and not open=yes")
