"""The tables; every change needs a migration in `yoddd/store/migrations/versions`."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    false,
    true,
)

METADATA: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

ACCOUNTS: Final = Table(
    "accounts",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("folded", Text, nullable=False, unique=True),
    Column("created", Text, nullable=False),
    Column("disabled", Boolean, nullable=False),
    Column("anchor", Float),
    Column("feed", Text),  # the digest of the secret in the address of its feed
    Index("ix_accounts_feed", "feed"),
)

TOKENS: Final = Table(
    "tokens",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("account_id", ForeignKey(ACCOUNTS.c.id), nullable=False, index=True),
    Column("digest", Text, nullable=False, unique=True),
    Column("created", Text, nullable=False),
    Column("revoked", Text),
)

GAMES: Final = Table(
    "games",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("game", Text, nullable=False),
    Column("board", Text, nullable=False),
    Column("clock", Text, nullable=False),
    Column("black_id", ForeignKey(ACCOUNTS.c.id)),
    Column("white_id", ForeignKey(ACCOUNTS.c.id)),
    Column("engines", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("offered", Text, nullable=False),
    Column("started", Text),
    Column("ended", Text),
    Column("winner", Text),
    Column("reason", Text),
    Column("record", Text),
    Column("rated", Boolean, nullable=False, server_default=true()),
    Column("options", Text, nullable=False, server_default=""),
    Column("black_name", Text),  # of a participant who need not have an account
    Column("white_name", Text),
    Column("black_key", Text),  # the digest of the secret that plays for the seat
    Column("white_key", Text),
    Column("invite", Text),  # the digest of the secret that an invite is accepted with
    Column("expires", Float),  # when an invite or an offer by the day does, seconds since 1970
    Column("for_users", Boolean, nullable=False, server_default=false()),
    Column("used_turns", Integer),  # of a game by the day, when `used` was written
    Column("used", Float),  # the seconds that the next turn had taken by then
    Column("paused", Float),  # the seconds for which its clock still stood still
    CheckConstraint("state IN ('open', 'playing', 'over')", name="state"),
    CheckConstraint("winner IN ('b', 'w')", name="winner"),
    Index("ix_games_state", "state"),
    Index("ix_games_black_id_number", "black_id", "number"),
    Index("ix_games_white_id_number", "white_id", "number"),
    Index("ix_games_game_number", "game", "number"),
    Index("ix_games_board_number", "board", "number"),
    Index("ix_games_game_board_number", "game", "board", "number"),
    Index("ix_games_results", "rated", "game", "board", "black_id", "white_id", "winner"),
    sqlite_autoincrement=True,  # the number of a withdrawn offer is never used again
)

TURNS: Final = Table(
    "turns",
    METADATA,
    Column("game", ForeignKey(GAMES.c.number), primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("token", Text, nullable=False),
    Column("seconds", Float, nullable=False),
    sqlite_with_rowid=False,
)

RATINGS: Final = Table(
    "ratings",
    METADATA,
    Column("game", Text, primary_key=True),
    Column("board", Text, primary_key=True),
    Column("account_id", ForeignKey(ACCOUNTS.c.id), primary_key=True, autoincrement=False),
    Column("elo", Float, nullable=False),
    Column("error", Float, nullable=False),
    Column("games", Integer, nullable=False),
    Column("won", Integer, nullable=False),
)

SESSIONS: Final = Table(
    "sessions",
    METADATA,
    Column("digest", Text, primary_key=True),
    Column("ticket", Text, nullable=False, unique=True),
    Column("account_id", ForeignKey(ACCOUNTS.c.id), nullable=False, index=True),
    Column("expires", Text, nullable=False),
)

GENERATION: Final = Table(
    "generation",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("number", Integer, nullable=False),  # of the daemon that serves; raised by a takeover
    CheckConstraint("id = 1", name="one_row"),
)

RATING_POINTS: Final = Table(
    "rating_points",
    METADATA,
    Column("account_id", ForeignKey(ACCOUNTS.c.id), primary_key=True, autoincrement=False),
    Column("game", Text, primary_key=True),
    Column("board", Text, primary_key=True),
    Column("games", Integer, primary_key=True, autoincrement=False),
    Column("elo", Float, nullable=False),
    Column("error", Float, nullable=False),
    Column("computed", Text, nullable=False),
)

PUZZLE_SCORES: Final = Table(
    "puzzle_scores",
    METADATA,
    Column("account_id", ForeignKey(ACCOUNTS.c.id), primary_key=True, autoincrement=False),
    Column("rating", Float, nullable=False),
    Column("day", Integer, nullable=False),
    Column("days", Integer, nullable=False),
    Column("most_days", Integer, nullable=False),
    Column("most_run", Integer, nullable=False),
    Column("most_storm", Integer, nullable=False),
)

PUZZLES_SOLVED: Final = Table(
    "puzzles_solved",
    METADATA,
    Column("account_id", ForeignKey(ACCOUNTS.c.id), primary_key=True, autoincrement=False),
    Column("puzzle", Text, primary_key=True),
    Column("first_try", Boolean, nullable=False),
)

DESCRIPTIONS: Final = Table(
    "descriptions",
    METADATA,
    Column("game", Text, primary_key=True),
    Column("rules_hash", Text, nullable=False),
    Column("description", Text, nullable=False),  # as JSON
)
