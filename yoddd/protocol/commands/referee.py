"""The commands of the referee: ``attach``, ``match`` and ``matches``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from yoddd.protocol.arguments import NAME_RULE, is_name, parse_settings
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import ANY, Args, Command
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.replies import Handover, StreamReply, TaskReply
from yoddd.rules import GAMES


def _attach(client: ClientState, args: Args) -> Handover:
    if client.served:
        raise PeerError(Code.SYNTAX, "attach must be the first request")
    try:
        return _read_attach(args)
    except PeerError as error:
        raise PeerError(error.code, error.detail, fatal=True) from None


def _read_attach(args: Args) -> Handover:
    name, *words = args or ("",)
    if not is_name(name):
        raise PeerError(Code.SYNTAX, f"name {name!r}: {NAME_RULE}")
    options = parse_settings(words, ("token", "games", "reply"))
    for game in options.get("games", "").lower().split(",") if "games" in options else ():
        if game not in GAMES:
            raise PeerError(Code.SYNTAX, f"no game {game!r}: expected some of {', '.join(GAMES)}")
    if options.get("reply", "off") not in {"on", "off"}:
        raise PeerError(Code.SYNTAX, f"reply {options['reply']!r}: expected on or off")
    return Handover(name, options)


ATTACH: Final = Command(
    "attach",
    "referee",
    "NAME [token=T] [games=G,G...] [reply=on]",
    "as the first request: from now on this connection is an engine",
    _attach,
    (0, ANY),
)


def match_commands(
    check: Callable[[Args], None], played: Callable[[], Sequence[str]]
) -> tuple[Command, ...]:
    """Return ``match``, which ``check`` may refuse, and ``matches``, which ``played`` lists."""

    def match(_client: ClientState, args: Args) -> TaskReply | StreamReply:
        """Check the arguments in a task if there are openings, which have to be played."""
        if any(word.lower().startswith("openings=") for word in args):
            return TaskReply(lambda _stop: check(args), lambda _checked: begin(args))
        return begin(args)

    def begin(args: Args) -> StreamReply:
        check(args)
        return StreamReply("match", args)

    def matches(_client: ClientState, _args: Args) -> str:
        return "\n".join(played())

    return (
        Command(
            "match",
            "referee",
            "ENGINE ENGINE [OPTION=VALUE...]",
            "let the referee play engines against each other; a streaming reply",
            match,
            (2, ANY),
            8,
        ),
        Command("matches", "referee", "", "the matches that are played now", matches, cost=8),
    )
