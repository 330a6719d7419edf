// Boards as graphs and as places in the plane. The index of a cell is the canonical order of the
// protocol: rows from bottom to top, each from left to right.
import { FACTS } from '../base/facts.js';
import { t } from '../base/catalogue.js';
import { RulesError } from '../base/errors.js';

/**
 * @typedef {object} Geometry
 * @property {string} name such as hex8
 * @property {'hex' | 'square'} shape
 * @property {number} size
 * @property {number} cells how many
 * @property {string[]} labels
 * @property {Map<string, number>} index label to cell
 * @property {number[][]} neighbours
 * @property {number[][]} rows bottom to top
 * @property {{x: number, y: number}[]} centres one unit between neighbours, y downward, centre 0,0
 */

/** @type {Map<string, Geometry>} */
const made = new Map();

/**
 * The board called `name`; throws a `RulesError` if there is none.
 * @param {string} name
 * @returns {Geometry}
 */
export function geometry(name) {
  const match = /^(hex|square)-?(\d{1,2})$/i.exec(name);
  if (!match) throw new RulesError(t('notation.no-board', { name }), 'board');
  const shape = /** @type {'hex' | 'square'} */ (match[1].toLowerCase());
  const size = Number(match[2]);
  const [least, most] = FACTS.boards[shape];
  if (size < least || size > most) {
    throw new RulesError(t('notation.board-size', { name, shape, least, most }), 'board');
  }
  const key = shape + size;
  const known = made.get(key);
  if (known) return known;
  const board = build(shape, size);
  made.set(key, board);
  return board;
}

/** The steps to places of which no coordinate differs by more than one. */
const AROUND = [-1, 0, 1].flatMap((dq) => [-1, 0, 1].map((dr) => [dq, dr]));

/**
 * @param {'hex' | 'square'} shape
 * @param {number} size
 * @returns {Geometry}
 */
function build(shape, size) {
  const places = shape === 'hex' ? hexPlaces(size) : squarePlaces(size);
  const steps = AROUND.filter(([dq, dr]) => (shape === 'hex' ? dq !== dr : (dq + dr) % 2 !== 0));
  const at = new Map(places.map((place, cell) => [`${place.q},${place.r}`, cell]));
  const neighbours = places.map(({ q, r }) =>
    steps
      .map(([dq, dr]) => at.get(`${q + dq},${r + dr}`))
      .filter((cell) => cell !== undefined)
      .sort((a, b) => a - b),
  );
  /** @type {number[][]} */
  const rows = [];
  places.forEach((place, cell) => (rows[place.row] ??= []).push(cell));
  const labels = places.map((place) => place.label);
  return {
    name: shape + size,
    shape,
    size,
    cells: places.length,
    labels,
    index: new Map(labels.map((label, cell) => [label, cell])),
    neighbours,
    rows,
    centres: places.map(({ x, y }) => ({ x, y })),
  };
}

/** @param {number} row */
const letter = (row) => String.fromCharCode(97 + row);

/** @param {number} size */
function hexPlaces(size) {
  const places = [];
  for (let r = size - 1; r > -size; r -= 1) {
    const start = -size + 1 + Math.max(0, -r);
    const length = 2 * size - 1 - Math.abs(r);
    for (let step = 0; step < length; step += 1) {
      const q = start + step;
      const row = size - 1 - r;
      places.push({
        q,
        r,
        row,
        label: letter(row) + (step + 1),
        x: q + r / 2,
        y: (r * Math.sqrt(3)) / 2,
      });
    }
  }
  return places;
}

/** @param {number} size */
function squarePlaces(size) {
  const places = [];
  const middle = (size - 1) / 2;
  for (let row = 0; row < size; row += 1) {
    for (let q = 0; q < size; q += 1) {
      places.push({
        q,
        r: -row,
        row,
        label: letter(q) + (row + 1),
        x: q - middle,
        y: middle - row,
      });
    }
  }
  return places;
}
