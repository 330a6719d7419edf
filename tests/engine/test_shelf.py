"""The shelf: each owner's own searcher, and not too many of them."""

from __future__ import annotations

from yoddd.engine import ENGINES, Searcher, Shelf


def uct() -> Searcher:
    return ENGINES["uct"]()


def test_what_is_put_is_taken_once() -> None:
    shelf, searcher = Shelf(), uct()
    shelf.put("ann", searcher)
    assert shelf.take("bob", "uct") is None
    assert shelf.take("ann", "uct") is searcher
    assert shelf.take("ann", "uct") is None


def test_take_of_another_engine_returns_none() -> None:
    shelf = Shelf()
    shelf.put("ann", uct())
    assert shelf.take("ann", "random") is None
    assert len(shelf) == 0


def test_drop_removes_the_owners_searcher() -> None:
    shelf = Shelf()
    shelf.put("ann", uct())
    shelf.drop("ann")
    shelf.drop("bob")
    assert len(shelf) == 0
