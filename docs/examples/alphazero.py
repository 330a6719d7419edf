"""AlphaZero in NumPy: a network that learns a game by playing against itself.

    python docs/examples/alphazero.py train
    python docs/examples/alphazero.py match --level 5 --games 100

An iteration plays games side by side, every action chosen by a tree search that the network guides
(`search`), and then trains the network to predict what the search chose and who won (`learn`). The
file ``alphazero.npz`` holds everything; a run that was broken off goes on with it. Games, rules and
opponents are yoddd's (extra ``train``). See ``docs/tutorial/learn-by-self-play.md``.
"""

from __future__ import annotations

import argparse
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small products; the games share the threads

import numpy as np
from numpy.typing import NDArray

from yoddd.engine import ENGINES, LEVELS, STRONGEST, Budget, Levelled
from yoddd.library import GameType, State, load_game

Array = NDArray[Any]
Weights = dict[str, Array]
Rng = np.random.Generator
Arrays = tuple[Array, ...]
CHANNELS, LAYERS = 32, 4  # values of a cell in each layer of the network, and layers but the first
UNITS = 1 / np.array([1, 1, 1, 1, 1, 1, 2, 2, 8, 8, 4], np.float32)  # of `Network.see`
STAY = -1  # the action by which a game stays as it is
EXPLORATION = 1.5  # how much the search follows the network rather than what it has found
FIRST_PLAY = 0.2  # an action that was not tried is taken to be so much worse than its position
CANDIDATES, HALVINGS = 16, 4  # actions that the search compares, and how often it drops half
SCALE = 0.4  # how much a logit gains by a value that is better by 1/50
TRUST = 0.5  # the share of the search's value in what the network learns; the rest is who won
WINDOW, BATCH, REUSE = 100_000, 256, 3  # positions kept, of a step, and how often each is learned
RATE, DECAY = 1e-3, 1e-4  # of the first step, the last ones a twentieth; and of the weights
EVERY, TRIALS = 5, 20  # iterations from match to match, and the games of these


