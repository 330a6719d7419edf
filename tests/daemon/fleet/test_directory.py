"""Directories as the store has them, and the mirror of those of other nodes."""

from __future__ import annotations

import json

import pytest

from tests.daemon.fleet.fakes import OTHER, OWN, make_node
from yoddd.daemon.fleet.directory import Directory, NodeDirectory

WHOLE = Directory({"ann": 1.5}, ["box"], {"r1": ("r1 playing …", ["ann", "bob"])}, ["m1 …"])


@pytest.fixture
def mirror() -> NodeDirectory:
    return NodeDirectory()


def test_directory_dump_has_the_stored_form() -> None:
    assert json.loads(WHOLE.dump()) == {
        "people": {"ann": 1.5},
        "engines": ["box"],
        "games": {"r1": ["r1 playing …", ["ann", "bob"]]},
        "matches": ["m1 …"],
    }


def test_directory_load_restores_what_was_dumped() -> None:
    found = Directory.load(WHOLE.dump())
    assert (found.users, found.engines, found.matches) == (WHOLE.users, ["box"], ["m1 …"])
    assert list(found.games["r1"]) == ["r1 playing …", ["ann", "bob"]]
    assert found.dump() == WHOLE.dump()


def test_directory_load_ignores_unknown_and_fills_missing_fields() -> None:
    assert Directory.load('{"people": {"ann": 2.5}, "moods": []}') == Directory({"ann": 2.5})
    assert Directory.load("{}") == Directory()


def test_mirror_new_is_empty(mirror: NodeDirectory) -> None:
    assert mirror.engine_node is None
    assert mirror.find_node(OWN) is None
    assert not mirror.others
    assert mirror.remote_names() == []


def test_mirror_update_returns_changed_directories_only(mirror: NodeDirectory) -> None:
    own, other = make_node(OWN, WHOLE), make_node(OTHER, Directory({"bob": 1.0}))
    assert mirror.update(OWN, (own, other)) == [Directory({"bob": 1.0})]
    assert mirror.update(OWN, (own, other)) == []
    third = make_node(5)
    assert mirror.update(OWN, (own, other, third)) == [Directory()]
    changed = make_node(OTHER, Directory({"cid": 2.0}))
    assert mirror.update(OWN, (own, changed, third)) == [Directory({"cid": 2.0})]
    assert list(mirror.others) == [OTHER, 5]


def test_mirror_update_removes_nodes_that_are_not_alive(mirror: NodeDirectory) -> None:
    mirror.update(OWN, (make_node(OTHER, WHOLE), make_node(OWN)))
    assert mirror.find_owner("r1") == OTHER
    mirror.update(OWN, (make_node(OWN),))
    assert not mirror.others
    assert mirror.find_owner("r1") is None
    assert mirror.find_node(OTHER) is None


def test_mirror_engine_node_is_the_oldest_unless_that_is_this_one(mirror: NodeDirectory) -> None:
    own, other = make_node(OWN), make_node(OTHER)
    mirror.update(OWN, (other, own))
    assert mirror.engine_node == other
    mirror.update(OWN, (own, other))
    assert mirror.engine_node is None


def test_mirror_find_node_finds_this_one_too(mirror: NodeDirectory) -> None:
    own, other = make_node(OWN), make_node(OTHER)
    mirror.update(OWN, (own, other))
    assert mirror.find_node(OWN) == own
    assert mirror.find_node(OTHER) == other


def test_mirror_find_owner_ignores_the_own_directory(mirror: NodeDirectory) -> None:
    mirror.update(OWN, (make_node(OWN, WHOLE), make_node(OTHER)))
    assert mirror.find_owner("r1") is None


def test_mirror_remote_names_have_their_kind(mirror: NodeDirectory) -> None:
    mirror.update(OWN, (make_node(OWN, Directory({"bob": 1.0})), make_node(OTHER, WHOLE)))
    assert mirror.remote_names() == [("ann", "person"), ("box", "engine")]
