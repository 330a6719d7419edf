"""Accounts, tokens, games, turns, ratings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "a001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "accounts",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("folded", sa.Text, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
        sa.Column("disabled", sa.Boolean, nullable=False),
        sa.Column("anchor", sa.Float),
        sa.PrimaryKeyConstraint("id", name="pk_accounts"),
        sa.UniqueConstraint("folded", name="uq_accounts_folded"),
    )
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("account_id", sa.Integer, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
        sa.Column("revoked", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_tokens_account_id"),
        sa.UniqueConstraint("digest", name="uq_tokens_digest"),
    )
    op.create_index("ix_tokens_account_id", "tokens", ["account_id"])
    _make_games()
    op.create_table(
        "ratings",
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("board", sa.Text, nullable=False),
        sa.Column("account_id", sa.Integer, nullable=False),
        sa.Column("elo", sa.Float, nullable=False),
        sa.Column("error", sa.Float, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("won", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("game", "board", "account_id", name="pk_ratings"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_ratings_account_id"),
    )


def _make_games() -> None:
    op.create_table(
        "games",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("board", sa.Text, nullable=False),
        sa.Column("clock", sa.Text, nullable=False),
        sa.Column("black_id", sa.Integer),
        sa.Column("white_id", sa.Integer),
        sa.Column("engines", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("offered", sa.Text, nullable=False),
        sa.Column("started", sa.Text),
        sa.Column("ended", sa.Text),
        sa.Column("winner", sa.Text),
        sa.Column("reason", sa.Text),
        sa.Column("record", sa.Text),
        sa.PrimaryKeyConstraint("number", name="pk_games"),
        sa.ForeignKeyConstraint(["black_id"], ["accounts.id"], name="fk_games_black_id"),
        sa.ForeignKeyConstraint(["white_id"], ["accounts.id"], name="fk_games_white_id"),
        sa.CheckConstraint("state IN ('open', 'playing', 'over')", name=op.f("ck_games_state")),
        sa.CheckConstraint("winner IN ('b', 'w')", name=op.f("ck_games_winner")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_games_state", "games", ["state"])
    op.create_index(
        "ix_games_results", "games", ["game", "board", "black_id", "white_id", "winner"]
    )
    op.create_table(
        "turns",
        sa.Column("game", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("token", sa.Text, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("game", "number", name="pk_turns"),
        sa.ForeignKeyConstraint(["game"], ["games.number"], name="fk_turns_game"),
        sqlite_with_rowid=False,
    )
