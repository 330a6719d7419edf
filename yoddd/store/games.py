"""Games of the lobby, their turns and descriptions; every function works in a transaction."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import eq, ge, lt
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    CursorResult,
    Row,
    Select,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    select,
    tuple_,
    update,
)

from yoddd.notation.records import GameRecord, dump_record, filled
from yoddd.protocol.origin import fold
from yoddd.rules import DescriptionError
from yoddd.rules.game import Game
from yoddd.rules.games import compare, read_described
from yoddd.store.accounts import find_account
from yoddd.store.errors import StoreError, UnknownName
from yoddd.store.schema import ACCOUNTS, DESCRIPTIONS, GAMES, TURNS
from yoddd.store.values import GameRow, GameSearch, Keys, NewGame, State, Tally, TurnRow


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


_BLACK: Final = ACCOUNTS.alias("black")
_WHITE: Final = ACCOUNTS.alias("white")

LASTING: Final = (GAMES.c.state == State.PLAYING) | (
    (GAMES.c.state == State.OPEN) & GAMES.c.expires.is_not(None)
)
"""The games that outlive their daemon: those in play, and offers that expire by themselves."""

_UNPLAYED: Final = (GAMES.c.state == State.OPEN) | (
    (GAMES.c.state == State.PLAYING) & ~exists().where(TURNS.c.game == GAMES.c.number)
)
"""Games that are offered, or have begun without an acknowledgement: their daemon offers them."""

_INSERT_TURN: Final = {
    "sqlite": "INSERT INTO turns (game, number, token, seconds) VALUES (?, ?, ?, ?)",
    "postgresql": "INSERT INTO turns (game, number, token, seconds) VALUES (%s, %s, %s, %s)",
}


def add_game(connection: Connection, game: NewGame) -> int:
    """Store an offer; the number of the game.

    Raises:
        UnknownName: a participant has no account.
    """
    result = connection.execute(
        insert(GAMES).values(
            game=game.game,
            board=game.board,
            clock=game.clock,
            engines=game.engines,
            state=State.OPEN,
            offered=game.offered,
            rated=game.rated,
            options=game.options,
            invite=game.invite,
            expires=game.expires,
            for_users=game.for_users,
            **_seats(connection, game.black, game.white, game.keys, rated=game.rated),
        )
    )
    (number,) = result.inserted_primary_key or (0,)
    return int(number)


def begin_game(
    connection: Connection,
    number: int,
    black: str,
    white: str,
    started: str,
    keys: Keys = (None, None),
) -> None:
    """Begin an offered game; once more where the answer to the attempt before was lost.

    Args:
        connection: the open transaction.
        number: of the game.
        black: who begins as Black, in a rated game an account.
        white: who begins as White; likewise.
        started: the time of its beginning.
        keys: by seat, the digest of its key.

    Raises:
        UnknownName: a participant has no account.
        StoreError: the game is not open, and has turns.
    """
    rated = connection.execute(select(GAMES.c.rated).where(GAMES.c.number == number)).scalar()
    values = {
        "state": State.PLAYING,
        "started": started,
        "invite": None,
        "expires": None,
        **_seats(connection, black, white, keys, rated=bool(rated)),
    }
    change = update(GAMES).where(GAMES.c.number == number, _UNPLAYED)
    _check_changed(connection.execute(change.values(**values)), number, State.OPEN)


def adopt_games(connection: Connection, account: int, keys: Collection[str]) -> int:
    """Give the seats of finished games to the account of who has played them; how many there are.

    Args:
        connection: the open transaction.
        account: the id of the account.
        keys: the digests of the keys that played for the seats; of other seats nothing changes, nor
            of those that an account has.
    """
    adopted = 0
    for key, seat in ((GAMES.c.black_key, GAMES.c.black_id), (GAMES.c.white_key, GAMES.c.white_id)):
        wanted = (GAMES.c.state == State.OVER, GAMES.c.rated.is_(False), seat.is_(None))
        result = connection.execute(
            update(GAMES).where(*wanted, key.in_(keys)).values({seat: account})
        )
        adopted += result.rowcount
    return adopted


def set_key(connection: Connection, number: int, seat: str, key: str) -> None:
    """Replace the digest of a seat's key.

    Raises:
        StoreError: the game is over.
    """
    column = "black_key" if seat == "b" else "white_key"
    change = update(GAMES).where(GAMES.c.number == number, GAMES.c.state != State.OVER)
    _check_changed(connection.execute(change.values({column: key})), number, State.PLAYING)


def end_game(connection: Connection, number: int, record: GameRecord) -> None:
    """Store the result of a game; does nothing if the store has this one already.

    Raises:
        StoreError: it is not being played.
    """
    text = dump_record(record)
    if connection.scalar(select(GAMES.c.record).where(GAMES.c.number == number)) == text:
        return  # an attempt whose answer was lost
    values = {
        "state": State.OVER,
        "ended": record.ended,
        "winner": record.winner,
        "reason": record.reason,
        "record": text,
    }
    _change(connection, number, State.PLAYING, values)


def drop_game(connection: Connection, number: int) -> None:
    """Delete an offer that is withdrawn."""
    connection.execute(delete(GAMES).where(GAMES.c.number == number, _UNPLAYED))


def drop_offers(connection: Connection) -> int:
    """Delete every offer that does not expire: their owners are gone. The number of offers."""
    return connection.execute(delete(GAMES).where(GAMES.c.state == State.OPEN, ~LASTING)).rowcount


def add_turns(connection: Connection, turns: Sequence[TurnRow]) -> None:
    """Store turns; a turn that exists already is an error."""
    # Plain SQL: SQLAlchemy's constructs cost three times as much, and this is the hottest path.
    rows = [(turn.game, turn.number, turn.token, turn.seconds) for turn in turns]
    connection.exec_driver_sql(_INSERT_TURN[connection.dialect.name], rows)


def drop_turns(connection: Connection, number: int, length: int) -> None:
    """Delete all turns of a game but the first ``length``.

    Raises:
        StoreError: it is not being played.
    """
    _change(connection, number, State.PLAYING, {"used_turns": None})
    connection.execute(delete(TURNS).where(TURNS.c.game == number, TURNS.c.number > length))


def keep_used(connection: Connection, waits: Sequence[tuple[int, int, float, float]]) -> None:
    """Store for games by the day, by number, their turns and the seconds of the next one.

    These are those that it took, and those for which its clock still stands still.
    """
    if waits:
        names = ("game_", "turns", "seconds", "pause")
        change = update(GAMES).where(GAMES.c.number == bindparam("game_"))
        connection.execute(
            change.values(
                used_turns=bindparam("turns"),
                used=bindparam("seconds"),
                paused=bindparam("pause"),
            ),
            [dict(zip(names, one, strict=True)) for one in waits],
        )


def games_in_play(connection: Connection, numbers: Collection[int] | None = None) -> list[GameRow]:
    """The games that outlive their daemon, the oldest first; only of ``numbers`` if given."""
    query = _games().where(LASTING)
    if numbers is not None:
        query = query.where(GAMES.c.number.in_(numbers))
    rows = connection.execute(query).all()
    return [_game(row, turns_of(connection, row.number)) for row in rows]


def find_game(connection: Connection, number: int) -> GameRow | None:
    """A game with its turns, or None."""
    row = connection.execute(_games().where(GAMES.c.number == number)).first()
    return None if row is None else _game(row, turns_of(connection, number))


def finished_games(connection: Connection, search: GameSearch | None = None) -> list[GameRow]:
    """Games that are over, the latest first, without their turns.

    Without a player they are rated ones only.
    """
    search = search or GameSearch()
    player, opponent = search.player, search.opponent
    if player is None:
        player, opponent = opponent, None
    wanted = [GAMES.c.state == State.OVER, *_conditions(search)]
    limit = search.limit
    if player is None:
        wanted.append(GAMES.c.rated)
        numbers = _latest(connection, wanted, limit)
    else:
        numbers = _latest_of(connection, wanted, (player, opponent), limit)
    query = _games().where(GAMES.c.number.in_(numbers))
    query = query.order_by(None).order_by(GAMES.c.number.desc())
    return [_game(row) for row in connection.execute(query)]


def _conditions(search: GameSearch) -> list[ColumnElement[bool]]:
    given = (
        (GAMES.c.game, eq, search.game),
        (GAMES.c.board, eq, search.board),
        (GAMES.c.number, lt, search.before),
        (GAMES.c.ended, ge, search.since),
        (GAMES.c.ended, lt, search.until),
    )
    return [compare(column, value) for column, compare, value in given if value is not None]


def _latest_of(
    connection: Connection,
    wanted: Sequence[ColumnElement[bool]],
    names: tuple[str, str | None],
    limit: int,
) -> list[int]:
    """The numbers of the latest games of an account, or of two accounts against each other."""
    query = select(ACCOUNTS.c.id)
    one, two = (
        None if name is None else connection.scalar(query.where(ACCOUNTS.c.folded == fold(name)))
        for name in names
    )
    if one is None or (two is None and names[1] is not None):
        return []
    found: set[int] = set()
    # One list of each colour, because no index has the games of both.
    for own, other in ((GAMES.c.black_id, GAMES.c.white_id), (GAMES.c.white_id, GAMES.c.black_id)):
        both = [own == one] if two is None else [own == one, other == two]
        found |= {*_latest(connection, [*wanted, *both], limit)}
    return sorted(found, reverse=True)[:limit]


def _latest(connection: Connection, wanted: Sequence[ColumnElement[bool]], limit: int) -> list[int]:
    """The numbers of the latest games that meet the conditions."""
    query = select(GAMES.c.number).where(*wanted).order_by(GAMES.c.number.desc()).limit(limit)
    return list(connection.execute(query).scalars())


def tallies(connection: Connection, game: str, board: str) -> list[Tally]:
    """Wins by both participants of each pairing in rated games; void ones do not count."""
    won, lost = (func.sum(case((GAMES.c.winner == who, 1), else_=0)) for who in "bw")
    rows = connection.execute(
        select(_BLACK.c.name, _WHITE.c.name, won, lost)
        .select_from(GAMES)
        .join(_BLACK, _BLACK.c.id == GAMES.c.black_id)
        .join(_WHITE, _WHITE.c.id == GAMES.c.white_id)
        .where(
            GAMES.c.rated,
            GAMES.c.game == game,
            GAMES.c.board == board,
            GAMES.c.winner.is_not(None),
        )
        .group_by(_BLACK.c.name, _WHITE.c.name)
        .order_by(_BLACK.c.name, _WHITE.c.name)
    )
    return [Tally(black, white, int(first), int(second)) for black, white, first, second in rows]


def played_boards(connection: Connection) -> list[tuple[str, str]]:
    """The games and boards with a rated result."""
    # One look into the index for each board: DISTINCT would read all games.
    query = select(GAMES.c.game, GAMES.c.board).where(GAMES.c.rated, GAMES.c.winner.is_not(None))
    query = query.order_by(GAMES.c.game, GAMES.c.board).limit(1)
    found: list[tuple[str, str]] = []
    after = query
    while (row := connection.execute(after).first()) is not None:
        found.append((row.game, row.board))
        after = query.where(tuple_(GAMES.c.game, GAMES.c.board) > tuple_(row.game, row.board))
    return found


def turns_of(connection: Connection, number: int) -> tuple[TurnRow, ...]:
    """The turns of a game, oldest first."""
    rows = connection.execute(select(TURNS).where(TURNS.c.game == number).order_by(TURNS.c.number))
    return tuple(TurnRow(row.game, row.number, row.token, row.seconds) for row in rows)


def _seats(
    connection: Connection, black: str | None, white: str | None, keys: Keys, *, rated: bool
) -> dict[str, object]:
    """The columns of both seats."""
    return {
        "black_id": _id(connection, black, rated=rated),
        "white_id": _id(connection, white, rated=rated),
        "black_name": black,
        "white_name": white,
        "black_key": keys[0],
        "white_key": keys[1],
    }


def _id(connection: Connection, name: str | None, *, rated: bool) -> int | None:
    """The account of a name, which only the account's owner may use."""
    if name is None:
        return None
    try:
        return find_account(connection, name).id
    except UnknownName:
        if rated:
            raise
        return None


