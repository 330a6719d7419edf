// What the engine expects to become of the board: whose stones will lie where, and which groups will
// be one.
import { svg } from './svg.js';

/** @typedef {import('./rules.js').Position} Position */
/** @typedef {import('./layout.js').Layout} Layout */

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
 * @param {readonly number[]} ownership by cell, 1 for a stone of the player on turn
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

/** @param {SVGElement} layer @param {readonly Expected[]} expected @param {Layout} layout */
export function drawExpected(layer, expected, { at }) {
  const kinds = ['black', 'white'];
  const ties = expected.flatMap(({ cell, colour, joins }) =>
    joins.map((next) =>
      svg('line', {
        class: `tie ${kinds[colour]}`,
        x1: at[cell].x,
        y1: at[cell].y,
        x2: at[next].x,
        y2: at[next].y,
      }),
    ),
  );
  const squares = expected.map(({ cell, colour, sure }) => {
    const side = Math.max(2, SIDE * Math.sqrt(sure));
    const { x, y } = at[cell];
    return svg('rect', {
      class: `owned ${kinds[colour]}`,
      x: x - side / 2,
      y: y - side / 2,
      width: side,
      height: side,
    });
  });
  layer.replaceChildren(...ties, ...squares);
}
