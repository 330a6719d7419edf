"""Texts without a game tree: links to the page become SGF, and others are named."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from yoddd.notation.errors import NotationError
from yoddd.notation.positions import parse_position
from yoddd.notation.sgf import write_sgf
from yoddd.notation.sgf_games import position_to_sgf
from yoddd.notation.turns import parse_turn
from yoddd.rules import (
    GAMES,
    DescriptionError,
    IllegalTurn,
    Position,
    PositionLike,
    RulesError,
    find_game,
)
from yoddd.rules.game import Game
from yoddd.rules.game import rules_of as settle_rules
from yoddd.rules.games import read_described

LUDII: Final = (
    "a trial of Ludii, whose moves are numbers of its own: play the game over on the page, and save"
    " it there as SGF"
)

_LINK: Final = re.compile(r"\s*(https?://\S+|[\w-]+(?:\.[\w-]+)+/\S*)\s*", re.ASCII)
_TRIAL: Final = re.compile(r"\s*game=\S*\.lud\b")
_LARGEST: Final = 4_000_000
"""Characters of a study: a few bytes of a link may stand for gigabytes."""

_LOST: Final = "the link is damaged, perhaps cut short"


def is_link(text: str) -> bool:
    """Whether a text is one link and nothing else."""
    return _LINK.fullmatch(text) is not None


def sgf_of(text: str, on: type[PositionLike] = Position) -> str:
    """The SGF of a text that has no game tree: that of the game which a link to the page spells.

    Args:
        text: the whole text.
        on: the class of positions that turns are played on.

    Raises:
        NotationError: it is no such link, or a damaged one; the reason names what it is.
    """
    if _TRIAL.match(text):
        raise NotationError(LUDII)
    link = _LINK.fullmatch(text)
    if link is None:
        name = (text.lower().removeprefix("position").split() or [""])[0]
        is_line = name in GAMES
        raise NotationError("a line with a position" if is_line else "no game tree")
    address = link[1] if "://" in link[1] else f"https://{link[1]}"
    try:
        parts = urlsplit(address)
    except ValueError:
        raise NotationError("a link that is damaged") from None
    for spelled in (parts.fragment, parts.query):
        named = dict(parse_qsl(spelled, keep_blank_values=True))
        if "study" in named:
            return _unpack(named["study"]).decode("utf-8", "replace")
        if named.keys() & {"position", "game", "rules"} and not named.keys() & {"run", "archive"}:
            return _spelled(named, on)
    if parts.hostname == "hexworld.org":
        raise NotationError("a link to a game of Hex on hexworld.org, which is not supported")
    raise NotationError(f"a link to {parts.netloc}: open it there, and save the game as SGF")


def _unpack(data: str, *, is_packed: bool = True) -> bytes:
    """The bytes of a value of a link."""
    try:
        found = base64.b64decode(data + "=" * (-len(data) % 4), b"-_", validate=True)
        if not is_packed:
            return found
        reader = zlib.decompressobj(-zlib.MAX_WBITS)
        found = reader.decompress(found, _LARGEST)
    except (binascii.Error, ValueError, zlib.error):
        raise NotationError(_LOST) from None
    if not reader.eof:
        raise NotationError(_LOST)
    return found


def _spelled(named: dict[str, str], on: type[PositionLike]) -> str:
    """The SGF of a game whose turns a link spells out."""
    try:
        position = _start(named, on)
    except (RulesError, DescriptionError) as error:
        raise NotationError(str(error)) from None
    for token in filter(None, named.get("turns", "").split(".")):
        try:
            position.play(parse_turn(token, position.rules, position.player))
        except (IllegalTurn, NotationError) as error:
            raise NotationError(f"turn {position.number}, {token}: {error.reason}") from None
    root = position_to_sgf(position)
    for key, name in (("pb", "PB"), ("pw", "PW")):
        if key in named:
            root.put(name, named[key])
    return write_sgf([root])


def _start(named: dict[str, str], on: type[PositionLike]) -> PositionLike:
    own: Game | None = None
    if "rules" in named:
        own = read_described(_unpack(named["rules"], is_packed=False).decode("utf-8", "replace"))
    if "position" in named:
        return parse_position(named["position"], on, own)
    game = own or find_game(named["game"])
    options = {one.name: named[one.name] for one in game.options if one.name in named}
    return on(settle_rules(game, named.get("board"), options))
