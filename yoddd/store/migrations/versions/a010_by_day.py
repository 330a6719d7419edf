"""Games by the day: the seconds that the present turn has taken, and who may accept an offer."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "a010"
down_revision = "a009"


def upgrade() -> None:
    """Add the columns in place."""
    flag = sa.Column("for_users", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("games", flag)
    op.add_column("games", sa.Column("used_turns", sa.Integer))
    op.add_column("games", sa.Column("used", sa.Float))
