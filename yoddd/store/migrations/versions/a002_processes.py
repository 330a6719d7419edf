"""Several daemons share a store: who is alive, and who has which game."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "a002"
down_revision = "a001"


def upgrade() -> None:
    """Give games an owner and a fencing number, and daemons a table."""
    op.create_table(
        "processes",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("joined", sa.Integer, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("secret", sa.Text, nullable=False),
        sa.Column("expires", sa.Float, nullable=False),
        sa.Column("directory", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_processes"),
        sqlite_autoincrement=True,
    )
    # Both can be added in place, also by SQLite: no need to copy the table of all games.
    op.add_column("games", sa.Column("owner", sa.Integer))
    op.add_column("games", sa.Column("fence", sa.Integer, nullable=False, server_default="0"))
