"""One daemon serves a store: games have no owner, and daemons no table."""

from __future__ import annotations

from alembic import op

revision = "a006"
down_revision = "a005"


def upgrade() -> None:
    """Drop what only a fleet of daemons used."""
    op.drop_table("processes")
    # In place, as SQLite can since 3.35: a copy of the table would break the references of turns.
    op.drop_column("games", "owner")
    op.drop_column("games", "fence")
