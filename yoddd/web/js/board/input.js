// A turn in the making: stones that can still be changed, until it is committed.

/** @import { Colour, Position, Stone } from '../rules/rules.js' */

/**
 * A tap on a cell.
 *
 * On an empty cell it places a stone; where the turn is full already, the last stone moves there. On
 * a pending stone it changes the colour, and at the second change it takes the stone back.
 * @param {Position} position
 * @param {readonly Stone[]} pending
 * @param {number} cell
 * @param {Colour} colour
 * @returns {readonly Stone[]}
 */
export function tap(position, pending, cell, colour) {
  if (position.isOver || !position.isEmpty(cell)) return pending;
  const chosen = position.colours.includes(colour) ? colour : position.colours[0];
  const index = pending.findIndex((stone) => stone.cell === cell);
  if (index >= 0) {
    return pending[index].colour === chosen && position.colours.length > 1
      ? setColour(pending, index, /** @type {Colour} */ (1 - chosen))
      : takeBack(pending, index);
  }
  const kept = pending.length < position.maxStones ? pending : pending.slice(0, -1);
  return [...kept, { cell, colour: chosen }];
}

/**
 * Drops a stone of a given colour, or gives the pending stone there that colour.
 * @param {Position} position
 * @param {readonly Stone[]} pending
 * @param {number} cell
 * @param {Colour} colour
 */
export function place(position, pending, cell, colour) {
  if (!position.colours.includes(colour)) return pending;
  const index = pending.findIndex((stone) => stone.cell === cell);
  return index >= 0 ? setColour(pending, index, colour) : tap(position, pending, cell, colour);
}

/** @param {readonly Stone[]} pending @param {number} index @param {Colour} colour */
function setColour(pending, index, colour) {
  return pending.map((stone, at) => (at === index ? { ...stone, colour } : stone));
}

/** @param {readonly Stone[]} pending @param {number} [index] the last one unless said */
export function takeBack(pending, index = pending.length - 1) {
  return pending.filter((_, at) => at !== index);
}