def _change(
    connection: Connection, number: int, state: State, values: Mapping[str, object]
) -> None:
    """Change a game that is in ``state``."""
    change = update(GAMES).where(GAMES.c.number == number, GAMES.c.state == state)
    _check_changed(connection.execute(change.values(**values)), number, state)


def _check_changed(result: CursorResult[Any], number: int, state: State) -> None:
    if result.rowcount != 1:
        raise StoreError(f"game {number} is not {state}")


def _games() -> Select[Any]:
    return (
        select(
            GAMES,
            func.coalesce(_BLACK.c.name, GAMES.c.black_name).label("black"),
            func.coalesce(_WHITE.c.name, GAMES.c.white_name).label("white"),
        )
        .outerjoin(_BLACK, _BLACK.c.id == GAMES.c.black_id)
        .outerjoin(_WHITE, _WHITE.c.id == GAMES.c.white_id)
        .order_by(GAMES.c.number)
    )


def _game(row: Row[Any], turns: Iterable[TurnRow] = ()) -> GameRow:
    settled = NewGame(
        row.game,
        row.board,
        row.clock,
        row.black,
        row.white,
        row.offered,
        row.engines,
        row.rated,
        row.options,
        (row.black_key, row.white_key),
        row.invite,
        row.expires,
        row.for_users,
    )
    past = tuple(turns)
    is_latest = row.used_turns == len(past)
    accounts = ("b" if row.black_id else "") + ("w" if row.white_id else "")
    return GameRow(
        row.number,
        settled,
        State(row.state),
        row.started,
        row.ended,
        row.winner,
        row.reason,
        row.record and filled(row.record),
        past,
        accounts,
        used=row.used or 0.0 if is_latest else 0.0,
        paused=row.paused or 0.0 if is_latest else 0.0,
    )
