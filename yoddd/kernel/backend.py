"""The active implementation of the rules, and whether a compiled kernel is up to date."""

from __future__ import annotations

import functools
import hashlib
import importlib
import sys
import warnings
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType
from typing import Final

import attrs

from yoddd.extras import ExtraMissing

REMEDY: Final = "install a C++20 compiler (Debian: apt install g++), then run pip install again"
"""The remedy for a missing kernel, for messages."""

_HERE: Final = Path(__file__).parent


@attrs.frozen
class Backend:
    """The implementation of the rules that is in use.

    Attributes:
        name: ``native`` or ``reference``.
        detail: one line of text: the instruction set in use, or what is missing.
    """

    name: str
    detail: str

    @property
    def is_native(self) -> bool:
        """Whether the compiled kernel is in use."""
        return self.name == "native"


class KernelMissing(ExtraMissing):
    """The native kernel is needed and not installed."""


def source_digest(folder: Path) -> str | None:
    """The digest of the kernel's sources as its build computes it; None without sources.

    Only a checkout has them: an installed package has nothing to compare.
    """
    files = [folder / "CMakeLists.txt", *folder.glob("src/*.cpp"), *folder.glob("src/*.hpp")]
    names = sorted(file.relative_to(folder).as_posix() for file in files if file.is_file())
    if not names:
        return None
    digests = [hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def shadowed(folder: Path) -> Path | None:
    """The package with a compiled kernel that another one, whose kernel is ``folder``, hides.

    Python looks in the current folder first: in a clone it imports the sources there instead of
    the package that `pip install .` has put into the environment.
    """
    for entry in sys.path:
        kernel = Path(entry, "yoddd", "kernel").resolve()
        if kernel != folder.resolve() and any(
            (kernel / f"_native{suffix}").is_file() for suffix in EXTENSION_SUFFIXES
        ):
            return kernel.parent
    return None


def _without_kernel(folder: Path) -> str:
    """The reason why there is no compiled module, and its remedy."""
    installed = shadowed(folder)
    if installed is None:
        return f"no native kernel; {REMEDY}"
    return (
        f"the sources in {folder.parent} shadow the package in {installed}, which has the native "
        "kernel; start Python in another folder, or run pip install -e . in the clone"
    )


def _load(folder: Path) -> tuple[ModuleType | None, Backend]:
    try:
        native = importlib.import_module("yoddd.kernel._native")
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError):
            return None, Backend("reference", _without_kernel(folder))
        why = f"the native kernel does not load: {error}; {REMEDY}"
        return None, Backend("reference", why)
    digest = source_digest(folder)
    if digest is not None and digest != native.SOURCE_DIGEST:
        why = "the native kernel was built from other sources: run pip install -e . again"
        warnings.warn(f"{why}; the plain reference serves meanwhile", RuntimeWarning, stacklevel=2)
        return None, Backend("reference", why)
    return native, Backend("native", native.instruction_set())


@functools.cache
def _loaded() -> tuple[ModuleType | None, Backend]:
    return _load(_HERE)


def backend() -> Backend:
    """The implementation of the rules that this process uses."""
    return _loaded()[1]


def native() -> ModuleType:
    """The compiled module.

    Raises:
        KernelMissing: it is not installed or not up to date; the message says what to do.
    """
    module, active = _loaded()
    if module is None:
        raise KernelMissing(active.detail)
    return module
