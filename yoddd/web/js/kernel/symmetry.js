// The symmetries of positions and turns, by which answers are judged; see yoddd/library/symmetry.py.

/** @typedef {import('../geometry.js').Geometry} Geometry */
/** @typedef {import('../rules.js').Position} Position */
/** @typedef {import('../rules.js').Turn} Turn */

/** Images of all cells. @type {WeakMap<Geometry, number[][]>} */
const made = new WeakMap();

/** @param {number} x @param {number} y */
const placeOf = (x, y) => `${Math.round(1000 * x) + 0},${Math.round(1000 * y) + 0}`;

/** The rotations and reflections of a board. @param {Geometry} board */
export function symmetriesOf(board) {
  const known = made.get(board);
  if (known) return known;
  const cells = new Map(board.centres.map(({ x, y }, cell) => [placeOf(x, y), cell]));
  const corners = board.shape === 'hex' ? 6 : 4;
  const found = Array.from({ length: 2 * corners }, (_, at) => {
    const angle = (2 * Math.PI * (at % corners)) / corners;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const mirror = at < corners ? 1 : -1;
    return board.centres.map(
      ({ x, y }) => cells.get(placeOf(mirror * (cos * x - sin * y), sin * x + cos * y)) ?? 0,
    );
  });
  made.set(board, found);
  return found;
}

/** The same text for the same turn. @param {Turn} turn */
const keyOf = ({ kind, stones }) =>
  [kind, ...stones.map(({ colour, cell }) => `${colour}:${cell}`).sort()].join(' ');

/** The images of a turn, itself included, under the symmetries that change no stone. @param {Turn} turn @param {Position} position */
function imagesOf(turn, position) {
  const { rules, cells } = position;
  // In Odd exchanging the colours is a symmetry too.
  const exchanges = rules.game === 'odd' ? [false, true] : [false];
  const swapped = (/** @type {number} */ colour) => (colour < 0 ? colour : 1 - colour);
  const images = new Set();
  for (const image of symmetriesOf(rules.board))
    for (const isExchanged of exchanges) {
      const after = (/** @type {number} */ colour) => (isExchanged ? swapped(colour) : colour);
      if (!image.every((target, cell) => after(cells[target]) === cells[cell])) continue;
      const stones = turn.stones.map(({ colour, cell }) => ({
        colour: /** @type {0 | 1} */ (after(colour)),
        cell: image[cell],
      }));
      images.add(keyOf({ kind: turn.kind, stones }));
    }
  return images;
}

/** Whether the turns that win are images of one. @param {Position} position @param {readonly {turn: Turn, wins: boolean}[]} values of all turns, best first */
export function isSoleWin(position, values) {
  const wins = values.filter(({ wins: one }) => one);
  if (!wins.length) return false;
  const images = imagesOf(wins[0].turn, position);
  return images.size === wins.length && wins.every(({ turn }) => images.has(keyOf(turn)));
}
