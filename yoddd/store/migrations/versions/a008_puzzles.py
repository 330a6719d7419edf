"""The puzzles that the users of accounts have solved."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "a008"
down_revision = "a007"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "puzzle_scores",
        sa.Column("account_id", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("rating", sa.Float, nullable=False),
        sa.Column("day", sa.Integer, nullable=False),
        sa.Column("days", sa.Integer, nullable=False),
        sa.Column("most_days", sa.Integer, nullable=False),
        sa.Column("most_run", sa.Integer, nullable=False),
        sa.Column("most_storm", sa.Integer, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_puzzle_scores_account_id_accounts"
        ),
        sa.PrimaryKeyConstraint("account_id", name="pk_puzzle_scores"),
    )
    op.create_table(
        "puzzles_solved",
        sa.Column("account_id", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("puzzle", sa.Text, nullable=False),
        sa.Column("first_try", sa.Boolean, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_puzzles_solved_account_id_accounts"
        ),
        sa.PrimaryKeyConstraint("account_id", "puzzle", name="pk_puzzles_solved"),
    )
