"""The JavaScript package where front-ends live: fresh projects with the packed archive.

Each project plays three turns of level 3 and one of level 10. The bundlers' versions are those of
``fronts/package-lock.json``; they and the archive are kept outside the clone.
"""

from __future__ import annotations

import base64
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
from collections.abc import Callable, Iterator, Mapping
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
OPTIONS: Final = (
    "--strict --noUncheckedIndexedAccess --target es2023 --module nodenext --lib es2023"
)
ESBUILD: Final = (
    "esbuild main.js worker=yoddd/worker yoddd=yoddd/kernel.wasm "
    "--bundle --minify --format=esm --loader:.wasm=copy --outdir=dist"
)
ADDRESSES: Final = {"worker": "./worker.js", "module": "./yoddd.wasm"}
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


def run(folder: Path, *words: str | Path) -> str:
    """Run a program in a project, which has to end by itself and to complain of nothing."""
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def in_page(page: Page, address: str) -> Played:
    """Open an address; return what its page has played, with the bytes that were loaded."""
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

    def build(self, command: str, script: str = "", where: Mapping[str, str] | None = None) -> None:
        """Run a bundler; with the name of what it makes, add a page that loads that."""
        program, *words = command.split()
        run(self.folder, self.tools / program, *words)
        if script:
            given = f"<script>where = {json.dumps(where)}</script>" if where else ""
            (self.folder / "dist/index.html").write_text(PAGE.format(given, script))

    def package(self, name: str) -> Path:
        """The folder of a tool's package, some of which have programs of one name."""
        return self.tools.parent / name

    def tell(self, *words: str | Path) -> Played:
        """Play in a program that runs scripts."""
        (self.folder / "tell.js").write_text(
            "import './main.js';\nconsole.log(JSON.stringify(await globalThis.played));\n"
        )
        played: Played = json.loads(run(self.folder, *words, "tell.js"))
        return played

    def open(self, below: str = "dist", policy: str = POLICY) -> Played:
        """Serve a folder of the project and open its page."""
        with serving(self.folder, policy) as address:
            return in_page(self.page, f"{address}/{below}/index.html")


def vite_dev(place: Place, program: str = "vite") -> Played:
    script = place.package(program) / "bin/vite.js"
    words = ["node", str(script), "--host", "127.0.0.1", "--port", str(free_port())]
    environment = {**os.environ, "NO_COLOR": "1"}
    with Program(words, cwd=place.folder, env=environment) as server:
        found = next(filter(None, map(re.compile(r"http://\S+").search, server.stdout)))
        return in_page(place.page, found[0])


def vite7_dev(place: Place) -> Played:
    option = "{ optimizeDeps: { exclude: ['yoddd'] } }"
    assert option.strip("{} ") in readme()
    (place.folder / "vite.config.js").write_text(f"export default {option};\n")
    return vite_dev(place, "vite7")


def vite7_dev_bare(place: Place) -> Played:
    return vite_dev(place, "vite7")


def vite_library(place: Place) -> Played:
    library = "{ base: './', build: { lib: { entry: 'main.js', formats: ['es'] } } }"
    (place.folder / "vite.config.js").write_text(f"export default {library};\n")
    (place.folder / "package.json").write_text('{"name": "main", "type": "module"}')
    place.build("vite build", "main.js")
    return place.open(policy=f"{POLICY}; connect-src 'self' data:")


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


def parcel(place: Place) -> Played:
    place.build("parcel build index.html --public-url ./ --no-cache")
    return place.open()


def rollup_bare(place: Place) -> Played:
    place.build("rollup main.js -p @rollup/plugin-node-resolve -d dist", "main.js")
    return place.open()


def rollup(place: Place) -> Played:
    """A bundler that makes no files of its own: the page has the addresses."""
    inputs = "main.js worker=yoddd/worker"
    place.build(
        f"rollup {inputs} -p @rollup/plugin-node-resolve -d dist", "main.js", where=ADDRESSES
    )
    package = place.folder / "node_modules/yoddd"
    shutil.copy(package / "js/kernel/yoddd.wasm", place.folder / "dist")
    return place.open()


def from_file(place: Place) -> Played:
    """A page that is opened as a file, whose script is no module."""
    place.build(ESBUILD.replace("=esm", "=iife"), "main.js", where=ADDRESSES)
    index = place.folder / "dist/index.html"
    index.write_text(index.read_text().replace('type="module"', "defer"))
    return in_page(place.page, index.as_uri())


