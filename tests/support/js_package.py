"""The JavaScript package, put together and served as a static site."""

from __future__ import annotations

import functools
import http.server
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
WASM: Final = ROOT / "yoddd/web/js/kernel/yoddd.wasm"
THREADED: Final = ROOT / "yoddd/web/js/kernel/yoddd-threads.wasm"
POLICY: Final = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; "
    "style-src 'unsafe-inline'"
)
"""What the README says that a page has to allow, and the scripts in the example's page."""

ISOLATION: Final = {
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""What it says that threads take."""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files with a strict policy, and prints nothing."""

    def __init__(self, *arguments: Any, headers_too: Mapping[str, str], **more: Any) -> None:
        self.headers_too = headers_too
        super().__init__(*arguments, **more)  # replies

    def end_headers(self) -> None:
        for name, value in {"Content-Security-Policy": POLICY, **self.headers_too}.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


def pack(folder: Path) -> None:
    """Put the package together in a folder."""
    node = shutil.which("node")
    assert node is not None
    subprocess.run([node, str(ROOT / "clients/js/pack.mjs"), str(folder)], check=True)


@contextmanager
def serving(folder: Path, headers: Mapping[str, str] | None = None) -> Iterator[str]:
    """Serve a folder, with more headers; yields its address."""
    handler = functools.partial(Handler, directory=str(folder), headers_too=headers or {})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
