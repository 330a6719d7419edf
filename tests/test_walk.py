"""The manual's page for operators, followed line by line on a machine of its own with systemd.

The machine has the files of this one below a layer that vanishes, and namespaces in which systemd
is the first process. Its network is its loopback, so what pip installs is fetched before.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shlex
import shutil
import ssl
import subprocess
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

import pytest

from tests.daemon.conftest import PATIENCE, Peer, make_certificate, until
from tests.daemon.test_filters import CUP, REFUSED, SLICES
from tests.daemon.test_reload import LIVE
from tests.support.postgres import database, postgres
from tests.support.programs import Program
from yoddd.daemon.base.settings import KEYS, lookup
from yoddd.daemon.configuration import Sources, load

__all__ = ["database", "postgres"]

LIMIT: Final = 3600
"""Seconds; the kernel is compiled up to twice."""

pytestmark = [pytest.mark.process, pytest.mark.whole, pytest.mark.timeout(LIMIT)]

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = (ROOT / "docs" / "how-to" / "operate-a-server.md").read_text(encoding="utf-8")
BLOCKS: Final = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
SCRIPTS: Final[list[str]] = [text for language, text in BLOCKS if language in {"sh", "console"}]
TURNS: Final = ("1d4", "1e2,2a2", "2d1,2d3", "1b2,2c5", "1c4,2c2", "2a1,2e3", "pass", "pass")
"""A whole game on hex3."""
UPGRADE: Final = "make wasm # in the folder of the newer"
"""The beginning of the script that upgrades."""
RELEASE: Final = "fbee3799"
"""The commit of 0.2.0."""

# Always of one name, so that ccache knows the sources again.
FOLDER: Final = ROOT / "build" / "walk"
CACHE: Final = os.environ.get("YODDD_CI_CACHE") or str(Path.home() / ".cache" / "yoddd-ci")
ENVIRONMENT: Final = {
    **{name: text for name, text in os.environ.items() if name.startswith("PIP_")},
    "HOME": str(Path.home()),
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "YODDD_CI_CACHE": CACHE,
    "CCACHE_DIR": f"{CACHE}/ccache",
    "CCACHE_BASEDIR": str(FOLDER),
    "CCACHE_NOHASHDIR": "true",
    **({"CMAKE_CXX_COMPILER_LAUNCHER": "ccache"} if shutil.which("ccache") else {}),
}
SPACES: Final = ("--mount", "--pid", "--uts", "--ipc", "--net", "--cgroup")
BEGIN: Final = 'echo 0 >"$0"/cgroup.procs; exec "$@"'
BOOT: Final = """
mount --make-rprivate /
mount -t tmpfs tmpfs "$1"
cd "$1"
mkdir up work root
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/up,workdir=$1/work" root
cd root
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs dev
mkdir dev/shm dev/pts
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
for name in null zero full random urandom tty; do
    touch dev/$name
    mount --bind /dev/$name dev/$name