def from_file_with_data(place: Place) -> Played:
    from_file(place)
    kinds = {"worker.js": "text/javascript", "yoddd.wasm": "application/wasm"}
    index = place.folder / "dist/index.html"
    text = index.read_text()
    for name, kind in kinds.items():
        data = base64.b64encode((index.parent / name).read_bytes()).decode()
        text = text.replace(f"./{name}", f"data:{kind};base64,{data}")
    index.write_text(text)
    return in_page(place.page, index.as_uri())


def in_service_worker(place: Place) -> Played:
    (place.folder / "service.js").write_text(
        "import { Counter, startEngine } from 'yoddd';\n"
        "onmessage = async ({ source }) => {\n"
        "  const where = { worker: '/dist/worker.js', module: '/dist/yoddd.wasm' };\n"
        "  await Counter.load(where.module);\n"
        "  await startEngine(where).catch(({ reason }) => source.postMessage({ reason }));\n"
        "};\n"
    )
    place.build(ESBUILD.replace("main.js", "service.js").replace("=esm", "=iife"))
    (place.folder / "main.js").write_text(
        "globalThis.played = (async () => {\n"
        "  const made = await navigator.serviceWorker.register('dist/service.js');\n"
        "  while (!made.active) await new Promise(requestAnimationFrame);\n"
        "  return new Promise((resolve) => {\n"
        "    navigator.serviceWorker.onmessage = ({ data }) => resolve(data);\n"
        "    made.active.postMessage('');\n"
        "  });\n"
        "})();\n"
    )
    return place.open(".")


def refused_by_policy(place: Place) -> Played:
    (place.folder / "index.html").write_text(mapped("./node_modules/yoddd"))
    return place.open(".", f"{POLICY}; worker-src 'none'")


def in_node(place: Place) -> Played:
    return place.tell("node")


def in_node22(place: Place) -> Played:
    return place.tell(place.package("node22") / "bin/node")


def in_deno(place: Place) -> Played:
    return place.tell(*place.tools.parent.glob("@deno/*/deno"), "run", "--allow-read")


def in_bun(place: Place) -> Played:
    return place.tell(*place.tools.parent.glob("@oven/*/bin/bun"))


def typescript(place: Place, more: str = "") -> Played:
    source = place.folder / "play.js"
    source.rename(source.with_suffix(".ts"))
    place.build(f"tsc {OPTIONS}{more} play.ts")
    return in_node(place)


def typescript_dom(place: Place) -> Played:
    return typescript(place, ",dom")


PLACES: Final = (
    *(vite_dev, vite7_dev, vite, vite_library, vite_elsewhere),
    *(webpack, webpack_development, webpack_elsewhere, esbuild, rollup, parcel),
    *(plain, electron, other_origin, from_file_with_data),
    *(in_node, in_node22, in_deno, in_bun, typescript, typescript_dom),
)
LEFT_OUT: Final = (
    r"worker\S* could not be loaded .*, since it is .*: a bundler may have left it out; .*README.*"
)
REFUSED: Final = {
    vite7_dev_bare: LEFT_OUT,
    rollup_bare: LEFT_OUT,
    from_file: r"file:\S+ cannot be started as a worker: a page opened as a file .*web server.*",
    in_service_worker: "no worker can be started here, .*: start the engine in a page, .*",
    refused_by_policy: r".*Content-Security-Policy has to allow it as worker-src",
}
"""Places where the engine cannot start, with the reason and what to change."""


@pytest.mark.parametrize(("work", "reason"), REFUSED.items())
def test_engine_that_cannot_start_says_why_and_what_to_change(
    work: Callable[[Place], Played],
    reason: str,
    tools: Path,
    project: Callable[[str], Path],
    page: Page,
) -> None:
    assert re.search(reason, work(Place(tools, project(work.__name__), page))["reason"])


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
    assert played.get("reason") is None
    assert played["turns"][:3] == expected
    assert played["legal"] > 0
    for row, works in SIZES.items():
        if work in works:
            assert [played["bytes"], played["gzip"]] == pytest.approx(documented(row), rel=0.1)


SIZES: Final = {
    "Vite 8, webpack 5, esbuild": (vite, webpack, esbuild),
    "a plain page, also from another origin": (plain, other_origin),
}


