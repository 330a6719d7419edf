"""One command: its name, its help, the number of its arguments, and its handler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NoReturn

import attrs

from yoddd.protocol.client_state import ClientState
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.replies import CommandReply

Args = tuple[str, ...]
"""The words after the command, as sent."""

ANY: Final = 1 << 20
"""The upper arity of a command that takes any number of words."""


@attrs.frozen
class Command:
    """One entry of the command table.

    Attributes:
        name: in lower case.
        group: the heading that it stands under.
        usage: the arguments, as ``help`` prints them after the name.
        help: what it does, in one line.
        handler: gets the client's state and the arguments; raises ProtocolError to refuse.
        arity: the least and the greatest number of arguments.
        cost: its share of a batch; 1 is some ten microseconds.
    """

    name: str
    group: str
    usage: str
    help: str
    handler: Callable[[ClientState, Args], CommandReply]
    arity: tuple[int, int] = (0, 0)
    cost: int = 1

    @property
    def synopsis(self) -> str:
        """The name with its arguments."""
        return f"{self.name} {self.usage}".rstrip()

    def run(self, client: ClientState, args: Args) -> CommandReply:
        """Check the number of arguments and call the handler."""
        fewest, most = self.arity
        if not fewest <= len(args) <= most:
            raise PeerError(Code.SYNTAX, f"expected: {self.synopsis}")
        return self.handler(client, args)


def refuse_syntax(detail: str) -> NoReturn:
    """Refuse a request whose arguments cannot be understood."""
    raise PeerError(Code.SYNTAX, detail)


def refuse_illegal(detail: str) -> NoReturn:
    """Refuse a turn that the rules forbid."""
    raise PeerError(Code.ILLEGAL, detail)
