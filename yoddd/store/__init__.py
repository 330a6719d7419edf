"""Layer 6: the database of accounts, tokens, rated games turn by turn, and ratings.

`yoddd.store.values` and `yoddd.store.errors` need only attrs. The other modules need the extra
``store`` (SQLAlchemy, alembic, platformdirs) and are imported only where a store is opened: the
daemon runs without one.
"""
