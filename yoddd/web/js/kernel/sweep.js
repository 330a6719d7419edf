// Perfect play by the kernel: sweeps over all that can follow, and proofs by search.
import { turnOf, withBoard } from './board.js';

/** @import { Kernel } from './module.js' */
/** @import { Position, Turn, Colour } from '../rules/rules.js' */

/**
 * @typedef {object} TurnValue
 * @property {Turn} turn
 * @property {boolean} wins whether the participant who takes it wins by best play
 * @property {number | null} distance turns to the end of the game, this one included; null if it is not known
 */

/**
 * The value of each legal turn, best first, and best play of both after the first if it is asked for;
 * null if the time is up before.
 * @param {Kernel} kernel
 * @param {Position} position
 * @param {{hasDistances: boolean, hasLine?: boolean, seconds: number}} how 0 seconds are no limit
 * @returns {[TurnValue[], TurnValue[]] | null}
 */
export const sweep = (kernel, position, { hasDistances, hasLine = false, seconds }) =>
  withBoard(kernel, position, ({ at, cells }) => {
    const found = kernel.call.yoddd_sweep(at, Number(hasDistances), Number(hasLine), seconds);
    if (!found) return null;
    const [values, line] = kernel.json(found);
    return [readValues(values, cells), readValues(line, cells)];
  });

/** Values as the kernel writes them. @param {[number[], number, number][]} values @param {number} cells @returns {TurnValue[]} */
export const readValues = (values, cells) =>
  values.map(([moves, wins, distance]) => ({
    turn: turnOf(moves, cells),
    wins: wins === 1,
    distance: distance || null,
  }));

/**
 * The bytes of a sweep, 0 if too many cells are empty, and the seconds that it is expected to take.
 * @param {Kernel} kernel @param {Position} position @param {boolean} hasDistances
 */
export const sweepCost = (kernel, position, hasDistances) =>
  withBoard(kernel, position, (board) => ({
    bytes: Number(
      BigInt.asUintN(64, kernel.call.yoddd_sweep_memory(board.at, Number(hasDistances))),
    ),
    seconds: kernel.call.yoddd_sweep_seconds(board.at, Number(hasDistances)),
  }));

/** Whether the opponent may take over the colour that wins. @param {Position} position */
export const isBeforeSwap = ({ rules, number }) => rules.facts.pie && number === 1;

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
  return withBoard(kernel, position, (board) =>
    kernel.borrow(8, (at) => {
      const limits = [BigInt(nodes), seconds, BigInt(memory), 1, at];
      const winner = kernel.call.yoddd_solve(board.at, ...limits);
      const turn = turnOf([...kernel.words(at, 2)], board.cells);
      return winner < 0 ? null : { winner: /** @type {Colour} */ (winner), turn };
    }),
  );
}
