"""The private feed of an account: the digest of the secret in its address."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "a011"
down_revision = "a010"


def upgrade() -> None:
    """Add the column in place."""
    op.add_column("accounts", sa.Column("feed", sa.Text))
    op.create_index("ix_accounts_feed", "accounts", ["feed"])
