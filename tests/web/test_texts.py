"""The texts of the page: their catalogues, and that none is left outside of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import pytest

from yoddd.daemon.pages import shell
from yoddd.daemon.pages.shell import (
    ENGLISH,
    LANGUAGES,
    read_catalogue,
    render_error,
    render_pages,
)

pytestmark = pytest.mark.gate

WEB: Final = Path(__file__).parents[2] / "yoddd" / "web"
ENGLISH_TEXTS: Final = read_catalogue(ENGLISH)
OTHERS: Final = [one for one in LANGUAGES if one != ENGLISH]

COMMENT: Final = re.compile(r"/\*.*?\*/|^ *// .*?$", re.DOTALL | re.MULTILINE)
MODULES: Final = {
    path.relative_to(WEB).as_posix(): COMMENT.sub("", path.read_text("utf-8"))
    for path in sorted((WEB / "js").rglob("*.js"))
    if path.name != "en.js"
}
CODE: Final = "\n".join(MODULES.values())

KEY: Final = re.compile(r"'([\w-]+(?:\.[\w-]+)?)'")
CALLED: Final = re.compile(r"\bt\(\s*'([^']+)'")
CHOSEN: Final = re.compile(r"\bt\([^(),]*\? '([^']+)' : (?:[^(),]*\? '([^']+)' : )?'([^']+)'")
BEGUN: Final = re.compile(r"`([a-z]+\.(?:[a-z]+-)?)\$\{")
PLACE: Final = re.compile(r"\{(\w+)\}")

AFTER: Final = " ,;:"
"""What a text that continues another one begins with."""

UNTRANSLATED: Final[Mapping[str, frozenset[str]]] = {"de": frozenset(), "es": frozenset()}
"""By language the keys of the texts that it has only in English, and the places of lessons' texts,
such as ``.yodd.steps.0.title``."""

every_language = pytest.mark.parametrize("language", OTHERS)


def forms(text: Any) -> list[str]:
    return [text] if isinstance(text, str) else list(text.values())


def places(text: Any) -> set[str]:
    return {name for form in forms(text) for name in PLACE.findall(form)}


def keys_of_shells() -> set[str]:
    """The keys that the pages name."""
    return {
        part.rpartition("=")[2]
        for source in (
            *render_pages().values(),
            *(render_error(name, "", "") for name in ("missing", "refused")),
        )
        for parts in re.findall(r' data-t="([^"]*)"', source)
        for part in parts.split(" ")
    }


@every_language
def test_language_has_the_texts_of_english_but_for_those_that_are_listed(language: str) -> None:
    english = ENGLISH_TEXTS.keys() | texts_of_lessons(ENGLISH).keys()
    found = read_catalogue(language).keys() | texts_of_lessons(language).keys()
    assert english - found == UNTRANSLATED[language]
    assert found - english == set()


def test_text_that_a_language_lacks_is_english(monkeypatch: pytest.MonkeyPatch) -> None:
    source = '<p data-t="nav.learn"></p><p data-t="nav.games"></p>'
    german = {"nav.learn": "Lernen"}
    monkeypatch.setattr(shell, "read_catalogue", {ENGLISH: ENGLISH_TEXTS, "de": german}.get)
    written = shell.write_texts(source, "de")
    assert re.findall(">([^<]+)<", written) == ["Lernen", ENGLISH_TEXTS["nav.games"]]


@every_language
def test_language_has_the_placeholders_and_plurals_of_english(language: str) -> None:
    for key, text in read_catalogue(language).items():
        english = ENGLISH_TEXTS[key]
        assert places(text) == places(english), key
        assert type(text) is type(english), key
        assert isinstance(text, str) or text.keys() >= {"one", "other"}, key
        assert all(form.strip() for form in forms(text)), key
        if forms(english)[0][0] in AFTER:
            assert all(form[0] in AFTER for form in forms(text)), key


def test_plurals_count_something() -> None:
    for key, text in ENGLISH_TEXTS.items():
        assert isinstance(text, str) or "n" in places(text), key


def test_keys_that_are_named_exist() -> None:
    named = {key for found in CHOSEN.findall(CODE) for key in found if key}
    named |= set(CALLED.findall(CODE)) | keys_of_shells()
    assert named <= ENGLISH_TEXTS.keys()
    assert all(any(key.startswith(one) for key in ENGLISH_TEXTS) for one in BEGUN.findall(CODE))


def test_every_key_is_used() -> None:
    begun = tuple(BEGUN.findall(CODE))
    used = set(KEY.findall(CODE)) | keys_of_shells()
    assert [key for key in ENGLISH_TEXTS if key not in used and not key.startswith(begun)] == []


# -- texts outside the catalogues ------------------------------------------------------------------

STRING: Final = re.compile(r"'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`")
INSERTED: Final = re.compile(r"\$\{(?:[^{}]|\{[^{}]*\})*\}")
WORDS: Final = re.compile(r"[A-Za-z]{2,}[,.:;!?…]* [a-z]{2,}|^[A-Z][a-z]+\b|…")
"""What a reader would take for a text."""

BEFORE: Final = re.compile(
    r"(?:class|\bas|role|type): $|(?:querySelector(?:All)?|closest|matches|matchMedia|import|"
    r"(?:ask|follow|send|post|includes)\w*|prover\s*\.ask)\([^()]*$|className = $"
)
"""Code before a string that no reader sees: an attribute, a selector, or a request."""

ALLOWED: Final = re.compile(
    r"Black|White|Elo|Enter|Backspace|Tab|Escape|Delete|Arrow\w+|Home|End|Page\w+|Files|Notification|"
    r"CompressionStream|Engine|\s*…|English|Deutsch|Español|SPRT|Content.*|Basic .*|"
    r"(?:position|games|seek|accept|observe|takeback|put|rematch|withdraw|analyze|set_param|resume|"
    r"hello|open|login|claim|probe|policy|solve) .*|"
    r"(?:illegal move|syntax error|login required|input, .*|header \.menu|grid three|row \w+|"
    r"yoddd (?:serve|tournament).*|button solid|field share|too large|bar on-misfit)|"
    r"Othello,.*|\d,\d (?:true|false) (?:true|false)|"
    r"the page has no #.*|yodd hex3 .*|no level .*|data:image.*|<svg.*|\(.*"
)
"""Facts and events by their names, requests, class names, and what only developers meet."""

MACHINES: Final = ("js/kernel/",)
"""The engine in the browser: what goes wrong in it is for developers, in the language of code."""


def visible_strings(code: str) -> Iterator[str]:
    for found in STRING.finditer(code):
        text = found[1] if found[1] is not None else INSERTED.sub("0", found[2] or "")
        line = code[code.rfind("\n", 0, found.start()) + 1 : found.start()]
        if WORDS.search(text) and not BEFORE.search(line) and not ALLOWED.fullmatch(text):
            yield text


@pytest.mark.parametrize("path", [one for one in MODULES if not one.startswith(MACHINES)])
def test_module_has_no_text_of_its_own(path: str) -> None:
    code = re.sub(r"^import [^;]*;$", "", MODULES[path], flags=re.MULTILINE)
    assert list(visible_strings(code)) == []


class Unnamed(HTMLParser):
    """Collects the texts of a page's shell that have no key."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.is_named = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        parts = (values.get("data-t") or "").split(" ")
        self.is_named = any(part and "=" not in part for part in parts)
        self.is_named |= tag in {"script", "style"}
        for name in ("aria-label", "title", "placeholder", "alt"):
            if name in values and not any(part.startswith(f"{name}=") for part in parts):
                self.found.append(values[name] or "")

    def handle_data(self, data: str) -> None:
        if not self.is_named and re.search("[A-Za-z]", data):
            self.found.append(data.strip())

    def handle_endtag(self, tag: str) -> None:
        del tag
        self.is_named = False


