"""Pauses of games by the day: the seconds that are left of one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "a012"
down_revision = "a011"


def upgrade() -> None:
    """Add the column in place."""
    op.add_column("games", sa.Column("paused", sa.Float))
