"""The errors of the store.

::

    StoreError             the text is shown to the user
    ├── StoreMissing       SQLAlchemy or a driver is not installed, or the database is not there
    ├── StoreInUse         another daemon has the file open
    ├── StoreOutdated      its schema is older or newer than this program's
    ├── StoreAway          it is locked, full or unreachable for now: a later attempt may succeed
    ├── StoreDamaged       a part of it cannot be read: a copy has to be restored
    ├── StoreTaken         a later daemon serves the database: this one may not write any more
    ├── TargetRefused      a file may not be written: it is read, or belongs to a database
    ├── NameTaken          an account has that name already
    └── UnknownName        no account has that name
"""

from __future__ import annotations


class StoreError(Exception):
    """The store failed or refused; the text gives the reason."""


class StoreMissing(StoreError):
    """A library, a driver or the database itself is missing."""


class StoreInUse(StoreError):
    """Another daemon uses the file."""


class StoreOutdated(StoreError):
    """The schema has another version than this program's."""


class StoreAway(StoreError):
    """The database cannot be used for now; the same request may succeed later."""


class StoreDamaged(StoreError):
    """A part of the database is damaged; the text gives the way back."""


class StoreTaken(StoreError):
    """Another daemon has taken over the database; this one may not write any more."""


class TargetRefused(StoreError):
    """An output is a file that is read, or that a database would lose."""


class NameTaken(StoreError):
    """An account of that name exists, in any case of letters."""


class UnknownName(StoreError):
    """No account has that name."""
