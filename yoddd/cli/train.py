"""``yoddd train``: a learned value from self-play."""

from __future__ import annotations

import datetime as dt
import functools
import itertools
import json
import random
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
import click

import yoddd
from yoddd.cli.files import write_whole
from yoddd.cli.options import GAME, Words, Workers, added_by, class_options, option, workers_options
from yoddd.cli.outputs import OUTPUT_FILE, check_output
from yoddd.extras import needs_extra
from yoddd.rules import Colour, Rules, RulesError, make_rules
from yoddd.system import naming

if TYPE_CHECKING:
    from yoddd.engine.training import Floats, Game, Recipe
    from yoddd.engine.weights import Weights

_TEST_MEMORY: Final = 64 << 20
_RANDOM_TURNS: Final = 2
_CHOICES: Final = 10_000
"""Of each board, of which the policy is made."""

_LINE: Final = b'{"of": '


def _boards(text: str) -> dict[str, int]:
    """The number of games of a round on each board, as BOARD:GAMES,… gives it."""
    found = {}
    for word in text.split(","):
        board, _, games = word.partition(":")
        if not games.isdecimal() or int(games) == 0:
            raise ValueError(f"{word!r}: expected BOARD:GAMES, such as hex5:400")
        found[board] = int(games)
    return found


@attrs.frozen
class _Plan:
    """The options of a training."""

    named: tuple[str, str | None] = added_by(
        click.argument("named", type=GAME, metavar="GAME[@BOARD]")
    )
    games: int = option("Number of games in a round, without --boards.", least=1, default=400)
    shares: dict[str, int] | None = option(
        "Several boards, and the games that each round plays on each.",
        "--boards",
        type=Words("boards", _boards),
        metavar="BOARD:GAMES,…",
    )
    rounds: int = option(
        "Rounds; each plays with the weights of the one before.", least=1, default=2
    )
    playouts: int = option("Playouts per turn.", least=1, default=300)
    matches: int = option(
        "Games on the first board after each round against the search without weights.",
        least=0,
        default=20,
    )
    seed: int = option("Seed of all games.", default=1)
    workers: Workers = added_by(workers_options(2))
    out: Path = option(
        "Weight file.",
        type=OUTPUT_FILE,
        required=True,
    )

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.named[0]

    @property
    def boards(self) -> dict[str, int]:
        """The number of games that a round plays on each board."""
        if self.shares is not None:
            return self.shares
        return {make_rules(*self.named).geometry.name: self.games}

    def rules(self) -> list[tuple[Rules, int]]:
        """The boards, with the games on each in a round."""
        pie = {"pie": "off"} if self.game == "yoin" else {}
        return [(make_rules(self.game, board, pie), n) for board, n in self.boards.items()]

    @property
    def journal(self) -> Path:
        """The file of the games, from which an interrupted training goes on."""
        return self.out.with_suffix(".games.jsonl")


@click.command("train")
@class_options("plan", _Plan)
def command(plan: _Plan) -> None:
    """Learn the value of positions of GAME from self-play and write it to a weight file.

    Each round plays games, fits the weights to the results of all positions of that round, writes
    the file and prints the log loss on every fifth game, which the fit does not see, and how the
    search with these weights plays against the one without. The games are kept in a .games.jsonl
    file next to the weights; the same command continues after an interruption. The same seed gives
    the same weights, however many processes or workers play. Needs the extra 'train'.

    \b
    Examples:
      yoddd train yodd@hex5 --games 1500 --out yodd.json
      yoddd train xodd --boards square9:500,square7:300 --rounds 3 --out xodd.json
      yoddd train yodd@hex8 --games 2000 --cluster tcp://scheduler:8786 --out yodd.json
    """
    from yoddd.kernel.backend import native

    game, board = plan.named
    if board and plan.shares:
        raise click.UsageError(f"{game}@{board} and --boards: name the boards once")
    with needs_extra("yoddd train", "train"):
        import yoddd.engine.training  # noqa: F401 — an extra that only this needs
    check_output(plan.journal)
    native()  # so that what is missing is said at once
    try:
        boards = plan.rules()
    except RulesError as error:
        raise click.UsageError(str(error)) from None
    weights: Weights | None = None
    for number in range(1, plan.rounds + 1):
        weights = _round(plan, boards, number, weights)
    click.echo(f"weights {plan.out}")


