"""The description of a game that OpenSpiel's algorithms ask for before they run."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from yoddd.rules import Rules


def game_type(rules: Rules) -> Any:  # noqa: ANN401 — OpenSpiel has no types
    """A ``pyspiel.GameType``.

    Raises:
        ModuleNotFoundError: OpenSpiel is not installed.
    """
    try:
        kind = import_module("pyspiel").GameType
    except ModuleNotFoundError:
        raise ModuleNotFoundError("get_type needs OpenSpiel: pip install open_spiel") from None
    return kind(
        short_name=f"yoddd_{rules.game.name}",
        long_name=rules.game.title,
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
        parameter_specification={},
    )
