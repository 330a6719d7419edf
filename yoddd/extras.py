"""Extras, the optional dependencies: one message wherever one of them is missing."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import attrs


class ExtraMissing(ImportError):
    """An extra is not installed; the text names the command that installs it."""


def missing_text(purpose: str, extra: str) -> str:
    """Return the message that ``purpose`` needs an extra, with the command that installs it.

    The command is for this interpreter's environment: another one's pip would find no yoddd there
    and look for it elsewhere.
    """
    command = install_command(extra, Path(sys.executable), _source(), has_pip=_has_pip())
    return f"{absence_text(purpose, extra)}; install it with: {command}"


def absence_text(purpose: str, extra: str) -> str:
    """Return the message for readers elsewhere, who cannot install it: it has no path."""
    return f"{purpose}: the extra '{extra}' is not installed"


@attrs.frozen
class Source:
    """The source of an installation.

    Attributes:
        name: the package, or the folder or archive that it was installed from.
        editable: whether it is a clone that is used where it is.
    """

    name: str = "yoddd"
    editable: bool = False


def install_command(extra: str, interpreter: Path, source: Source, *, has_pip: bool) -> str:
    """Return the command that installs an extra by the installer of an environment.

    Args:
        extra: its name.
        interpreter: of the environment, which is the folder above its own.
        source: what was installed in it.
        has_pip: whether the environment has pip, which those of pipx and uv have not.
    """
    prefix = interpreter.parent.parent
    wanted = shlex.quote(f"{source.name}[{extra}]")
    editable = "--editable " if source.editable else ""
    if (prefix / "pipx_metadata.json").exists():
        return f"pipx install --force {editable}{wanted}"
    if (prefix / "uv-receipt.toml").exists():
        return f"uv tool install --force {editable}{wanted}"
    python = shlex.quote(str(interpreter))
    if _made_by_uv(prefix):
        return f"uv pip install --python {python} {editable}{wanted}"
    with_pip = "" if has_pip else f"{python} -m ensurepip && "
    return f"{with_pip}{python} -m pip install {editable}{wanted}"


def _made_by_uv(prefix: Path) -> bool:
    try:
        lines = (prefix / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return any(line.partition("=")[0].strip() == "uv" for line in lines)


def _has_pip() -> bool:
    return find_spec("pip") is not None


def _source() -> Source:
    """The source of the installed yoddd, by its metadata."""
    # Imported here: every command imports this module, and these take 40 ms.
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        text = distribution("yoddd").read_text("direct_url.json")
        found = json.loads(text or "{}")
        url = urlsplit(found.get("url", ""))
        folder = found.get("dir_info")
    except (PackageNotFoundError, ValueError, AttributeError):
        return Source()
    if url.scheme != "file" or folder is None:
        return Source()
    return Source(url2pathname(url.path), bool(folder.get("editable")))


@contextmanager
def needs_extra(purpose: str, extra: str) -> Iterator[None]:
    """Import within this context what an extra holds.

    Raises:
        ExtraMissing: a module other than ours is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "yoddd":
            raise
        raise ExtraMissing(missing_text(purpose, extra)) from error


def has_scipy() -> bool:
    """Whether the extra ``stats`` is installed, for what does without it."""
    return find_spec("scipy") is not None
