"""Every key that a daemon can be configured with: one table for the parser, the docs and the help.

A key's default, its meaning, its unit and whether it takes effect without a restart all stand here
and nowhere else; `yoddd.daemon.configuration` reads files and the environment by it.
"""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Callable
from typing import Any, Final, TypeVar

import attrs

TEXT: Final = "tcp:9633:interface=127.0.0.1"
HTTP: Final = "tcp:9634:interface=127.0.0.1"
QUEUE_LIMIT: Final = 1024
"""How many tasks may wait before further ones are refused."""

LOCAL: Final = ("127.0.0.0/8", "::1/128")

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_T = TypeVar("_T")


def key(
    default: _T,
    text: str,
    *,
    unit: str = "",
    least: float | None = None,
    words: tuple[str, ...] = (),
    live: bool = True,
) -> Any:  # noqa: ANN401 — an attrs field stands for any type
    """One key.

    Args:
        default: its value where nobody says otherwise.
        text: what it is, in one line.
        unit: of the number.
        least: the smallest number that makes sense.
        words: the words that it can be, if it is one of a few.
        live: whether SIGHUP changes it; else only a restart does.
    """

    def check(_instance: object, field: attrs.Attribute[Any], value: Any) -> None:  # noqa: ANN401 — any value comes in
        if least is not None and not (value >= least and math.isfinite(value)):
            raise ValueError(f"{field.name} {value}: expected {least:g} or more")
        if words and value not in words:
            raise ValueError(f"{field.name} {value!r}: expected one of {', '.join(words)}")

    metadata = {"text": text, "unit": unit, "live": live, "words": words}
    return attrs.field(default=default, validator=check, metadata=metadata)


def _networks(_instance: object, field: attrs.Attribute[Any], value: tuple[str, ...]) -> None:
    for word in value:
        try:
            ipaddress.ip_network(word)
        except ValueError:
            raise ValueError(
                f"{field.name} {word!r}: expected a network such as 10.0.0.0/8"
            ) from None


def networks(default: tuple[str, ...], text: str) -> Any:  # noqa: ANN401 — an attrs field
    """A key that is a list of networks."""
    metadata = {"text": text, "unit": "", "live": True, "words": ()}
    return attrs.field(default=default, validator=_networks, metadata=metadata)


@attrs.frozen(kw_only=True)
class Limits:
    """Limits on each peer and on all together."""

    line: int = key(16 * 1024, "The longest line, its LF not counted.", unit="bytes", least=64)
    message: int = key(
        16 * 1024, "The longest WebSocket message, its fragments together.", unit="bytes", least=64
    )
    handshake: float = key(5.0, "A TLS handshake is done within this time.", unit="s", least=0.05)
    slow_line: float = key(
        10.0,
        "A line that has begun is complete within this time; so is an HTTP request.",
        unit="s",
        least=0.05,
    )
    login: float = key(10.0, "Time to log in, where it is required.", unit="s", least=0.05)
    login_commands: int = key(32, "Requests served before log-in, where it is required.", least=1)
    login_output: int = key(
        8 * 1024, "Replies before log-in, where it is required.", unit="bytes", least=64
    )
    failed_logins: int = key(
        3, "Failed log-ins in a minute from one address or /64 network.", least=1
    )
    ping: float = key(
        30.0,
        "A WebSocket is pinged this often; TCP keepalive begins after as much silence.",
        unit="s",
        least=0.05,
    )
    silence: float = key(
        90.0, "A peer that answers no ping for so long is disconnected.", unit="s", least=0.1
    )
    game_ping: float = key(
        10.0, "As `ping`, for a WebSocket that plays or watches.", unit="s", least=0.05
    )
    game_silence: float = key(
        30.0, "As `silence`, for a WebSocket that plays or watches.", unit="s", least=0.1
    )
    connections: int = key(10_000, "Connections served at once; more are refused.", least=1)
    per_address: int = key(
        32, "Connections at once from one IPv4 address or IPv6 /64 network.", least=1
    )
    new_per_address: int = key(
        60, "New sessions from one address or /64 network within `new_window`.", least=1
    )
    new_window: float = key(600.0, "See `new_per_address`.", unit="s", least=0.05)
    exempt: tuple[str, ...] = networks(
        LOCAL,
        "Networks whose peers are not limited in number, rate or errors; UNIX sockets never are.",
    )
    burst: int = key(50, "Requests that may come at once before they are delayed.", least=1)
    rate: float = key(
        20.0, "Requests served in the long run; more are delayed.", unit="1/s", least=0.01
    )
    errors: int = key(
        20, "Unknown commands and syntax errors before the connection is closed.", least=1
    )
    error_delay: float = key(
        1.0, "Pause after an unknown command or a syntax error.", unit="s", least=0
    )
    error_pardon: float = key(60.0, "Time in which one error is forgiven.", unit="s", least=0.05)
    unread: int = key(
        256 * 1024, "Output written to a peer that has stopped reading.", unit="bytes", least=1024
    )
    unread_time: float = key(
        10.0, "A peer reads again within this time, or is disconnected.", unit="s", least=0.05
    )
    queue: int = key(64, "Requests that wait behind a running one; then reading pauses.", least=1)
    close: float = key(
        5.0, "A closing connection takes its last output within this time.", unit="s", least=0.05
    )
    memory: int = key(
        0,
        "While the process uses more, no connection is accepted and no game begins; 0: no limit.",
        unit="MiB",
        least=0,
    )
    backlog: int = key(4096, "Connections that may wait to be accepted.", least=1, live=False)
    tables: int = key(256, "Games offered or played in the lobby at once.", least=1)


