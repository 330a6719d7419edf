"""The table of commands: what one session serves, and GTP's commands that describe it."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from itertools import chain
from typing import Final
from weakref import WeakKeyDictionary

from yoddd.board import Shape, sizes_of
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import ABOUT, OURS, Args, Command, CommandGroup, refuse_syntax
from yoddd.protocol.commands import (
    analysis,
    engine,
    gogui,
    lobby,
    play,
    queries,
    referee,
    setup,
    sgf,
    tables,
)
from yoddd.protocol.config import SessionServices
from yoddd.protocol.grammar import PROTOCOL
from yoddd.protocol.replies import Quit
from yoddd.rules import GAMES

_COLUMN: Final = 40

FEATURES: Final[Mapping[str, str]] = {
    "turns": "drop pass",
    "describe": "describe",
    "sgf": "loadsgf printsgf",
    "perft": "perft",
    "engine": "genmove reg_genmove info_lines komi stop",
    "clock": "time_settings kata-time_settings time_left",
    "cputime": "cputime",
    "analysis": "analyze kata-analyze lz-analyze genmove_analyze kata-genmove_analyze"
    " lz-genmove_analyze kata-search_analyze_cancellable",
    "solve": "solve probe policy",
    "review": "review",
    "gogui": "gogui-play_sequence gogui-interrupt gogui-analyze_commands gogui-stones gogui-parity"
    " gogui-rules_game_id gogui-rules_board_size gogui-rules_board gogui-rules_board_gfx"
    " gogui-rules_legal_moves gogui-rules_side_to_move gogui-rules_final_result",
    "attach": "attach",
    "match": "match matches",
    "observe": "observe",
    "seek": "games who seek accept withdraw put takeback pause rematch claim resume",
    "login": "login leaderboard",
}
"""The extensions of the core by the word that ``hello`` says, each with all of its commands."""

CPU_TIME: Final = CommandGroup(ABOUT)


def _hello(client: ClientState, table: Mapping[str, Command]) -> str:
    config, limits, services = client.config, client.config.limits, client.config.services
    boards = [f"{shape}{size}" for shape in Shape for size in sizes_of(shape)]
    features = ["interrupt", "legal-paging", "position"]
    features += [word for word, names in FEATURES.items() if table.keys() >= {*names.split()}]
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


@CPU_TIME.command("cputime", "", "the seconds of CPU time that the program has used")
def _cpu_time(client: ClientState, _args: Args) -> str:
    cpu_time = client.config.services.cpu_time
    assert cpu_time is not None  # noqa: S101 — without it there is no such command
    return f"{cpu_time():.3f}"


def _help(table: Mapping[str, Command], args: Args) -> str:
    if not args:
        return "\n".join(
            f"{command.synopsis:<{_COLUMN}} {_sentence(command)}"
            for command in table.values()
            if command.canonical
        )
    command = table.get(args[0].lower())
    if command is None:
        refuse_syntax(f"no command {args[0]!r}")
    return f"{command.synopsis}\n{_sentence(command)}"


def _sentence(command: Command) -> str:
    if not command.canonical:
        return f"{command.help} (another name of {OURS}{command.name})"
    short = command.name.removeprefix(OURS)
    return command.help if short == command.name else f"{command.help} (or {short})"


def admin_commands(table: Mapping[str, Command]) -> list[Command]:
    """Return the administrative commands, which describe ``table``.

    ``table`` is read when they are called, so it may be filled afterwards, also with them.
    """
    group = CommandGroup(ABOUT)

    @group.command("protocol_version", "", "the GTP version: 2")
    def protocol_version(_client: ClientState, _args: Args) -> str:
        return "2"

    @group.command("name", "", "the name of the program")
    def name(client: ClientState, _args: Args) -> str:
        return client.config.name

    @group.command("version", "", "the version of the program")
    def version(client: ClientState, _args: Args) -> str:
        return client.config.version

    @group.command("known_command", "COMMAND", "true if the command exists, else false")
    def known_command(_client: ClientState, args: Args) -> str:
        return "true" if args[0].lower() in table else "false"

    @group.command("list_commands", "", "every command, one per line", 2)
    def list_commands(_client: ClientState, _args: Args) -> str:
        return "\n".join(table)

    @group.command("help", "[COMMAND]", "every command with a sentence, or one command", 8)
    def help_(_client: ClientState, args: Args) -> str:
        return _help(table, args)

    @group.command(
        "hello",
        "[CLIENT [VERSION]]",
        "what the server can do, as lines of a key and its values",
        4,
    )
    def hello(client: ClientState, _args: Args) -> str:
        return _hello(client, table)

    @group.command("quit", "", "end the connection")
    def quit_(_client: ClientState, _args: Args) -> Quit:
        return Quit()

    return group.commands


_TABLES: Final[MutableMapping[SessionServices, Mapping[str, Command]]] = WeakKeyDictionary()
"""The tables made so far: one serves all sessions with the same services."""


def command_table(services: SessionServices) -> Mapping[str, Command]:
    """The commands of a session with these services, by name, in the order of ``help``."""
    if services not in _TABLES:
        _TABLES[services] = _build(services)
    return _TABLES[services]


def _build(services: SessionServices) -> Mapping[str, Command]:
    modules = (setup, sgf, play, queries, engine, analysis, tables)
    offered = (
        (CPU_TIME, services.cpu_time is not None),
        (referee.ATTACH, services.attach),
        (referee.MATCHES, services.match is not None),
        (lobby.COMMANDS, services.lobby is not None),
        (lobby.ACCOUNTS, services.accounts is not None),
    )
    groups = [*(module.COMMANDS for module in modules), setup.CLOCK, gogui.COMMANDS]
    groups += [group for group, is_offered in offered if is_offered]
    table: dict[str, Command] = {}
    for command in chain(admin_commands(table), *(group.commands for group in groups)):
        table |= {entry.name: entry for entry in command.entries()}
    return table
