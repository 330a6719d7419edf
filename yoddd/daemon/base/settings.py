"""The configuration keys of the daemon: one table for the parser, the reference and the help.

The default, meaning and unit of a key, and whether a reload changes it, are defined here only;
`yoddd.daemon.configuration` reads files and the environment according to this table.
"""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Callable
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import attrs
import idna

DEFAULT_LISTEN: Final = "tcp:9633:interface=127.0.0.1"
DEFAULT_HTTP: Final = "tcp:9634:interface=127.0.0.1"
LOOPBACK: Final = ("127.0.0.0/8", "::1/128")

MOST: Final = 1e9
"""The greatest number of any key: of seconds 31 years, of bytes 1 GB."""

_T = TypeVar("_T")


def key(
    default: _T,
    text: str,
    *,
    unit: str = "",
    least: float | None = None,
    most: float = MOST,
    words: tuple[str, ...] = (),
    live: bool = True,
) -> Any:
    """Return an attrs field that is a configuration key.

    Args:
        default: the value if no source sets the key.
        text: the description, in one line.
        unit: the unit of a number.
        least: the smallest number allowed.
        most: the greatest.
        words: the values allowed; any if empty.
        live: whether a reload (SIGHUP) changes it; otherwise only a restart does.
    """

    def check(_instance: object, field: attrs.Attribute[Any], value: Any) -> None:
        if least is not None and not (value >= least and math.isfinite(value)):
            raise ValueError(f"{field.name} {value}: expected {least:g} or more")
        if least is not None and value > most:
            raise ValueError(f"{field.name} {value}: expected {most:.0f} or less")
        if words and value not in words:
            raise ValueError(f"{field.name} {value!r}: expected one of {', '.join(words)}")

    metadata = {"text": text, "unit": unit, "live": live, "words": words}
    return attrs.field(default=default, validator=check, metadata=metadata)


def networks(default: tuple[str, ...], text: str) -> Any:
    """Return an attrs field that is a key whose value is a list of networks."""

    def check(_instance: object, field: attrs.Attribute[Any], value: tuple[str, ...]) -> None:
        for word in value:
            try:
                ipaddress.ip_network(word)
            except ValueError:
                expected = "expected a network such as 10.0.0.0/8"
                raise ValueError(f"{field.name} {word!r}: {expected}") from None

    metadata = {"text": text, "unit": "", "live": True, "words": ()}
    return attrs.field(default=default, validator=check, metadata=metadata)


def _origin(word: str) -> str:
    """Return an origin as browsers spell it.

    Raises:
        ValueError: there is none, or it is more than an origin.
    """
    if "://" not in word:
        raise ValueError(f"expected {_origin('https://' + word.lstrip('/'))}")
    try:
        parts = urlsplit(word)
        host, port = parts.hostname or "", parts.port
        if not host.isascii():
            host = idna.encode(host, uts46=True).decode("ascii")
    except ValueError:  # of a port or an address; of letters that no name has
        parts, host, port = urlsplit(""), "", None
    if not parts.scheme or not _HOST.fullmatch(host):
        raise ValueError("expected an origin such as https://yodd.example")
    where = f"[{host}]" if ":" in host else host
    is_usual = port is None or _PORTS.get(parts.scheme) == port
    found = f"{parts.scheme}://{where}{'' if is_usual else f':{port}'}"
    if "@" in parts.netloc or "?" in word or "#" in word or parts.path not in ("", "/"):
        raise ValueError(f"expected {found}")
    return found


_HOST: Final = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]*:[0-9a-f:.]*", re.IGNORECASE)
_PORTS: Final = {"http": 80, "https": 443}


def origin_list(text: str, *, is_open: bool = False) -> Any:
    """Return an attrs field that is a key whose value is a list of origins; `*` if ``is_open``."""

    def convert(value: tuple[str, ...], field: attrs.Attribute[Any]) -> tuple[str, ...]:
        found = []
        for word in value:
            try:
                is_word = word == "null" or (is_open and word == "*")
                found.append(word if is_word else _origin(word))
            except ValueError as error:
                raise ValueError(f"{field.name} {word!r}: {error}") from None
        return tuple(found)

    converter = attrs.Converter(convert, takes_field=True)
    metadata = {"text": text, "unit": "", "live": True, "words": ()}
    return attrs.field(default=(), converter=converter, metadata=metadata)


