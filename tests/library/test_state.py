"""Games by single actions reach what whole turns reach, and nothing else."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings

from tests.support.games import SMALL_RULES, outcome_of, play_random, rules_id, seeds
from yoddd.library import ActionSpace, GameType, State, load_game
from yoddd.library.state import PLANES, TERMINAL
from yoddd.notation import format_position
from yoddd.rules import RESIGN, CannotUndo, Colour, Position, Rules, Stone, make_rules

cases = pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)


def random_state(rules: Rules, seed: int, actions: int) -> State:
    rng = random.Random(seed)
    state = GameType(rules).new_initial_state()
    for _ in range(actions):
        if not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
    return state


@cases
def test_actions_and_turns_lead_to_the_same_positions(rules: Rules) -> None:
    position = play_random(Position, rules, seed=1, turns=3)
    wanted = set()
    for turn in position.legal_turns():
        position.play(turn)
        wanted.add(format_position(position))
        position.undo()
    found = set()
    states = [State(GameType(rules), position)]
    for state in states:
        for child in map(state.child, state.legal_actions()):
            if child._first is None:
                found.add(str(child))
            else:
                states.append(child)
    assert found == wanted


@cases
@settings(max_examples=10)
@given(seed=seeds())
def test_actions_of_a_turn_make_up_that_turn(rules: Rules, seed: int) -> None:
    reference = play_random(Position, rules, seed)
    replayed = Position(rules)
    state = GameType(rules).new_initial_state()
    for turn in reference.history:
        for action in state.game.actions.of_turn(turn, replayed):
            state.apply_action(action)
        replayed.play(turn)
        assert str(state) == format_position(replayed)
    assert state.is_terminal()
    assert state.current_player() == TERMINAL
    assert sorted(state.returns()) == [-1.0, 1.0]
    assert state.legal_actions() == []
    assert len(state.history()) <= state.game.max_game_length()


@cases
@settings(max_examples=10)
@given(seed=seeds())
def test_undo_restores_every_state(rules: Rules, seed: int) -> None:
    state = random_state(rules, seed, 12)
    texts = []
    while state.history():
        texts.append((str(state), state.legal_actions(), state.current_player()))
        state.undo_action()
    again = random_state(rules, seed, 0)
    for action in random_state(rules, seed, 12).history():
        again.apply_action(action)
        assert (str(again), again.legal_actions(), again.current_player()) == texts.pop()
    with pytest.raises(CannotUndo):
        state.undo_action()


def passed_on(state: State) -> State:
    import twisted.persisted.styles  # noqa: F401 — it changes how methods are pickled

    again: State = pickle.loads(pickle.dumps(state))  # noqa: S301 — our own bytes
    return again


@pytest.mark.parametrize("twin_of", [State.clone, copy.copy, copy.deepcopy, passed_on])
@pytest.mark.parametrize("actions", [5, 6])
@cases
def test_a_copy_is_equal_and_independent(
    rules: Rules, actions: int, twin_of: Callable[[State], State]
) -> None:
    state = random_state(rules, 3, actions)
    twin = twin_of(state)
    told = [str(state), state.history(), state.current_player(), state.legal_actions()]
    assert [str(twin), twin.history(), twin.current_player(), twin.legal_actions()] == told
    twin.undo_action()
    assert [str(state), state.history(), state.current_player(), state.legal_actions()] == told
    twin.apply_action(state.history()[-1])
    assert str(twin) == str(state)


@cases
def test_masks_and_names_cover_the_action_space(rules: Rules) -> None:
    state = random_state(rules, 3, 3)
    actions = state.game.actions
    mask = state.legal_actions_mask()
    assert len(mask) == actions.size == 2 * rules.geometry.cells + 2 + rules.pie
    assert [action for action, legal in enumerate(mask) if legal] == state.legal_actions()
    assert len({state.action_to_string(action) for action in range(actions.end)}) == (
        rules.geometry.cells if rules.game.own_colour else actions.end
    )
    assert state.action_to_string(actions.end) == "end"
    with pytest.raises(ValueError, match="places no stone"):
        actions.name(actions.size)
    with pytest.raises(ValueError, match="resign is no action"):
        actions.of_turn(RESIGN, Position(rules))


def test_players_keep_their_numbers_after_a_swap() -> None:
    state = load_game("yoin", "hex2").new_initial_state()
    state.apply_action(3)
    assert state.current_player() == 1
    swap = state.game.actions.swap
    assert swap is not None
    state.apply_action(swap)
    assert state.current_player() == 0
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    assert state.returns()[outcome_of(state._position).winner.opponent] == 1.0


def test_an_illegal_action_changes_nothing() -> None:
    state = load_game("yodd", "hex2").new_initial_state()
    with pytest.raises(ValueError, match="not legal now"):
        state.apply_action(state.game.actions.pass_)
    assert state.history() == []
    assert state.returns() == [0.0, 0.0]


@pytest.mark.parametrize("board", ["hex3", "square4"])
def test_planes_show_the_position(board: str) -> None:
    game = load_game("odd", board)
    state = game.new_initial_state()
    planes, rows, columns = game.observation_tensor_shape()
    area = rows * columns
    state.apply_action(game.actions.drop(Stone(Colour.BLACK, 0)))
    tensor = state.observation_tensor()
    assert len(tensor) == planes * area
    assert planes == len(PLANES)
    sums = [sum(tensor[n * area : (n + 1) * area]) for n in range(planes)]
    assert sums == [game.rules.geometry.cells, 1, 0, 0, 0, 0]


def test_planes_show_a_first_stone_and_a_pass() -> None:
    state = load_game("yodd", "hex3").new_initial_state()
    for action in (9, state.game.actions.pass_):
        state.apply_action(action)
    _, rows, columns = state.game.observation_tensor_shape()
    area = rows * columns
    state.apply_action(state.legal_actions()[0])
    tensor = state.observation_tensor()
    sums = [sum(tensor[n * area : (n + 1) * area]) for n in range(len(PLANES))]
    assert sums == [19, 2, 0, 1, area, area]
    assert str(state).endswith(",")
    assert repr(state) == f"<State {state}>"
    assert repr(state.game) == "GameType(make_rules('yodd', 'hex3'))"


def test_actions_are_numbered_stones_first_then_end_pass_and_swap() -> None:
    actions = ActionSpace(make_rules("yoin", "hex2"))
    assert (actions.end, actions.pass_, actions.swap, actions.size) == (14, 15, 16, 17)
    assert ActionSpace(make_rules("yodd", "hex2")).swap is None
    assert GameType(make_rules("yodd", "hex2")).num_players() == 2