done
mkdir -p srv/database ".$2" ".$YODDD_CI_CACHE"
mount --bind "$2" ".$2"
mount --bind "$YODDD_CI_CACHE" ".$YODDD_CI_CACHE"
mount --bind "$3" srv/database
rm -rf etc/fstab etc/systemd/system/*.wants
ln -s /dev/null etc/systemd/system/systemd-tmpfiles-setup.service
mount --make-rshared .
exec chroot . env -i container=other PATH="$PATH" /lib/systemd/systemd --unit=basic.target
"""
"""Makes a machine in the empty folder $1 that has the folder $2, and $3 as /srv/database."""


def run(*words: str | Path, given: str = "") -> str:
    """Run a program, which has to succeed, and return its output."""
    pipes: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(words, cwd=ROOT, env=ENVIRONMENT, text=True, **pipes) as program:
        printed, errors = program.communicate(given)
    assert program.returncode == 0, f"{words}\n{given}\n{printed}\n{errors}"
    return str(printed)


def script(beginning: str) -> str:
    """Return the script of the page that begins so."""
    (found,) = [text for text in SCRIPTS if " ".join(text.split()).startswith(beginning)]
    return found


class Machine:
    """A running machine, whose network this process has entered.

    Attributes:
        source: the folder of the sources that the operator is in.
        walked: the scripts of the page that were run.
    """

    def __init__(self, starter: Program) -> None:
        self.source = FOLDER / "new"
        self.walked: set[str] = set()
        children = Path(f"/proc/{starter.pid}/task/{starter.pid}/children")
        until(lambda: bool(children.read_text()))
        pid = children.read_text().strip()
        self._enter = ("nsenter", "-t", pid, *SPACES, "--root", "bash", "-euo", "pipefail")
        until(lambda: self.sh("systemctl is-system-running || true") in {"running\n", "degraded\n"})
        enter_network(f"/proc/{pid}/ns/net")

    def sh(self, script: str) -> str:
        """Run a script as root, and return what it prints."""
        settings = f"export PIP_NO_INDEX=1 PIP_FIND_LINKS={FOLDER}/wheels\n"
        return run(*self._enter, given=f"cd {self.source}\n{settings}{script}")

    def walk(self, beginning: str, **changes: str) -> str:
        """Run the script of the page that begins so, with other words at some places."""
        found = script(beginning)
        self.walked.add(found)
        lines = re.sub(r"^\$ ", "", found, flags=re.MULTILINE)
        for old, new in changes.items():
            assert old in lines
            lines = lines.replace(old, new)
        begun = time.monotonic()
        printed = self.sh(lines)
        print(re.sub("^", "$ ", lines.rstrip(), flags=re.MULTILINE))
        print(f"{printed[-300:]}# {time.monotonic() - begun:.1f} s", flush=True)
        return printed

    def write(self, name: str, text: str) -> None:
        self.sh(f"cat >{name} <<'END'\n{text}\nEND")

    def wait_for(self, text: str, unit: str = "yoddd") -> None:
        """Wait for a text in the log of a unit."""
        until(lambda: text in self.sh(f"journalctl --no-pager -o cat -u {unit}"))


def enter_network(name: str) -> None:
    """Use another network from now on."""
    number = os.open(name, os.O_RDONLY)
    assert ctypes.CDLL(None).setns(number, 0) == 0
    os.close(number)


def fetch() -> None:
    """Put the sources of both versions into the folder, and what pip installs for them."""
    archive = f"git archive {RELEASE} | tar -x -C {FOLDER}/old"
    tree = f"git ls-files -z | tar -c --null -T - | tar -x -C {FOLDER}/new"
    run("bash", "-euo", "pipefail", given=f"{archive}\n{tree}")
    needed = {"cmake", "ninja"}
    for name in ("old", "new"):
        made = tomllib.loads((FOLDER / name / "pyproject.toml").read_text())
        extras = made["project"]["optional-dependencies"]
        needed |= {*made["build-system"]["requires"], *made["project"]["dependencies"]}
        for extra in ("metrics", "postgres", "store", "stats"):
            needed |= {word for word in extras[extra] if not word.startswith("yoddd")}
        needed |= {"pip>=25.1", *made["dependency-groups"].get("wasm", ())}
        make_certificate(FOLDER / name, "yodd.example")
        (FOLDER / name / "cert.pem").rename(FOLDER / name / "fullchain.pem")
        (FOLDER / name / "key.pem").rename(FOLDER / name / "privkey.pem")
    run("python3", "-m", "venv", FOLDER / "fetched")
    run(FOLDER / "fetched/bin/pip", "download", "-q", "-d", FOLDER / "wheels", *needed)


@pytest.fixture
def machine(database: str) -> Iterator[Machine]:
    """A new machine."""
    if os.geteuid() or run("bash", given="unshare --mount --pid --fork true || echo no"):
        pytest.skip("no namespaces here")
    mounts = Path("/proc/mounts").read_text(encoding="utf-8")
    mounted = re.search(r"^\S+ (\S+) cgroup2 rw", mounts, re.MULTILINE)
    if mounted is None:
        pytest.skip("no control group (cgroup v2) is delegated to this process")
    path = Path("/proc/self/cgroup").read_text(encoding="utf-8").split("0::")[1].strip()
    group = Path(f"{mounted[1]}{path}/walk-{os.getpid()}")
    home = f"/proc/self/fd/{os.open('/proc/self/ns/net', os.O_RDONLY)}"
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name in ("old", "new", "machine"):
        (FOLDER / name).mkdir(parents=True)
    fetch()
    store = Path(database.partition("host=")[2])
    store.chmod(0o755)
    group.mkdir()
    begin = ("bash", "-c", BEGIN, group, "unshare", *SPACES, "--fork", "--kill-child")
    boot = ("bash", "-euc", BOOT, "boot", FOLDER / "machine", FOLDER, store)
    try:
        with Program([*begin, *boot], env=ENVIRONMENT) as starter:
            started = Machine(starter)
            yield started
            print(started.sh("journalctl --no-pager --lines=100"))
    finally:
        while PEERS:
            PEERS.pop().close()
        enter_network(home)
        until(lambda: "populated 0" in (group / "cgroup.events").read_text())
        run("find", group, "-depth", "-type", "d", "-delete")
        shutil.rmtree(FOLDER)


class Game:
    """A game of two users, who connect again for each turn.

    Attributes:
        game_id: its id.
        count: the turns so far.
    """

    def __init__(self, connect: Callable[[], Peer]) -> None:
        self._connect = connect
        self.count = 0
        host, rival = connect(), connect()
        self.game_id, black = host.ask("seek ann board=hex3 seat=b").split()[1:3]
        self._keys = (black, rival.ask(f"accept {self.game_id} bob").split()[1])

    def play(self, count: int) -> None:
        """Play the next turns, once both are back."""
        peers = [self._connect(), self._connect()]
        for peer, key in zip(peers, self._keys, strict=True):
            peer.send(f"observe {self.game_id} {key}\n")
            assert peer.line().startswith("=")
        for _ in range(count):
            key, turn = self._keys[self.count % 2], TURNS[self.count]
            assert self._connect().ask(f"put {key} {turn}") == "= "
            self.count += 1


INSECURE: Final = ssl.create_default_context()
INSECURE.check_hostname, INSECURE.verify_mode = False, ssl.CERT_NONE

PEERS: Final[list[Peer]] = []
"""Those of a test, which are closed at its end."""


def plain() -> Peer:
    """A peer of the text port."""
    PEERS.append(Peer(9633))
    return PEERS[-1]


def secured() -> Peer:
    """A peer of the text port, over TLS."""
    peer = plain()
    peer.socket = INSECURE.wrap_socket(peer.socket)
    return peer


def served(connect: Callable[[], Peer]) -> Peer:
    """A peer of whichever daemon serves, once one does."""

    def is_served() -> bool:
        with suppress(OSError, EOFError):
            return connect().ask("name") == "= yoddd"
        return False

    until(is_served)
    return PEERS[-1]


def page(path: str) -> str:
    with urlopen(f"https://127.0.0.1:9634{path}", timeout=PATIENCE, context=INSECURE) as found:
        return str(found.read().decode())


def install(machine: Machine, **changes: str) -> Game:
    """Follow the page to a game in play."""
    machine.walk("make wasm # in the source", **changes)
    machine.walk("install -D -m 644")
    machine.walk("install -D -m 600")
    if changes:  # the release before names no store, and its filter ends its daemon
        store = 'store = "/var/lib/yoddd/yoddd.sqlite3"'
        machine.sh(f"sed -i '1i {store}' /etc/yoddd/yoddd.toml")
        machine.sh("sed -i '/^UMask/i SystemCallErrorNumber=EPERM' docs/deploy/yoddd.service")
    machine.walk("$ cp docs/deploy/yoddd.service")
    game = Game(secured)
    game.play(3)
    return game


def reload_every_live_key(machine: Machine) -> None:
    file, copies = "/etc/yoddd/yoddd.toml", "/etc/yoddd/copies"
    machine.sh(f"cp {file} before; install -D -m 644 -t {copies} *.pem")
    settings = load(Sources(ROOT / "docs" / "deploy" / "yoddd.toml")).settings
    keys = {name: lookup(settings, name) for name in KEYS}
    pems = {"tls.certificate": "fullchain.pem", "tls.private_key": "privkey.pem"}
    for name, live in LIVE.items():
        keys[name] = f"{copies}/{pems[name]}" if name in pems else live.value
        machine.write(file, "\n".join(f"{key} = {json.dumps(keys[key])}" for key in keys))
        machine.sh("systemctl reload yoddd")
        machine.wait_for(f'"configuration reloaded: {name}"')
    machine.sh(f"cp before {file}")
    machine.walk("systemctl reload yoddd")
    machine.wait_for(", ".join(name for name, key in KEYS.items() if key.live))
    served(secured)  # not before the guard of the memory has looked again


def administer(machine: Machine) -> None:
    void, kicked = Game(secured), secured()
    kicked.ask("name")
    listed = json.loads(machine.sh("yoddd admin --socket /run/yoddd/admin list --json"))
    number = max(one["number"] for one in listed["connections"])
    numbers = {"kick 17": f"kick {number}", "abort t3": f"abort {void.game_id}"}
    machine.walk("yoddd admin", **numbers)
    machine.walk("export YODDD_STORE")
    assert kicked.rest() == b""


def try_below_filter(machine: Machine) -> None:
    """Run below the filter of the unit what tests/daemon/test_filters.py runs in a container."""
    python = "/opt/yoddd/bin/python"
    engine = f"{python} -S /opt/try/engine.py"
    gtp = "/opt/yoddd/bin/yoddd gtp --board hex3"
    # The unit sees nothing of this machine's /tmp, where the sources may be.
    machine.sh("mkdir /opt/try; cp tests/programs/engine.py /opt/try")
    machine.write("/opt/try/cup.toml", CUP.format(engine=engine, gtp=gtp, more=""))
    # The unit lets the call pass that a container refuses, and refuses one of the group @resources.
    refused = REFUSED.replace("unshare(0)", "setpriority(0, 0, 19)")
    lines = [f"{python} -c {shlex.quote(code)}" for code in (refused, SLICES)]
    tournament = "yoddd tournament /opt/try/cup.toml --out $1/run"
    machine.write("/opt/try/try.sh", "\n".join([*lines, tournament]))
    command = "/bin/bash -eu /opt/try/try.sh %S/yoddd-try"
    keys = f"s|^(ExecStart)=.*|\\1={command}|; s/^(Type)=.*/\\1=oneshot/"
    keys += "; s/Directory=yoddd$/&-try/; /^Restart=/d"
    machine.sh(f"sed -E '{keys}' docs/deploy/yoddd.service >/etc/systemd/system/yoddd-try.service")
    machine.sh("systemctl start yoddd-try")
    slices = machine.sh(lines[1]).strip()
    machine.wait_for(f"EPERM\nEPERM\n{slices}\n", "yoddd-try")
    records = machine.sh("cat /var/lib/private/yoddd-try/run/games.jsonl").splitlines()
    reasons = [json.loads(line)["reason"] for line in records]
    assert len(reasons) == 2
    assert set(reasons) <= {"groups", "resign"}, reasons


