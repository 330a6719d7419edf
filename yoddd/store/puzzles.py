"""The puzzles that users have solved, and their figures; every function works in a transaction."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
from sqlalchemy import Connection, insert, select, update

from yoddd.store.schema import PUZZLE_SCORES, PUZZLES_SOLVED
from yoddd.store.values import Scores


def find_scores(connection: Connection, account: int) -> Scores | None:
    """The figures of an account; None if it has none yet."""
    names = [PUZZLE_SCORES.c[field.name] for field in attrs.fields(Scores)]
    row = connection.execute(
        select(*names).where(PUZZLE_SCORES.c.account_id == account)
    ).one_or_none()
    return None if row is None else Scores(*row)


def find_solved(connection: Connection, account: int) -> Mapping[str, bool]:
    """The puzzles that an account has solved: whether each at the first try."""
    columns = PUZZLES_SOLVED.c
    query = select(columns.puzzle, columns.first_try).where(columns.account_id == account)
    return {row.puzzle: row.first_try for row in connection.execute(query)}


def keep_puzzles(
    connection: Connection, account: int, scores: Scores, solved: Mapping[str, bool]
) -> None:
    """Add puzzles to those that an account has solved, and set its figures.

    Args:
        connection: the open transaction.
        account: the id of the account.
        scores: its figures; what was better before is kept, but for the rating.
        solved: whether each was solved at the first try.
    """
    earlier = find_scores(connection, account)
    values = attrs.asdict(scores if earlier is None else scores.merged(earlier))
    if earlier is None:
        connection.execute(insert(PUZZLE_SCORES).values(account_id=account, **values))
    else:
        own = PUZZLE_SCORES.c.account_id == account
        connection.execute(update(PUZZLE_SCORES).where(own).values(**values))
    known = find_solved(connection, account)
    rows = [
        {"account_id": account, "puzzle": puzzle, "first_try": first_try}
        for puzzle, first_try in solved.items()
        if puzzle not in known
    ]
    if rows:
        connection.execute(insert(PUZZLES_SOLVED), rows)
    columns = PUZZLES_SOLVED.c
    better = [
        puzzle for puzzle, first_try in solved.items() if first_try and not known.get(puzzle, True)
    ]
    if better:
        own = (columns.account_id == account) & columns.puzzle.in_(better)
        connection.execute(update(PUZZLES_SOLVED).where(own).values(first_try=True))
