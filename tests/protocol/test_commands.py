"""Commands beyond the vectors: tasks, files, seeds, GoGui's coordinates."""

import re

import attrs
import pytest

from tests.protocol.peer import EVERYTHING, Peer, begin_match
from tests.support.engines import Answering, first_turn
from yoddd import gone
from yoddd.engine import UNTUNED, Budget, SearchResult, StopFlag, Tuning
from yoddd.engine.weights import INPUTS, Weights, format_weights
from yoddd.notation import parse_position
from yoddd.protocol.coordinates import Coordinates
from yoddd.rules import Colour, PositionLike, Stone, Turn

# -- the search -----------------------------------------------------------------------------


def test_tune_parameters_and_weights_reach_the_searcher() -> None:
    seen: list[Tuning] = []

    class Tuned(Answering):
        tuning = UNTUNED

        def search(
            self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag
        ) -> SearchResult:
            seen.append(self.tuning)
            return super().search(position, budget, seed, stop)

    row = tuple(map(float, range(len(INPUTS))))
    text = format_weights(Weights(game="yodd", knots=(row, row)))
    peer = Peer(
        engines={"first": Tuned}, read_file={"mine.json": text.encode(), "bad": b"{}"}.__getitem__
    )
    peer.setup("reg_genmove", "set_param tune.rave_playouts 10", "set_param weights mine.json")
    assert peer.ask("get_param weights") == "= mine.json"
    assert peer.ask("set_param weights bad").startswith("? cannot load file: weights: no weights")
    peer.setup("reg_genmove", "set_param weights none", "reg_genmove")
    peer.setup("set_param weights default", "set_param tune.rave_playouts 200", "reg_genmove")
    assert seen[0] == seen[3] == UNTUNED
    assert seen[1].tree.rave_playouts == 10
    assert seen[1].weights is not None
    assert format_weights(seen[1].weights) == text
    assert seen[2] == attrs.evolve(UNTUNED.with_constant("rave_playouts", 10), learned=False)


# -- seeds --------------------------------------------------------------------------------------


def test_seed_random_draws_one_for_each_search() -> None:
    engine, drawn = Answering(), iter((5, 7))
    peer = Peer(engines={"first": lambda: engine}, seed=None, draw_seed=lambda: next(drawn))
    assert peer.ask("get_param seed") == "= random"
    assert "seed random int 0..9223372036854775807|random" in peer.ask("list_params")
    for _ in range(2):
        peer.setup("clear_board", "genmove b")
    assert engine.seeds == [5, 7]
    peer.setup("set_param seed 3", "reg_genmove w", "reg_genmove w", "set_param seed RANDOM")
    assert engine.seeds[2] == engine.seeds[3]
    assert peer.ask("get_param seed") == "= random"


def test_seed_random_not_offered_is_refused() -> None:
    assert Peer().ask("set_param seed random").startswith("? syntax error: seed 'random'")


# -- long jobs ----------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["legal count", "legal turns limit=1", "gogui-rules_legal_moves"])
def test_listing_on_large_board_is_a_task(line: str) -> None:
    peer = Peer()
    peer.setup("game yodd hex13")
    assert peer.finish_task(peer.begin(line)).startswith(b"= ")


def test_perft_when_interrupted_is_refused() -> None:
    peer = Peer()
    peer.setup("game xodd square3")
    assert peer.finish_task(peer.begin("perft 3")) == b"= 51138\n\n"
    assert peer.finish_task(peer.begin("perft 3"), stop=True) == b"? interrupted\n\n"
    assert peer.ask("position") == "= xodd square3 3/3/3 b 0 1"


def test_search_that_plays_turns_leaves_the_game_unchanged() -> None:
    seen: list[PositionLike] = []

    def careless(position: PositionLike, budget: Budget) -> SearchResult:
        result = first_turn(position, budget)
        position.play(result.turn)
        seen.append(position)
        return result

    peer = Peer(engines={"first": lambda: Answering(careless)})
    assert peer.ask("reg_genmove") == "= 1a1"
    assert peer.ask("history") == "= "
    assert seen[0].number == 2


# -- SGF ----------------------------------------------------------------------------------------


def test_loadsgf_of_file_reads_it_in_the_task() -> None:
    files = {"my game.sgf": "(;YGAME[yodd]\n;B[1c3] C[# 1]\n;W[pass])"}
    peer = Peer(read_file=files.__getitem__)
    assert "files" in peer.ask("hello").split("\n")[5]
    assert peer.finish_task(peer.begin("loadsgf my game.sgf 2")) == b"= \n\n"
    assert peer.ask("history") == "= 1c3"


