"""AlphaZero in NumPy: a network that learns a game by playing against itself.

    python docs/examples/alphazero.py train
    python docs/examples/alphazero.py match --level 5 --games 100

An iteration plays games side by side, every action chosen by a tree search that the network guides
(`search`), and then trains the network to predict what the search chose and who won (`learn`). The
file ``alphazero.npz`` holds everything; a run that was broken off goes on with it. Games, rules and
opponents are yoddd's (extras ``rl`` and ``train``). See ``docs/tutorial/learn-by-self-play.md``.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small products; the games share the threads

import numpy as np
from numpy.typing import NDArray

from yoddd.engine import ENGINES, LEVELS, STRONGEST, Budget, Levelled
from yoddd.library import GameType, load_game
from yoddd.library.batch import GameBatch

Array = NDArray[Any]
Weights = dict[str, Array]
Rng = np.random.Generator
CHANNELS, LAYERS = 32, 4  # values of a cell in each layer of the network, and layers but the first
STAY = -1  # the action by which a game of a batch stays as it is
EXPLORATION = 1.5  # how much the search follows the network rather than what it has found
FIRST_PLAY = 0.2  # an action that was not tried is taken to be so much worse than its position
NOISE, SPREAD = 0.25, 10.0  # the share of Dirichlet noise at the root, and the sum of its alphas
OPENING = 16  # so many actions of a game are drawn in proportion to their visits
WINDOW, BATCH, REUSE = 100_000, 256, 3  # positions kept, of a step, and how often each is learned
RATE, DECAY = 1e-3, 1e-4  # of the first step, the last ones a twentieth; and of the weights
EVERY, TRIALS = 5, 20  # iterations from match to match, and the games of these


# -- the network: convolutions over the cells of any board --------------------------------------
class Network:
    """Judges positions from the mover's side: a logit for each action, and a value.

    Each layer maps the values of a cell, of its neighbours and of the board's mean to new values.
    """

    def __init__(self, game: GameType, seed: int) -> None:
        board, self.places = game.rules.geometry, np.array(game.places)
        self.symmetries = np.array(board.symmetries)
        self.cells, at = board.cells, {point: cell for cell, point in enumerate(board.axial)}
        middle = max(range(self.cells), key=lambda cell: len(board.neighbours[cell]))
        around = [board.axial[cell] for cell in (middle, *board.neighbours[middle])]
        steps = sorted((q - around[0][0], r - around[0][1]) for q, r in around)
        # The rows of each cell's patch: neighbours or zeros, the last one opposite to the first one
        # and so on, and the mean.
        rows = [[at.get((q + i, r + j), self.cells) for i, j in steps] for q, r in board.axial]
        self.near = np.array([[*row, self.cells + 1] for row in rows])
        taps, others = self.near.shape[1], 1 + game.num_distinct_actions() - 2 * self.cells
        sizes = {f"layer{n}": (taps * CHANNELS, CHANNELS) for n in range(1, LAYERS + 1)}
        sizes |= {"layer0": (taps * game.observation_tensor_shape()[0], CHANNELS)}
        sizes |= {"stones": (CHANNELS, 2), "hidden": (CHANNELS, 64), "others": (64, others)}
        self.weights, rng = Weights(), np.random.default_rng(seed)
        for name, (ins, outs) in sizes.items():
            # What adds to something or is a result begins small: else the first steps go astray.
            scale = np.sqrt(2 / ins) * (1 if name in {"layer0", "hidden"} else 0.1)
            self.weights[f"{name}.w"] = rng.normal(0, scale, (ins, outs)).astype(np.float32)
            self.weights[f"{name}.b"] = np.zeros(outs, np.float32)

    def see(self, planes: Array) -> tuple[Array, Array]:
        """Planes as ``(games, cells, planes)``, own stones first, and whether White is on turn."""
        seen = planes.reshape(*planes.shape[:2], -1)[:, :, self.places].transpose(0, 2, 1).copy()
        white = seen[:, 0, 4] == 0
        seen[white, :, 1:3] = seen[white, :, 2:0:-1]
        return seen, white

    def turn_colours(self, rows: Array, white: Array) -> Array:
        """Rows of a value for each action, with the colours exchanged where White is on turn."""
        own, other, rest = np.split(rows, [self.cells, 2 * self.cells], axis=1)
        return np.where(white[:, None], np.concatenate([other, own, rest], axis=1), rows)

    def patches(self, x: Array) -> Array:
        """For each cell the values of it, its neighbours and the mean, in one row."""
        rows = [x, np.zeros_like(x[:, :1]), x.mean(axis=1, keepdims=True)]
        patches = np.concatenate(rows, axis=1).take(self.near, axis=1)
        return patches.reshape(len(x) * self.cells, -1)

    def multiply(self, name: str, rows: Array, kept: Weights) -> Array:
        """Rows times the weights of a name; ``kept`` receives them for `gradients`."""
        kept[name] = rows
        return rows @ self.weights[f"{name}.w"] + self.weights[f"{name}.b"]

    def __call__(self, seen: Array, kept: Weights) -> tuple[Array, Array]:
        """Logits and values; ``kept`` receives what `gradients` needs."""
        shape = len(seen), self.cells, -1
        out = np.maximum(self.multiply("layer0", self.patches(seen.astype(np.float32)), kept), 0)
        kept["out0"] = y = out.reshape(shape)
        for number in range(1, LAYERS + 1):
            out = np.maximum(self.multiply(f"layer{number}", self.patches(y), kept), 0)
            kept[f"out{number}"] = out = out.reshape(shape)
            y = y + out
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


# -- the search: PUCT over single stones, in many games at once ---------------------------------
class Trees:
    """A search tree for each game of a batch, as arrays by game, node and action.

    Node 0 is the root. A turn of two stones is two steps down, so each node has a sign: 1 where
    player 0 is on turn, whose values these are.
    """

    def __init__(self, count: int, nodes: int, actions: int) -> None:
        shape = count, nodes, actions
        self.rows, self.child = np.arange(count), np.full(shape, -1, np.int32)
        self.prior, self.visits, self.total = (np.zeros(shape, np.float32) for _ in range(3))
        self.sign, self.value = (np.zeros(shape[:2], np.float32) for _ in range(2))

    def choose(self, node: Array) -> Array:
        """For each game the action to try at its node."""
        at = self.rows, node
        visits, sign, prior = self.visits[at], self.sign[at][:, None], self.prior[at]
        seen = visits.sum(axis=1, keepdims=True)
        mean = sign * (self.total[at].sum(axis=1, keepdims=True) + self.value[at][:, None])
        untried = mean / (seen + 1) - FIRST_PLAY
        worth = np.where(visits > 0, sign * self.total[at] / np.maximum(visits, 1), untried)
        score = worth + EXPLORATION * prior * np.sqrt(seen + 1) / (1 + visits)
        return np.where(prior < 0, -np.inf, score).argmax(axis=1)  # -1 is what is not legal

    def expand(self, number: int, games: GameBatch, net: Network, live: Array) -> None:
        """Make node ``number`` of each live game of its position, judged by the network."""
        which = np.flatnonzero(live)
        if not len(which):
            return
        legal = games.legal_actions_mask()[which]
        seen, white = net.see(games.observation_tensor()[which])
        pieces = [net(seen[at : at + 32], {}) for at in range(0, len(seen), 32)]
        logits, values = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
        logits = net.turn_colours(logits, white)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True)) * legal
        chances /= chances.sum(axis=1, keepdims=True)
        self.prior[which, number] = np.where(legal, chances, -1)
        self.sign[which, number] = 1 - 2 * games.current_players()[which]
        self.value[which, number] = values * self.sign[which, number]

    def simulate(self, number: int, games: GameBatch, net: Network, live: Array) -> None:
        """Go down to a new node or to the end of the game, and take its value back up."""
        node, path, going = np.zeros(games.count, np.intp), [], live
        values, new = np.zeros(games.count, np.float32), np.zeros(games.count, np.bool_)
        while going.any():
            action = np.where(going, self.choose(node), STAY)
            rewards, done = games.step(action)
            path.append((node, action, going))
            values += rewards[:, 0]
            following = self.child[self.rows, node, action]
            fresh = going & ~done & (following < 0)
            self.child[self.rows[fresh], node[fresh], action[fresh]] = number
            new |= fresh
            going = going & ~done & ~fresh
            node = np.where(going, following, node)
        self.expand(number, games, net, new)
        values[new] = self.value[new, number]
        for node, action, moved in path:
            at = self.rows[moved], node[moved], action[moved]
            self.visits[at] += 1
            self.total[at] += values[moved]


def search(games: GameBatch, net: Network, ways: int, live: Array, rng: Rng | None) -> Array:
    """For each live game how often each action was tried; with ``rng`` also unlikely ones."""
    trees = Trees(games.count, ways + 1, games.game.num_distinct_actions())
    trees.expand(0, games, net, live)
    if rng is not None:  # noise, so that no action stays untried
        prior, legal = trees.prior[:, 0], trees.prior[:, 0] >= 0
        alpha = SPREAD / np.maximum(legal.sum(axis=1, keepdims=True), 1)
        noise = rng.gamma(alpha, size=prior.shape) * legal + 1e-30
        noise *= NOISE / noise.sum(axis=1, keepdims=True)
        trees.prior[:, 0] = np.where(legal, (1 - NOISE) * prior + noise, -1)
    for number in range(1, ways + 1):
        trees.simulate(number, games.copy(), net, live)
    return trees.visits[:, 0]


# -- playing and learning -----------------------------------------------------------------------
class Samples(NamedTuple):
    """Positions from the side of the mover, what the search chose there, and who has won."""

    seen: Array
    chosen: Array
    won: Array


def join(parts: list[Samples]) -> Samples:
    """One set of many."""
    return Samples(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def self_play(net: Network, games: GameBatch, ways: int, seed: list[int]) -> Samples:
    """Play all games of a batch to their ends, and return their positions."""
    rng = np.random.default_rng(seed)
    live, outcome = np.ones(games.count, np.bool_), np.zeros((games.count, 2), np.float32)
    steps: list[tuple[Array, Array, Array, Array]] = []
    while live.any():
        visits = search(games, net, ways, live, rng)
        which, players = np.flatnonzero(live), games.current_players()
        chosen = visits / np.maximum(visits.sum(axis=1, keepdims=True), 1)
        seen, white = net.see(games.observation_tensor())
        turned = net.turn_colours(chosen, white).astype(np.float16)
        steps.append((which, players[which], seen[which], turned[which]))
        noise = rng.gumbel(size=chosen.shape) if len(steps) <= OPENING else 0
        actions = (np.log(chosen + 1e-30) + noise).argmax(axis=1)
        rewards, done = games.step(np.where(live, actions, STAY))
        outcome += rewards
        live &= ~done
    return join([Samples(*rest, outcome[which, players]) for which, players, *rest in steps])


class Adam:
    """The optimizer: steps along the gradients, each weight at a pace of its own."""

    def __init__(self, weights: Weights) -> None:
        self.weights, self.steps = weights, 0
        self.means = {f"{name}.mean": np.zeros_like(w) for name, w in weights.items()}
        self.squares = {f"{name}.square": np.zeros_like(w) for name, w in weights.items()}

    def step(self, gradients: Weights, rate: float) -> None:
        """Change the weights in place."""
        self.steps += 1
        pace = rate * np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        for name, gradient in gradients.items():
            mean, square = self.means[f"{name}.mean"], self.squares[f"{name}.square"]
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            weights = self.weights[name]
            weights -= pace * mean / (np.sqrt(square) + 1e-8) + rate * DECAY * weights


def draw(samples: Samples, symmetries: Array, rng: Rng) -> Samples:
    """Random positions, each turned and reflected at random."""
    which = rng.integers(len(samples.won), size=BATCH)
    order = symmetries[rng.integers(len(symmetries), size=BATCH)]
    cells, rows = order.shape[1], np.arange(BATCH)[:, None]
    rest = np.tile(np.arange(2 * cells, samples.chosen.shape[1]), (BATCH, 1))
    chosen = samples.chosen[which][rows, np.concatenate([order, order + cells, rest], axis=1)]
    return Samples(samples.seen[which][rows, order], chosen.astype(np.float32), samples.won[which])


def learn(net: Network, adam: Adam, batch: Samples, rate: float) -> tuple[float, float]:
    """Make one step; return how far off the choices (in nats) and the winners (squared) were."""
    kept: Weights = {}
    logits, values = net(batch.seen, kept)
    logits = logits - logits.max(axis=1, keepdims=True)
    logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    count, off = np.float32(len(values)), values - batch.won
    by_logits, by_values = (np.exp(logs) - batch.chosen) / count, 2 * off * (1 - values**2) / count
    adam.step(net.gradients(kept, by_logits, by_values), rate)
    return -float((batch.chosen * logs).sum() / count), float((off**2).mean())


def match(net: Network, games: int, chosen: argparse.Namespace) -> int:
    """The games that the network wins against a level of yoddd, in pairs with colours exchanged."""
    batch = GameBatch(games, chosen.game, chosen.board, restarts=False)
    states = [batch.game.new_initial_state() for _ in range(games)]
    draws = [random.Random(f"{chosen.seed}/{number // 2}") for number in range(games)]  # noqa: S311
    levels = [Levelled(ENGINES[STRONGEST](), LEVELS[chosen.level - 1]) for _ in range(games)]
    queues: list[list[int]] = [[] for _ in range(games)]
    ours, wins = np.arange(games) % 2, 0
    while (players := batch.current_players()).max() >= 0:
        visits = search(batch, net, chosen.strong, players == ours, None)
        actions = np.where(players == ours, visits.argmax(axis=1), STAY)
        for number in np.flatnonzero(players == 1 - ours):
            if not queues[number]:
                position, drawn = states[number].position, draws[number].randrange(2**32)
                found = levels[number].search(position, Budget(), drawn, lambda: False)
                queues[number] = list(batch.game.actions.of_turn(found.turn, position))
            actions[number] = queues[number].pop(0)
        rewards, _ = batch.step(actions)
        wins += int((rewards[np.arange(games), ours] > 0).sum())
        for number in np.flatnonzero(actions != STAY):
            states[number].apply_action(int(actions[number]))
    return wins


# -- a run, and the command line ----------------------------------------------------------------
class Run:
    """A network in training, and all that it takes to go on after a break."""

    def __init__(self, chosen: argparse.Namespace) -> None:
        self.chosen, self.game = chosen, load_game(chosen.game, chosen.board)
        self.net = Network(self.game, chosen.seed)
        self.adam, self.done, self.seconds = Adam(self.net.weights), 0, 0.0
        self.samples: list[Samples] = []  # one set, after the first iteration
        self.stores = self.net.weights, self.adam.means, self.adam.squares

    def load(self) -> None:
        """Go on where the file ends."""
        with np.load(self.chosen.file) as file:
            for store in self.stores:
                store.update({name: file[name] for name in store})
            self.samples = [Samples(*(file[name] for name in Samples._fields))]
            done, steps, self.seconds = file["counts"]
            self.done, self.adam.steps = int(done), int(steps)

    def save(self) -> None:
        """Write the file; a break at any moment loses one iteration."""
        partial, counts = Path(f"{self.chosen.file}.part.npz"), [self.done, self.adam.steps]
        arrays = {name: array for store in self.stores for name, array in store.items()}
        np.savez(partial, counts=[*counts, self.seconds], **arrays, **self.samples[0]._asdict())
        partial.replace(self.chosen.file)

    def iterate(self) -> str:
        """Play and learn, and return a line about it."""
        chosen, begun = self.chosen, time.process_time()

        def play(half: int) -> Samples:
            games = GameBatch(chosen.games // 2, chosen.game, chosen.board, restarts=False)
            return self_play(self.net, games, chosen.ways, [chosen.seed, self.done, half])

        with ThreadPoolExecutor(2) as pool:
            new = join(list(pool.map(play, range(2))))
        samples = Samples(*(array[-WINDOW:] for array in join([*self.samples, new])))
        rng, steps = np.random.default_rng([chosen.seed, self.done]), len(new.won) * REUSE // BATCH
        batches = [draw(samples, self.net.symmetries, rng) for _ in range(steps + 1)]
        rate = RATE * (1 - 0.95 * self.done / chosen.iterations)
        choice, winner = np.mean([learn(self.net, self.adam, one, rate) for one in batches], axis=0)
        self.samples, self.done = [samples], self.done + 1
        self.seconds += time.process_time() - begun
        return f"{self.done:9} {self.seconds / 60:12.1f} {choice:7.3f} {winner:7.3f}"


SETTINGS = {
    "game": ("yodd", "the game"),
    "board": ("hex4", "the board"),
    "seed": (1, "the same seed gives the same run"),
    "iterations": (120, "when to end"),
    "games": (256, "games of an iteration, or of the match"),
    "ways": (32, "ways down the tree for each action in training"),
    "strong": (128, "the same in a match"),
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
