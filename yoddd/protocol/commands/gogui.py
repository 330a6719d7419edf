"""The commands of the GoGui program; see protocol/gogui.md."""

from __future__ import annotations

from typing import Final

from yoddd.board import Shape
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, CommandGroup, refuse_syntax
from yoddd.protocol.commands.play import replace_after, reply_about_turns
from yoddd.protocol.coordinates import Control, Spelling, grid, labels
from yoddd.protocol.replies import CommandReply
from yoddd.protocol.turn_entry import TurnEntry
from yoddd.rules import PASS, Colour, PositionLike, Stone, Turn
from yoddd.rules.scoring import find_groups

_GLYPHS: Final = {Colour.BLACK: "X", Colour.WHITE: "O", None: "."}
_ANALYZE: Final = (
    "gfx/Stones/gogui-stones",
    "pspairs/Parity map/gogui-parity",
    "hstring/Group list/groups list",
    "string/Legal turns/legal count",
    "hstring/Status/status",
    "string/Position/position",
    "hstring/Board/showboard",
    "string/History/history",
    "string/Engine choice/reg_genmove %m",
    "string/Parameters/list_params",
    "none/Set parameter/set_param %s",
)
"""Menu entries: how to show the reply, the label, the command."""

COMMANDS: Final = CommandGroup("gogui")


@COMMANDS.command("gogui-play_sequence", "[PLAYER TURN]...", "play turns: all of them or none", 64)
def _play_sequence(client: ClientState, args: Args) -> CommandReply:
    if len(args) % 2:
        refuse_syntax("expected pairs of PLAYER and TURN")
    moves = list(zip(args[::2], args[1::2], strict=True))
    return replace_after(client, client.entry.copy(), moves)


@COMMANDS.command("gogui-interrupt", "", "says that the line '# interrupt' is served")
def _interrupt(_client: ClientState, _args: Args) -> str:
    return ""


@COMMANDS.command("gogui-analyze_commands", "", "the entries of GoGui's analyze menu")
def _analyze_commands(_client: ClientState, _args: Args) -> str:
    return "\n".join(_ANALYZE)


@COMMANDS.command("gogui-stones", "", "the stones as GoGui's graphics", 4)
def _stones(client: ClientState, _args: Args) -> str:
    """Draw all stones: GoGui cannot express all turns, and so not all positions."""
    names, cells = labels(client.rules.geometry), client.entry.cells
    of = {
        colour: [name for name, cell in zip(names, cells, strict=True) if cell is colour]
        for colour in Colour
    }
    return "\n".join(" ".join([colour.title.upper(), *of[colour]]) for colour in Colour)


@COMMANDS.command(
    "gogui-parity", "", "odd or even: the groups after a stone of the next colour there", 64
)
def _parity(client: ClientState, _args: Args) -> str:
    """Label each empty cell with the parity after a stone of the next colour there."""
    entry, names = client.entry, labels(client.rules.geometry)
    neighbours, groups = (
        client.rules.geometry.neighbours,
        find_groups(client.rules.geometry.neighbours, entry.cells),
    )
    total = len(groups)
    home = {cell: group for group in groups for cell in group.cells}

    def after(cell: int) -> int:
        near = (home[other] for other in neighbours[cell] if other in home)
        return total + 1 - len({group for group in near if group.colour is entry.colour})

    empty = [cell for cell, content in enumerate(entry.cells) if content is None]
    return " ".join(f"{names[cell]} {'odd' if after(cell) % 2 else 'even'}" for cell in empty)


@COMMANDS.command("gogui-rules_game_id", "", "the name of the game")
def _rules_game_id(client: ClientState, _args: Args) -> str:
    return client.rules.game.title


@COMMANDS.command("gogui-rules_board_size", "", "columns of GoGui's board, and hex")
def _rules_board_size(client: ClientState, _args: Args) -> str:
    is_hex = client.rules.geometry.shape is Shape.HEX
    return f"{client.spelling.side}{' hex' if is_hex else ''}"


