// Levels of play, as yoddd/engine/levels.py has them: the same seed plays the same turn.
import { turnOf } from './board.js';
import { Random } from './random.js';

/** @typedef {import('./board.js').KernelBoard} KernelBoard */
/** @typedef {import('../rules.js').Turn} Turn */
/** The most playouts of a search, null for no limit, and how flat the choice is, 0 for none. @typedef {{playouts: number | null, spread: number}} Level */
/** For half turns the logarithms of how likely they are. @typedef {ReadonlyMap<number, number>} Logs */

const SALT = 0x5eedn;

/** The nats that stand for a difference of 1 between values where none was learned. */
const NATS = 40;

/** One of the half turns. @param {Logs} logs @param {Level} level @param {Random} random */
function pick(logs, { spread }, random) {
  const most = Math.max(...logs.values());
  const weights = [...logs.values()].map((log) => Math.exp((log - most) / spread));
  return random.choose([...logs.keys()], weights);
}

/**
 * Draws a turn, half turn by half turn.
 * @param {KernelBoard} board between turns; a first stone is played on it
 * @param {{level: Level, seed: bigint, hasTwo: boolean}} how and whether turns have a second half
 * @param {(first: number | null) => Logs} logsAfter
 * @returns {Turn}
 */
export function drawTurn(board, { level, seed, hasTwo }, logsAfter) {
  const random = new Random(seed ^ SALT);
  const { cells } = board;
  const moves = [pick(logsAfter(null), level, random)];
  if (hasTwo && moves[0] < 2 * cells) {
    board.play(moves[0]);
    moves.push(pick(logsAfter(moves[0]), level, random));
  }
  return turnOf(moves, cells);
}

/**
 * What a search made of the half turns, as if it were their learned value.
 * @param {KernelBoard} board a first stone lies on it where there is one
 * @param {{lent: Map<number, number>, winrate: number}} found
 * @param {number | null} first
 * @returns {Logs}
 */
export function logsOf(board, { lent, winrate }, first) {
  if (first === null) return new Map([...lent].map(([move, value]) => [move, NATS * value]));
  // What may not begin a turn may still complete one; it is taken to be worth the mean.
  return new Map(board.moves().map((move) => [move, NATS * (lent.get(move) ?? winrate)]));
}
