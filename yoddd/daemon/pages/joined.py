"""Joins the modules of a page into one script, and its style sheets into one.

A browser fetches six files at a time over HTTP/1.1. On a phone with a round trip of 150 ms the
modules of the board would take 1.7 seconds so, also if all are asked for at once. What a page
imports by a call, it loads when that is made: a second script has all such modules.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from string import Template
from typing import Final

import attrs

_IMPORT: Final = re.compile(
    r"^import (?:(\{[^}]*\}|\* as \w+) from )?'(\.\.?/[\w/.-]+)';$", re.MULTILINE
)
# A pattern that begins with plain text is found ten times as fast: a page is joined at each start.
_LATER_IMPORT: Final = re.compile(r"import\('(\.\.?/[\w/.-]+)'\)")
_COMMENT: Final = re.compile(r"/\*\*\s.*?\*/\n?", re.DOTALL)
"""A comment for types and documentation: a quarter of all bytes, and some look like imports."""

_LINE_COMMENT: Final = re.compile(r"\n *//[^\n]*")
_INDENT: Final = re.compile(r"\n +")
"""The page's ESLint allows no text over several lines, whose spaces would count."""

_STYLE_COMMENT: Final = re.compile(r"/\*.*?\*/\n?", re.DOTALL)

TEXTS: Final = "js/base/en.js"
"""The module of the English texts."""

_TEXT: Final = re.compile(r'"([\w.-]+)": ')
_KEY: Final = re.compile(r"'([\w.-]+)'")
_BEGUN_KEY: Final = re.compile(r"`([\w-]+[.\w-]*[.-])\$\{")

_WAIT: Final = re.compile(r"^await (\w+);\n", re.MULTILINE)
"""A promise of a module, which its last line awaits. The script awaits it before its entry runs."""

_EXPORT: Final = re.compile(
    r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE
)
# A module named by a comment before it is one of Node.js, which no page has.
_LEFT_CALL: Final = re.compile(r"import(?:\.meta\b|\((?!/\*))")
_LEFT: Final = re.compile(r"^(?:import|export|await)\b", re.MULTILINE)
_SCRIPT: Final = re.compile(r'<script type="module" src="([\w/.-]+)"></script>')
_STYLE: Final = re.compile(r' *<link rel="stylesheet" href="([\w/.-]+)">\n')

_ONCE: Final = """\
const $once = (make) => {
  let made;
  return () => (made ??= make());
};
"""
"""Runs a module when it is first imported, as a browser does."""


_LATER: Final = Template("""\
let made;
export const make = ({ $given }) => made ??= (async () => {
${code}return { $made };
})();
""")
"""The script of the modules that are imported by calls, given what they share with the page."""

_LOAD: Final = Template("""\
const $$later = () => import(new URL('$path', document.baseURI))
.then(({ make }) => make({ $given }));
""")


class JoinError(Exception):
    """A module has a statement that cannot be joined."""


@attrs.frozen
class _Module:
    """A module as a function.

    Attributes:
        code: defines the function, which runs the module when it is first called.
        imports: the paths of the modules that it imports.
        calls: the paths of those that it imports by calls.
        promises: the names of what it awaits at its end.
    """

    code: str
    imports: Sequence[str]
    calls: Sequence[str]
    promises: Sequence[str]


@attrs.frozen
class JoinedPage:
    """A page that loads one script and one style sheet.

    Attributes:
        html: the page.
        files: the content of these two, and of the script that is loaded by calls, by path; a path
            changes with its content.
        script: the path of the script; empty without one.
    """

    html: str
    files: Mapping[str, str]
    script: str = ""


def join_page(html: str, read: Callable[[str], str], *, is_alone: bool = False) -> JoinedPage:
    """Return a page with its modules joined, and its style sheets.

    Args:
        html: the page; a page without a module or without a style sheet is left as it is.
        read: returns the text of a file by its path.
        is_alone: whether the page can load nothing: one script has all modules.
    """
    script, styles = _SCRIPT.search(html), _STYLE.findall(html)
    if script is None or not styles:
        return JoinedPage(html, {})
    code, later = (join_modules(script[1], read), {}) if is_alone else _split(script[1], read)
    css = _STYLE_COMMENT.sub("", "".join(map(read, styles)))
    code_path, css_path = path_of(code.encode(), "js"), path_of(css.encode(), "css")
    links = iter([f'  <link rel="stylesheet" href="{css_path}">\n'])
    html = _STYLE.sub(lambda _: next(links, ""), html)
    html = html.replace(script[0], script[0].replace(script[1], code_path))
    return JoinedPage(html, {code_path: code, css_path: css, **later}, code_path)


def path_of(content: bytes, suffix: str) -> str:
    """Return the path of a file that changes with its content."""
    return f"joined/{hashlib.sha256(content).hexdigest()[:16]}.{suffix}"