@attrs.frozen(kw_only=True)
class Limits:
    """Limits, by address (IPv4, or IPv6 /64), by network (IPv4 /24, or IPv6 /48), and in total."""

    line: int = key(16 * 1024, "Length of a line, without its LF.", unit="bytes", least=64)
    message: int = key(
        16 * 1024, "Size of a WebSocket message, all fragments together.", unit="bytes", least=64
    )
    handshake: float = key(5.0, "Time to complete the TLS handshake.", unit="s", least=0.05)
    slow_line: float = key(
        10.0,
        "Time to complete a line or an HTTP request that has begun.",
        unit="s",
        least=0.05,
    )
    login: float = key(10.0, "Time to log in, where that is required.", unit="s", least=0.05)
    login_commands: int = key(
        32, "Requests served before the login, where one is required.", least=1
    )
    login_output: int = key(
        16 * 1024,
        "Size of the replies before the login, where one is required.",
        unit="bytes",
        least=64,
    )
    failed_logins: int = key(
        3,
        "Failed logins per minute from one address; further ones close their connections.",
        least=1,
    )
    sessions: int = key(
        50, "Log-ins of browsers to one account; a new one ends the oldest.", least=1
    )
    registrations: int = key(
        10,
        "Accounts made within an hour from one address.",
        least=1,
    )
    ping: float = key(
        30.0,
        "Interval of WebSocket pings; idle time before TCP keepalive probes.",
        unit="s",
        least=0.05,
    )
    silence: float = key(
        90.0, "Time without an answer to a ping before a connection is closed.", unit="s", least=0.1
    )
    game_ping: float = key(
        3.0,
        "`ping` for a WebSocket that plays or watches a game, or has channels.",
        unit="s",
        least=0.05,
    )
    game_silence: float = key(
        7.0,
        "`silence` for a WebSocket that plays or watches a game, or has channels.",
        unit="s",
        least=0.1,
    )
    channels: int = key(16, "Channels of one WebSocket; more are refused.", least=1)
    connections: int = key(10_000, "Concurrent connections; more are refused.", least=1)
    reserved: int = key(
        32,
        "Places of `connections`, at most half of them, that are kept for the clients of `exempt`.",
        least=0,
    )
    per_address: int = key(32, "Concurrent connections from one address.", least=1)
    per_network: int = key(
        8,
        "Places that a network keeps when nine tenths are taken, of "
        "`connections`, of `games`, and of the searches that wait.",
        least=1,
    )
    new_per_address: int = key(
        60,
        "New sessions from one address within `new_window`.",
        least=1,
    )
    new_window: float = key(
        600.0, "Period in which `new_per_address` counts sessions.", unit="s", least=0.05
    )
    exempt: tuple[str, ...] = networks(
        LOOPBACK,
        "Networks whose clients are not limited in number, rate or errors; "
        "clients over a UNIX socket never are.",
    )
    burst: int = key(50, "Requests served at once before further ones are delayed.", least=1)
    rate: float = key(20.0, "Sustained rate of requests; more are delayed.", unit="1/s", least=0.01)
    share: float = key(
        0.1,
        "Share of the daemon's time for everything that one address "
        "sends; beyond that, its connections are delayed.",
        least=0.001,
    )
    errors: int = key(
        20, "Unknown commands and syntax errors before a connection is closed.", least=1
    )
    error_delay: float = key(
        1.0, "Delay after an unknown command or a syntax error.", unit="s", least=0
    )
    error_pardon: float = key(
        60.0, "Time after which one error no longer counts.", unit="s", least=0.05
    )
    unread: int = key(
        256 * 1024, "Output kept for a client that does not read it.", unit="bytes", least=1024
    )
    unread_time: float = key(
        10.0, "Time for a client to read its output before it is cut off.", unit="s", least=0.05
    )
    queue: int = key(
        64, "Requests queued behind a running one; beyond that, reading pauses.", least=1
    )
    positions: int = key(
        512, "Positions of an analysis that wait; beyond that, reading pauses.", least=1
    )
    queries: int = key(
        128 * 1024,
        "Size of the analysis queries whose positions wait; beyond that, reading pauses.",
        unit="bytes",
        least=64,
    )
    close: float = key(
        5.0, "Time to send the last output of a closing connection.", unit="s", least=0.05
    )
    memory: int = key(
        0,
        "Resident memory above which connections are refused and no game starts; 0 for three "
        "quarters of the memory of the machine or its control group.",
        unit="MiB",
        least=0,
    )
    work: float = key(
        60.0, "Time after which a search or another long request ends.", unit="s", least=0.05
    )
    analysis: float = key(
        3600.0, "Time after which an analysis, or pondering, ends.", unit="s", least=0.05
    )
    trees: int = key(
        0,
        "Memory of all search trees together; 0 for a quarter of `limits.memory`.",
        unit="MiB",
        least=0,
    )
    backlog: int = key(
        4096, "Connections that the kernel queues until they are accepted.", least=1, live=False
    )
    games: int = key(
        1024,
        "Concurrent games in the lobby, offered or in play; a tenth is kept for accounts and the "
        "clients of `exempt`.",
        least=1,
    )
    own_games: int = key(
        16, "Concurrent games of one account, or of one address without an account.", least=1
    )
    day_games: int = key(
        2048,
        "Concurrent games by the day, offered or in play; they have no places of `games`, and none "
        "ends for another one.",
        least=1,
    )
    own_day_games: int = key(
        30,
        "Concurrent games by the day of one account, or of one address without an account.",
        least=1,
    )
    network_day_games: int = key(120, "Concurrent games by the day from one network.", least=1)
    challenges: int = key(
        30,
        "Games against open engines of others that one account or address may begin within "
        "`challenge_window`.",
        least=0,
    )
    challenge_window: float = key(
        600.0, "Period in which `challenges` counts games.", unit="s", least=0.05
    )
    challenge_clock: float = key(
        3600.0, "Longest main time of a game against an open engine of others.", unit="s", least=1
    )
    challenge_idle: float = key(
        300.0,
        "Time for a turn without a clock against an open engine of others, and for the "
        "challenger to return after a disconnection.",
        unit="s",
        least=0.05,
    )
    old_games: float = key(
        30.0,
        "Age at which a finished game of players without an account is deleted from the store.",
        unit="days",
        least=0,
        most=36_500,  # no date lies before the year 1
    )
    most_games: int = key(
        10_000,
        "Finished games of players without an account that the store keeps; the oldest are "
        "deleted.",
        least=0,
    )
    claim: float = key(
        300.0,
        "Time for which a human has to be away before the other participant may claim the game.",
        unit="s",
        least=0.05,
    )
    name_kept: float = key(
        120.0,
        "Time for which the name of an engine that has disconnected is kept for it; longer while "
        "a game waits for it.",
        unit="s",
        least=0,
    )