# -- the network: convolutions over the cells of any board --------------------------------------
class Network:
    """Judges positions from the mover's side: a logit for each action, and a value."""

    def __init__(self, game: GameType, seed: int) -> None:
        board, self.places = game.rules.geometry, np.array(game.places)
        self.cells, at = board.cells, {point: cell for cell, point in enumerate(board.axial)}
        both = [[*cells, *(cell + self.cells for cell in cells)] for cells in board.symmetries]
        rest = range(2 * self.cells, game.num_distinct_actions())  # the actions without a cell
        self.symmetries = np.array([[*stones, *rest] for stones in both])
        middle = max(range(self.cells), key=lambda cell: len(board.neighbours[cell]))
        around = [board.axial[cell] for cell in (middle, *board.neighbours[middle])]
        steps = sorted((q - around[0][0], r - around[0][1]) for q, r in around)
        # Of each cell's patch: the last neighbour is opposite to the first; then the board's mean.
        rows = [[at.get((q + i, r + j), self.cells) for i, j in steps] for q, r in board.axial]
        self.near, taps = np.array([[*row, self.cells + 1] for row in rows]), len(steps) + 1
        sizes = {f"layer{n}": (taps * CHANNELS, CHANNELS) for n in range(1, LAYERS + 1)}
        sizes |= {"layer0": (taps * len(UNITS), CHANNELS)}
        sizes |= {"stones": (CHANNELS, 2), "hidden": (CHANNELS, 64), "others": (64, 1 + len(rest))}
        self.weights, self.steps, rng = Weights(), 0, np.random.default_rng(seed)
        for name, (ins, outs) in sizes.items():
            # What adds to something or is a result begins small: else the first steps go astray.
            scale = np.sqrt(2 / ins) * (1 if name in {"layer0", "hidden"} else 0.1)
            self.weights[f"{name}.w"] = rng.normal(0, scale, (ins, outs)).astype(np.float32)
            self.weights[f"{name}.b"] = np.zeros(outs, np.float32)
        for name, weights in list(self.weights.items()):
            self.weights |= {f"{name}.{of}": np.zeros_like(weights) for of in ("mean", "square")}

    def see(self, planes: Array) -> tuple[Array, Array]:
        """Planes and groups by game and cell, own stones first, and whether White is to move."""
        seen = planes.reshape(*planes.shape[:2], -1)[:, :, self.places].transpose(0, 2, 1).copy()
        white = seen[:, 0, 4] == 0
        seen[white, :, 1:3] = seen[white, :, 2:0:-1]
        return np.concatenate([seen, self.groups(seen[:, :, 1] + 2 * seen[:, :, 2])], axis=2), white

    def groups(self, stones: Array) -> Array:
        """The own and other groups that each cell touches, those on the board, the difference."""
        stones, edge = np.ascontiguousarray(stones.T), ((0, 2), (0, 0))  # cells first, as all here
        cells, taps = np.arange(self.cells, dtype=np.int16)[:, None], self.near[:, :-1].T
        near, none = np.pad(stones, edge)[taps], np.int16(self.cells)
        group, before = np.where(stones > 0, cells, none), None
        while before is None or (group != before).any():  # a group's first cell spreads over it
            before, beside = group, np.pad(group, edge, constant_values=none)[taps]
            group = np.where((near == stones) & (stones > 0), beside, none).min(axis=0)
        new = np.stack([(beside[n] != beside[:n]).all(axis=0) for n in range(len(beside))])
        planes = [(new & (near == k)).sum(axis=0) for k in (1, 2)]
        own, other = (((group == cells) & (stones == k)).sum(axis=0) for k in (1, 2))
        planes += [np.broadcast_to(count, stones.shape) for count in (own, other, own - other)]
        return np.stack(planes, axis=2, dtype=np.int8, casting="unsafe").transpose(1, 0, 2)

    def turn_colours(self, rows: Array, white: Array) -> Array:
        """Rows of a value for each action, with the colours exchanged where White is to move."""
        own, other, rest = np.split(rows, [self.cells, 2 * self.cells], axis=1)
        return np.where(white[:, None], np.concatenate([other, own, rest], axis=1), rows)

    def patches(self, x: Array) -> Array:
        """For each cell the values of it, its neighbours and the mean, which a layer maps."""
        rows = [x, np.zeros_like(x[:, :1]), x.mean(axis=1, keepdims=True)]
        patches = np.concatenate(rows, axis=1).take(self.near, axis=1)
        return patches.reshape(len(x) * self.cells, -1)

    def multiply(self, name: str, rows: Array, kept: Weights | None) -> Array:
        """Rows times the weights of a name; ``kept`` receives them for `gradients`."""
        if kept is not None:
            kept[name] = rows
        return rows @ self.weights[f"{name}.w"] + self.weights[f"{name}.b"]

    def __call__(self, seen: Array, kept: Weights | None = None) -> tuple[Array, Array]:
        """Logits and values; ``kept`` receives what `gradients` needs."""
        shape = len(seen), self.cells, -1
        out = np.maximum(self.multiply("layer0", self.patches(seen * UNITS), kept), 0)
        outs = [y := out.reshape(shape)]
        for number in range(1, LAYERS + 1):
            out = np.maximum(self.multiply(f"layer{number}", self.patches(y), kept), 0)
            outs.append(out.reshape(shape))
            y = y + outs[-1]
        if kept is not None:
            kept |= {f"out{number}": out for number, out in enumerate(outs)}
        hidden = np.maximum(self.multiply("hidden", y.mean(axis=1), kept), 0)
        others = self.multiply("others", hidden, kept)
        stones = self.multiply("stones", y.reshape(-1, y.shape[-1]), kept).reshape(shape)
        logits = [stones[:, :, 0], stones[:, :, 1], others[:, 1:]]
        return np.concatenate(logits, axis=1), np.tanh(others[:, 0])

    def gradients(self, kept: Weights, by_logits: Array, by_values: Array) -> Weights:
        """The gradients of the weights, from those of the logits and of the values before tanh."""
        found: Weights = {}

        def back(name: str, by_out: Array) -> Array:
            found[f"{name}.w"], found[f"{name}.b"] = kept[name].T @ by_out, by_out.sum(axis=0)
            return self.weights[f"{name}.w"]

        shape, stones = (len(by_logits), self.cells, -1), 2 * self.cells
        others = np.concatenate([by_values[:, None], by_logits[:, stones:]], axis=1)
        by_hidden = others @ back("others", others).T * (kept["others"] > 0)
        by_mean = by_hidden @ back("hidden", by_hidden).T / self.cells
        by_stones = by_logits[:, :stones].reshape(-1, 2, self.cells).swapaxes(1, 2).reshape(-1, 2)
        by_y = (by_stones @ back("stones", by_stones).T).reshape(shape) + by_mean[:, None]
        for number in reversed(range(LAYERS + 1)):
            by_out = by_y * (kept[f"out{number}"] > 0)
            weights = back(f"layer{number}", by_out.reshape(-1, by_out.shape[-1]))
            if number:
                # What a layer passes back is what one with opposite neighbours passes on.
                taps = weights.reshape(-1, CHANNELS, CHANNELS).transpose(0, 2, 1)
                turned = np.concatenate([taps[-2::-1], taps[-1:]]).reshape(-1, CHANNELS)
                by_y = by_y + (self.patches(by_out) @ turned).reshape(shape)
        return found

    def step(self, gradients: Weights, rate: float) -> None:
        """Change the weights along gradients, each at a pace of its own (Adam)."""
        self.steps += 1
        pace = rate * np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        for name, gradient in gradients.items():
            mean, square = self.weights[f"{name}.mean"], self.weights[f"{name}.square"]
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            self.weights[name] -= pace * mean / (np.sqrt(square) + 1e-8)
            self.weights[name] *= 1 - rate * DECAY


