// Perfect play at the end of a game, as yoddd/engine/endgame.py and mcts.py have it: sweeps, which
// are kept until the game is over; before the limits allow one, proofs by search, and sweeps of the
// positions after a few turns.
import { PASS, isSameTurn } from '../notation.js';
import { Sweep, emptyCells, solve, sweepMemory } from './sweep.js';

/** @typedef {import('./module.js').Kernel} Kernel */
/** @typedef {import('../rules.js').Position} Position */
/** @typedef {import('../rules.js').Turn} Turn */
/** The limits of a turn: playouts are infinite where only the time is limited. @typedef {{playouts: number, seconds: number, memory: number}} Limits */
/** A turn whose value is proven, with best play after it as far as it is known. @typedef {import('./sweep.js').TurnValue & {line: Turn[]}} Proven */

/** The part of the time for a sweep that is begun, and for the search of a proof. */
const SHARE = 0.85;
const SOLVER_SHARE = 0.5;
/** The work for each playout of the budget, so that a weak engine stays weak. */
const FILLINGS_PER_PLAYOUT = 20;
const NODES_PER_PLAYOUT = 20;
/** The sweeps of later positions, at the least, for which there has to be time. */
const SETTLED = 1.5;
/** Seconds of a filling, without distances and with them; the share where turns always have as many stones. */
const FILLING_SECONDS = [1.1e-9, 5e-9];
const SINGLE = 0.3;
/** The least and the most time of a sweep, as multiples of what is expected; and the size from which it counts. */
const PACES = [0.25, 4];
const MEASURED = 3 ** 11;
/** Empty cells up to which proofs are searched, with one and with two stones a turn. */
const SOLVER_CELLS = [12, 10];
const SOLVER_NODES = 2_000_000;
const SOLVER_MEMORY = 16 << 20;
/** The most turns that are listed. */
const MOST = 100;

/** Whether the opponent may take over the colour that wins. @param {Position} position */
export const isBeforeSwap = ({ rules, number }) => rules.options.pie === 'on' && number === 1;

/** Whether a pass answers a pass and wins at once: every level ends such a game. @param {Position} position */
export const winsByPassing = (position) =>
  position.passes > 0 &&
  position.illegality(PASS) === null &&
  position.play(PASS).outcome()?.winner === position.player;

/** The expected time of a sweep with so many empty cells. @param {Position} position @param {boolean} hasDistances */
export function sweepSeconds(position, hasDistances, empty = emptyCells(position)) {
  const hasPass = position.facts.odd_total;
  const each = FILLING_SECONDS[Number(hasDistances && hasPass)];
  return 3 ** empty * each * (hasPass ? 1 : SINGLE);
}

/** The latest sweep with distances, or without them. */
class Kept {
  /** @type {Sweep | null} */
  #sweep = null;
  #pace = 1;

  /** @param {Kernel} kernel @param {boolean} hasDistances @param {() => number} now */
  constructor(kernel, hasDistances, now) {
    this.kernel = kernel;
    this.hasDistances = hasDistances;
    this.now = now;
  }

  /** @param {Position} position */
  find(position) {
    return this.#sweep?.covers(position) ? this.#sweep : null;
  }

  drop() {
    this.#sweep?.free();
    this.#sweep = null;
  }

  /** Whether time and memory are expected to suffice for a sweep with so many empty cells. @param {Position} position @param {number} empty @param {Limits} limits */
  fits(position, empty, { seconds, memory }) {
    const expected = this.#pace * sweepSeconds(position, this.hasDistances, empty);
    const needed = sweepMemory(this.kernel, position, this.hasDistances, empty);
    return needed > 0 && needed <= memory && expected <= SHARE * seconds;
  }

  /** A sweep, if one is expected to keep within the limits. @param {Position} position @param {Limits} limits */
  make(position, limits) {
    const { playouts, seconds } = limits;
    const empty = emptyCells(position);
    const fillings = 3 ** empty;
    if (fillings > FILLINGS_PER_PLAYOUT * playouts || !this.fits(position, empty, limits))
      return null;
    this.drop();
    const begun = this.now();
    const limit = Number.isFinite(seconds) ? SHARE * seconds : 0;
    const { hasDistances } = this;
    this.#sweep = Sweep.make(this.kernel, position, { hasDistances, seconds: limit });
    if (fillings >= MEASURED) {
      const expected = sweepSeconds(position, hasDistances);
      const pace = this.#sweep ? (this.now() - begun) / expected : 2 * this.#pace;
      this.#pace = Math.min(Math.max(pace, PACES[0]), PACES[1]);
    }
    return this.#sweep;
  }
}

