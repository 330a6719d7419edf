"""``yoddd game``: what a description says, and what the game is like."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs
import click

from yoddd.cli.files import write_whole
from yoddd.cli.options import Workers, load_games, read_rules, workers_options
from yoddd.cli.outputs import OUTPUT_FILE, OUTPUT_FOLDER
from yoddd.cli.stats import save_figure
from yoddd.rules import GAMES, Rules, load_game_files
from yoddd.rules.description import DescriptionError
from yoddd.rules.facts import rules_in_words
from yoddd.rules.game import Game

if TYPE_CHECKING:
    from yoddd.referee.measures import Played

NEW: Final = """\
# A game of yoddd: https://yoddd.readthedocs.io/ has all keys. Lines with # are comments.
format = 1
name = "{name}"  # lower-case letters and digits; it stands in commands and records
title = "{title}"
designer = "Your Name"
# source = "https://example.org/rules"
# date = 2026
boards = {{ hex = [4, 8] }}  # suggested sizes by shape: hex 2 to 13, square 2 to 25
board = "hex5"
pie = true  # White may swap sides instead of turn 2

[turn]
# first = 1              # stones of the first turn, 1 or 2
# first_colour = "own"   # "own" or "either"; without it as colour
stones = [1, 1]          # fewest and most stones of a later turn, 1 or 2
colour = "own"           # "own" or "either"
# groups = "odd"         # the number of groups when a turn ends: "any", "odd", "even"
# pass = "free"          # "free" or "forced", with groups = "odd" or "even"; else "none"
# full_ends = true       # with passes: a full board ends the game at once

[score]
count = "points"         # "points", "largest", "smallest", "product", "area"
value = "one"            # points of a group: "one", "size", "less", "square", "odd", "large"
# k = 3                  # of "less" and "large"
# lone = 1               # of "largest", "smallest", "product": the size of a missing group
wins = "fewer"           # "more", "fewer"; or Black wins if the sum is "odd" or "even"
ties = ["size", "white"] # "size", "ascending", "stones", "odd", and last "black" or "white"