def join_modules(entry: str, read: Callable[[str], str]) -> str:
    """Return one module that does what ``entry`` does with everything that it imports.

    Each module becomes a function that runs once, and returns what the module exports. Nothing else
    of its text changes, but for its comments and its indentation.

    Raises:
        JoinError: a module has an import or export in another form than those of `yoddd.web`.
    """
    modules = _collect(entry, read, with_calls=True)
    return f"{_ONCE}{_code(modules, modules)}{_name(entry)}();\n"


def _split(entry: str, read: Callable[[str], str]) -> tuple[str, dict[str, str]]:
    """Return the module of a page, and by its path the one that has what it imports by calls."""
    whole = _collect(entry, read, with_calls=True)
    first = _collect(entry, read, with_calls=False)
    later = {path: module for path, module in whole.items() if path not in first}
    run = f"{_code(first, whole)}{_name(entry)}();\n"
    if not later:
        return f"{_ONCE}{run}", {}
    needed = {path for module in later.values() for path in (*module.imports, *module.calls)}
    given = ", ".join(_name(path) for path in first if path in needed)
    made = ", ".join(map(_name, later))
    code = _LATER.substitute(given=given, made=made, code=f"{_ONCE}{_code(later, whole)}")
    path = path_of(code.encode(), "js")
    called = dict.fromkeys(one for module in first.values() for one in module.calls)
    load = _LOAD.substitute(path=path, given=given) + "".join(
        f"const {name} = () => $later().then(({{ {name} }}) => {name}());\n"
        for name in (_name(one) for one in called if one in later)
    )
    return f"{_ONCE}{load}{run}", {path: code}


def _collect(entry: str, read: Callable[[str], str], *, with_calls: bool) -> dict[str, _Module]:
    """Return the modules that one imports, by path, with or without those that it does by calls."""
    found: dict[str, _Module] = {}
    waiting = [entry]
    while waiting:
        path = waiting.pop()
        if path not in found:
            module = found[path] = _joinable(path, read(path))
            waiting += [*module.imports, *(module.calls if with_calls else ())]
    return found


def _code(modules: Mapping[str, _Module], whole: Mapping[str, _Module]) -> str:
    """Return the code of some modules, with the texts that the whole page names."""
    bodies = {path: module.code for path, module in modules.items()}
    if TEXTS in bodies:
        bodies[TEXTS] = _used_texts({path: module.code for path, module in whole.items()})
    awaited = (
        f"await {_name(path)}().{promise};\n"
        for path, module in modules.items()
        for promise in module.promises
    )
    return "".join((*bodies.values(), *awaited))


def _used_texts(bodies: Mapping[str, str]) -> str:
    """Return the module of the texts without those that no other module of the page names."""
    code = "".join(text for path, text in bodies.items() if path != TEXTS)
    named = set(_KEY.findall(code))
    begun = tuple(_BEGUN_KEY.findall(code))
    return "".join(
        row
        for row in bodies[TEXTS].splitlines(keepends=True)
        if (found := _TEXT.match(row)) is None or found[1] in named or found[1].startswith(begun)
    )


def _beside(path: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name))


def _name(path: str) -> str:
    return "$" + re.sub(r"\W", "_", path.removesuffix(".js"))


@cache  # pages share most of their modules
def _joinable(path: str, text: str) -> _Module:
    """Return a module as a function, with what it needs."""
    imports: list[str] = []
    calls: list[str] = []

    def static(found: re.Match[str]) -> str:
        imports.append(_beside(path, found[2]))
        made = f"{_name(imports[-1])}()"
        if found[1] is None:
            return f"{made};"
        return f"const {found[1].removeprefix('* as ').replace(' as ', ': ')} = {made};"

    def later(found: re.Match[str]) -> str:
        calls.append(_beside(path, found[1]))
        return f"Promise.resolve().then({_name(calls[-1])})"

    text = _LINE_COMMENT.sub("", _COMMENT.sub("", f"\n{text}"))[1:]
    exported = ", ".join(_EXPORT.findall(text))
    text = _EXPORT.sub("", _LATER_IMPORT.sub(later, _IMPORT.sub(static, text)))
    promises = _WAIT.findall(text)
    text = _WAIT.sub("", text)
    left = _LEFT.search(text) or _LEFT_CALL.search(text)
    if left is not None:
        line = text[text.rfind("\n", 0, left.end()) + 1 :].partition("\n")[0]
        raise JoinError(f"{path}: cannot join {line!r}")
    text = _INDENT.sub("\n", text)
    code = f"const {_name(path)} = $once(() => {{\n{text}return {{ {exported} }};\n}});\n"
    return _Module(code, imports, calls, promises)
