"""A daemon's settings from its file, the environment and the command line.

A flag goes before the environment, that before the file, and that before the default.
"""

from __future__ import annotations

import difflib
import json
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import attrs

from yoddd.daemon.base.settings import KEYS, Key, Settings, lookup

PREFIX: Final = "YODDD_"
_HEAD: Final = """\
# Configuration

The keys of the file of `yoddd serve --config FILE`. Each can also be set by an environment
variable, its name in capitals with `YODDD_` before it and `_` for the dot, and by
`--set KEY=VALUE`:

```sh
yoddd serve --set limits.rate=50 --print-config
```

A flag overrides the environment (`YODDD_LIMITS_RATE=50`), the environment the file, and the file
the default. `--print-config` shows every key with its value and origin; its output is itself a
valid file. Unknown keys are refused.

SIGHUP reloads file, environment and certificates. Limits then apply to new connections; keys that
*need a restart* are named in the log and keep their values. If anything is invalid, all keys do.

This page is written by `python -m yoddd.daemon.configuration`."""
_NAMES: Final = {found.variable: found for found in KEYS.values()}
_EXPECTED: Final[Mapping[type, str]] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    tuple: "a list of texts",
}


class SettingsError(ValueError):
    """A setting that is none; the text says where it stands."""


@attrs.frozen
class Sources:
    """Where settings come from; kept to read them anew.

    Attributes:
        file: a TOML file; None for none.
        environment: variables by name.
        flags: what the command line says, by key; its values are of the right type or texts.
    """

    file: Path | None = None
    environment: Mapping[str, str] = attrs.Factory(dict)
    flags: Mapping[str, Any] = attrs.Factory(dict)


@attrs.frozen
class Configuration:
    """Settings, and where each came from.

    Attributes:
        settings: all of them.
        origins: by key, for those that are not the default: ``flag``, ``environment`` or ``file``.
        warnings: what looks like a mistake and is none for sure.
    """

    settings: Settings
    origins: Mapping[str, str]
    warnings: tuple[str, ...] = ()


def load(sources: Sources) -> Configuration:
    """Read everything.

    Raises:
        SettingsError: an unknown key, a value that does not fit, or a file that cannot be read.
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin, found in (
        ("file", _from_file(sources.file)),
        ("environment", _from_environment(sources.environment)),
        ("flag", {name: _read(name, value, name) for name, value in sources.flags.items()}),
    ):
        values |= found
        origins |= dict.fromkeys(found, origin)
    return Configuration(_make(values), origins, tuple(_strangers(sources.environment)))


def parse_setting(text: str) -> tuple[str, str]:
    """The key and the value of ``KEY=VALUE``.

    Raises:
        SettingsError: it is none, or there is no such key.
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise SettingsError(f"{text!r}: expected KEY=VALUE")
    return _known(name.strip()).name, value.strip()