def documented(row: str) -> list[int]:
    """The bytes and the compressed bytes in a row of the how-to."""
    text = (ROOT / "docs/how-to/use-javascript.md").read_text(encoding="utf-8")
    found = re.search(rf"^\| {re.escape(row)} \| (.*) \| (.*) \|$", text, re.MULTILINE)
    assert found is not None, row
    return [int(figure.replace(",", "")) for figure in found.groups()]


TURNS: Final = "formatTurn, parseTurn"
RULES: Final = "Position, formatPosition, formatTurn, makeRules, parsePosition, parseTurn"


def importing(names: str, place: str) -> str:
    """A program that imports these names."""
    return f"import {{ {names} }} from '{place}';\nconsole.log({names});\n"


PARTS: Final = {
    "`formatTurn, parseTurn` of `yoddd/rules`": importing(TURNS, "yoddd/rules"),
    "rules and notation of `yoddd/rules`": importing(RULES, "yoddd/rules"),
    "the same of `yoddd`": importing(RULES, "yoddd"),
    "the worker": "import 'yoddd/worker';\n",
}


@pytest.mark.parametrize("part", PARTS)
def test_part_of_the_package_weighs_what_the_how_to_says(
    part: str, tools: Path, project: Callable[[str], Path]
) -> None:
    folder = project("part")
    (folder / "main.js").write_text(PARTS[part])
    made = run(folder, tools / "esbuild", "main.js", "--bundle", "--minify", "--format=esm")
    assert [len(made), len(gzip.compress(made.encode()))] == pytest.approx(
        documented(part), rel=0.03
    )
    assert "Rematch" not in made
    assert ("is occupied" in made) is (part == "the same of `yoddd`")


def test_types_refuse_what_the_package_refuses(tools: Path, project: Callable[[str], Path]) -> None:
    folder = project("types")
    calls = ["makeRules('go')", "engine.genmove(start, { level: '4' })", "GAMES.go", "parseTurn(1)"]
    lines = "".join(f"// @ts-expect-error\n() => {call};\n" for call in calls)
    (folder / "types.ts").write_text(
        "import { GAMES, Position, makeRules, parseTurn, startEngine } from 'yoddd';\n"
        "const engine = await startEngine();\n"
        f"const start = new Position(makeRules('yodd'));\n{lines}"
    )
    run(folder, tools / "tsc", "--noEmit", *f"{OPTIONS} types.ts".split())


def readme() -> str:
    return (ROOT / "clients/js/README.md").read_text(encoding="utf-8")


def test_examples_of_the_readme_compile_and_run(
    tools: Path, project: Callable[[str], Path]
) -> None:
    folder, text = project("readme"), readme()
    examples = re.findall(r"^```js\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(examples) == 3
    for number, example in enumerate(examples):
        (folder / f"{number}.ts").write_text(example)
        run(folder, tools / "tsc", *f"{OPTIONS},dom {number}.ts".split())
        printed = run(folder, "node", f"{number}.js")
        assert printed
        assert "undefined" not in printed
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        assert (folder / "node_modules/yoddd" / link).is_file(), link


def test_program_ends_with_an_engine_that_is_not_closed(project: Callable[[str], Path]) -> None:
    folder = project("open")
    script = "import { startEngine } from 'yoddd';\nawait startEngine();\nconsole.log('started');\n"
    (folder / "open.js").write_text(script)
    assert run(folder, "node", "open.js") == "started\n"


def test_front_end_of_the_how_to_plays_with_vite(
    tools: Path, project: Callable[[str], Path], page: Page
) -> None:
    folder = project("how_to")
    text = (ROOT / "docs/how-to/use-javascript.md").read_text(encoding="utf-8")
    for name, language in (("index.html", "html"), ("main.js", "js")):
        found = re.search(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        assert found is not None
        (folder / name).write_text(found[1])
    run(folder, tools / "vite", "build")
    with serving(folder / "dist") as address:
        page.goto(address)
        status, circles = page.locator("#status"), page.locator("#board circle")
        expect(page.locator("circle[stroke='#2a7']")).to_have_count(91)
        circles.nth(45).click()
        expect(status).to_have_text("Black 1, White 0: a legal turn")
        page.get_by_role("button", name="Play").click()
        expect(page.locator("circle:not([fill='#edc'])")).not_to_have_count(1)
        expect(page.get_by_role("button", name="Pass")).to_be_enabled()
