// Yodd, Xodd, Odd, Yoin and Product: boards, rules, notation, SGF and the engine.
import { HELPS, KNOTS, LEVELS } from '../../build/js/facts.js';
import { KernelBoard, withBoard } from '../../yoddd/web/js/kernel/board.js';
import { addTexts } from '../../yoddd/web/js/base/catalogue.js';
import { EN } from '../../yoddd/web/js/base/en.js';
import { Engine, hrefOf, ownModule } from '../../yoddd/web/js/kernel/engine.js';
import { compile, instantiate } from '../../yoddd/web/js/kernel/module.js';
import { MISPLACED } from '../../yoddd/web/js/kernel/port.js';
import { sweep, sweepCost } from '../../yoddd/web/js/kernel/sweep.js';
import { readGame } from '../../yoddd/web/js/rules/description.js';
import { PASS, SWAP } from '../../yoddd/web/js/rules/notation.js';
import { GAMES, makeRules as rulesOf } from '../../yoddd/web/js/rules/rules.js';

/** @typedef {import('../../yoddd/web/js/base/facts.js').Game} Game */
/** @typedef {import('../../yoddd/web/js/rules/description.js').Description} Description */
/** @typedef {import('../../yoddd/web/js/rules/facts.js').Facts} Facts */
/** @typedef {import('../../yoddd/web/js/rules/geometry.js').Geometry} Geometry */
/** @typedef {import('../../yoddd/web/js/rules/rules.js').Rules} Rules */
/** @typedef {import('../../yoddd/web/js/rules/rules.js').Colour} Colour */
/** @typedef {import('../../yoddd/web/js/rules/rules.js').Stone} Stone */
/** @typedef {import('../../yoddd/web/js/rules/rules.js').Turn} Turn */
/** @typedef {import('../../yoddd/web/js/rules/rules.js').Group} Group */
/** @typedef {import('../../yoddd/web/js/rules/rules.js').Outcome} Outcome */
/** @typedef {import('../../yoddd/web/js/rules/tree.js').Node} Node */
/** @typedef {import('../../yoddd/web/js/kernel/engine.js').Address} Address */
/** @typedef {import('../../yoddd/web/js/kernel/player.js').Budget} Budget */
/** @typedef {import('../../yoddd/web/js/kernel/player.js').Candidate} Candidate */
/** @typedef {import('../../yoddd/web/js/kernel/player.js').Insight} Insight */
/** @typedef {import('../../yoddd/web/js/kernel/player.js').Found} Found */
/** @typedef {import('../../yoddd/web/js/kernel/sweep.js').TurnValue} TurnValue */

export * from './rules.js';
export { KernelError } from '../../yoddd/web/js/base/errors.js';
export { rulesHash } from '../../yoddd/web/js/rules/hash.js';
export { nameOf } from '../../yoddd/web/js/rules/rules.js';
export { GameTree } from '../../yoddd/web/js/rules/tree.js';
export { readSgf, writeSgf } from '../../yoddd/web/js/rules/sgf.js';
export { Engine } from '../../yoddd/web/js/kernel/engine.js';
export { LEVELS };

addTexts({ ...EN, 'sgf.line': 'this is a line with a position, which parsePosition reads' });
for (const [name, helps] of Object.entries(HELPS))
  for (const [option, help] of Object.entries(helps))
    GAMES[/** @type {Game} */ (name)].options[option].help = help;

/**
 * The rules of a game that has a name here, or of one that a description describes; throws a `RulesError`.
 * A name that stands in the code is one of `Game`; other text can be a description.
 * @template {string} Text
 * @param {Game | Description | (string extends Text ? Text : never)} game a name, or a description: its table, or text of TOML or JSON
 * @param {string} [board]
 * @param {Record<string, string>} [options]
 * @returns {Rules}
 */
export const makeRules = (game, board, options) =>
  rulesOf(
    typeof game === 'string' && !/[={\n]/.test(game) ? /** @type {Game} */ (game) : readGame(game),
    board,
    options,
  );

let hasWarned = false;

/**
 * Starts the engine in a worker.
 * @param {{worker?: Address, module?: Address, threads?: number}} [how] where a site keeps these files; `threads` is ignored
 * @returns {Promise<import('../../yoddd/web/js/kernel/engine.js').Engine>}
 */
export function startEngine({ threads, ...where } = {}) {
  if (threads !== undefined && !hasWarned) {
    hasWarned = true;
    console.warn('startEngine: threads is ignored, and will be refused: searches use one thread');
  }
  return Engine.start({ knots: KNOTS, levels: LEVELS, ...where });
}

/** Counts and lists of turns by the kernel, in the caller's own thread. */
export class Counter {
  /** @type {import('../../yoddd/web/js/kernel/module.js').Kernel} */
  #latest;

  /** @param {import('../../yoddd/web/js/kernel/module.js').Kernel} kernel */
  constructor(kernel) {
    this.#latest = kernel;
  }

  get #kernel() {
    this.#latest = this.#latest.alive;
    return this.#latest;
  }

  /** Loads the kernel. @param {Address} [module] */
  static async load(module = ownModule()) {
    return new Counter(await instantiate(await compile(hrefOf(module), MISPLACED)));
  }

  /**
   * The legal turns: those that place stones in canonical order, then the pass and the swap.
   * @param {import('../../yoddd/web/js/rules/rules.js').Position} position
   * @returns {Generator<Turn, void, void>}
   */
  *turns(position) {
    if (position.isOver) return;
    const board = new KernelBoard(this.#kernel, position);
    try {
      yield* board.drops();
      for (const turn of [PASS, SWAP]) if (board.isLegal(turn)) yield turn;
    } finally {
      board.free();
    }
  }

  /** The number of legal turns. @param {import('../../yoddd/web/js/rules/rules.js').Position} position */
  countTurns(position) {
    return withBoard(this.#kernel, position, (board) => board.countTurns());
  }

  /** The number of legal sequences of so many turns. @param {import('../../yoddd/web/js/rules/rules.js').Position} position @param {number} depth */
  perft(position, depth) {
    return withBoard(this.#kernel, position, (board) => board.perft(depth));
  }

  /**
   * Random games to the end; the same seed plays the same ones anywhere.
   * @param {import('../../yoddd/web/js/rules/rules.js').Position} position @param {number} count
   * @param {bigint} [seed]
   */
  playouts(position, count, seed = 0n) {
    return withBoard(this.#kernel, position, (board) => board.playouts(count, seed));
  }

  /** The winner and the score if the game ends now; null for a tie. @param {import('../../yoddd/web/js/rules/rules.js').Position} position */
  score(position) {
    return withBoard(this.#kernel, position, (board) => board.score());
  }

  /**
   * The value of each legal turn by best play of both sides, best first; null where too many cells
   * are empty for so much memory. Where a swap may follow the values are those of colours.
   * @param {import('../../yoddd/web/js/rules/rules.js').Position} position
   * @param {{distances?: boolean, memory?: number}} [how] whether the turns to the end are counted, and the most bytes
   * @returns {TurnValue[] | null}
   */
  values(position, { distances = true, memory = 64 << 20 } = {}) {
    if (position.isOver) return [];
    const { bytes } = sweepCost(this.#kernel, position, distances);
    if (!bytes || bytes > memory) return null;
    return sweep(this.#kernel, position, { hasDistances: distances, seconds: 0 })?.[0] ?? null;
  }
}
