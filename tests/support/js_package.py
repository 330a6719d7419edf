"""The JavaScript package, put together and served as a static site."""

from __future__ import annotations

import functools
import http.server
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
WASM: Final = ROOT / "yoddd/web/js/kernel/yoddd.wasm"
NO_WASM: Final = "the kernel is not compiled to WebAssembly: make wasm"
NEEDS_WASM: Final = pytest.mark.skipif(not WASM.is_file(), reason=NO_WASM)
POLICY: Final = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; "
    "style-src 'unsafe-inline'"
)
"""What the README says that a page has to allow, and the scripts in the example's page."""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files to pages of every origin, with a policy, and prints nothing."""

    policy = POLICY

    def end_headers(self) -> None:
        self.send_header("Access-Control-Allow-Origin", "*")
        if self.policy:
            self.send_header("Content-Security-Policy", self.policy)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


def pack(folder: Path) -> None:
    """Put the package together in a folder; skips the test that needs it without a kernel."""
    if not WASM.is_file():
        pytest.skip(NO_WASM)
    node = shutil.which("node")
    assert node is not None
    for program, script in ((node, "clients/js/pack.mjs"), (sys.executable, ".ci/js_facts.py")):
        subprocess.run([program, str(ROOT / script), str(folder)], check=True)


@contextmanager
def serving(folder: Path, policy: str = POLICY) -> Iterator[str]:
    """Serve a folder; yields its address."""
    kind = type("_Handler", (Handler,), {"policy": policy})
    handler = functools.partial(kind, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
