"""Pages whose modules and style sheets are joined."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from yoddd.daemon.pages.joined import JoinError, join_modules, join_page
from yoddd.daemon.pages.shell import render_pages

WEB = files("yoddd") / "web"
PAGES = render_pages()
HEAD = """<head>
  <title>Sums</title>
  <link rel="stylesheet" href="a.css">
  <link rel="icon" href="icon.svg">
  <link rel="stylesheet" href="b.css">
  <script type="module" src="js/main.js"></script>
</head>
"""
SITE = {
    "a.css": "p { color: red }\n",
    "b.css": "p { color: blue }\n",
    "js/main.js": """import { word } from './first.js';
import { add as plus, count } from './sums.js';
import * as sums from './sums.js';

/** @type {import('./absent.js').Sum} */
const found = plus(1, 2);
console.log(word(), found, count(), sums.count());
import('./later.js').then(({ tell }) => tell());
""",
    "js/first.js": """let known = 'none';
export const word = () => known;
async function load() {
  known = await Promise.resolve('first');
}
export const READY = load();
await READY;
""",
    "js/sums.js": """let counted = 0;

export const add = (a, b) => a + b;
export function count() {
  counted += 1;
  return counted;
}
""",
    "js/later.js": """import {
  count,
} from './sums.js';

console.log('later');
export async function tell() {
  console.log(count());
}
""",
}


def read(path: str) -> str:
    return (WEB / path).read_text(encoding="utf-8")


@pytest.mark.process
@pytest.mark.whole
@pytest.mark.parametrize("is_alone", [True, False])
def test_join_page_result_does_what_the_modules_do(tmp_path: Path, is_alone: bool) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on the PATH")
    page = join_page(HEAD, SITE.__getitem__, is_alone=is_alone)
    assert len(page.files) == (2 if is_alone else 3)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "joined").mkdir()
    for path, content in page.files.items():
        (tmp_path / path).write_text(content)
    entry = tmp_path / "entry.js"
    place = f"globalThis.document = {{ baseURI: {tmp_path.as_uri() + '/'!r} }};\n"
    entry.write_text(f"{place}import('./{page.script}');\n")
    done = subprocess.run([node, entry], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["first", "3", "1", "2", "later", "3"]


def test_join_modules_has_the_texts_that_its_code_names() -> None:
    site = {
        "js/main.js": "import { EN } from './base/en.js';\n\n"
        "const one = EN['lobby.title'] + EN[`level.${3}`] + EN[`end.of-${4}`];\n",
        "js/base/en.js": 'export const EN = {\n"end.as": "0",\n"end.of-4": "1",\n"level.3": "2",\n'
        '"lobby.title": "3",\n"lobby.other": "4"\n};\n',
    }
    code = join_modules("js/main.js", site.__getitem__)
    assert re.findall(r'^"([\w.-]+)":', code, re.MULTILINE) == [
        "end.of-4",
        "level.3",
        "lobby.title",
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "export let count = 0;",
        "export { count };",
        "export * from './sums.js';",
        "import count from './sums.js';",
        "import { count } from 'sums';",
        "await count();",
        "  const here = import.meta.url;",
        "  const other = import(name);",
    ],
)
def test_join_modules_other_statement_is_refused(statement: str) -> None:
    with pytest.raises(JoinError) as caught:
        join_modules("main.js", lambda _: f"const a = 1;\n{statement}\n")
    assert str(caught.value) == f"main.js: cannot join {statement!r}"


def test_join_page_loads_one_script_and_one_sheet_in_their_order() -> None:
    page = join_page(HEAD, SITE.__getitem__, is_alone=True)
    css, code = sorted(page.files, key=lambda path: not path.endswith(".css"))
    assert page.files[css] == SITE["a.css"] + SITE["b.css"]
    changed = {**SITE, "js/later.js": "export const tell = 1;\n"}
    for is_alone in (True, False):
        other = join_page(HEAD, changed.__getitem__, is_alone=is_alone)
        same = join_page(HEAD, SITE.__getitem__, is_alone=is_alone)
        assert other.files.keys() & same.files.keys() == {css}
    assert page.files[code] == join_modules("js/main.js", SITE.__getitem__)
    assert re.findall(r'(?:href|src)="(.*?)"', page.html) == [css, "icon.svg", code]


def test_join_page_leaves_comments_out_and_what_looks_like_them() -> None:
    code = "// Says where.\nconst a = 'https://yodd.example'; // kept\n  // More.\nlet b = a;\n"
    site = {**SITE, "js/first.js": code, "a.css": "/* Red.\n   */\np { color: red }\n"}
    texts = "".join(join_page(HEAD, site.__getitem__).files.values())
    assert "const a = 'https://yodd.example'; // kept\nlet b = a;\n" in texts
    assert not re.search("Says|More|Red", texts)


@pytest.mark.parametrize("name", sorted(PAGES))
def test_join_page_every_page_has_all_that_it_loads(name: str) -> None:
    page = join_page(PAGES[name], read)
    assert re.findall(r'rel="(\w*preload)"', page.html) == []
    loaded = re.findall(r'(?:href|src)="([^"#:]+\.(?:css|js))"', page.html)
    called = re.findall(r"import\(new URL\('([\w./]+)'", page.files[page.script])
    assert (len(loaded), loaded[-1]) == (2, page.script)
    assert {*loaded, *called} == set(page.files)
