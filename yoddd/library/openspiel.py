"""The description of a game that OpenSpiel's algorithms ask for before they run."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from yoddd.extras import needs_extra
from yoddd.rules.game import Game


def game_type(game: Game) -> Any:
    """A ``pyspiel.GameType``; its parameters are the board and the options with their defaults.

    Raises:
        ExtraMissing: OpenSpiel is not installed.
    """
    with needs_extra("get_type", "openspiel"):
        kind = import_module("pyspiel").GameType
    return kind(
        short_name=f"yoddd_{game.name}",
        long_name=game.title,
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.PERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            "board": game.default_board,
            **{option.name: option.default for option in game.options},
        },
    )