@COMMANDS.command("gogui-rules_board", "", "the stones on GoGui's board", 32)
def _rules_board(client: ClientState, _args: Args) -> str:
    cells, spelling = client.entry.cells, client.spelling
    glyphs = {name: _GLYPHS[cells[cell]] for cell, name in enumerate(labels(client.rules.geometry))}
    glyphs |= {name: _GLYPHS[control.colour] for name, control in spelling.controls.items()}
    return "\n".join(" ".join(glyphs.get(name, "?") for name in row) for row in grid(spelling.side))


@COMMANDS.command("gogui-rules_board_gfx", "", "what to enter next, as GoGui's graphics", 32)
def _rules_board_gfx(client: ClientState, _args: Args) -> str:
    """Draw what the stones do not show: the controls, and what is to be entered next."""
    entry, spelling = client.entry, client.spelling
    names = labels(client.rules.geometry)
    lines = [f"MARK {names[stone.cell]}" for stone in entry.stones]
    for name, control in spelling.controls.items():
        if control is Control.END:
            lines.append(f"LABEL {name} end")
        elif control.colour is entry.colour:
            lines.append(f"SQUARE {name}")
    if client.rules.geometry.shape is Shape.SQUARE:
        known = {*names, *spelling.controls}
        beside = [name for row in grid(spelling.side) for name in row if name not in known]
        lines += [f"COLOR gray {' '.join(beside)}"] if beside else []
    return "\n".join([*lines, f"TEXT {_prompt(client)}"])


def _prompt(client: ClientState) -> str:
    """Say what is to be entered next."""
    entry, player = client.entry, client.position.player.title
    if client.position.is_over:
        return _rules_final_result(client, ())
    if not client.spelling.single:
        return f"{player} to move"
    if entry.stones:
        ends = " or end the turn" if client.position.is_legal(Turn.drop(*entry.stones)) else ""
        return f"{player}: place a second stone, {entry.colour.title.lower()}{ends}"
    return f"{player}: place a stone, {entry.colour.title.lower()}"


@COMMANDS.command(
    "gogui-rules_legal_moves", "", "the points that can be clicked in GoGui, and pass", 256
)
def _rules_legal_moves(client: ClientState, _args: Args) -> CommandReply:
    """List what GoGui can express: single points, or a pass."""
    if client.spelling.single:
        entry, spelling = client.entry.copy(), client.spelling
        return reply_about_turns(client.position, lambda _position: _legal_steps(entry, spelling))
    return reply_about_turns(client.position, _legal_points)


def _legal_points(position: PositionLike) -> str:
    names = labels(position.rules.geometry)
    empty = [cell for cell, content in enumerate(position.cells) if content is None]
    turns = {names[cell]: Turn.drop(Stone(position.player, cell)) for cell in empty}
    turns["pass"] = PASS
    return " ".join(name for name, turn in turns.items() if position.is_legal(turn))


def _legal_steps(entry: TurnEntry, spelling: Spelling) -> str:
    position, stones = entry.position, entry.stones
    if position.is_over:
        return ""
    names = labels(position.rules.geometry)
    found = [names[stone.cell] for stone in entry.next_stones() if stone.colour is entry.colour]
    ends = position.is_legal(Turn.drop(*stones)) if stones else position.is_legal(PASS)
    for name, control in spelling.controls.items():
        if control is not Control.END or (stones and ends):
            found.append(name)
    return " ".join([*found, "pass"] if ends else found)


@COMMANDS.command("gogui-rules_side_to_move", "", "black or white")
def _rules_side_to_move(client: ClientState, _args: Args) -> str:
    return client.position.player.title.lower()


@COMMANDS.command("gogui-rules_final_result", "", "the result in a sentence", 4)
def _rules_final_result(client: ClientState, _args: Args) -> str:
    position = client.position
    outcome = position.outcome()
    if outcome is None:
        return "The game goes on"
    if outcome.reason == "resign":
        return f"{outcome.winner.title} wins by resignation"
    black, white = position.count()
    return f"{outcome.winner.title} wins. Groups: Black {black}, White {white}"
