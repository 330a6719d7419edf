// What the engine plays and reports: the kernel's player, in slices.
import { KernelError } from '../base/errors.js';
import { PASS, formatPosition, parseShown, parseTurn } from '../rules/notation.js';
import { pairOf, turnOf, withBoard } from './board.js';
import { weightsFor } from './weights.js';

/** @import { Position, Turn } from '../rules/rules.js' */
/** @import { Kernel } from './module.js' */
/** The most playouts of a search, null for no limit, and how flat the choice is, 0 for none. @typedef {{playouts: number | null, spread: number}} Level */

/**
 * A game up to now: a position as a line, its game, and the turns since.
 * @typedef {{start: string, turns: string[], game?: Partial<import('../rules/rules.js').OwnGame>}} SetUp
 */

/**
 * @typedef {object} Budget the limits of a search; the first that is reached ends it
 * @property {number} [level] 1 to 10; without one full strength
 * @property {number} [playouts]
 * @property {number} [visits] of the position, those kept from earlier searches included
 * @property {number} [seconds]
 * @property {bigint | number} [seed] 0 if it is not given
 * @property {number} [memory] bytes for the tree
 */

/**
 * @typedef {object} Candidate
 * @property {Turn} turn
 * @property {number} visits
 * @property {number} winrate 0 to 1 for the player
 * @property {number} margin the expected difference in groups, for the player
 * @property {number} spread its standard deviation
 * @property {Turn[]} line the turn and those expected after it
 * @property {number | null} distance if the result is proven, turns to the end of the game, this one included; null if it is not proven or not known
 */

/**
 * @typedef {object} Insight what a search has found
 * @property {Candidate[]} candidates best first
 * @property {number} visits
 * @property {number} winrate 0 to 1 for the player
 * @property {number} margin
 * @property {number} spread
 * @property {number[]} ownership for each cell what is expected there in the end: 1 a stone of the colour to move, -1 one of the other
 * @property {number[]} policy how likely each half turn is before any search, -1 where it is not
 *   legal: black stones by cell, white stones by cell, the pass, the swap
 * @property {0 | 1 | null} proven the colour that wins for certain
 */

/** @typedef {{turn: Turn, winrate: number | null, margin: number | null, visits: number}} Found winrate and margin are null where nothing was searched */

/** Called between slices; gives way to messages. @callback Pause @returns {Promise<boolean>} whether the search is to end */

/** Milliseconds to the next report. */
const REPORT_EVERY = 200;
/** The playouts of a search without any limit. */
const PLAYOUTS = 50_000;
/** Bytes of the tree: memory of the module never shrinks, and is given out in powers of two. */
const MEMORY = (64 << 20) - 4096;
/** Bytes of a sweep: 19 empty cells for the winner, 17 with distances. */
const SWEEP_MEMORY = 144 << 20;

const GOLDEN_RATIO = 0x9e3779b97f4a7c15n;
export const MOST_SEED = (1n << 63n) - 1n;
/** The seed of the search for a turn, as yoddd/protocol/parameters.py derives it. @param {bigint | number} seed @param {number} turn */
const searchSeed = (seed, turn) => (BigInt(seed) + BigInt(turn) * GOLDEN_RATIO) & MOST_SEED;

/** Whether a pass answers a pass and wins at once: every level ends such a game. @param {Position} position */
export const winsByPassing = (position) =>
  position.passes > 0 &&
  position.illegality(PASS) === null &&
  position.play(PASS).outcome()?.winner === position.player;

export class Player {
  /**
   * @param {Kernel} kernel
   * @param {{knots: import('./weights.js').Knots, levels: Level[]}} data
   */
  constructor(kernel, data) {
    this.kernel = kernel;
    this.data = data;
    /** The address of the kernel's engine. @type {number} */
    this.at = kernel.made(kernel.call.yoddd_engine_new());
  }

  /** The turn to play. @param {SetUp} setUp @param {Budget} budget @param {Pause} pause @returns {Promise<Found>} */
  async genmove(setUp, { seed = 0, ...limits }, pause) {
    const level = this.#level(limits.level);
    const position = positionOf(setUp);
    if (position.isOver) throw new KernelError('the game is over');
    const budget = { ...limits, seed: searchSeed(seed, position.number) };
    if (winsByPassing(position)) return { turn: PASS, winrate: 1, margin: null, visits: 0 };
    const learned = weightsFor(this.data.knots, position.rules);
    if (level?.spread && learned.length)
      return {
        turn: this.#draw(position, level, budget) ?? PASS,
        winrate: null,
        margin: null,
        visits: 0,
      };
    // Levels begin each turn afresh, so that a turn depends on nothing but the position and the seed.
    if (level?.playouts) this.kernel.call.yoddd_engine_drop(this.at);
    this.#begin(setUp, level?.playouts ? { ...budget, playouts: least(level, budget) } : budget);
    const found = await this.#search(position, pause);
    if (level?.spread) found.turn = this.#draw(position, level, budget) ?? found.turn;
    return found;
  }

