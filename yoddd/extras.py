"""Extras, the optional dependencies: one message wherever one of them is missing."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import chain
from pathlib import Path


class ExtraMissing(ImportError):
    """An extra is not installed; the text names the command that installs it."""


def missing_text(purpose: str, extra: str) -> str:
    """Return the message that ``purpose`` needs an extra, with the command that installs it.

    The command is for this interpreter's environment, and names what is missing there: to install
    yoddd again would compile its kernel again.
    """
    command = install_command(missing_of(extra), Path(sys.executable), has_pip=_has_pip())
    return f"{absence_text(purpose, extra)}; install it with: {command}"


def missing_of(extra: str) -> list[str]:
    """Return the packages of an extra that are not installed, each with its bounds."""
    # Imported here: every command imports this module, and it takes 40 ms.
    from importlib.metadata import Distribution, PackageNotFoundError, distribution

    def find(name: str) -> Distribution | None:
        try:
            return distribution(name)
        except PackageNotFoundError:
            return None

    found: list[str] = []
    installed = find("yoddd")
    for line in (installed and installed.requires) or ():
        wanted, _, condition = map(str.strip, line.partition(";"))
        name = re.split(r"[^\w.-]", wanted)[0]
        if f"extra == '{extra}'" not in condition.replace('"', "'"):
            continue
        if name == "yoddd":
            found += chain.from_iterable(map(missing_of, wanted[len("yoddd[") : -1].split(",")))
        elif find(name) is None:
            found.append(wanted)
    return found or [f"yoddd[{extra}]"]


def absence_text(purpose: str, extra: str) -> str:
    """Return the message for readers elsewhere, who cannot install it: it has no path."""
    return f"{purpose}: the extra '{extra}' is not installed"


def install_command(packages: list[str], interpreter: Path, *, has_pip: bool) -> str:
    """Return the command that installs packages by the installer of an environment.

    Args:
        packages: with bounds.
        interpreter: of the environment, which is the folder above its own.
        has_pip: whether the environment has pip, which those of pipx and uv have not.
    """
    prefix, wanted = interpreter.parent.parent, shlex.join(packages)
    if (prefix / "pipx_metadata.json").exists():
        return f"pipx inject yoddd {wanted}"
    python = shlex.quote(str(interpreter))
    if (prefix / "uv-receipt.toml").exists() or _made_by_uv(prefix):
        return f"uv pip install --python {python} {wanted}"
    with_pip = "" if has_pip else f"{python} -m ensurepip && "
    return f"{with_pip}{python} -m pip install {wanted}"


def _made_by_uv(prefix: Path) -> bool:
    try:
        lines = (prefix / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return any(line.partition("=")[0].strip() == "uv" for line in lines)


def _has_pip() -> bool:
    return find_spec("pip") is not None


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
