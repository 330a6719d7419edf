"""What must outlive the daemon: accounts, tokens, rated games turn by turn, and ratings.

`yoddd.store.values` and `yoddd.store.errors` need nothing but attrs. Everything else needs the
extra ``store`` (SQLAlchemy, alembic, platformdirs), and is imported by those who open a store only:
the daemon runs without one.
"""
