"""Attachments: the name, the owner and the terms of an engine, and the claims of clients to it."""

from __future__ import annotations

import hmac
from collections.abc import Mapping

import attrs

from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.origin import TRUSTED, Origin
from yoddd.referee import TimeControl
from yoddd.referee.game.engine_range import EVERYTHING, EngineRange
from yoddd.rules import Rules


@attrs.frozen
class Attachment:
    """An accepted ``attach``.

    Attributes:
        name: of the engine; as the account spells it, if it is that of an account.
        owner: the client that attached it.
        is_open: whether other clients may play against it.
        secret: resumes the name after a disconnection; None if the engine gave none.
        is_confirmed: whether the engine expects a reply to ``attach``.
        plays: the games that it begins.
        copy: the number of the connection, of an engine that plays several games at once.
        former: the owners of the connections that it had before, by its secret; their games go on.
    """

    name: str
    owner: Origin = TRUSTED
    is_open: bool = False
    secret: str | None = attrs.field(default=None, repr=False)
    is_confirmed: bool = False
    plays: EngineRange = EVERYTHING
    copy: int = 1
    former: frozenset[Origin] = frozenset()

    @classmethod
    def read(cls, name: str, owner: Origin, options: Mapping[str, str]) -> Attachment:
        """The attachment that the options of ``attach`` describe.

        Raises:
            PeerError: what it plays is malformed.
        """
        is_open = options.get("open", "no").lower() == "yes"
        return cls(
            name,
            owner,
            is_open,
            options.get("secret"),
            options.get("reply") == "on",
            EngineRange.read(options),
            int(options.get("copy", 1)),
        )

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

    def is_copy_of(self, other: Attachment) -> bool:
        """Whether it is the same engine, by its secret or by the token of its account."""
        is_account = self.owner.user is not None and self.owner.key == other.owner.key
        return is_account or self.has_secret_of(other)

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
        terms: the game and the time control of the engine; None if any engine plays them.
    """

    origin: Origin
    is_owner: bool = False
    terms: tuple[Rules, TimeControl] | None = None

    def permits(self, engine: Attachment) -> bool:
        """Whether the client may have the engine play, whatever it plays."""
        return engine.is_of(self.origin) or (engine.is_open and not self.is_owner)

    def allows(self, engine: Attachment) -> bool:
        """Whether the client may have the engine begin the game."""
        return self.permits(engine) and (self.terms is None or engine.plays.includes(*self.terms))

    def check(self, engine: Attachment) -> None:
        """Refuse an engine that the client may not have play, or that does not play the game.

        Raises:
            PeerError: the refusal.
        """
        if not self.permits(engine):
            why = f"{engine.name} is another peer's and not open=yes"
            if engine.is_open:
                why = f"only its owner sets parameters of {engine.name}, or awaits it"
            raise PeerError(Code.DENIED, why)
        if self.terms is not None:
            engine.plays.check(engine.name, *self.terms)
