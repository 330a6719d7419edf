"""The descriptions of games that do not come with the program."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "a009"
down_revision = "a008"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "descriptions",
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("rules_hash", sa.Text, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("game", name="pk_descriptions"),
    )
