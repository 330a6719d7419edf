"""Who is there and what can be asked: GTP's administrative commands and ``hello``."""

from __future__ import annotations

from typing import Final

from yoddd.board import Shape, sizes_of
from yoddd.protocol.command import Args, Client, Command, Leave, refuse_syntax
from yoddd.protocol.grammar import PROTOCOL
from yoddd.rules import GAMES

_COLUMN: Final = 40


def _protocol_version(_client: Client, _args: Args) -> str:
    return "2"


def _name(client: Client, _args: Args) -> str:
    return client.config.name


def _version(client: Client, _args: Args) -> str:
    return client.config.version


def _known_command(client: Client, args: Args) -> str:
    return "true" if args[0].lower() in client.commands else "false"


def _list_commands(client: Client, _args: Args) -> str:
    return "\n".join(client.commands)


def _help(client: Client, args: Args) -> str:
    if not args:
        return "\n".join(
            f"{command.synopsis:<{_COLUMN}} {command.help}" for command in client.commands.values()
        )
    command = client.commands.get(args[0].lower())
    if command is None:
        refuse_syntax(f"no command {args[0]!r}")
    return f"{command.synopsis}\n{command.help}"


def _hello(client: Client, _args: Args) -> str:
    config = client.config
    boards = [f"{shape}{size}" for shape in Shape for size in sizes_of(shape)]
    features = ["interrupt", "legal-paging", "position"]
    features += [
        name for name in ("attach", "login", "match", "observe", "seek") if name in client.commands
    ]
    features += ["files"] if config.read_file is not None else []
    lines = {
        "protocol": PROTOCOL,
        "server": f"{config.name} {config.version}",
        "games": " ".join(GAMES),
        "boards": " ".join(boards),
        "engines": " ".join(config.engines),
        "features": " ".join(features),
        "limits": (
            f"line={config.line_limit} queue={config.queue_limit} connections={config.connections}"
        ),
    }
    return "\n".join(f"{key} {value}" for key, value in lines.items())


def _quit(_client: Client, _args: Args) -> Leave:
    return Leave()


COMMANDS: Final = (
    Command("protocol_version", "admin", "", "the GTP version: 2", _protocol_version),
    Command("name", "admin", "", "the name of the program", _name),
    Command("version", "admin", "", "the version of the program", _version),
    Command(
        "known_command",
        "admin",
        "COMMAND",
        "true if the command exists, else false",
        _known_command,
        (1, 1),
    ),
    Command("list_commands", "admin", "", "every command, one a line", _list_commands, cost=2),
    Command("help", "admin", "[COMMAND]", "every command in a line, or one", _help, (0, 1), 8),
    Command(
        "hello",
        "admin",
        "[CLIENT [VERSION]]",
        "what the server can do, as lines of a key and its values",
        _hello,
        (0, 2),
        4,
    ),
    Command("quit", "admin", "", "end the connection", _quit),
)
