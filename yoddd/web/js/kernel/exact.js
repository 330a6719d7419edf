// The exact values of the positions at the end of a game, as yoddd/library/review/exact.py has them:
// by sweeps, before these by proofs.
import { SWAP, isSameTurn } from '../notation.js';
import { opponents, proven } from './judgement.js';
import { Sweep, isBeforeSwap, solve, sweepCost } from './sweep.js';
import { isSoleWin } from './symmetry.js';

/** @typedef {import('../rules.js').Position} Position */
/** @typedef {import('../rules.js').Turn} Turn */
/** @typedef {import('./judgement.js').Chance} Chance */
/** @typedef {import('./module.js').Kernel} Kernel */

/**
 * The exact value of a position.
 * @typedef {object} Known
 * @property {Chance} chance of the player
 * @property {boolean} isSole whether only one turn wins, up to symmetry, of enough that are legal
 * @property {() => Turn[]} findLine best play of both, which takes a while
 */

/** The longest expected time of a sweep, and how many times it has to be within. */
const [SECONDS, HASTE] = [1, 2];
/** Bytes of a sweep, and the limits of a proof by search. */
const MEMORY = 128 << 20;
const PROOF_MEMORY = 16 << 20;
const NODES = 10_000;
/** The fewest legal turns of which the only one that wins is worth a remark. */
const FEWEST = 8;

export class ExactValues {
  /** @type {Sweep[]} */
  #sweeps = [];
  /** @type {Map<Position, Known>} */
  #known = new Map();

  /** @param {Kernel} kernel @param {readonly Position[]} positions those before each turn, and the last one */
  constructor(kernel, positions) {
    this.kernel = kernel;
    this.positions = positions;
    /** The index of the first position that is known; the number of positions if none is. */
    this.first = positions.length;
    this.#extend();
    this.#addSweeps();
    this.#addProofs();
  }

  free() {
    for (const sweep of this.#sweeps.splice(0)) sweep.free();
  }

  /** The value of a position from the first known one on. @param {number} at */
  known(at) {
    const known = this.#look(this.positions[at]);
    if (!known) throw new Error(`position ${at} is not known`);
    return known;
  }

  /** The value behind a turn that was not played; null if it is not found. @param {Position} position @param {Turn} turn */
  after(position, turn) {
    const after = position.play(turn);
    return this.#look(after) ?? this.#solve(after);
  }

  /** @param {Position} position @returns {Known | null} */
  #look(position) {
    const known = this.#known.get(position) ?? this.#read(position);
    if (known) this.#known.set(position, known);
    return known;
  }

  /** @param {Position} position @returns {Known | null} */
  #read(position) {
    const outcome = position.outcome();
    if (outcome) {
      const chance = proven(outcome.winner === position.player, 0);
      return { chance, isSole: false, findLine: () => [] };
    }
    if (isBeforeSwap(position)) return null;
    const sweep = this.#sweeps.find((one) => one.covers(position));
    if (!sweep) return null;
    const values = sweep.turns(position);
    const [best] = values;
    return {
      chance: proven(best.wins, best.distance),
      isSole: values.length >= FEWEST && isSoleWin(position, values),
      findLine: () => [best.turn, ...lineAfter(sweep, position.play(best.turn))],
    };
  }

  /** Goes back as far as the sweeps reach. */
  #extend() {
    while (this.first && this.#look(this.positions[this.first - 1])) this.first -= 1;
  }

  /** Makes a sweep of the earliest position that allows it, then a compact one before that. */
  #addSweeps() {
    for (const hasDistances of [true, false]) {
      const position = this.positions
        .slice(0, this.first)
        .find((one) => !isBeforeSwap(one) && this.#allows(one, hasDistances));
      const sweep = position && Sweep.make(this.kernel, position, { hasDistances, seconds: 0 });
      if (!sweep) continue;
      this.#sweeps.push(sweep);
      this.#extend();
    }
  }

  /** @param {Position} position @param {boolean} hasDistances */
  #allows(position, hasDistances) {
    const { bytes, seconds } = sweepCost(this.kernel, position, hasDistances);
    return HASTE * seconds <= SECONDS && bytes > 0 && bytes <= MEMORY;
  }

  /** Searches proofs of the positions before, up to the first failure. */
  #addProofs() {
    while (this.first) {
      const position = this.positions[this.first - 1];
      const found = this.#solve(position);
      if (!found) return;
      this.#known.set(position, found);
      this.first -= 1;
      this.#extend();
    }
  }

  /** @param {Position} position @returns {Known | null} */
  #solve(position) {
    if (isBeforeSwap(position)) return null;
    const limits = { nodes: NODES, seconds: 0, memory: PROOF_MEMORY };
    const found = solve(this.kernel, position, limits);
    if (!found) return null;
    // Before a swap the player chooses the colour.
    const wins = found.winner === position.player || position.illegality(SWAP) === null;
    return { chance: proven(wins), isSole: false, findLine: () => (wins ? [found.turn] : []) };
  }
}

/** Best play of participants who may swap. @param {Sweep} sweep @param {Position} position @returns {Turn[]} */
function lineAfter(sweep, position) {
  if (position.isOver) return [];
  if (position.illegality(SWAP) !== null) return sweep.line(position);
  const [{ turn }] = sweep.turns(position);
  if (isSameTurn(turn, SWAP)) return [turn, ...sweep.line(position.play(turn))];
  return sweep.line(position);
}

/** The chance of the player whose turn leads to a known position. @param {Chance} after @returns {Chance} */
export const earlier = (after) => ({
  ...opponents(after),
  distance: after.distance === null ? null : after.distance + 1,
});