def _from_file(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: not TOML: {error}") from None
    try:
        return dict(_flatten(raw))
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from None


def _flatten(raw: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for name, value in raw.items():
        if isinstance(value, dict):
            _known_section(prefix + name)
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            found = _known(prefix + name)
            yield found.name, _fit(found, value, found.name)


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    return {
        found.name: _read(found.name, environment[variable], variable)
        for variable, found in _NAMES.items()
        if variable in environment
    }


def _strangers(environment: Mapping[str, str]) -> Iterable[str]:
    """Variables that look like a key misspelled; others may be anybody's."""
    for variable in environment:
        if variable.startswith(PREFIX) and variable not in _NAMES:
            near = difflib.get_close_matches(variable, _NAMES, 1, 0.8)
            if near:
                yield f"{variable} sets nothing; did you mean {near[0]}?"


def _known(name: str) -> Key:
    found = KEYS.get(name)
    if found is None:
        raise SettingsError(f"unknown key {name!r}{_suggest(name, KEYS)}")
    return found


def _known_section(name: str) -> None:
    sections = {key.rpartition(".")[0] for key in KEYS} - {""}
    if name not in sections:
        raise SettingsError(f"unknown section {name!r}{_suggest(name, sections)}")


def _suggest(name: str, known: Iterable[str]) -> str:
    known = list(known)
    near = [key for key in known if key.rpartition(".")[2] == name][:1]
    if not near:  # else it was the right name without its section
        near = difflib.get_close_matches(name, known, 1, 0.5)
    return f"; did you mean {near[0]!r}?" if near else ""


def _read(name: str, value: Any, where: str) -> Any:  # noqa: ANN401 — any key's value
    """The value of a key, written as a text wherever TOML is not at hand."""
    found = _known(name)
    if isinstance(value, str) and not isinstance(found.default, str):
        if isinstance(found.default, tuple) and not value.lstrip().startswith("["):
            return tuple(word for word in value.replace(",", " ").split() if word)
        try:
            value = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            raise SettingsError(f"{where}: {value!r}: {_expected(found)}") from None
    return _fit(found, value, where)


def _fit(found: Key, value: Any, where: str) -> Any:  # noqa: ANN401 — any key's value
    kind = type(found.default)
    if kind is tuple and isinstance(value, list | tuple):
        if all(isinstance(word, str) for word in value):
            return tuple(value)
    elif kind is float and type(value) in (int, float):
        return float(value)
    elif type(value) is kind:
        return value
    raise SettingsError(f"{where}: {value!r}: {_expected(found)}")


def _expected(found: Key) -> str:
    return f"expected {_EXPECTED[type(found.default)]}"


def _make(values: Mapping[str, Any]) -> Settings:
    nested: dict[str, Any] = {}
    for name, value in values.items():
        section, _, last = name.rpartition(".")
        (nested.setdefault(section, {}) if section else nested)[last] = value
    sections = {part.rpartition(".")[0] for part in KEYS} - {""}
    try:
        for section in sections & set(nested):
            kind = type(lookup(Settings(), section))
            nested[section] = kind(**nested[section])
        return Settings(**nested)
    except ValueError as error:
        raise SettingsError(str(error)) from None


def format_settings(configuration: Configuration) -> str:
    """All keys as a TOML file that would set them, each with where it came from."""
    lines: list[str] = []
    section = ""
    for name, found in KEYS.items():
        before, _, last = name.rpartition(".")
        if before != section:
            section = before
            lines += ["", f"[{section}]"]
        origin = configuration.origins.get(name, "default")
        if origin == "environment":
            origin = found.variable
        lines.append(f"{last} = {_spell(lookup(configuration.settings, name))}  # {origin}")
    return "\n".join(lines) + "\n"


def _spell(value: Any) -> str:  # noqa: ANN401 — any key's value
    # JSON's texts, lists, numbers and booleans are TOML's too.
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


def format_reference() -> str:
    """The table of all keys, for the documentation."""
    lines = [_HEAD]
    section: str | None = None
    for name, found in KEYS.items():
        before = name.rpartition(".")[0]
        if before != section:
            section = before
            title = f"## [{section}]" if section else "## At the top"
            lines += ["", title, "", _purpose(section), ""]
            lines += ["| key | default | what it is |", "|---|---|---|"]
        unit = f" {found.unit}" if found.unit else ""
        words = f" One of {', '.join(f'`{word}`' for word in found.words)}." if found.words else ""
        live = "" if found.live else " *Needs a restart.*"
        lines.append(f"| `{name}` | `{_spell(found.default)}`{unit} | {found.text}{words}{live} |")
    return "\n".join(lines).lstrip("\n") + "\n"


def _purpose(section: str) -> str:
    kind = type(lookup(Settings(), section)) if section else Settings
    return (kind.__doc__ or "").replace("``", "`")


def changes(old: Settings, new: Settings) -> tuple[list[str], list[str]]:
    """The keys that differ: those that a running daemon takes over, and those that it cannot."""
    different = [name for name in KEYS if lookup(old, name) != lookup(new, name)]
    return (
        [name for name in different if KEYS[name].live],
        [name for name in different if not KEYS[name].live],
    )


if __name__ == "__main__":
    sys.stdout.write(format_reference())