def _round(
    plan: _Plan, boards: list[tuple[Rules, int]], number: int, before: Weights | None
) -> Weights:
    """Play, fit, write and report."""
    from yoddd.engine import training
    from yoddd.engine.weights import format_weights

    fitted: list[training.Table] = []
    tested: list[training.Table] = []
    choices: list[training.Choice] = []
    for rules, games in boards:
        played = _games(plan, rules, games, number, before)
        for into, chosen in ((tested, True), (fitted, False)):
            samples = [
                one
                for at, game in enumerate(played)
                if (at % training.HELD_OUT == 0) is chosen
                for one in game.samples
            ]
            if samples:
                into.append(training.table(samples, rules.geometry.cells))
        found = (one for game in played for one in training.choices(game, rules))
        choices += itertools.islice(found, _CHOICES)
    if not fitted:
        raise click.ClickException("too few games")
    test = training.join(tested)
    knots = training.best_fit(training.join(fitted), test)
    weights = _weights(plan, number, knots, training.fit_policy(choices))
    write_whole(plan.out, format_weights(weights))
    click.echo(f"round {number}: log loss {training.loss(knots, test):.4f}")
    if plan.matches:
        won = _match(plan, boards[0][0], weights)
        click.echo(f"round {number}: won {won} of {plan.matches} against no weights")
    return weights


def _weights(plan: _Plan, number: int, knots: Floats, policy: Floats) -> Weights:
    from yoddd.engine.weights import Weights, format_weights, parse_weights

    weights = Weights(
        game=plan.game,
        knots=tuple(map(tuple, knots.round(4).tolist())),
        policy=tuple(map(tuple, policy.round(4).tolist())),
        provenance={
            "program": f"yoddd {yoddd.__version__}",
            "command": shlex.join(["yoddd", *sys.argv[1:]]),
            "round": str(number),
            "games": str(sum(plan.boards.values())),
            "seed": str(plan.seed),
            "date": dt.datetime.now(dt.UTC).date().isoformat(),
        },
    )
    # As it will be read.
    return parse_weights(format_weights(weights))


# -- self-play ------------------------------------------------------------------------------


def _games(
    plan: _Plan, rules: Rules, games: int, number: int, weights: Weights | None
) -> list[Game]:
    """The games of a round on one board, first those from the journal."""
    from yoddd.cli.progress import results
    from yoddd.engine.training import Recipe, play

    digest = "" if weights is None else weights.digest()
    head: list[str | int] = [
        plan.game,
        rules.geometry.name,
        plan.playouts,
        plan.seed,
        number,
        digest,
    ]
    known = _known(plan.journal, head)
    rows = () if weights is None else weights.rows(rules.geometry.cells)
    recipe = Recipe(rules, plan.playouts, rows)
    seeds = [f"{head[:5]} {game}" for game in range(len(known), games)]
    name = f"round {number}, {rules.geometry.name}"
    with (
        naming(plan.journal),
        plan.journal.open("a", encoding="utf-8") as file,
        results(plan.workers, functools.partial(play, recipe), seeds, name) as found,
    ):
        for game in found:
            file.write(json.dumps({"of": head, **attrs.asdict(game)}) + "\n")
            file.flush()
            known.append(game)
    return known[:games]


def _known(journal: Path, head: list[str | int]) -> list[Game]:
    """The games of the journal that fit; a last line that was cut off is dropped."""
    from yoddd.engine.training import Game

    if not journal.exists():
        return []
    content = journal.read_bytes()
    if not content.startswith(_LINE[: len(content)]):
        raise click.ClickException(f"{journal} holds no games of a training; name another --out")
    whole = content[: content.rfind(b"\n") + 1]
    if whole != content:
        write_whole(journal, whole)
    entries = map(json.loads, whole.splitlines())
    return [
        Game([tuple(row) for row in entry["samples"]], entry["turns"])
        for entry in entries
        if entry["of"] == head and "turns" in entry  # those of earlier versions have none
    ]


# -- the test -------------------------------------------------------------------------------


def _match(plan: _Plan, rules: Rules, weights: Weights) -> int:
    """The number of games that the search with weights wins against the one without."""
    from yoddd.cli.progress import results
    from yoddd.engine.training import Recipe

    recipe = Recipe(rules, plan.playouts, weights.rows(rules.geometry.cells))
    seeds = [str(game) for game in range(plan.matches)]
    with results(plan.workers, functools.partial(_play, recipe), seeds, "match") as won:
        return sum(won)


def _play(recipe: Recipe, game: str) -> bool:
    """Whether the search with weights wins a game; two in a row begin alike, seats exchanged."""
    from yoddd.engine.uniform import random_turn
    from yoddd.kernel import NativePosition, TreeSettings, best_turn

    rng = random.Random(f"match {int(game) // 2}")
    position = NativePosition(recipe.rules)
    for _ in range(_RANDOM_TURNS):
        position.play(random_turn(position, rng))
    side = Colour(int(game) % 2)
    while not position.is_over:
        weights = recipe.weights if position.player is side else ()
        settings = TreeSettings(memory=_TEST_MEMORY, weights=weights)
        seed = rng.randrange(1 << 32)
        position.play(best_turn(position, settings, playouts=recipe.playouts, seed=seed))
    outcome = position.outcome()
    return outcome is not None and outcome.winner is side