  /**
   * Searches until a limit or `pause` says that it is to end, and reports on the way and at the end.
   * @param {SetUp} setUp
   * @param {Budget} budget without any limit it goes on
   * @param {Pause} pause
   * @param {(insight: Insight) => void} report
   */
  async analyze(setUp, budget, pause, report) {
    const position = this.#begin(setUp, { playouts: 0, ...budget }, true);
    const policy = this.#policy(position);
    let due = performance.now() + REPORT_EVERY;
    await this.#search(position, pause, () => {
      if (performance.now() < due) return;
      report({ ...this.#insight(position), policy });
      due = performance.now() + REPORT_EVERY;
    });
    report({ ...this.#insight(position), policy });
  }

  /** Searches without what was found before; whether `pause` ended it. @param {Position} position @param {Budget} budget @param {Pause} pause */
  async searchAfresh(position, budget, pause) {
    this.kernel.call.yoddd_engine_drop(this.at);
    this.#begin(
      { start: formatPosition(position), turns: [], game: position.rules.definition },
      budget,
    );
    let isStopped = false;
    await this.#search(position, async () => {
      isStopped ||= await pause();
      return isStopped;
    });
    return isStopped || (await pause());
  }

  /** @param {number | undefined} number @returns {Level | null} */
  #level(number) {
    if (number === undefined) return null;
    const level = this.data.levels[number - 1];
    if (!level) throw new KernelError(`level ${number}: expected 1 to ${this.data.levels.length}`);
    return level;
  }

  /** @param {SetUp} setUp @param {Budget} budget @returns {Position} */
  #begin(setUp, { playouts, visits = 0, seconds = 0, seed = 0, memory = MEMORY }, resumes = false) {
    const { position, moves } = replay(setUp);
    const most = playouts ?? (seconds || visits ? 0 : PLAYOUTS);
    const { kernel } = this;
    this.#with(position, (board, weights, count) =>
      kernel.withWords(moves, (turns) =>
        kernel.checked(
          kernel.call.yoddd_engine_begin(
            ...[this.at, board.at, turns, moves.length / 2, weights, count],
            ...[memory, BigInt.asUintN(64, BigInt(seed)), most, visits].map(BigInt),
            ...[seconds, BigInt(SWEEP_MEMORY), Number(resumes)],
          ),
        ),
      ),
    );
    return position;
  }

  /** @param {Position} position @param {Pause} pause @param {() => void} [look] called after each slice @returns {Promise<Found & {winrate: number}>} */
  async #search(position, pause, look = () => undefined) {
    const { call } = this.kernel;
    while (call.yoddd_engine_step(this.at) === 1) {
      if (await pause()) break;
      look();
    }
    call.yoddd_engine_finish(this.at);
    const [moves, visits, winrate, margin] = this.kernel.json(call.yoddd_engine_result(this.at));
    return { turn: turnOf(moves, position.rules.board.cells), winrate, margin, visits };
  }

  /** @param {Position} position @returns {Omit<Insight, 'policy'>} */
  #insight(position) {
    const [all, visits, winrate, margin, spread, ownership, , proven] = this.kernel.json(
      this.kernel.call.yoddd_engine_report(this.at),
    );
    const candidates = all.map((/** @type {any[]} */ [moves, ...figures]) => {
      const line = moves.map((/** @type {number[]} */ one) =>
        turnOf(one, position.rules.board.cells),
      );
      const [seen, chance, lead, deviation, , distance] = figures;
      const known = { visits: seen, winrate: chance, margin: lead, spread: deviation };
      return { turn: line[0], ...known, line, distance: distance || null };
    });
    const winner = proven < 0 ? null : proven;
    return { candidates, visits, winrate, margin, spread, ownership, proven: winner };
  }

  /**
   * A turn of a level that draws it; null where nothing is known of the half turns.
   * @param {Position} position @param {Level} level @param {Budget} budget @returns {Turn | null}
   */
  #draw(position, { spread }, { seed = 0 }) {
    const { kernel } = this;
    return this.#with(position, (board, weights, length) =>
      kernel.borrow(8, (at) => {
        const drawn = [weights, length, spread, BigInt.asUintN(64, BigInt(seed)), at];
        const count = kernel.checked(kernel.call.yoddd_engine_draw(this.at, board.at, ...drawn));
        return count ? turnOf([...kernel.words(at, count)], board.cells) : null;
      }),
    );
  }

  /**
   * Calls `work` with the board of a position and its weights in the module's memory, at 0 where there are none.
   * @template T
   * @param {Position} position
   * @param {(board: import('./board.js').KernelBoard, weights: number, count: number) => T} work
   * @returns {T}
   */
  #with(position, work) {
    const { kernel } = this;
    const weights = weightsFor(this.data.knots, position.rules);
    return withBoard(kernel, position, (board) =>
      kernel.borrow(4 * weights.length + 4, (at) => {
        kernel.floats(at, weights.length).set(weights);
        return work(board, weights.length && at, weights.length);
      }),
    );
  }

  /** @param {Position} position */
  #policy(position) {
    const { cells } = position.rules.board;
    const weights = weightsFor(this.data.knots, position.rules);
    return withBoard(this.kernel, position, (board) => policyOf(board.policy(weights), cells));
  }
}

/** A game's position, and its turns as two half turns each. @param {SetUp} setUp @returns {{position: Position, moves: number[]}} */
function replay({ start, turns, game }) {
  let position = parseShown(start, game);
  const moves = turns.flatMap((token) => {
    const turn = parseTurn(token, position.rules, position.player);
    position = position.play(turn);
    return pairOf(turn, position.rules.board.cells);
  });
  return { position, moves };
}

/** @param {SetUp} setUp */
export const positionOf = (setUp) => replay(setUp).position;

/** The playouts that a level leaves of a budget. @param {Level} level @param {Budget} budget */
const least = ({ playouts }, budget) =>
  Math.min(playouts ?? Infinity, budget.playouts ?? playouts ?? Infinity);

/** Probabilities of which the logarithms, but for a constant, are known. @param {ReadonlyMap<number, number>} logs @param {number} cells */
function policyOf(logs, cells) {
  const found = Array(2 * cells + 2).fill(-1);
  let sum = 0;
  for (const log of logs.values()) sum += Math.exp(log);
  // The end of a turn, which has no place, is no half turn of a turn's beginning.
  for (const [move, log] of logs) found[move < 2 * cells ? move : move - 1] = Math.exp(log) / sum;
  return found;
}