@attrs.frozen(kw_only=True)
class Tls:
    """The certificate of ``tls:`` endpoints, which SIGHUP re-reads."""

    certificate: str = key("", "PEM file with the certificate and its intermediate certificates.")
    private_key: str = key("", "PEM file with the private key; empty if it is in `certificate`.")


@attrs.frozen(kw_only=True)
class Log:
    """The log on standard error."""

    format: str = key("text", "Format of a line.", words=("text", "json"), live=False)
    level: str = key(
        "info", "Lowest level that is logged.", words=("debug", "info", "warn", "error")
    )


@attrs.frozen(kw_only=True)
class Metrics:
    """``/metrics`` on the HTTP port, for Prometheus; 404 without the extra ``yoddd[metrics]``."""

    allow: tuple[str, ...] = networks(
        LOOPBACK, "Networks that may read the metrics; behind a proxy, restrict access there."
    )


@attrs.frozen(kw_only=True)
class LadderSettings:
    """Rated games between attached engines, paired by the daemon (`yoddd serve --ladder`)."""

    concurrency: int = key(0, "Games at once; 0 for none. Needs a store.", least=0, live=False)
    game: str = key("yodd", "The game.", live=False)
    board: str = key("", "The board; empty for the default of the game.", live=False)
    clock: str = key("60+1", "The time control of both players.", live=False)
    pace: float = key(
        2.0,
        "Least time between the beginnings of two games of an engine.",
        unit="s",
        least=0,
        live=False,
    )


