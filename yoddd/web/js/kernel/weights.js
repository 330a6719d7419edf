// The weights of the learned value for a board: yoddd/engine/weights.py does the same.

/** @typedef {import('../rules/rules.js').Rules} Rules */
/** The weights of each game at equally spaced phases, from the full board to the empty one. @typedef {Record<string, number[][]>} Knots */

/**
 * The weights of a board for 0, 1, 2 ... empty cells; none where nothing was learned, or where an option changes the colours that may be dropped.
 * @param {Knots} knots
 * @param {Rules} rules
 * @returns {Float32Array}
 */
export function weightsFor(knots, { game, definition, board, facts }) {
  const known = Object.hasOwn(knots, game) && knots[game];
  const isUsual = facts.own === (definition.given['turn.colour'] === 'own');
  if (!known || !isUsual) return new Float32Array(0);
  const rows = [];
  for (let empty = 0; empty <= board.cells; empty += 1)
    rows.push(...at(known, empty / board.cells));
  return Float32Array.from(rows);
}

/** @param {number[][]} knots @param {number} phase */
function at(knots, phase) {
  const place = phase * (knots.length - 1);
  const low = Math.min(Math.floor(place), knots.length - 2);
  const part = place - low;
  return knots[low].map((below, i) => (1 - part) * below + part * knots[low + 1][i]);
}
