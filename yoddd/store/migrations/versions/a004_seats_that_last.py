"""All games of the lobby are kept: unrated ones, the keys of the seats, and invites."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "a004"
down_revision = "a003"

_RESULTS = ("game", "board", "black_id", "white_id", "winner")


def upgrade() -> None:
    """Add the columns in place; the index of the results is made again with `rated` in front."""
    op.add_column("games", sa.Column("rated", sa.Boolean, nullable=False, server_default=sa.true()))
    op.add_column("games", sa.Column("options", sa.Text, nullable=False, server_default=""))
    for name in ("black_name", "white_name", "black_key", "white_key", "invite"):
        op.add_column("games", sa.Column(name, sa.Text))
    op.add_column("games", sa.Column("expires", sa.Float))
    op.drop_index("ix_games_results", table_name="games")
    op.create_index("ix_games_results", "games", ["rated", *_RESULTS])
