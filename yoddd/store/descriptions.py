"""The descriptions of games that do not come with the program; a name keeps its rules for good."""

from __future__ import annotations

import json
from collections.abc import Iterable

from sqlalchemy import Connection, delete, insert, select

from yoddd.rules import DescriptionError
from yoddd.rules.game import Game
from yoddd.rules.games import compare, read_described
from yoddd.store.errors import StoreError
from yoddd.store.schema import DESCRIPTIONS


def keep_descriptions(connection: Connection, games: Iterable[Game]) -> dict[str, Game]:
    """Store the descriptions of games; all that are stored, by name.

    Raises:
        StoreError: the name of one is that of a game with other rules there.
    """
    rows = connection.execute(select(DESCRIPTIONS.c.game, DESCRIPTIONS.c.description))
    try:
        known = {row.game: read_described(row.description) for row in rows}
    except DescriptionError as error:
        raise StoreError(f"the description of a game cannot be read: {error}") from None
    for game in games:
        other = known.get(game.name)
        if other == game:
            continue
        if other is not None and (found := compare(game, other)):
            reason = f"the store has games of {game.name} by other rules: {found}"
            raise StoreError(f"{reason}; choose another name for the new rules")
        known[game.name] = game
        connection.execute(delete(DESCRIPTIONS).where(DESCRIPTIONS.c.game == game.name))
        text = json.dumps(game.description())
        values = {"game": game.name, "rules_hash": game.facts.hash, "description": text}
        connection.execute(insert(DESCRIPTIONS).values(values))
    return known