# -- the games, side by side --------------------------------------------------------------------
class Games:
    """States of one game as arrays; a game that has ended stays as it is, without legal actions."""

    def __init__(self, game: GameType, states: list[State]) -> None:
        self.game, self.states, self.count = game, states, len(states)

    def copy(self) -> Games:
        """The same games, which go on by themselves."""
        return Games(self.game, [state.clone() for state in self.states])

    def step(self, actions: Array) -> tuple[Array, Array]:
        """Do one action in every game; return what both players get for it, and which ended."""
        rewards = np.zeros((self.count, 2), np.float32)
        for number, state in enumerate(self.states):
            if actions[number] != STAY and not state.is_terminal():
                state.apply_action(int(actions[number]))
                rewards[number] = state.returns()
        return rewards, np.array([state.is_terminal() for state in self.states])

    def legal_actions_mask(self) -> Array:
        """For each game and action 1 if it is legal, else 0."""
        return np.array([state.legal_actions_mask() for state in self.states], np.int8)

    def current_players(self) -> Array:
        """For each game the player to move, or -4 if it has ended."""
        return np.array([state.current_player() for state in self.states])

    def observation_tensor(self) -> Array:
        """For each game its planes."""
        shape = self.count, *self.game.observation_tensor_shape()
        flat = [state.observation_tensor() for state in self.states]
        return np.array(flat, np.int8).reshape(shape)


# -- the search: a tree of single stones, in many games at once ---------------------------------
class Trees:
    """Search trees as arrays by game, node and action.

    Node 0 is the root. Values are player 0's; a node's sign is 1 where this player is to move.
    """

    def __init__(self, games: Games, net: Network, ways: int) -> None:
        shape = games.count, ways + 1, games.game.num_distinct_actions()
        self.net, self.rows, self.child = net, np.arange(games.count), np.full(shape, -1, np.int32)
        self.prior, self.visits, self.total = (np.zeros(shape, np.float32) for _ in range(3))
        self.sign, self.value = (np.zeros(shape[:2], np.float32) for _ in range(2))

    def worth(self, at: tuple[Array, Any]) -> Array:
        """The values of a node's actions for its player, and a mean for those not tried yet."""
        visits, seen = self.visits[at], self.visits[at].sum(axis=1)
        means, tried = self.total[at] / np.maximum(visits, 1), self.prior[at] * (visits > 0)
        mean = (tried * means).sum(axis=1) / np.maximum(tried.sum(axis=1), 1e-9)
        mean = (self.value[at] + seen * mean) / (1 + seen)
        return self.sign[at][:, None] * np.where(visits > 0, means, mean[:, None])

    def choose(self, node: Array) -> Array:
        """For each game the action to try at its node (PUCT)."""
        visits, prior = self.visits[self.rows, node], self.prior[self.rows, node]
        score = self.worth((self.rows, node)) - FIRST_PLAY * (visits == 0)
        score += EXPLORATION * prior * np.sqrt(1 + visits.sum(axis=1))[:, None] / (1 + visits)
        return np.where(prior < 0, -np.inf, score).argmax(axis=1)  # -1 is what is not legal

    def expand(self, number: int, games: Games, live: Array) -> None:
        """Make node ``number`` of each live game of its position, judged by the network."""
        if not len(which := np.flatnonzero(live)):
            return
        legal = games.legal_actions_mask()[which]
        seen, white = self.net.see(games.observation_tensor()[which])
        logits, values = self.net(seen)
        logits = self.net.turn_colours(logits, white)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True)) * legal
        chances /= chances.sum(axis=1, keepdims=True)
        self.prior[which, number] = np.where(legal, chances, -1)
        self.sign[which, number] = 1 - 2 * games.current_players()[which]
        self.value[which, number] = values * self.sign[which, number]

    def simulate(self, number: int, games: Games, live: Array, first: Array) -> None:
        """Go down to a new node or to the end of the game, and take its value back up."""
        node, path, going = np.zeros(games.count, np.intp), [], live
        values, new = np.zeros(games.count, np.float32), np.zeros(games.count, np.bool_)
        while going.any():
            action = np.where(going, self.choose(node) if path else first, STAY)
            rewards, done = games.step(action)
            path.append((node, action, going))
            values += rewards[:, 0]
            following = self.child[self.rows, node, action]
            fresh = going & ~done & (following < 0)
            self.child[self.rows[fresh], node[fresh], action[fresh]] = number
            new |= fresh
            going = going & ~done & ~fresh
            node = np.where(going, following, node)
        self.expand(number, games, new)
        values[new] = self.value[new, number]
        for node, action, moved in path:
            at = self.rows[moved], node[moved], action[moved]
            self.visits[at] += 1
            self.total[at] += values[moved]