[options.pie]            # an option of the game: --option pie=off
sets = "pie"
words = {{ off = false, on = true }}
help = "White may swap sides instead of the first turn"
"""


@click.command("game")
@click.argument("file", required=False, metavar="[FILE]")
@click.option("--new", metavar="NAME", help="Write a commented file NAME.toml, to begin with.")
@click.option("--board", help="Board to measure on.  [default: the game's own]")
@click.option("--option", "chosen", multiple=True, metavar="NAME=VALUE", help="Option of the game.")
@click.option(
    "--games", type=click.IntRange(0), default=40, help="Games of the engine against itself."
)
@click.option("--playouts", type=click.IntRange(1), default=200, help="Playouts for each turn.")
@click.option("--seed", type=click.IntRange(0), default=0, help="Seed of all random choices.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--plot",
    type=OUTPUT_FILE,
    metavar="FILE",
    help="Draw the games' lengths and last changes: .svg, .png or .pdf.",
)
@click.option(
    "--kit",
    type=OUTPUT_FOLDER,
    metavar="FOLDER",
    help="Write vectors by which another program proves that it plays the game.",
)
@workers_options(processes=2)
def command(
    file: str | None,
    new: str | None,
    board: str | None,
    chosen: tuple[str, ...],
    games: int,
    playouts: int,
    seed: int,
    as_json: bool,
    plot: Path | None,
    kit: Path | None,
    workers: Workers,
) -> None:
    """Say what the rules of a description are, and measure the game.

    FILE is a description, or the name of a game. The rules are told in words, with the reason why
    no game ends in a draw. Then the engine plays against itself, half of the games with the swap
    and half without: the length of a game, how often the player wins who begins, the legal turns of
    a position, and how late the lead changes for the last time, each with its 95 % interval.

    \b
    Examples:
      yoddd game --new many
      yoddd game many.toml --games 200 --board hex4 --plot many.svg
      yoddd game many.toml --games 0 --kit many-kit
    """
    if new is not None:
        _write_new(new)
        return
    if file is None:
        raise click.UsageError("name a FILE, or write one with --new NAME")
    if plot is not None:
        if not games:
            raise click.UsageError("--plot draws games: ask for some with --games")
        from yoddd import plots  # without the extra nothing is played in vain
    rules = read_rules(_find(file).name, board, chosen)
    if kit is not None:
        _write_kit(rules.game, kit, seed)
    found = _describe(rules)
    show = (lambda _lines: None) if as_json else _echo
    show(_rules_lines(rules, found))
    if games:
        played = _play(rules, games, playouts, seed, workers)
        found["measures"] = _measure(played)
        show(_measure_lines(found["measures"]))
        if plot is not None:
            title = f"{rules.game.title} on {rules.geometry.name}: the engine against itself"
            save_figure(plots.self_play(played, title), plot)
    if as_json:
        click.echo(json.dumps(found))


def _echo(lines: Iterator[str]) -> None:
    for line in lines:
        click.echo(line)


def _write_new(name: str) -> None:
    path, text = Path(f"{name}.toml"), NEW.format(name=name, title=name.title())
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
        load_game_files([path])
    except FileExistsError:
        raise click.UsageError(f"{path} is there already: choose another name") from None
    except (DescriptionError, OSError, ValueError) as error:
        if path.exists():
            path.unlink()
        raise click.UsageError(f"--new {name!r}: {error}") from None
    click.echo(f"wrote {path}; next: yoddd game {path}")


def _find(file: str) -> Game:
    if file.lower() in GAMES and not Path(file).exists():
        return GAMES[file.lower()]
    (game,) = load_games([file])
    return game


def _write_kit(game: Game, folder: Path, seed: int) -> None:
    from yoddd.referee.kit import make_kit

    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise click.UsageError(f"--kit {folder}: is there already; choose another") from None
    for name, text in make_kit(game, seed).items():
        write_whole(folder / name, [text])
    click.echo(f"kit: {folder}", err=True)


def _describe(rules: Rules) -> dict[str, Any]:
    game, cells = rules.game, rules.geometry.cells
    return {
        "name": game.name,
        "title": game.title,
        "designer": game.designer,
        "board": rules.geometry.name,
        "options": rules.options(),
        "rules_hash": rules.facts.hash,
        "rules": list(rules_in_words(rules.facts)),
        "drawless": rules.facts.why_drawless(cells),
        "boards": {str(shape): [sizes[0], sizes[-1]] for shape, sizes in game.boards.items()},
        "solved": dict(_solved(rules)),
    }


def _solved(rules: Rules) -> Iterator[tuple[str, str]]:
    """By board the colour that wins by best play, where a board is small."""
    from yoddd.referee.measures import solved
    from yoddd.rules import RulesError
    from yoddd.rules.game import rules_of

    for name in rules.game.boards_up_to(_SOLVED):
        try:
            found = solved(rules_of(rules.game, name, rules.options()))
        except RulesError:
            continue
        if found is not None:
            turns = "" if found[1] is None else f" in {found[1]} turns"
            swap = ", without the swap" if rules.pie else ""
            yield name, f"{found[0].title} wins{turns}{swap}"


_SOLVED: Final = 19
"""Cells of the largest boards that are solved."""


def _rules_lines(rules: Rules, found: dict[str, Any]) -> Iterator[str]:
    game = rules.game
    year = f", {game.date}" if game.date else ""
    yield f"{game.title} by {game.designer}{year}{f' ({game.source})' if game.source else ''}"
    yield ""
    yield from found["rules"]
    yield f"No game is drawn: {found['drawless']}."
    yield ""
    sizes = [f"{shape}{ends[0]} to {shape}{ends[1]}" for shape, ends in found["boards"].items()]
    yield f"boards: {', '.join(sizes)}; here {found['board']}"
    for option in game.options:
        choices = option.choices
        words = f"{choices[0]}-{choices[-1]}" if isinstance(choices, range) else "|".join(choices)
        yield f"option {option.name}={words}, here {found['options'][option.name]}: {option.help}"
    yield f"rules_hash: {found['rules_hash']}"
    yield from (f"solved {board}: {text}" for board, text in found["solved"].items())


def _play(
    rules: Rules, games: int, playouts: int, seed: int, workers: Workers
) -> dict[str, list[Played]]:
    from yoddd.cli.progress import results
    from yoddd.referee.measures import play_oneself, with_swap

    found = {}
    for pie, name in enumerate(_WAYS):
        count = (games + 1 - pie) // 2
        one = with_swap(rules, pie=bool(pie))
        orders = [(one, playouts, seed, number) for number in range(count)]
        with results(workers, play_oneself, orders, f"Games {name}") as played:
            found[name] = list(played)
    return {name: own for name, own in found.items() if own}


_WAYS: Final = ("without swap", "with swap")


def _measure(played: dict[str, list[Played]]) -> dict[str, Any]:
    from yoddd.referee.measures import measure

    return {
        name: attrs.asdict(measure(own, pie=name == _WAYS[True])) for name, own in played.items()
    }


_UNITS: Final = {
    "length": ("length of a game", "{:.1f}", 1, " turns"),
    "first": ("the player who begins wins", "{:.0f}", 100, " %"),
    "swaps": ("White swaps", "{:.0f}", 100, " %"),
    "branching": ("legal turns of a position", "{:.0f}", 1, ""),
    "last_change": ("the lead changes last after", "{:.0f}", 100, " % of the game"),
}


def _measure_lines(found: dict[str, Any]) -> Iterator[str]:
    for name, values in found.items():
        yield ""
        yield f"{values['games']} games of the engine against itself, {name}:"
        for key, (text, form, factor, unit) in _UNITS.items():
            if (one := values[key]) is not None:
                value, low, high = (
                    form.format(factor * one[end]) for end in ("value", "low", "high")
                )
                yield f"  {text}: {value}{unit} ({low} to {high})"
