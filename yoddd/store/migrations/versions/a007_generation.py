"""The generation of the daemon that serves a PostgreSQL store."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "a007"
down_revision = "a006"


def upgrade() -> None:
    """Create the table of one row, which the first daemon that serves adds."""
    op.create_table(
        "generation",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_generation_one_row")),
        sa.PrimaryKeyConstraint("id", name="pk_generation"),
    )
