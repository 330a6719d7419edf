"""The steps of the schema, which alembic runs."""
