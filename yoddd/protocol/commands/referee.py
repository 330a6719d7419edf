"""The commands of the referee: ``attach``, ``match`` and ``matches``."""

from __future__ import annotations

import re
from typing import Final

from yoddd.protocol.arguments import NAME_RULE, is_name, parse_number, parse_settings
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import ANY, Args, CommandGroup
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.replies import Handover, StreamReply, TaskReply
from yoddd.rules import GAMES

_OPTIONS: Final = ("token", "games", "boards", "clock", "closed", "open", "secret", "copy", "reply")
_SECRET: Final = re.compile(r"[A-Za-z0-9._~-]{16,64}")

MOST_COPIES: Final = 64
"""Connections of one engine, each of which plays a game."""

ATTACH: Final = CommandGroup("referee")
MATCHES: Final = CommandGroup("referee")


@ATTACH.command(
    "attach",
    "NAME [token=T] [games=G[:RULES_HASH],...] [boards=BOARD[..BOARD],...] [clock=LEAST..MOST] "
    "[closed=REASON] [open=yes|no] [secret=S] [copy=N] [reply=on]",
    "as the first request: from now on this connection is an engine",
    arity=(0, ANY),
)
def _attach(client: ClientState, args: Args) -> Handover:
    if not client.is_new:
        raise PeerError(Code.SYNTAX, "attach must be the first request")
    try:
        return read_attach(args)
    except PeerError as error:
        raise PeerError(error.subcode or error.code, error.detail, fatal=True) from None


def read_attach(args: Args) -> Handover:
    """Return the name and the options by which an engine attaches.

    Raises:
        PeerError: one of them is malformed; what else ``boards`` and ``clock`` may be is checked
            by those who take the engine.
    """
    name, *words = args or ("",)
    if not is_name(name):
        raise PeerError(Code.SYNTAX, f"name {name!r}: {NAME_RULE}")
    options = parse_settings(words, _OPTIONS)
    if options.get("open", "no").lower() not in {"yes", "no"}:
        raise PeerError(Code.SYNTAX, f"open {options['open']!r}: expected yes or no")
    if "secret" in options and not _SECRET.fullmatch(options["secret"]):
        raise PeerError(Code.SYNTAX, "secret: expected 16 to 64 letters, digits and . _ ~ -")
    parse_number("copy", options.get("copy", "1"), 1, MOST_COPIES)
    for word in options.get("games", "").lower().split(",") if "games" in options else ():
        game, colon, rules = word.partition(":")
        if game not in GAMES:
            raise PeerError(Code.SYNTAX, f"no game {game!r}: expected some of {', '.join(GAMES)}")
        if colon and rules != GAMES[game].facts.hash:
            raise PeerError(
                Code.SYNTAX,
                f"{game} has other rules here: compare the facts that `describe {game}` answers",
            )
    if options.get("reply", "off") not in {"on", "off"}:
        raise PeerError(Code.SYNTAX, f"reply {options['reply']!r}: expected on or off")
    return Handover(name, options)


@MATCHES.command(
    "match",
    "JSON",
    "let the referee play engines against each other; a streaming reply",
    8,
    arity=(1, ANY),
)
def _match(client: ClientState, args: Args) -> TaskReply | StreamReply:
    request = client.config.services.match
    assert request is not None  # noqa: S101 — without it there is no such command
    return request(args, client.origin)


@MATCHES.command("matches", "", "the matches that are played now", 8)
def _matches(client: ClientState, _args: Args) -> str:
    return "\n".join(client.config.services.list_matches())
