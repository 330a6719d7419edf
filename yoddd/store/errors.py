"""What can go wrong in the store.

::

    StoreError             the text is for the person at the keyboard
    ├── StoreMissing       SQLAlchemy or a driver is not installed, or the database is not there
    ├── StoreOutdated      its schema is older or newer than this program's
    ├── Fenced             another daemon has the game
    ├── NameTaken          an account has that name already
    └── UnknownName        no account has that name
"""

from __future__ import annotations


class StoreError(Exception):
    """The store cannot do it; the text says why."""


class StoreMissing(StoreError):
    """What is needed to reach the database is not there."""


class StoreOutdated(StoreError):
    """The schema is not this program's."""


class Fenced(StoreError):
    """Another daemon has taken the game over; whatever this one still writes to it is refused."""


class NameTaken(StoreError):
    """An account of that name exists, whatever the case of its letters."""


class UnknownName(StoreError):
    """No account has that name."""