@attrs.frozen(kw_only=True)
class Tls:
    """The certificate of ``tls:`` endpoints; read again on SIGHUP."""

    certificate: str = key("", "PEM file: the certificate and those that lead up to its root.")
    private_key: str = key("", "PEM file: its private key.")


@attrs.frozen(kw_only=True)
class Log:
    """The log on standard error."""

    format: str = key("text", "The format of a line.", words=("text", "json"), live=False)
    level: str = key(
        "info", "The least level that is logged.", words=("debug", "info", "warn", "error")
    )


@attrs.frozen(kw_only=True)
class Metrics:
    """``/metrics`` on the HTTP endpoint, for Prometheus; needs the extra ``yoddd[metrics]``."""

    allow: tuple[str, ...] = networks(
        LOCAL, "Networks that may read the metrics; behind a proxy the proxy has to refuse."
    )


@attrs.frozen(kw_only=True)
class LadderKeys:
    """Rated games between attached engines, paired automatically; see `yoddd ladder`."""

    games: int = key(0, "How many at once; 0 for none. Needs a store.", least=0, live=False)
    game: str = key("yodd", "The game.", words=("yodd", "xodd", "odd", "yoin"), live=False)
    board: str = key("", "The board; empty for the default of the game.", live=False)
    clock: str = key("60+1", "The time control of both sides.", live=False)


@attrs.frozen(kw_only=True)
class FleetKeys:
    """Several daemons on one PostgreSQL store; see [how it works](../explanation/fleet.md)."""

    listen: str = key(
        "", "The endpoint for the other nodes; empty for a single daemon.", live=False
    )
    address: str = key(
        "",
        "Its address for the other nodes, a client's endpoint string; default: from `listen`.",
        live=False,
    )
    lease: float = key(
        10.0,
        "A node that has not renewed its lease in the store for so long loses its games.",
        unit="s",
        least=0.2,
        live=False,
    )


@attrs.frozen(kw_only=True)
class Settings:
    """The daemon as a whole."""

    listen: tuple[str, ...] = key(
        (TEXT,),
        "Endpoint strings: Twisted's, and `tls:` before one of them.",
        live=False,
    )
    http: str = key(HTTP, "The endpoint string of the web board; empty for none.", live=False)
    origins: tuple[str, ...] = key(
        (), "Further sites whose pages may open a WebSocket, such as https://yodd.example."
    )
    public: bool = key(
        False,
        "Let other machines connect without log-in.",
        live=False,
    )
    store: str = key(
        "",
        "Accounts and rated games: `default`, a SQLite file, or a postgresql URL; empty for none.",
        live=False,
    )
    login: bool = key(False, "Serve only those who have logged in; needs a store.", live=False)
    threads: int = key(1, "Searches at once.", least=1, live=False)
    queue: int = key(
        QUEUE_LIMIT,
        "Searches that may wait; further ones are answered with `busy`.",
        least=1,
        live=False,
    )
    runs: str = key(
        "", "A folder of runs whose crosstables the web board shows; empty for none.", live=False
    )
    admin: str = key(
        "", "Path of a UNIX socket for `yoddd admin`, mode 0600; empty for none.", live=False
    )
    drain: float = key(30.0, "Time for games to end after SIGTERM.", unit="s", least=0)
    watchdog: float = key(
        0.05,
        "The log warns when the reactor was blocked for longer; 0 for never.",
        unit="s",
        least=0,
        live=False,
    )
    limits: Limits = attrs.Factory(Limits)
    tls: Tls = attrs.Factory(Tls)
    log: Log = attrs.Factory(Log)
    ladder: LadderKeys = attrs.Factory(LadderKeys)
    fleet: FleetKeys = attrs.Factory(FleetKeys)
    metrics: Metrics = attrs.Factory(Metrics)


@attrs.frozen
class Key:
    """One key as others see it.

    Attributes:
        name: with its section, such as ``limits.line``.
        default: its value where nobody says otherwise.
        text: what it is.
        unit: of a number; may be empty.
        live: whether SIGHUP changes it.
        words: what it can be, if it is one of a few words.
    """

    name: str
    default: Any
    text: str
    unit: str
    live: bool
    words: tuple[str, ...]

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "YODDD_" + self.name.replace(".", "_").upper()


def walk(kind: type[Any] = Settings, prefix: str = "") -> list[Key]:
    """Every key of a table, those of its sections behind its own."""
    own: list[Key] = []
    below: list[Key] = []
    for field in attrs.fields(kind):
        if field.metadata:
            own.append(Key(prefix + field.name, field.default, **field.metadata))
        else:
            section: Callable[[], Any] = field.default.factory
            below += walk(type(section()), f"{prefix}{field.name}.")
    return own + below


KEYS: Final = {found.name: found for found in walk()}
"""Every key by its name."""


def lookup(settings: Any, name: str) -> Any:  # noqa: ANN401 — any key of any table
    """The value of the key called ``name``."""
    for part in name.split("."):
        settings = getattr(settings, part)
    return settings