@pytest.mark.parametrize("path", render_pages())
def test_shell_has_no_text_without_a_key(path: str) -> None:
    parser = Unnamed()
    # An icon before a text does not end the element that names it.
    parser.feed(re.sub(r"<i [^<>]*></i>", "", render_pages()[path]))
    names = {"yoddd", "Yodd", "B", "W", "X", "P", "U", "yodd hex4 4/5/6/3b3/6/5/4 w 0 2"}
    assert set(parser.found) <= names


# -- the lessons -----------------------------------------------------------------------------------

LESSONS: Final = {
    path.stem: json.loads(path.read_text("utf-8")) for path in (WEB / "lessons").glob("*.json")
}
TEXTS_OF_LESSONS: Final = {"title", "text", "intro", "right", "wrong", "try"}


def texts_of(value: Any, path: str = "", *, is_text: bool = False) -> Iterator[tuple[str, str]]:
    """The texts of a lesson, or of its translation, by where they are."""
    if isinstance(value, str):
        if is_text:
            yield path, value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from texts_of(one, f"{path}.{key}", is_text=key in TEXTS_OF_LESSONS)
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from texts_of(one, f"{path}.{index}", is_text=is_text)


def texts_of_lessons(language: str) -> dict[str, str]:
    path = WEB / "texts" / f"lessons.{language}.json"
    return dict(texts_of(LESSONS if language == ENGLISH else json.loads(path.read_text("utf-8"))))


@every_language
def test_language_has_the_placeholders_of_every_lesson(language: str) -> None:
    english = texts_of_lessons(ENGLISH)
    place = re.compile(r"\{[\w ]+\}")
    for key, text in texts_of_lessons(language).items():
        assert set(place.findall(text)) == set(place.findall(english[key])), key


def test_bold_words_of_the_manual_are_texts_of_the_page() -> None:
    manual = WEB.parents[1] / "docs" / "how-to" / "play-in-the-browser.md"
    texts = {form.rstrip(".:…") for text in ENGLISH_TEXTS.values() for form in forms(text)}
    bold = re.findall(r"\*\*([^*]+)\*\*", manual.read_text("utf-8"))
    assert len(bold) > 50
    assert [one for one in bold if one.rstrip(".:…") not in texts] == []