@attrs.frozen(kw_only=True)
class Settings:
    """The settings of a daemon."""

    listen: tuple[str, ...] = key(
        (DEFAULT_LISTEN,),
        "Endpoint strings of Twisted, each with an optional `tls:` in front.",
        live=False,
    )
    http: str = key(DEFAULT_HTTP, "Endpoint string of the page; empty for none.", live=False)
    analysis: tuple[str, ...] = key(
        (),
        "Endpoint strings of the analysis engine, see [analysis](../how-to/analyze-games.md); its "
        "WebSocket is at `/ws/analysis` of the page.",
        live=False,
    )
    origins: tuple[str, ...] = origin_list(
        "More origins whose pages may open a WebSocket, such as https://yodd.example. The "
        "page is served under their names, besides localhost and addresses.",
    )
    cors: tuple[str, ...] = origin_list(
        "Origins whose pages may read the resources below `/api`; `*` for all origins.",
        is_open=True,
    )
    trusted_proxies: tuple[str, ...] = networks(
        (),
        "Networks of the proxies whose `X-Forwarded-For`, or else `Forwarded`, names the client, "
        "and that may connect to `haproxy:` endpoints; these serve the loopback networks if empty.",
    )
    public: bool = key(False, "Allow connections from other machines without a login.", live=False)
    store: str = key(
        "",
        "Accounts and games: `default`, a SQLite file, or a postgresql URL; empty for none.",
        live=False,
    )
    login: bool = key(False, "Require a login; needs a store.", live=False)
    registration: bool = key(
        False, "Let visitors of the page make accounts for themselves; needs a store."
    )
    searches: int = key(0, "Concurrent searches; 0: all processors but one.", least=0, live=False)
    queue: int = key(
        1024,
        "Searches that may wait; more are refused as busy.",
        least=1,
        live=False,
    )
    game_files: tuple[str, ...] = key(
        (),
        "Files of games that are offered besides those of the program, see [a game of your "
        "own](../how-to/make-a-game.md).",
        live=False,
    )
    runs: str = key("", "Folder of tournaments that the page shows; empty for none.", live=False)
    admin: str = key(
        "", "Path of a UNIX socket for `yoddd admin`, mode 0600; empty for none.", live=False
    )
    drain: float = key(30.0, "Time for games to end after SIGTERM.", unit="s", least=0)
    watchdog: float = key(
        0.05,
        "Time that the reactor may be blocked before a warning is logged; 0 for no warnings.",
        unit="s",
        least=0,
        live=False,
    )
    limits: Limits = attrs.Factory(Limits)
    tls: Tls = attrs.Factory(Tls)
    log: Log = attrs.Factory(Log)
    ladder: LadderSettings = attrs.Factory(LadderSettings)
    metrics: Metrics = attrs.Factory(Metrics)


@attrs.frozen
class Key:
    """One configuration key.

    Attributes:
        name: the name with its section, such as ``limits.line``.
        default: the value if no source sets the key.
        text: the description, a sentence.
        unit: the unit of a number; may be empty.
        live: whether a reload (SIGHUP) changes it.
        words: the values allowed; any if empty.
    """

    name: str
    default: Any
    text: str
    unit: str
    live: bool
    words: tuple[str, ...]

    @property
    def variable(self) -> str:
        """The environment variable that sets the key."""
        return variable_of(self.name)


def variable_of(name: str) -> str:
    """Return the environment variable that sets a key."""
    return "YODDD_" + name.replace(".", "_").upper()


def walk(kind: type[Any] = Settings, prefix: str = "") -> list[Key]:
    """Return every key of a settings class: its own first, then those of its sections."""
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
"""All keys by name."""


def lookup(settings: Any, name: str) -> Any:
    """Return the value of the key ``name``."""
    for part in name.split("."):
        settings = getattr(settings, part)
    return settings
