"""The games as a PettingZoo AEC environment (extra ``rl``).

Agents keep their names across a swap: ``player_0`` began as Black. An agent that places the first
of two stones is to move again for the second.
"""

from __future__ import annotations

import io
import sys
from typing import Any, ClassVar, Final

from yoddd.extras import missing_text, needs_extra
from yoddd.library.state import State, load_game
from yoddd.notation import diagram
from yoddd.pictures import draw
from yoddd.rules import Position, PositionLike, Turn, make_rules
from yoddd.rules.game import Options

with needs_extra("yoddd.library.pettingzoo", "rl"):
    import numpy as np
    from gymnasium import spaces
    from gymnasium.error import DependencyNotInstalled
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers

Observation = dict[str, Any]

RENDER_MODES: Final = ("human", "rgb_array", "ansi")
"""``human`` prints a diagram at each reset and step; ``rgb_array`` needs the extra ``png``."""


def draw_text(state: State) -> str:
    """A diagram of the board, the position below it, and an empty line."""
    return f"{diagram(*_shown(state))}\n{state}\n\n"


def pixels(state: State) -> np.ndarray[Any, Any]:
    """A picture of the board: rows, columns and 3 colours in bytes.

    Raises:
        DependencyNotInstalled: the extra ``png`` is not installed.
    """
    try:
        import resvg_py
        from PIL import Image
    except ImportError:
        raise DependencyNotInstalled(missing_text("rgb_array", "png")) from None
    png = bytes(resvg_py.svg_to_bytes(svg_string=draw(*_shown(state))))
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def _shown(state: State) -> tuple[PositionLike, Turn | None]:
    """The stones as a position, and the stone of a turn in progress.

    It is a position of Odd, whose rules accept any stones: within a turn of Yodd the number of
    groups may be even.
    """
    rules = make_rules("odd", state.game.rules.geometry.name)
    player = state.position.player
    position = Position.set_up(rules, state.cells, player, 0, state.position.number)
    first = state.first_stone
    history = state.position.history
    return position, Turn.drop(first) if first else history[-1] if history else None


def env(
    game: str = "yodd",
    board: str | None = None,
    options: Options | None = None,
    render_mode: str | None = None,
) -> Any:
    """The environment; an agent that chooses an illegal action loses at once.

    Args:
        game: a name out of `yoddd.GAMES`.
        board: such as ``hex6``; the game's own where None.
        options: such as ``{"min_group": 3}`` or ``{"min_group": "3"}``.
        render_mode: one of `RENDER_MODES`: ``human`` prints the board whenever it changes,
            ``rgb_array`` lets `render` give a picture as an array, ``ansi`` the position as a line.

    Raises:
        RulesError: no such game, board or option.
        ValueError: no such render mode.
    """
    raw = RawEnv(game, board, options, render_mode)
    guarded = wrappers.TerminateIllegalWrapper(raw, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(guarded))


class RawEnv(AECEnv[str, Observation, int | None]):
    """The environment without PettingZoo's guards; use `env`."""

    metadata: ClassVar[dict[str, Any]] = {
        "name": "yoddd_v0",
        "render_modes": [*RENDER_MODES],
        "render_fps": 1,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        game: str = "yodd",
        board: str | None = None,
        options: Options | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode {render_mode!r}: expected {', '.join(RENDER_MODES)}")
        self.game = load_game(game, board, options)
        self.render_mode = render_mode
        self.possible_agents = ["player_0", "player_1"]
        self._action_space = spaces.Discrete(self.game.num_distinct_actions())
        self._observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0, 1, self.game.observation_tensor_shape(), np.int8),
                "action_mask": spaces.Box(0, 1, (self.game.num_distinct_actions(),), np.int8),
            }
        )
        self.state_space = spaces.Box(0, 1, self.game.observation_tensor_shape(), np.int8)
        self.state_of_game: State = self.game.new_initial_state()

    def state(self) -> np.ndarray[Any, Any]:
        """The planes, which are the same for both agents."""
        shape = self.game.observation_tensor_shape()
        return np.array(self.state_of_game.observation_tensor(), np.int8).reshape(shape)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space, which both agents share."""
        del agent
        return self._observation_space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space, which both agents share."""
        del agent
        return self._action_space

    def observe(self, agent: str) -> Observation:
        """The planes and the mask of the agent's actions, empty on the other agent's turn."""
        if agent == self.agent_selection and not self.state_of_game.is_terminal():
            mask = np.array(self.state_of_game.legal_actions_mask(), np.int8)
        else:
            mask = np.zeros(self.game.num_distinct_actions(), np.int8)
        return {"observation": self.state(), "action_mask": mask}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game; it has no chance events, so the seed has no effect."""
        del seed, options
        self.state_of_game = self.game.new_initial_state()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._agent()
        self._show()

    def step(self, action: int | None) -> None:
        """One action of the agent to move."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError("the agent to move has to act")
        self._cumulative_rewards[agent] = 0
        self.state_of_game.apply_action(int(action))
        if self.state_of_game.is_terminal():
            returns = self.state_of_game.returns()
            self.rewards = dict(zip(self.possible_agents, returns, strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.possible_agents[1 - self.possible_agents.index(agent)]
        else:
            self.agent_selection = self._agent()
        self._accumulate_rewards()
        self._show()

    def _agent(self) -> str:
        return self.possible_agents[self.state_of_game.current_player()]

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | np.ndarray[Any, Any] | None:
        """The board in the mode that the environment was made with, see `env`; None without one.

        Raises:
            DependencyNotInstalled: ``rgb_array`` without the extra ``png``.
        """
        if self.render_mode == "human":
            sys.stdout.write(draw_text(self.state_of_game))
            sys.stdout.flush()
        elif self.render_mode == "rgb_array":
            return pixels(self.state_of_game)
        elif self.render_mode == "ansi":
            return str(self.state_of_game)
        return None

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