export class Endgame {
  /** @param {Kernel} kernel @param {() => number} now seconds */
  constructor(kernel, now) {
    this.kernel = kernel;
    this.full = new Kept(kernel, true, now);
    this.compact = new Kept(kernel, false, now);
  }

  drop() {
    this.full.drop();
    this.compact.drop();
  }

  /** The proven turns, best first; none if the limits allow no proof. @param {Position} position @param {Limits} limits @returns {Proven[]} */
  look(position, limits) {
    const values = this.#look(position, limits);
    if (!winsByPassing(position)) return values;
    const others = values.filter(({ turn }) => !isSameTurn(turn, PASS));
    return [{ turn: PASS, wins: true, distance: 1, line: [PASS] }, ...others];
  }

  /** The same by sweeps and proofs. @param {Position} position @param {Limits} limits @returns {Proven[]} */
  #look(position, limits) {
    if (isBeforeSwap(position)) return [];
    const full = this.full.find(position) ?? this.full.make(position, limits);
    if (full) {
      this.compact.drop();
      return withLines(full, position, full.turns(position));
    }
    const compact = this.compact.find(position) ?? this.compact.make(position, limits);
    // Such a sweep does not say which turn loses last.
    const values = compact?.turns(position) ?? [];
    if (compact && values[0].wins) return withLines(compact, position, values);
    return this.#search(position, limits);
  }

  /** Whether the limits allow `settle` to look at a few turns. @param {Position} position @param {Limits} limits */
  settles(position, { playouts, seconds, memory }) {
    if (Number.isFinite(playouts) || !Number.isFinite(seconds)) return false;
    const later = Math.max(0, emptyCells(position) - position.maxStones);
    return this.compact.fits(position, later, { playouts, seconds: seconds / SETTLED, memory });
  }

  /**
   * The first of some turns that is proven to win, null if none is; and those before it that lose.
   * After a turn fewer cells are empty, so that several compact sweeps take less time than one of
   * the position itself. The turns that are the most likely to win come first.
   * @param {Position} position
   * @param {readonly Turn[]} turns
   * @param {() => Limits} limits those of the next sweep
   * @param {() => Promise<boolean>} pause whether that is to end
   * @returns {Promise<{best: Turn | null, lost: Turn[]}>}
   */
  async settle(position, turns, limits, pause) {
    const lost = [];
    for (const turn of turns) {
      const after = position.play(turn);
      const outcome = after.outcome();
      const sweep = outcome || (await pause()) ? null : this.compact.make(after, limits());
      if (!outcome && !sweep) break;
      const wins = outcome ? outcome.winner === position.player : !sweep?.wins;
      if (wins) return { best: turn, lost };
      lost.push(turn);
    }
    return { best: null, lost };
  }

  /** A turn that a search proves to win. @param {Position} position @param {Limits} limits @returns {Proven[]} */
  #search(position, { playouts, seconds }) {
    const most = SOLVER_CELLS[position.facts.stones[1] - 1];
    if (emptyCells(position) > most) return [];
    const found = solve(this.kernel, position, {
      nodes: Math.min(SOLVER_NODES, NODES_PER_PLAYOUT * playouts),
      seconds: Number.isFinite(seconds) ? Math.max(1e-3, SOLVER_SHARE * seconds) : 0,
      memory: SOLVER_MEMORY,
    });
    if (found?.winner !== position.player) return [];
    return [{ turn: found.turn, wins: true, distance: null, line: [found.turn] }];
  }
}

/** The first turn gets its whole line. @param {Sweep} sweep @param {Position} position @param {import('./sweep.js').TurnValue[]} values @returns {Proven[]} */
const withLines = (sweep, position, values) =>
  values.slice(0, MOST).map((value, i) => ({
    ...value,
    line: i ? [value.turn] : [value.turn, ...sweep.line(position.play(value.turn))],
  }));