def search(games: Games, net: Network, ways: int, live: Array, rng: Rng | None) -> Arrays:
    """For each live game an action, better chances of all than the network's, and their value.

    With ``rng`` the action is drawn by these chances, else it is the best one. The ways go to a
    sample of actions, then to the better half of it, and so on (Gumbel AlphaZero).
    """
    trees = Trees(games, net, ways)
    trees.expand(0, games, live)
    root, prior, visits = (trees.rows, 0), trees.prior[:, 0], trees.visits[:, 0]
    logits = np.where(prior < 0, -np.inf, np.log(np.maximum(prior, 1e-9)))
    noise = 0 if rng is None else rng.gumbel(size=logits.shape)  # the largest sum is a fair draw
    order = (-logits - noise).argsort(axis=1)[:, :CANDIDATES]
    legal = (prior >= 0).sum(axis=1)  # the first ones in the order

    def better() -> Array:
        return logits + SCALE * (50 + visits.max(axis=1, keepdims=True)) * trees.worth(root)

    number, left = 0, order.shape[1]
    while number < ways:
        ranks = list(range(left)) * max(1, ways // (HALVINGS * left))
        for rank in ranks[: ways - number]:
            number += 1
            trees.simulate(number, games.copy(), live, order[trees.rows, rank % legal])
        left = max(2, left // 2)
        best = np.take_along_axis(better() + noise, order, 1).argsort(axis=1)[:, : -left - 1 : -1]
        order = np.take_along_axis(order, best, 1)
    chances = np.exp(better() - better().max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    return order[:, 0], chances, (chances * trees.worth(root)).sum(axis=1)


# -- playing and learning -----------------------------------------------------------------------
def begin(chosen: argparse.Namespace, count: int) -> Games:
    """Games on the empty board."""
    game = load_game(chosen.game, chosen.board)
    return Games(game, [game.new_initial_state() for _ in range(count)])


def self_play(net: Network, chosen: argparse.Namespace, seed: list[int]) -> Arrays:
    """Play half of an iteration's games to their ends, and return their positions."""
    games = begin(chosen, chosen.games // 2)
    rng, steps = np.random.default_rng(seed), list[Arrays]()
    live, outcome = np.ones(games.count, np.bool_), np.zeros((games.count, 2), np.float32)
    while live.any():
        actions, chances, values = search(games, net, chosen.ways, live, rng)
        which, players = np.flatnonzero(live), games.current_players()
        seen, white = net.see(games.observation_tensor())
        turned = net.turn_colours(chances, white).astype(np.float16)
        steps.append((seen[which], turned[which], values[which], which, players[which]))
        rewards, done = games.step(np.where(live, actions, STAY))
        outcome += rewards
        live &= ~done
    seen, turned, values, *at = map(np.concatenate, zip(*steps, strict=True))
    return seen, turned, TRUST * values + (1 - TRUST) * outcome[tuple(at)]


def draw(samples: Arrays, net: Network, rng: Rng) -> Arrays:
    """Random positions, each turned and reflected at random."""
    which, rows = rng.integers(len(samples[0]), size=BATCH), np.arange(BATCH)[:, None]
    order = net.symmetries[rng.integers(len(net.symmetries), size=BATCH)]
    seen, chances, won = (array[which] for array in samples)
    return seen[rows, order[:, : net.cells]], chances[rows, order].astype(np.float32), won


def learn(net: Network, batch: Arrays, rate: float) -> tuple[float, float]:
    """Make one step; return how far off the chances (in nats) and the values (squared) were."""
    kept, (seen, chances, won) = Weights(), batch
    logits, values = net(seen, kept)
    logs, off = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True), values - won
    count = np.float32(len(values))
    by_logits, by_values = (np.exp(logs) - chances) / count, 2 * off * (1 - values**2) / count
    net.step(net.gradients(kept, by_logits, by_values), rate)
    return -float((chances * logs).sum() / count), float((off**2).mean())


def match(net: Network, games: int, chosen: argparse.Namespace) -> int:
    """The games that the network wins against a level of yoddd, in half of them as White."""
    batch = begin(chosen, games)
    levels = [Levelled(ENGINES[STRONGEST](), LEVELS[chosen.level - 1]) for _ in range(games)]
    queues, rng = [list[int]() for _ in range(games)], np.random.default_rng(chosen.seed)
    ours, wins = np.arange(games) % 2, 0
    while (players := batch.current_players()).max() >= 0:
        best, _, _ = search(batch, net, chosen.strong, players == ours, None)
        actions = np.where(players == ours, best, STAY)
        for number in np.flatnonzero(players == 1 - ours):
            if not queues[number]:
                position, drawn = batch.states[number].position, int(rng.integers(2**32))
                turn = levels[number].search(position, Budget(), drawn, lambda: False).turn
                queues[number] = list(batch.game.actions.of_turn(turn, position))
            actions[number] = queues[number].pop(0)
        wins += int((batch.step(actions)[0][np.arange(games), ours] > 0).sum())
    return wins


# -- a run, and the command line ----------------------------------------------------------------
class Run:
    """A network in training, and all that it takes to go on after a break."""

    def __init__(self, chosen: argparse.Namespace) -> None:
        self.chosen, self.done, self.seconds = chosen, 0, 0.0
        self.net = Network(load_game(chosen.game, chosen.board), chosen.seed)
        self.samples: list[Arrays] = []  # one set, after the first iteration

    def load(self) -> None:
        """Go on where the file ends."""
        with np.load(self.chosen.file) as file:
            self.net.weights = {name: file[name] for name in self.net.weights}
            self.samples = [tuple(file[f"arr_{number}"] for number in range(3))]
            self.done, self.net.steps, self.seconds = map(int, file["counts"])

    def save(self) -> None:
        """Write the file; a break at any moment loses one iteration."""
        part = Path(f"{self.chosen.file}.part.npz")
        counts = np.array([self.done, self.net.steps, self.seconds])
        np.savez(part, *self.samples[0], counts=counts, **self.net.weights)
        part.replace(self.chosen.file)

    def iterate(self) -> str:
        """Play and learn, and return a line about it."""
        chosen, begun = self.chosen, time.process_time()
        seeds = [[chosen.seed, self.done, half] for half in range(2)]
        with ThreadPoolExecutor(2) as pool:
            new = list(pool.map(lambda seed: self_play(self.net, chosen, seed), seeds))
        parts, count = zip(*self.samples, *new, strict=True), sum(len(half[0]) for half in new)
        self.samples = [tuple(np.concatenate(arrays)[-WINDOW:] for arrays in parts)]
        rng, steps = np.random.default_rng([chosen.seed, self.done]), 1 + count * REUSE // BATCH
        batches = [draw(self.samples[0], self.net, rng) for _ in range(steps)]
        rate = RATE * (1 - 0.95 * self.done / chosen.iterations)
        choice, winner = np.mean([learn(self.net, one, rate) for one in batches], axis=0)
        self.done += 1
        self.seconds += time.process_time() - begun
        return f"{self.done:9} {self.seconds / 60:12.1f} {choice:7.3f} {winner:7.3f}"


SETTINGS = {
    "game": ("yodd", "the game"),
    "board": ("hex4", "the board"),
    "seed": (1, "the same seed gives the same run"),
    "iterations": (20, "when to end"),
    "games": (256, "games of an iteration, or of the match"),
    "ways": (32, "ways down the tree for each action in training"),
    "strong": (1000, "the same in a match"),
    "level": (5, "the opponent in a match, 1 to 10"),
}


def main() -> None:
    """Read the command line, and train or play."""
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("command", choices=["train", "match"])
    parser.add_argument("--file", type=Path, default=Path("alphazero.npz"), help="what is learned")
    for name, (default, text) in SETTINGS.items():
        parser.add_argument(f"--{name}", type=type(default), default=default, help=text)
    chosen = parser.parse_args()
    run = Run(chosen)
    if chosen.command == "match" or chosen.file.exists():
        run.load()
    if chosen.command == "match":
        print(match(run.net, chosen.games, chosen), "of", chosen.games)
    else:
        print("iteration  CPU minutes  choice  winner  won", flush=True)
    while chosen.command == "train" and run.done < chosen.iterations:
        line = run.iterate()
        run.save()
        if run.done % EVERY == 0:
            line += f"  {match(run.net, TRIALS, chosen)} of {TRIALS}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