@pytest.mark.parametrize("error", [FileNotFoundError(2, "No such file"), ValueError("not UTF-8")])
def test_loadsgf_of_unreadable_file_changes_nothing(error: Exception) -> None:
    def refuse(_name: str) -> str:
        raise error

    peer = Peer(read_file=refuse)
    assert peer.ask("loadsgf game.sgf").startswith("? cannot load file: ")
    assert peer.ask("history") == "= "


# -- parameters ---------------------------------------------------------------------------------


def recorder() -> tuple[Answering, Peer]:
    engine = Answering()
    return engine, Peer(engines={"first": lambda: engine}, seed=5)


def test_set_param_playouts_and_seed_reach_the_engine() -> None:
    engine, peer = recorder()
    peer.setup("set_param playouts 12", "reg_genmove", "set_param seed 6", "reg_genmove")
    assert engine.budgets[0].playouts == 12
    assert engine.seeds[0] != engine.seeds[1]


def test_genmove_seed_depends_on_the_turn_only() -> None:
    engine, peer = recorder()
    peer.setup("genmove", "genmove", "undo 2", "genmove", "genmove")
    first, second, again, once_more = engine.seeds
    assert (first, second) == (again, once_more)
    assert first != second


def test_coordinates_default_gogui_holds_from_the_start() -> None:
    peer = Peer(coordinates=Coordinates.GOGUI)
    peer.setup("game yoin", "boardsize 15", "play b H1")
    assert peer.ask("position") == "= yoin hex8 8/9/10/11/12/13/14/15/14/13/12/11/10/9/7b w 0 2"


# -- removed commands ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", gone.COMMANDS)
def test_removed_command_names_a_command_that_exists(name: str) -> None:
    peer = Peer(**EVERYTHING)
    refusal = peer.ask(name)
    assert refusal == f"? unknown command: {gone.removal(name, gone.COMMANDS)}"
    assert peer.ask(f"yoddd-{name} 1") == refusal
    named = [word.split()[0] for word in re.findall("`(.*?)`", refusal)]
    assert named
    assert {peer.ask(f"known_command {one}") for one in named} == {"= true"}
    assert peer.ask(f"known_command {name}") == "= false"


# -- texts --------------------------------------------------------------------------------------


def test_hello_lists_the_features_offered() -> None:
    plain = Peer(connections=9).ask("hello")
    assert "\nfeatures interrupt legal-paging position turns describe sgf " in plain
    assert not {"attach", "match", "match-json", "seek", "login", "files"} & {*plain.split()}
    assert "\nlimits line=16384 queue=64 connections=9" in plain
    full = Peer(attach=True, match=begin_match).ask("hello")
    assert " attach match match-json\n" in full


# -- info lines -----------------------------------------------------------------------------------


def test_info_lines_state_the_evaluation_of_the_turn_before_it() -> None:
    last = Turn.drop(Stone(Colour.WHITE, 36))
    found = SearchResult(last, 12, 0.75, visits=15, margin=2.0)
    peer = Peer(engines={"first": lambda: Answering(lambda *_: found), "other": Answering})
    peer.setup("game yodd hex4", "info_lines on")
    info = r"# info winrate 0\.75 scoreLead 2 visits 15 time [0-9.]+ pv 2g4\n= 2g4"
    assert re.fullmatch(info, peer.ask("reg_genmove"))
    assert peer.ask("history") == "= "
    assert re.fullmatch(info, peer.ask("genmove"))
    peer.setup("clear_board", "info_lines off")
    assert peer.ask("genmove") == "= 2g4"
    # An engine without a value states none.
    peer.setup("clear_board", "info_lines on", "set_param engine other")
    assert peer.ask("genmove") == "= 1a1"


def test_position_random_sets_up_a_half_filled_board_by_its_seed() -> None:
    peer = Peer()
    peer.ask("game odd hex3")
    found = peer.ask("position random fill=0.5 seed=7")
    line = found.removeprefix("= ")
    position = parse_position(line)
    assert position.cells.count(None) == 9
    assert peer.ask("position") == found
    assert peer.ask("position random fill=0.5 seed=8") != found
    assert peer.ask("position random seed=7") == found
    assert peer.ask("undo") == "? cannot undo: no turn was played"
