"""Sessions of browsers, and the course of each rating."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "a005"
down_revision = "a004"


def upgrade() -> None:
    """Create the tables; a rating has a course from its next computation on."""
    op.create_table(
        "sessions",
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("ticket", sa.Text, nullable=False),
        sa.Column("account_id", sa.Integer, nullable=False),
        sa.Column("expires", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_sessions_account_id_accounts"
        ),
        sa.PrimaryKeyConstraint("digest", name="pk_sessions"),
        sa.UniqueConstraint("ticket", name="uq_sessions_ticket"),
    )
    op.create_index("ix_sessions_account_id", "sessions", ["account_id"])
    op.create_table(
        "rating_points",
        sa.Column("account_id", sa.Integer, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("board", sa.Text, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("elo", sa.Float, nullable=False),
        sa.Column("error", sa.Float, nullable=False),
        sa.Column("computed", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_rating_points_account_id_accounts"
        ),
        sa.PrimaryKeyConstraint("account_id", "game", "board", "games", name="pk_rating_points"),
    )