def keep_a_standby(machine: Machine, store: str) -> None:
    machine.walk('/opt/yoddd/bin/pip install ".[postgres')
    (keys,) = [text for _, text in BLOCKS if text.startswith("# /etc/yoddd/one.toml")]
    one = keys.replace("postgresql://yoddd@db.internal/yoddd", store)
    machine.write("/etc/yoddd/one.toml", one)
    machine.write("/etc/yoddd/two.toml", one.replace("9641", "9642").replace("9741", "9742"))
    machine.walk("for name in one two")
    (balancer,) = [text for _, text in BLOCKS if text.startswith("defaults")]
    machine.write("haproxy.cfg", balancer)
    machine.sh("cat fullchain.pem privkey.pem >/etc/ssl/yodd.pem; haproxy -D -f haproxy.cfg")
    game = Game(partial(served, plain))
    game.play(3)
    for change in ("kill --signal=KILL", "restart"):
        status = machine.sh("systemctl show --property=StatusText yoddd-one")
        serving, other = ("two", "one") if "standby" in status else ("one", "two")
        machine.sh(f"systemctl {change} yoddd-{serving}")
        machine.wait_for("as generation", f"yoddd-{other}")
        game.play(2)


def test_page_for_operators_holds_line_by_line(machine: Machine, database: str) -> None:
    game = install(machine)
    assert page("/readyz") == "ok\n"
    metrics = page("/metrics")
    assert "process_resident_memory_bytes" in metrics
    assert re.search(r'yoddd_reply_seconds_count\{group="lobby"\} [1-9]', metrics)
    assert secured().ask("genmove b").startswith("= ")
    try_below_filter(machine)
    administer(machine)
    machine.walk("cp docs/deploy/yoddd.socket")
    game.play(1)
    reload_every_live_key(machine)

    machine.walk("mkdir -p -m 700 /backups")
    game.play(2)
    today = machine.sh("date +%F").strip()
    machine.walk("systemctl stop yoddd yoddd store", **{"2026-11-26": today})
    game.count -= 2
    game.play(3)

    machine.sh("systemctl disable --now yoddd yoddd.socket")
    keep_a_standby(machine, re.sub("host=.*", "host=/srv/database", database))
    # The test below has the remaining one.
    assert set(SCRIPTS) - machine.walked == {script(UPGRADE)}
    # systemd says so of a key that it does not have, or of a value that it cannot read.
    said = machine.sh("journalctl --no-pager -o cat _PID=1")
    assert not re.search("Unknown|Failed to parse", said)


def test_upgrade_from_release_before_loses_no_game(machine: Machine) -> None:
    machine.source = FOLDER / "old"
    game = install(machine, **{"make wasm": "true"})
    machine.source = FOLDER / "new"
    machine.walk(UPGRADE)
    machine.wait_for("copied to")
    game.play(5)
