"""The environment of alembic: runs the steps in the transaction of `yoddd.store.database`."""

from __future__ import annotations

from alembic import context

from yoddd.store.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    # SQLite cannot alter most of a table: alembic creates a new one and copies the rows.
    render_as_batch=True,
)
context.run_migrations()
