"""The JavaScript package where front-ends live: fresh projects with the packed archive.

Each project plays three turns of level 3 and one of level 10. The bundlers' versions are those of
``fronts/package-lock.json``; they and the archive are kept outside the clone. With ``-rP`` each
test shows its bytes and milliseconds.
"""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import re
import runpy
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

import attrs
import pytest
from playwright.sync_api import Page, expect

from tests.support.js_package import POLICY, ROOT, WASM, serving
from tests.support.programs import YODDD, Program, free_port

Played = dict[str, Any]

pytestmark = [pytest.mark.browser, pytest.mark.whole, pytest.mark.timeout(600)]

HERE: Final = Path(__file__).parent / "fronts"
CACHE: Final = runpy.run_path(str(ROOT / ".ci" / "cache.py"))
PAGE: Final = '<!doctype html><title>A front-end</title>{}<script type="module" src="{}"></script>'
OPTIONS: Final = "--strict --target es2023 --module nodenext --lib es2023"
ESBUILD: Final = (
    "esbuild main.js worker=yoddd/worker yoddd=yoddd/kernel.wasm "
    "--bundle --minify --format=esm --loader:.wasm=copy --outdir=dist"
)
WEBPACK: Final = "webpack build ./main.js --no-devtool -o dist --mode"


@contextmanager
def alone() -> Iterator[Path]:
    """The folder outside the clone, while no other worker changes it."""
    folder: Path = CACHE["folder"]() / "fronts"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


@pytest.fixture(scope="session")
def tools() -> Path:
    """The folder of the bundlers' programs."""
    with alone() as folder:
        kept: Path = folder / CACHE["key"]([HERE / "package-lock.json"])
        if not kept.exists():
            made = Path(tempfile.mkdtemp(dir=folder))
            for name in ("package.json", "package-lock.json"):
                shutil.copy(HERE / name, made)
            fetch = [str(ROOT / ".ci/again"), "npm", "ci", "--ignore-scripts", "--no-audit"]
            subprocess.run(fetch, cwd=made, check=True)
            made.rename(kept)
        return kept / "node_modules" / ".bin"


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Make a project that has the package from its archive, and a page in this language."""
    if not WASM.is_file():
        pytest.skip("the kernel is not compiled to WebAssembly: make wasm")
    archive = tmp_path_factory.mktemp("archive") / "yoddd.tgz"

    def build() -> None:
        subprocess.run(["make", "-s", "js"], cwd=ROOT, check=True)  # noqa: S607 — make of the PATH
        shutil.copy(next((ROOT / "dist").glob("yoddd-*.tgz")), archive)

    words = ["git", "ls-files", "clients/js", "yoddd/web/js"]
    names = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    with alone():
        CACHE["keep"](
            archive, f"{CACHE['key']([WASM, *map(ROOT.joinpath, names.split())])}.tgz", build
        )

    def make(name: str) -> Path:
        folder = tmp_path_factory.mktemp(name)
        with tarfile.open(archive) as opened:
            opened.extractall(folder / "node_modules", filter="data")
        (folder / "node_modules/package").rename(folder / "node_modules/yoddd")
        (folder / "package.json").write_text('{"type": "module", "dependencies": {"yoddd": "*"}}')
        for file in HERE.glob("*.js"):
            shutil.copy(file, folder)
        (folder / "index.html").write_text(PAGE.format("", "./main.js"))
        return folder

    return make


@pytest.fixture(scope="session")
def expected() -> list[str]:
    """The turns that the program plays."""
    script = "game yodd hex4\nset_param seed 1\nset_param level 3\n" + "genmove b\ngenmove w\n" * 2
    words = [*YODDD, "gtp"]
    done = subprocess.run(words, input=script, capture_output=True, text=True, check=True)
    return [reply.removeprefix("= ") for reply in done.stdout.split("\n\n")[3:6]]


def run(tools: Path, folder: Path, command: str) -> str:
    """Run a program of the tools in a project."""
    program, *words = command.split()
    words = [str(tools / program), *words]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def node(folder: Path, script: str) -> str:
    """Run a script, which has to end by itself and to complain of nothing."""
    words = ["node", script]
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


def in_page(page: Page, address: str) -> Played:
    """Open an address; return its page's turns and figures, with the bytes that were loaded."""
    urls: set[str] = set()
    problems: list[str] = []
    page.on("response", lambda one: urls.add(one.url) if one.ok else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(address)
    page.wait_for_function("globalThis.played", timeout=120_000)
    played: Played = page.evaluate("globalThis.played")
    assert problems == []
    bodies = [urlopen(url).read() for url in urls if url.startswith("http")]  # noqa: S310 — our own
    packed = sum(len(gzip.compress(body)) for body in bodies)
    return {**played, "bytes": sum(map(len, bodies)), "gzip": packed}


@attrs.frozen
class Place:
    """A project and the tools to try it.

    Attributes:
        tools: the folder of the bundlers' programs.
        folder: the project.
        page: a page in a browser.
    """

    tools: Path
    folder: Path
    page: Page

    def build(self, command: str, script: str = "") -> None:
        """Run a bundler; with the name of what it makes, add a page that loads that."""
        run(self.tools, self.folder, command)
        if script:
            (self.folder / "dist/index.html").write_text(PAGE.format("", script))

    def open(self, below: str = "dist", policy: str = POLICY) -> Played:
        """Serve a folder of the project and open its page."""
        with serving(self.folder, policy) as address:
            return in_page(self.page, f"{address}/{below}/index.html")


def vite_dev(place: Place) -> Played:
    words = [str(place.tools / "vite"), "--host", "127.0.0.1", "--port", str(free_port())]
    environment = {**os.environ, "NO_COLOR": "1"}
    with Program(words, cwd=place.folder, env=environment) as server:
        found = next(filter(None, map(re.compile(r"http://\S+").search, server.stdout)))
        return in_page(place.page, found[0])


def vite(place: Place) -> Played:
    place.build("vite build --base ./")
    return place.open()


def vite_elsewhere(place: Place) -> Played:
    """The scripts are on a host of their own."""
    with serving(place.folder, "") as elsewhere:
        place.build(f"vite build --base {elsewhere}/dist/")
        return place.open(policy="")


def webpack(place: Place) -> Played:
    place.build(f"{WEBPACK} production", "main.js")
    return place.open()


def webpack_development(place: Place) -> Played:
    place.build(f"{WEBPACK} development", "main.js")
    return place.open()


def webpack_elsewhere(place: Place) -> Played:
    with serving(place.folder, "") as elsewhere:
        command = f"{WEBPACK} production --output-public-path {elsewhere}/dist/"
        place.build(command, f"{elsewhere}/dist/main.js")
        return place.open(policy="")


def esbuild(place: Place) -> Played:
    place.build(ESBUILD, "main.js")
    return place.open()


def mapped(address: str) -> str:
    """A plain page that has the package from an address."""
    where = json.dumps({"imports": {"yoddd": f"{address}/index.js"}})
    return PAGE.format(f'<script type="importmap">{where}</script>', "./main.js")


def plain(place: Place) -> Played:
    (place.folder / "index.html").write_text(mapped("./node_modules/yoddd"))
    return place.open(".")


def electron(place: Place) -> Played:
    """A page that has some of Node.js, as in Electron."""
    place.page.add_init_script("globalThis.process = { versions: { node: '20.0.0' } }")
    return plain(place)


def other_origin(place: Place) -> Played:
    with serving(place.folder, "") as elsewhere:
        (place.folder / "index.html").write_text(mapped(f"{elsewhere}/node_modules/yoddd"))
        scripts = f"script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' {elsewhere}"
        policy = f"{scripts}; worker-src blob: {elsewhere}"
        return place.open(".", policy)


def in_node(place: Place) -> Played:
    (place.folder / "tell.js").write_text(
        "import './main.js';\nconsole.log(JSON.stringify(await globalThis.played));\n"
    )
    played: Played = json.loads(node(place.folder, "tell.js"))
    return played


def typescript(place: Place, more: str = "") -> Played:
    source = place.folder / "play.js"
    source.rename(source.with_suffix(".ts"))
    run(place.tools, place.folder, f"tsc {OPTIONS}{more} play.ts")
    return in_node(place)


def typescript_dom(place: Place) -> Played:
    return typescript(place, ",dom")


PLACES: Final = (
    *(vite_dev, vite, vite_elsewhere, webpack, webpack_development, webpack_elsewhere, esbuild),
    *(plain, electron, other_origin, in_node, typescript, typescript_dom),
)


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(work, marks=pytest.mark.firefox if work is other_origin else ())
        for work in PLACES
    ],
)
def test_engine_plays_in_a_fresh_project(
    work: Callable[[Place], Played],
    tools: Path,
    project: Callable[[str], Path],
    page: Page,
    expected: list[str],
) -> None:
    played = work(Place(tools, project(work.__name__), page))
    assert played["turns"][:3] == expected
    assert played["legal"] > 0
    print(work.__name__, json.dumps(played))


