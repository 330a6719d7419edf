// What the engine expects to become of the board: whose stones will lie where, and which groups will
// be one.
import { kind, line } from './stones.js';
import { svg } from '../base/svg.js';

/** @import { Piece } from '../base/layer.js' */
/** @import { Layout } from './layout.js' */
/** @import { Position } from '../rules/rules.js' */

/** From this on a cell counts as that of one colour. */
const CLEAR = 0.5;
/** The side of the square of a cell that is certain. */
const SIDE = 21;

/**
 * What is expected of an empty cell.
 * @typedef {object} Expected
 * @property {number} cell
 * @property {0 | 1} colour
 * @property {number} sure 0 to 1
 * @property {readonly number[]} joins cells of two or more groups of the colour that a stone here makes one
 */

/**
 * @param {readonly number[]} ownership by cell, 1 for a stone of the player to move
 * @param {Position} position
 * @returns {Expected[]}
 */
export function expectedOf(ownership, position) {
  const groups = position.census().groups;
  const groupAt = new Map(groups.flatMap(({ cells }, at) => cells.map((cell) => [cell, at])));
  return ownership.flatMap((owned, cell) => {
    if (!position.isEmpty(cell)) return [];
    const colour = /** @type {0 | 1} */ (owned < 0 ? 1 - position.player : position.player);
    const sure = Math.min(1, Math.abs(owned));
    const beside = position.rules.board.neighbours[cell].filter(
      (next) => position.cells[next] === colour,
    );
    const joined = new Set(beside.map((next) => groupAt.get(next)));
    return [{ cell, colour, sure, joins: sure >= CLEAR && joined.size > 1 ? beside : [] }];
  });
}

/** @param {readonly Expected[]} expected @param {Layout} layout @returns {Piece[]} */
export const ties = (expected, layout) =>
  expected.flatMap(({ cell, colour, joins }) =>
    joins.map((next) => {
      const style = `tie ${kind(colour)}`;
      return /** @type {Piece} */ ([
        `${cell} ${next} ${style}`,
        () => line(layout, cell, next, style),
      ]);
    }),
  );

/** @param {readonly Expected[]} expected @param {Layout} layout @returns {Piece[]} */
export const squares = (expected, { at }) =>
  expected.map(({ cell, colour, sure }) => {
    const side = Math.max(2, Math.round(SIDE * Math.sqrt(sure)));
    const style = `owned ${kind(colour)}`;
    return [`${cell} ${style} ${side}`, () => square(style, at[cell], side)];
  });

/** @param {string} style @param {import('./layout.js').Point} centre @param {number} side */
const square = (style, { x, y }, side) =>
  svg('rect', { class: style, x: x - side / 2, y: y - side / 2, width: side, height: side });
