"""Runs the steps of the Dockerfile without Docker: ``python .ci/container.py ROOT`` (as root).

ROOT is a Debian with Python, such as ``debootstrap --variant=minbase
--include=ca-certificates,g++,make,python3,python3-dev,python3-venv trixie ROOT`` makes, and stands
for the image of all stages. The steps run in it by chroot; then the daemon is started as the image
would start it, asked by the health check, and ended by SIGTERM.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

SOURCE = Path(__file__).parents[1]
DOCKERFILE = SOURCE / "docs" / "deploy" / "Dockerfile"
PATIENCE = 60


def instructions(text: str) -> list[tuple[str, str]]:
    """The instructions of a Dockerfile, each a word and its arguments."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in joined.split("\n"))]


class Image:
    """A root file system and what the instructions say of the process in it."""

    def __init__(self, root: Path) -> None:
        """Begin with an image that has ``python``."""
        self.root = root
        self.env = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        self.folder = "/"
        self.user = 0
        self.command: list[str] = []
        self.health: list[str] = []
        # The network of this machine, and whom it trusts there.
        for name in ("pip.conf", "resolv.conf", "ssl/certs/ca-certificates.crt"):
            if Path("/etc", name).exists():
                shutil.copy(Path("/etc", name), root / "etc" / name)
        python = root / "usr/local/bin/python"
        if not python.exists():
            python.symlink_to("/usr/bin/python3")

    def start(self, command: list[str]) -> subprocess.Popen[bytes]:
        """A process in the image."""
        words = ["chroot", f"--userspec={self.user}", str(self.root), "/usr/bin/env", "-C"]
        return subprocess.Popen([*words, self.folder, *command], env=self.env)

    def run(self, command: list[str]) -> None:
        """Run a step, which has to succeed."""
        if self.start(command).wait():
            sys.exit(f"failed: {shlex.join(command)}")

    def follow(self, word: str, rest: str) -> None:
        """Do what an instruction says."""
        if word == "RUN":
            print(f"RUN {rest}", flush=True)
            self.run(["sh", "-c", rest])
        elif word == "WORKDIR":
            self.folder = rest
            (self.root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif word == "USER":
            self.user = int(rest)
        elif word == "ENV":
            for pair in shlex.split(rest):
                name, _, value = pair.partition("=")
                self.env[name] = value.replace("$PATH", self.env["PATH"])
        elif word == "COPY" and "--from" not in rest:
            self.copy(self.root / self.folder.lstrip("/"))
        elif word in {"ENTRYPOINT", "CMD"}:
            self.command += json.loads(rest)
        elif word == "HEALTHCHECK":
            self.health = json.loads(re.sub(r"^.*?CMD ", "", rest))
        elif word == "FROM":
            self.user, self.folder = 0, "/"

    def copy(self, target: Path) -> None:
        """Copy what is tracked, as `.dockerignore` leaves it."""
        listed = subprocess.run(
            ["git", "ls-files", "-z"],  # noqa: S607 — git of the PATH
            cwd=SOURCE,
            capture_output=True,
            check=True,
        )
        for name in listed.stdout.decode().split("\0"):
            if name and (SOURCE / name).is_file():
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(SOURCE / name, target / name)


def is_healthy(image: Image) -> bool:
    """Whether the health check succeeds in time."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if image.start(image.health).wait() == 0:
            return True
        time.sleep(1)
    return False


def main(root: Path) -> None:
    """Build, start, ask and end."""
    proc = root / "proc"
    subprocess.run(["mount", "--bind", "/proc", proc], check=True)  # noqa: S607 — likewise
    try:
        use(Image(root))
    finally:
        subprocess.run(["umount", proc], check=True)  # noqa: S607 — likewise


def use(image: Image) -> None:
    """Follow the Dockerfile, then use the image."""
    for word, rest in instructions(DOCKERFILE.read_text(encoding="utf-8")):
        image.follow(word, rest)
    print(shlex.join(image.command), flush=True)
    daemon = image.start(image.command)
    try:
        healthy = is_healthy(image)
    finally:
        os.kill(daemon.pid, signal.SIGTERM)
        status = daemon.wait(PATIENCE)
    if not healthy or status:
        sys.exit(f"healthy: {healthy}, exit status {status}")
    print("healthy, and ended by SIGTERM")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
