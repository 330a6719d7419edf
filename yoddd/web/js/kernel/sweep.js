// Perfect play by the kernel: sweeps over all that can follow, and proofs by search.
import { SWAP } from '../notation.js';
import { KernelBoard, turnOf } from './board.js';

/** @typedef {import('./module.js').Kernel} Kernel */
/** @typedef {import('../rules.js').Position} Position */
/** @typedef {import('../rules.js').Turn} Turn */
/** @typedef {import('../rules.js').Colour} Colour */

/**
 * @typedef {object} TurnValue
 * @property {Turn} turn
 * @property {boolean} wins whether the participant who takes it wins by best play
 * @property {number | null} distance turns to the end of the game, this one included; null if it is not known
 */

const VALUE = 16;
const WORST = 1000;

/** The place of a value among those of one position: the greatest is the best turn's. @param {TurnValue} value */
const rankOf = ({ wins, distance }) => (wins ? -(distance ?? 0) : (distance ?? 0) - WORST);

/** Best first. @param {TurnValue[]} values */
export const sorted = (values) => values.sort((a, b) => rankOf(b) - rankOf(a));

/** The values of all positions that can follow from one. */
export class Sweep {
  /** Of a position that does not follow closely enough: those of the latest one are kept. */
  #later = 0;

  /** @param {Kernel} kernel @param {Position} position @param {boolean} hasDistances @param {number} at */
  constructor(kernel, position, hasDistances, at) {
    this.kernel = kernel;
    this.rules = position.rules;
    this.canSwap = position.illegality(SWAP) === null;
    this.hasDistances = hasDistances;
    this.at = at;
  }

  /**
   * Sweeps from a position; null if the time is up before.
   * @param {Kernel} kernel
   * @param {Position} position
   * @param {{hasDistances: boolean, seconds: number}} how 0 seconds are no limit
   */
  static make(kernel, position, { hasDistances, seconds }) {
    const board = new KernelBoard(kernel, position);
    try {
      const at = kernel.call.yoddd_sweep_new(board.at, Number(hasDistances), 1, seconds);
      return at ? new Sweep(kernel, position, hasDistances, at) : null;
    } finally {
      board.free();
    }
  }

  /** Whether the participant on turn of the position itself wins. */
  get wins() {
    return this.canSwap || this.kernel.call.yoddd_sweep_wins(this.at) === 1;
  }

  free() {
    this.kernel.call.yoddd_sweep_free(this.at);
    this.kernel.call.yoddd_sweep_free(this.#later);
    this.at = 0;
    this.#later = 0;
  }

  /** Whether a position can follow from that of the sweep. @param {Position} position */
  covers(position) {
    if (JSON.stringify(named(position)) !== JSON.stringify(named(this))) return false;
    const board = new KernelBoard(this.kernel, position);
    const follows = this.kernel.call.yoddd_sweep_follows(this.at, board.at) === 1;
    board.free();
    return follows;
  }

  /** The value of each legal turn of a position that is covered, best first. @param {Position} position @returns {TurnValue[]} */
  turns(position) {
    const values = sorted(this.#values(position));
    if (position.illegality(SWAP) !== null) return values;
    // White is on turn again, as the other participant.
    const [best] = values;
    const distance = best.distance === null ? null : best.distance + 1;
    return sorted([...values, { turn: SWAP, wins: !best.wins, distance }]);
  }

  /** Best play of both colours to the end. @param {Position} position @returns {Turn[]} */
  line(position) {
    const line = [];
    for (let after = position; !after.isOver;) {
      const [{ turn }] = sorted(this.#values(after));
      line.push(turn);
      after = after.play(turn);
    }
    return line;
  }

  /** Those of a swap left out. @param {Position} position @returns {TurnValue[]} */
  #values(position) {
    const { kernel } = this;
    const board = new KernelBoard(kernel, position);
    try {
      const at = this.#keeping(board);
      const count = kernel.checked(kernel.call.yoddd_sweep_turns(at, board.at, 0, 0));
      return kernel.borrow(VALUE * count, (out) => {
        kernel.call.yoddd_sweep_turns(at, board.at, out, count);
        const words = kernel.words(out, 4 * count);
        return Array.from({ length: count }, (_, i) => {
          const [first, second, wins, distance] = words.subarray(4 * i, 4 * i + 4);
          const turn = turnOf([first, second], board.cells);
          return { turn, wins: wins === 1, distance: distance || null };
        });
      });
    } finally {
      board.free();
    }
  }

  /** The sweep that has kept the values of a position's turns. @param {KernelBoard} board */
  #keeping(board) {
    const { call } = this.kernel;
    if (call.yoddd_sweep_covers(this.at, board.at) === 1) return this.at;
    if (!this.#later || call.yoddd_sweep_covers(this.#later, board.at) !== 1) {
      call.yoddd_sweep_free(this.#later);
      this.#later = 0;
      const made = call.yoddd_sweep_new(board.at, Number(this.hasDistances), 1, 0);
      this.#later = this.kernel.made(made);
    }
    return this.#later;
  }
}

/** The rules of a position or a sweep, to be compared. @param {{rules: import('../rules.js').Rules}} of */
const named = ({ rules: { game, board, options } }) => [game, board.name, options];

/** The bytes that a sweep with so many empty cells takes; 0 if there are too many. @param {Kernel} kernel @param {Position} position @param {boolean} hasDistances */
export function sweepMemory(kernel, position, hasDistances, empty = emptyCells(position)) {
  const board = new KernelBoard(kernel, position);
  const bytes = kernel.call.yoddd_sweep_memory(board.at, empty, Number(hasDistances));
  board.free();
  return Number(BigInt.asUintN(64, bytes));
}

/** The number of empty cells. @param {Position} position */
export const emptyCells = (position) =>
  position.cells.reduce((count, colour) => count + Number(colour < 0), 0);

/**
 * Searches a proof of who wins; null if the limits are reached before.
 * @param {Kernel} kernel
 * @param {Position} position
 * @param {{nodes: number, seconds: number, memory: number}} limits
 * @returns {{winner: Colour, turn: Turn} | null}
 */
export function solve(kernel, position, { nodes, seconds, memory }) {
  const board = new KernelBoard(kernel, position);
  try {
    return kernel.borrow(8, (at) => {
      const winner = kernel.call.yoddd_solve(
        board.at,
        BigInt(nodes),
        seconds,
        BigInt(memory),
        1,
        at,
      );
      const turn = turnOf([...kernel.words(at, 2)], board.cells);
      return winner < 0 ? null : { winner: /** @type {Colour} */ (winner), turn };
    });
  } finally {
    board.free();
  }
}
