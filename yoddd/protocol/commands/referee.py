"""The commands of the referee: ``attach``, ``match`` and ``matches``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from yoddd.protocol.arguments import NAME_RULE, is_name, parse_settings
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import ANY, Args, Command
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.origin import Origin
from yoddd.protocol.replies import Handover, StreamReply, TaskReply
from yoddd.rules import GAMES

_OPTIONS: Final = ("token", "games", "open", "secret", "reply")
_SECRET: Final = re.compile(r"[A-Za-z0-9._~-]{16,64}")


def attach_command() -> Command:
    """Return ``attach``."""

    def attach(client: ClientState, args: Args) -> Handover:
        if client.served:
            raise PeerError(Code.SYNTAX, "attach must be the first request")
        try:
            return read_attach(args)
        except PeerError as error:
            raise PeerError(error.subcode or error.code, error.detail, fatal=True) from None

    return Command(
        "attach",
        "referee",
        "NAME [token=T] [games=G,G...] [open=yes|no] [secret=S] [reply=on]",
        "as the first request: from now on this connection is an engine",
        attach,
        (0, ANY),
    )


def read_attach(args: Args) -> Handover:
    """Return the name and the options by which an engine attaches.

    Raises:
        PeerError: one of them is malformed.
    """
    name, *words = args or ("",)
    if not is_name(name):
        raise PeerError(Code.SYNTAX, f"name {name!r}: {NAME_RULE}")
    options = parse_settings(words, _OPTIONS)
    if options.get("open", "no").lower() not in {"yes", "no"}:
        raise PeerError(Code.SYNTAX, f"open {options['open']!r}: expected yes or no")
    if "secret" in options and not _SECRET.fullmatch(options["secret"]):
        raise PeerError(Code.SYNTAX, "secret: expected 16 to 64 letters, digits and . _ ~ -")
    for game in options.get("games", "").lower().split(",") if "games" in options else ():
        if game not in GAMES:
            raise PeerError(Code.SYNTAX, f"no game {game!r}: expected some of {', '.join(GAMES)}")
    if options.get("reply", "off") not in {"on", "off"}:
        raise PeerError(Code.SYNTAX, f"reply {options['reply']!r}: expected on or off")
    return Handover(name, options)


def match_commands(
    request: Callable[[Args, Origin], TaskReply | StreamReply], played: Callable[[], Sequence[str]]
) -> tuple[Command, ...]:
    """Return ``match`` and ``matches``.

    Args:
        request: replies to ``match`` with these arguments of a client, or refuses them.
        played: lists the matches.
    """
    return (
        Command(
            "match",
            "referee",
            "JSON",
            "let the referee play engines against each other; a streaming reply",
            lambda client, args: request(args, client.origin),
            (1, ANY),
            8,
        ),
        Command(
            "matches",
            "referee",
            "",
            "the matches that are played now",
            lambda _client, _args: "\n".join(played()),
            cost=8,
        ),
    )
