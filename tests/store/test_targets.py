"""Targets that are refused: those that are no store, a store that is held, and a source."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.engine import URL

from tests.store.test_sqlite import names_in, store_at
from yoddd.store.backup import back_up, restore
from yoddd.store.database import make_private, migrate, read_url
from yoddd.store.errors import StoreDamaged, StoreError, StoreInUse
from yoddd.store.lock import StoreLock
from yoddd.store.store import Store
from yoddd.store.targets import Kind, kind_of

pytestmark = pytest.mark.gate


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "s"
    store_at(path, "ann").close()
    return path.read_bytes()


@pytest.fixture
def served(tmp_path: Path, whole: bytes) -> Iterator[Path]:
    """A store that a daemon serves, with a turn of events in its log."""
    path = tmp_path / "served"
    path.write_bytes(whole)
    lock, store = StoreLock(path), Store(read_url(str(path)))
    store.transact(lambda one: one.exec_driver_sql("UPDATE accounts SET name = 'Ann'"))
    yield path
    store.close()
    lock.release()


def tree(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(path): (at.st_mode, at.st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in sorted(folder.rglob("*"))
        if (at := path.lstat())
    }


def database(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as one:
        for statement in ("CREATE TABLE games (number)", *statements):
            one.execute(statement)
        one.commit()


def unclosed(path: Path, whole: bytes) -> None:
    """A database of another program in use, whose tables are in its log alone."""
    source = path.with_name("source")
    other = sqlite3.connect(source)
    other.execute("PRAGMA journal_mode=wal")
    other.execute("CREATE TABLE mine (x)")
    other.commit()
    for end in ("", "-wal"):
        Path(f"{path}{end}").write_bytes(Path(f"{source}{end}").read_bytes())
    other.close()
    source.unlink()
    del whole


def beside(end: str, content: bytes = b"") -> Callable[[Path, bytes], None]:
    """A file beside a store, under whose name `path` is."""

    def make(path: Path, whole: bytes) -> None:
        path.with_name(path.name.removesuffix(end)).write_bytes(whole)
        path.write_bytes(content)

    return make


def linked(path: Path) -> None:
    path.with_name("other").write_text("text")
    path.symlink_to("other")


OTHERS: dict[str, tuple[str, Callable[[Path, bytes], object]]] = {
    "a folder": ("s", lambda path, _: path.mkdir(0o755)),
    "a text": ("s", lambda path, _: path.write_text("CREATE TABLE turns, alembic_version")),
    "a picture": ("s", lambda path, _: path.write_bytes(b"\x89PNG\0\0turns" * 999)),
    "a pipe": ("s", lambda path, _: os.mkfifo(path)),
    "another database": ("s", lambda path, _: database(path)),
    "another database with migrations": (
        "s",
        lambda path, _: database(path, "CREATE TABLE alembic_version (version_num)"),
    ),
    "a damaged database": ("s", lambda path, _: path.write_bytes(b"SQLite format 3\0" + b"x" * 99)),
    "another database in use": ("s", unclosed),
    "an empty log": ("s-wal", beside("-wal")),
    "an index": ("s-shm", beside("-shm")),
    "a lock": ("s.lock", beside(".lock", b"1\n")),
    "a link to a text": ("t", lambda path, _: linked(path)),
}


@pytest.mark.parametrize("what", OTHERS)
def test_file_that_is_no_store_is_refused_and_stays_as_it_is(
    what: str, tmp_path: Path, whole: bytes
) -> None:
    name, make = OTHERS[what]
    path = tmp_path / "folder" / name
    path.parent.mkdir()
    make(path, whole)
    (tmp_path / "copy").write_bytes(whole)
    before, url, copy = tree(path.parent), read_url(str(path)), read_url(str(tmp_path / "copy"))
    uses: list[Callable[[], object]] = [
        lambda: make_private(url),
        lambda: migrate(url),
        lambda: back_up(url, tmp_path / "new"),
        lambda: restore(tmp_path / "copy", url, force=True),
        lambda: restore(path, copy, force=True),
    ]
    for use in uses:
        with pytest.raises(
            StoreError, match=r"is not a store of yoddd|File .* does not exist"
        ) as e:
            use()
        assert not isinstance(e.value, StoreDamaged)
        assert tree(path.parent) == before
    assert not (tmp_path / "new").exists()


@given(st.sampled_from([b"", b"SQLite format 3\0"]), st.binary(min_size=1))
def test_file_of_any_content_is_no_store(head: bytes, rest: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "s")
        path.write_bytes(head + rest)
        path.chmod(0o644)
        before = tree(Path(folder))
        with pytest.raises(StoreError, match="is not a store of yoddd"):
            migrate(read_url(str(path)))
        assert tree(Path(folder)) == before


def test_store_that_is_absent_or_empty_is_made_and_private(tmp_path: Path) -> None:
    (tmp_path / "empty").touch(0o644)
    (tmp_path / "link").symlink_to("new")
    sqlite3.connect(tmp_path / "no tables").execute("PRAGMA user_version=1").connection.close()
    for name in ("absent", "empty", "link", "no tables", "below/two/folders"):
        migrate(read_url(str(tmp_path / name)))
        assert kind_of(tmp_path / name) is Kind.STORE
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def test_store_that_has_lost_its_file_but_not_its_log_is_damaged(served: Path) -> None:
    copy = served.with_name("copy")
    copy.with_name("copy-wal").write_bytes(Path(f"{served}-wal").read_bytes())
    for exists in (False, True):
        if exists:
            copy.touch()
        with pytest.raises(StoreDamaged, match="yoddd store restore COPY"):
            migrate(read_url(str(copy)))
        assert copy.with_name("copy-wal").stat().st_size


def test_store_that_is_held_is_neither_replaced_nor_opened_by_another_name(
    served: Path, whole: bytes
) -> None:
    folder = served.parent
    (folder / "copy").write_bytes(whole)
    os.link(served, folder / "hard")
    (folder / "symbolic").symlink_to("served")
    copy = read_url(str(folder / "copy"))
    before = tree(folder)
    for name in ("served", "hard", "symbolic", f"../{folder.name}/served"):
        url, path = read_url(f"sqlite:///{folder / name}"), folder / name
        with pytest.raises(StoreInUse):
            back_up(copy, path, force=True)
        with pytest.raises(StoreInUse):
            restore(folder / "copy", url, force=True)
        with pytest.raises(StoreError, match="is the same file as"):
            back_up(read_url(str(served)), path, force=True)
    uses: list[Callable[[URL], None]] = [migrate, make_private]
    uses.append(lambda url: back_up(url, folder / "new"))
    for use in uses:
        with pytest.raises(StoreInUse, match="by another of its names"):
            use(read_url(str(folder / "hard")))
    assert (
        tree(folder).items()
        >= {name: one for name, one in before.items() if not name.endswith(".lock")}.items()
    )


@pytest.mark.parametrize("name", ["s.partial", "s.restored", "s.damaged", "s-1"])
def test_copy_whose_name_a_restoration_or_backup_might_use_stays(
    name: str, tmp_path: Path, whole: bytes
) -> None:
    store, copy = tmp_path / "s", tmp_path / name
    copy.write_bytes(whole)
    back_up(read_url(str(copy)), store)
    store.write_bytes(bytes(4096) + whole[4096:])
    restore(copy, read_url(str(store)), force=True)
    assert copy.read_bytes() == whole
    assert names_in(store) == ["ann"]
    kept = [path for path in tmp_path.glob("s.damaged*") if path.read_bytes()[:4096] == bytes(4096)]
    assert len(kept) == 1


def test_backup_over_a_store_that_was_killed_is_not_changed_by_its_log(
    served: Path, whole: bytes
) -> None:
    folder = served.parent
    for end in ("", "-wal"):
        (folder / f"killed{end}").write_bytes(Path(f"{served}{end}").read_bytes())
    (folder / "copy").write_bytes(whole)
    for damage in (False, True):
        if damage:
            (folder / "killed").write_bytes(b"")
            (folder / "killed-wal").write_bytes(Path(f"{served}-wal").read_bytes())
        back_up(read_url(str(folder / "copy")), folder / "killed", force=True)
        assert not (folder / "killed-wal").exists()
        assert names_in(folder / "killed") == ["ann"]
    assert names_in(served) == ["Ann"]


@pytest.mark.parametrize("force", [False, True])
def test_backup_to_a_pipe_or_beside_files_of_like_names_changes_them_not(
    force: bool, tmp_path: Path, whole: bytes
) -> None:
    (tmp_path / "s").write_bytes(whole)
    os.mkfifo(tmp_path / "pipe")
    for name in ("text", "text-wal", "text-journal", "text.lock"):
        (tmp_path / name).write_text(f"my {name}")
    before = tree(tmp_path)
    url = read_url(str(tmp_path / "s"))
    with pytest.raises(StoreError, match="no regular file"):
        back_up(url, tmp_path / "pipe", force=force)
    if force:
        back_up(url, tmp_path / "text", force=True)
        del before[str(tmp_path / "text")]
    assert tree(tmp_path).items() >= before.items()


def test_lock_that_is_a_file_of_another_kind_stays(tmp_path: Path) -> None:
    (tmp_path / "s.lock").write_text("my notes")
    before = tree(tmp_path)
    for use in (StoreLock, lambda path: migrate(read_url(str(path)))):
        with pytest.raises(StoreError, match="is not the lock of a store"):
            use(tmp_path / "s")
    assert tree(tmp_path) == before


@pytest.mark.parametrize("text", ["sqlite:///file:s?mode=ro&uri=true", "sqlite:///:memory:"])
def test_url_that_names_no_path_is_refused(text: str) -> None:
    with pytest.raises(StoreError, match="a store is a file"):
        read_url(text)