def test_examples_of_the_readme_run_in_node(project: Callable[[str], Path]) -> None:
    folder = project("readme")
    text = (folder / "node_modules/yoddd/README.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```js\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(examples) == 2
    for number, example in enumerate(examples):
        (folder / f"{number}.js").write_text(example)
        printed = node(folder, f"{number}.js")
        assert printed
        assert "undefined" not in printed
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        assert (folder / "node_modules/yoddd" / link).is_file(), link


def test_program_ends_with_an_engine_that_is_not_closed(project: Callable[[str], Path]) -> None:
    folder = project("open")
    script = "import { startEngine } from 'yoddd';\nawait startEngine();\nconsole.log('started');\n"
    (folder / "open.js").write_text(script)
    assert node(folder, "open.js") == "started\n"


def test_front_end_of_the_how_to_plays_with_vite(
    tools: Path, project: Callable[[str], Path], page: Page
) -> None:
    folder = project("how_to")
    text = (ROOT / "docs/how-to/use-javascript.md").read_text(encoding="utf-8")
    for name, language in (("index.html", "html"), ("main.js", "js")):
        found = re.search(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        assert found is not None
        (folder / name).write_text(found[1])
    run(tools, folder, "vite build")
    with serving(folder / "dist") as address:
        page.goto(address)
        status, circles = page.locator("#status"), page.locator("#board circle")
        expect(page.locator("circle[stroke='#2a7']")).to_have_count(91)
        circles.nth(45).click()
        expect(status).to_have_text("Black 1, White 0: a legal turn")
        page.get_by_role("button", name="Play").click()
        expect(page.locator("circle:not([fill='#edc'])")).not_to_have_count(1)
        expect(page.get_by_role("button", name="Pass")).to_be_enabled()
