"""Reads descriptions of games: TOML files, or the same tables as JSON.

Every refusal names the file, the line, the key and the way out. A description is a stranger's: it
is short, of a closed set of words, and of no effect but the game.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any, Final, NoReturn

from yoddd.board import BoardError, Shape, geometry, sizes_of
from yoddd.rules.facts import DEFAULTS, KEYS, FactError, Given, Value, check_value, settle, shown
from yoddd.rules.game import FORMAT, SWITCH, Game, Option
from yoddd.suggestions import did_you_mean

LARGEST: Final = 1 << 14
"""Bytes of a description."""

RESERVED: Final = (
    *("accept", "adjudication", "against", "as", "board", "clock", "concurrency", "each"),
    *("engine", "first", "game", "games", "invite", "limits", "opening", "options", "pairs"),
    *("rated", "seat", "seed", "wait"),
)
"""The keys of the commands ``seek`` and ``match``, which no option may have as its name."""

_LONGEST: Final = 500
"""Characters of a key, and of the reason why it is refused."""

_TEXT: Final = 60
_HELP: Final = 200
_URL: Final = re.compile(r"https://[!-~]{1,300}", re.ASCII)
_NAME: Final = re.compile(r"[a-z][a-z0-9]{0,30}", re.ASCII)
_OPTION: Final = re.compile(r"[a-z][a-z_]{0,30}", re.ASCII)
_WORD: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,30}", re.ASCII)
_DEEP_KEY: Final = re.compile(
    r"""(\.[ \t]*([\w-]+|"([^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*){32}""", re.ASCII
)
"""A key of so many parts, for which TOML takes time and which no repr can write."""

_PARTS: Final = ("turn", "score")
_TOP: Final = (
    *("format", "name", "title", "designer", "source", "date", "boards", "board", "pie"),
    *(*_PARTS, "options"),
)
Path = tuple[str, ...]


class DescriptionError(ValueError):
    """A description that is refused.

    Attributes:
        file: the name of the file.
        line: the number of the line to blame.
        key: the key to blame, such as ``turn.pass``.
        reason: what is wrong and what to do.
    """

    def __init__(self, file: str, line: int, key: str, reason: str) -> None:
        """Store the parts of the text, which is printable whatever the description holds."""
        key, reason = (
            "".join(one if one.isprintable() else repr(one)[1:-1] for one in text[:_LONGEST])
            for text in (key, reason)
        )
        super().__init__(f"{file}, line {line}: {key + ': ' if key else ''}{reason}")
        self.file, self.line, self.key, self.reason = file, line, key, reason


class _Refused(ValueError):
    """A key that is refused, before its line is looked for."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(reason)
        self.path, self.reason = path, reason


def read_game(
    text: str | bytes, file: str, taken: Container[str] = (), largest: int = LARGEST
) -> Game:
    """The game that a description describes.

    Args:
        text: TOML, or JSON where it begins with a brace.
        file: the name of the file, for errors.
        taken: names that no game of a file may have.
        largest: the length of the text at most.

    Raises:
        DescriptionError: it is refused.
    """
    if len(text) > largest:
        raise DescriptionError(file, 1, "", f"expected at most {largest} bytes: shorten it")
    try:
        content = text.decode("utf-8-sig") if isinstance(text, bytes) else text
    except UnicodeDecodeError as error:
        line = text[: error.start].count(b"\n") + 1  # type: ignore[arg-type]  # these are bytes
        raise DescriptionError(file, line, "", "expected UTF-8 text") from None
    try:
        return _game(_parse(content, file), taken)
    except RecursionError:
        raise DescriptionError(file, 1, "", "values are nested too deep") from None
    except _Refused as error:
        line = _line_of(content, error.path)
        raise DescriptionError(file, line, ".".join(error.path), error.reason) from None


# -- text ------------------------------------------------------------------------------------------


def _parse(text: str, file: str) -> dict[str, Any]:
    is_json = text.lstrip().startswith("{")
    found: dict[str, Any]
    try:
        if is_json:
            found = json.loads(text, object_pairs_hook=_once)
        elif _DEEP_KEY.search(text):
            raise RecursionError
        else:
            found = tomllib.loads(text)
        repr(found)  # Refuses numbers that no error could quote.
    except ValueError as error:
        at = re.search(r"line (\d+)", str(error))
        reason = f"no {'JSON' if is_json else 'TOML'}: {shown(str(error))[1:-1]}"
        raise DescriptionError(file, int(at[1]) if at else 1, "", reason) from None
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {shown(twice)} is given twice")
    return found


def _line_of(text: str, path: Path) -> int:
    """The line where a key is, or else the table that it is missing in."""
    at = 0
    for part in path:
        key = re.compile(rf"""(?<![\w"'-])["']?{re.escape(part)}["']?\s*[]=:.]""")
        found = key.search(text, at)
        if found is None:
            break
        at = found.start() + 1
    return text.count("\n", 0, at) + 1


# -- the game --------------------------------------------------------------------------------------


def _game(table: dict[str, Any], taken: Container[str]) -> Game:
    version = table.get("format")
    if type(version) is not int or version < 1:
        _refuse(("format",), f"{shown(version)}: expected format = {FORMAT}")
    if version > FORMAT:
        _refuse(("format",), f"{version} is newer than {FORMAT}, which this yoddd reads: update it")
    _check_keys((), table, _TOP)
    name = _string(
        table,
        "name",
        _NAME.fullmatch,
        "lower-case letters and digits, at most 31",
    )
    if name in taken or name == "startpos":
        _refuse(("name",), f"{name!r} is taken: choose another name")
    title, designer = (_string(table, key, _is_line(_TEXT), _LINE) for key in ("title", "designer"))
    source = ""
    if "source" in table:
        source = _string(table, "source", _URL.fullmatch, "https:// and an address")
    date = table.get("date")
    if "date" in table and not (type(date) is int and 1 <= date <= 9999):
        _refuse(("date",), f"{shown(date)}: expected a year, such as 2011")
    boards = _boards(table)
    given = _given(table)
    try:
        facts = settle(given)
    except FactError as error:
        _blame(error)
    options = tuple(_options(table, given))
    board = _string(table, "board", bool, "a board, such as hex6")
    try:
        where = geometry(board)
    except BoardError as error:
        _refuse(("board",), str(error))
    if where.shape not in boards:
        _refuse(("board",), f"{board}: expected a shape of boards, {' or '.join(boards)}")
    try:
        facts.why_drawless(where.cells)
    except FactError as error:
        _blame(error)
    return Game(name, title, designer, boards, where.name, given, options, source, date)


def _refuse(path: Path, reason: str) -> NoReturn:
    raise _Refused(path, reason)


def _blame(error: FactError) -> NoReturn:
    raise _Refused(tuple(error.key.split(".")), error.reason) from None


def _check_keys(path: Path, table: object, known: tuple[str, ...]) -> None:
    if not isinstance(table, dict):
        _refuse(path, f"{shown(table)}: expected a table of {' '.join(known)}")
    for key in table:
        if key not in known:
            hint = did_you_mean(key, known) if len(key) <= _TEXT else ""
            _refuse((*path, key), f"no such key: expected {' '.join(known)}{hint}")


def _string(
    table: Mapping[str, Any], key: str, fits: Callable[[str], object], wanted: str, path: Path = ()
) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not fits(value):
        _refuse((*path, key), f"{shown(value)}: expected {wanted}")
    return value


def _is_line(longest: int) -> Callable[[str], bool]:
    """Whether a text is one line of so many printable characters; none changes its direction."""
    return lambda text: bool(text.strip()) and text.isprintable() and len(text) <= longest


_LINE: Final = f"one line of at most {_TEXT} printable characters"


def _boards(table: Mapping[str, Any]) -> dict[Shape, range]:
    boards = table.get("boards")
    _check_keys(("boards",), boards, tuple(Shape))
    found = {}
    for shape, ends in (boards or {}).items():
        sizes = sizes_of(Shape(shape))
        if not (
            isinstance(ends, list)
            and [type(end) for end in ends] == [int, int]
            and sizes[0] <= ends[0] <= ends[1] <= sizes[-1]
        ):
            wanted = f"the smallest and the largest size, of {sizes[0]} to {sizes[-1]}"
            _refuse(("boards", shape), f"{shown(ends)}: expected {wanted}")
        found[Shape(shape)] = range(ends[0], ends[1] + 1)
    if not found:
        _refuse(("boards",), "no shape: expected one such as { hex = [4, 10] }")
    return found


def _keys_of(part: str) -> tuple[str, ...]:
    return tuple(key.removeprefix(f"{part}.") for key in KEYS if key.startswith(f"{part}."))


def _given(table: Mapping[str, Any]) -> Given:
    values = {"pie": table["pie"]} if "pie" in table else {}
    for part in _PARTS:
        _check_keys((part,), table.get(part), _keys_of(part))
        values |= {f"{part}.{key}": value for key, value in table[part].items()}
    try:
        return {key: check_value(key, values[key]) for key in KEYS if key in values}
    except FactError as error:
        _blame(error)


# -- options ---------------------------------------------------------------------------------------


def _options(table: Mapping[str, Any], given: Given) -> Iterator[Option]:
    options = table.get("options", {})
    if not isinstance(options, dict):
        _refuse(("options",), f"{shown(options)}: expected a table of options")
    taken: set[str] = set()
    for name, one in options.items():
        path = ("options", name)
        if not _OPTION.fullmatch(name):
            _refuse(path, "expected a name of lower-case letters and _, at most 31")
        if name in RESERVED:
            _refuse(path, "is a key of seek or match: choose another name")
        _check_keys(path, one, ("sets", "words", "range", "help"))
        sets = _sets(path, one)
        for key in sets:
            if key in taken:
                _refuse((*path, "sets"), f"{key} is set twice: one option may set it")
            taken.add(key)
        yield _option(path, one, sets, given)


def _sets(path: Path, table: Mapping[str, Any]) -> tuple[str, ...]:
    sets = table.get("sets")
    keys = [sets] if isinstance(sets, str) else sets
    if not isinstance(keys, list) or not keys or not all(key in KEYS for key in keys):
        _refuse((*path, "sets"), f"{shown(sets)}: expected one of {' '.join(KEYS)}, or a list")
    return tuple(keys)


def _option(path: Path, table: Mapping[str, Any], sets: tuple[str, ...], given: Given) -> Option:
    line = ""
    if "help" in table:
        wanted = f"one line of at most {_HELP} printable characters"
        line = _string(table, "help", _is_line(_HELP), wanted, path)
    if ("words" in table) is ("range" in table):
        _refuse(path, "expected either words or a range")
    kind = "words" if "words" in table else "range"
    for key in sets:
        if key not in {*given, *DEFAULTS, "turn.first_colour"}:  # this one is as turn.colour
            reason = "has no default: give it, beside a value that it belongs to"
            _refuse((*path, "sets"), f"{key} {reason}")
    values = (_words if kind == "words" else _range)((*path, kind), table[kind], sets)
    default = _defaults(sets, given)
    found = next((word for word, one in values.items() if one == default), None)
    if found is None:
        text = ", ".join(f"{key} = {shown(one)}" for key, one in zip(sets, default, strict=True))
        _refuse((*path, kind), f"expected the default among them, {text}")
    name = path[-1]
    if kind == "range":
        numbers = [int(word) for word in values]
        choices = range(numbers[0], numbers[-1] + 1)
        return Option(name, int(found), choices, line, sets)
    if set(values) == set(SWITCH):
        return Option(name, found == "on", SWITCH, line, sets, values)
    return Option(name, found, tuple(values), line, sets, values)


def _defaults(sets: tuple[str, ...], given: Given) -> tuple[Value, ...]:
    """The facts without the option: as given, or else by default."""
    by_key = dict(zip(KEYS, settle(given).values, strict=True))
    return tuple(by_key[key] for key in sets)


def _words(path: Path, words: object, sets: tuple[str, ...]) -> dict[str, tuple[Value, ...]]:
    if not isinstance(words, dict) or not words:
        _refuse(path, f"{shown(words)}: expected a table of each word's value")
    found = {}
    for word, value in words.items():
        if not _WORD.fullmatch(word):
            _refuse((*path, word), "expected a word of lower-case letters, digits, _ and -")
        values = [value] if len(sets) == 1 else value
        if not isinstance(values, list) or len(values) != len(sets):
            _refuse((*path, word), f"{shown(value)}: expected a list of {len(sets)} values")
        try:
            found[word] = tuple(map(check_value, sets, values))
        except FactError as error:
            _refuse((*path, word), str(error))
    return found


def _range(path: Path, ends: object, sets: tuple[str, ...]) -> dict[str, tuple[Value, ...]]:
    if not (isinstance(ends, list) and [type(end) for end in ends] == [int, int]):
        _refuse(path, f"{shown(ends)}: expected the least and the greatest number")
    if len(sets) > 1:
        _refuse(path, "sets one key only: expected words for several")
    try:
        for end in ends:
            check_value(sets[0], end)
    except FactError as error:
        _refuse(path, error.reason)
    if ends[0] > ends[1]:
        _refuse(path, f"{shown(ends)}: expected the least number first")
    return {str(number): (number,) for number in range(ends[0], ends[1] + 1)}
