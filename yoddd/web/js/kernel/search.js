// A tree search of the kernel.
import { turnOf } from './board.js';

/** @typedef {import('./module.js').Kernel} Kernel */
/** @typedef {import('./board.js').KernelBoard} KernelBoard */
/** @typedef {import('../rules.js').Colour} Colour */
/** @typedef {import('../rules.js').Turn} Turn */

/**
 * @typedef {object} SearchStats
 * @property {number} playouts of the last run
 * @property {number} visits of the position, those from before its last turn included
 * @property {number} nodes in memory
 * @property {number} winrate 0 to 1 for the player
 * @property {number} margin expected, for the player
 * @property {number} spread standard deviation of the margin
 * @property {Colour | null} proven the colour that wins for certain
 */

/**
 * @typedef {object} HalfTurn
 * @property {number} move
 * @property {number} visits
 * @property {number} value 0 to 1 for the player
 * @property {number} margin
 * @property {number} spread
 * @property {number} lent the value by the statistics of its stone alone
 * @property {Colour | null} proven
 */

const STATS = 56;
const REPORT = 48;

/** @param {number} colour @returns {Colour | null} */
const colourOf = (colour) => (colour < 0 ? null : /** @type {Colour} */ (colour));

export class TreeSearch {
  /**
   * @param {Kernel} kernel
   * @param {KernelBoard} board the position at the root
   * @param {{weights: Float32Array, memory: number, seed: bigint}} settings no weights without a learned value
   */
  constructor(kernel, board, { weights, memory, seed }) {
    this.kernel = kernel;
    this.cells = board.cells;
    this.at = kernel.borrow(4 * weights.length + 4, (at) => {
      kernel.floats(at, weights.length).set(weights);
      return kernel.made(
        kernel.call.yoddd_search_new(board.at, at, weights.length, BigInt(memory), 1, seed),
      );
    });
  }

  free() {
    this.kernel.call.yoddd_search_free(this.at);
    this.at = 0;
  }

  /** Says of how many visits the next runs are going to be. @param {number} visits */
  expect(visits) {
    this.kernel.call.yoddd_expect(this.at, BigInt(visits));
  }

  /**
   * Searches on until a limit or a proof; whether there is a proof.
   * @param {{playouts?: number, visits?: number, seconds?: number}} limits 0 is no limit
   */
  run({ playouts = 0, visits = 0, seconds = 0 }) {
    const { call } = this.kernel;
    return call.yoddd_run(this.at, BigInt(playouts), BigInt(visits), seconds) === 1;
  }

  /** @returns {SearchStats} */
  stats() {
    const { kernel } = this;
    return kernel.borrow(STATS, (at) => {
      kernel.call.yoddd_search_stats(this.at, at);
      const view = kernel.view(at);
      return {
        playouts: Number(view.getBigUint64(0, true)),
        visits: Number(view.getBigUint64(8, true)),
        nodes: Number(view.getBigUint64(16, true)),
        winrate: view.getFloat64(24, true),
        margin: view.getFloat64(32, true),
        spread: view.getFloat64(40, true),
        proven: colourOf(view.getInt32(48, true)),
      };
    });
  }

  /** @returns {Turn} */
  bestTurn() {
    const { kernel } = this;
    return kernel.borrow(8, (at) => {
      const count = kernel.call.yoddd_best_turn(this.at, at);
      return turnOf([...kernel.words(at, count)], this.cells);
    });
  }

  /**
   * The most visited half turns after those of a turn begun, most visited first.
   * @param {readonly number[]} after
   * @param {number} most
   * @returns {HalfTurn[]}
   */
  halfTurns(after = [], most = 2 * this.cells + 3) {
    const { kernel } = this;
    return kernel.withWords(after, (begun, begins) =>
      kernel.borrow(REPORT * most, (at) => {
        const count = kernel.checked(
          kernel.call.yoddd_report_moves(this.at, begun, begins, at, most),
        );
        return Array.from({ length: count }, (_, i) => {
          const view = kernel.view(at + REPORT * i);
          return {
            move: view.getInt32(0, true),
            proven: colourOf(view.getInt32(4, true)),
            visits: Number(view.getBigUint64(8, true)),
            value: view.getFloat64(16, true),
            margin: view.getFloat64(24, true),
            spread: view.getFloat64(32, true),
            lent: view.getFloat64(40, true),
          };
        });
      }),
    );
  }

  /** The half turns `after` and those expected behind them. @param {readonly number[]} after @param {number} most */
  line(after, most) {
    const { kernel } = this;
    return kernel.withWords(after, (begun, begins) =>
      kernel.borrow(4 * most, (at) => {
        const count = kernel.checked(kernel.call.yoddd_line(this.at, begun, begins, at, most));
        return [...kernel.words(at, count)];
      }),
    );
  }

  /** For each cell the mean colour at the end of playouts: 1 for black, -1 for white. */
  ownership() {
    const { kernel } = this;
    return kernel.borrow(8 * this.cells, (at) => {
      kernel.call.yoddd_ownership(this.at, at);
      return [...kernel.doubles(at, this.cells)];
    });
  }

  /** Moves the root along a legal turn; without one makes room. @param {readonly number[]} moves */
  advance(moves) {
    const { kernel } = this;
    kernel.withWords(moves, (at, count) =>
      kernel.checked(kernel.call.yoddd_advance(this.at, at, count)),
    );
  }
}
