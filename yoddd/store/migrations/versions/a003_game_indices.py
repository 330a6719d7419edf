"""Indices for the lists of finished games: of an account, of a game and of a board."""

from __future__ import annotations

from alembic import op

revision = "a003"
down_revision = "a002"

_INDICES = (
    ("black_id", "number"),
    ("white_id", "number"),
    ("game", "number"),
    ("board", "number"),
    ("game", "board", "number"),
)


def upgrade() -> None:
    """Create the indices; a list then reads no more rows than it has."""
    for columns in _INDICES:
        op.create_index(f"ix_games_{'_'.join(columns)}", "games", list(columns))
