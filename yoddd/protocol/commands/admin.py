"""GTP's administrative commands, and ``hello``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from yoddd.board import Shape, sizes_of
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, Command, refuse_syntax
from yoddd.protocol.grammar import PROTOCOL
from yoddd.protocol.replies import Quit
from yoddd.rules import GAMES

_COLUMN: Final = 40


def _protocol_version(_client: ClientState, _args: Args) -> str:
    return "2"


def _name(client: ClientState, _args: Args) -> str:
    return client.config.name


def _version(client: ClientState, _args: Args) -> str:
    return client.config.version


def _hello(client: ClientState, table: Mapping[str, Command]) -> str:
    config, limits, services = client.config, client.config.limits, client.config.services
    boards = [f"{shape}{size}" for shape in Shape for size in sizes_of(shape)]
    features = ["interrupt", "legal-paging", "position"]
    features += [name for name in ("attach", "login", "match", "observe", "seek") if name in table]
    features += ["match-json"] if "match" in table else []
    features += ["presence", "invite"] if services.lobby is not None else []
    features += ["files"] if services.read_file is not None else []
    lines = {
        "protocol": PROTOCOL,
        "server": f"{config.name} {config.version}",
        "games": " ".join(GAMES),
        "boards": " ".join(boards),
        "engines": " ".join(services.engines),
        "features": " ".join(features),
        "limits": f"line={limits.line} queue={limits.queue} connections={limits.connections}",
    }
    return "\n".join(f"{key} {value}" for key, value in lines.items())


def cpu_time_command(cpu_time: Callable[[], float]) -> Command:
    """Return the command that says how much CPU time the process has used."""
    return Command(
        "cputime",
        "admin",
        "",
        "the seconds of CPU time that the program has used",
        lambda _client, _args: f"{cpu_time():.3f}",
    )


def _quit(_client: ClientState, _args: Args) -> Quit:
    return Quit()


def _help(table: Mapping[str, Command], args: Args) -> str:
    if not args:
        return "\n".join(
            f"{command.synopsis:<{_COLUMN}} {_sentence(command)}"
            for command in table.values()
            if command.canonical is None
        )
    command = table.get(args[0].lower())
    if command is None:
        refuse_syntax(f"no command {args[0]!r}")
    if command.canonical is not None:
        return f"{command.synopsis}\n{command.help} (another name of {command.canonical})"
    return f"{command.synopsis}\n{_sentence(command)}"


def _sentence(command: Command) -> str:
    return f"{command.help} (or {', '.join(command.aliases)})" if command.aliases else command.help


def admin_commands(table: Mapping[str, Command]) -> tuple[Command, ...]:
    """Return the administrative commands, which describe ``table``.

    ``table`` is read when they are called, so it may be filled afterwards, also with them.
    """

    def known_command(_client: ClientState, args: Args) -> str:
        return "true" if args[0].lower() in table else "false"

    def list_commands(_client: ClientState, _args: Args) -> str:
        return "\n".join(table)

    return (
        Command("protocol_version", "admin", "", "the GTP version: 2", _protocol_version),
        Command("name", "admin", "", "the name of the program", _name),
        Command("version", "admin", "", "the version of the program", _version),
        Command(
            "known_command",
            "admin",
            "COMMAND",
            "true if the command exists, else false",
            known_command,
            (1, 1),
        ),
        Command("list_commands", "admin", "", "every command, one per line", list_commands, cost=2),
        Command(
            "help",
            "admin",
            "[COMMAND]",
            "every command with a sentence, or one command",
            lambda _client, args: _help(table, args),
            (0, 1),
            8,
        ),
        Command(
            "hello",
            "admin",
            "[CLIENT [VERSION]]",
            "what the server can do, as lines of a key and its values",
            lambda client, _args: _hello(client, table),
            (0, 2),
            4,
        ),
        Command("quit", "admin", "", "end the connection", _quit),
    )
