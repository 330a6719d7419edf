// Where a board's cells lie on the page: turned, mirrored, and measured.

/** @import { Geometry } from '../rules/geometry.js' */
/** @typedef {{x: number, y: number}} Point */

/** Pixels of the drawing from a cell to its neighbour. */
export const STEP = 40;
/** The radius of a stone. */
export const STONE = STEP * 0.4;

/**
 * @typedef {object} Layout
 * @property {Point[]} at the centre of each cell
 * @property {string[]} outline the polygon of each cell, as SVG points
 * @property {Label[]} labels coordinates beside the rows
 * @property {View['coordinates']} coordinates
 * @property {Geometry['shape']} kind
 * @property {Point[]} slab the directions in which the corners of the board lie from its centre
 * @property {number} reach how far they are from it, in steps, without a margin
 * @property {number} shape the width of the board, measured by its height
 */

/** A coordinate beside a row: the cell it belongs to, and the direction in which it stands. @typedef {{cell: Point, away: Point, text: string}} Label */

/**
 * A layout in a frame of a given size on the page.
 * @typedef {object} Fitted
 * @property {number} px the units of the drawing to one pixel
 * @property {{x: number, y: number, width: number, height: number}} box what the frame shows of the drawing
 * @property {Point[]} slab the corners of the board
 * @property {{x: number, y: number, text: string}[]} edge coordinates around the board
 * @property {boolean} named whether the cells carry their names
 */

/**
 * @typedef {object} View
 * @property {number} turns twelfths of a full turn; square boards take quarters
 * @property {boolean} mirrored
 * @property {'edge' | 'cell' | 'none'} coordinates
 */

/** @param {Geometry} board @param {View} view @returns {Layout} */
export function layOut(board, view) {
  const step = board.shape === 'hex' ? Math.PI / 6 : Math.PI / 2;
  const angle = view.turns * step;
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  /** @param {Point} point @returns {Point} */
  const place = ({ x, y }) => {
    const across = view.mirrored ? -x : x;
    return { x: (across * cos - y * sin) * STEP, y: (across * sin + y * cos) * STEP };
  };
  const corners = cornersOf(board);
  const at = board.centres.map(place);
  const outline = board.centres.map(({ x, y }) =>
    corners
      .map((corner) => place({ x: x + corner.x, y: y + corner.y }))
      .map((point) => `${round(point.x)},${round(point.y)}`)
      .join(' '),
  );
  const slab = cornersOfBoard(board)
    .map(place)
    .map(({ x, y }) => ({ x: x / STEP, y: y / STEP }));
  const extent = extentOf(slab);
  return {
    at,
    outline,
    labels: edgeLabels(board, place),
    coordinates: view.coordinates,
    kind: board.shape,
    slab,
    reach: reachOf(board),
    shape: extent.width / extent.height,
  };
}

/** Pixels from the outermost cells to the edge of the board: bare, and with coordinates there. */
const MARGIN = { bare: 7, hex: 16, square: 21 };
/** The stroke that rounds the corners of the board, in pixels; half of it lies outside of them. */
export const ROUND = 16;
/** Pixels from a cell to its coordinate. */
const ASIDE = 10;
/** Pixels that the shadow takes beside the board, and that its side takes below. */
const SHADOW = { aside: 5, below: 10 };
/** Pixels from cell to cell: at most, and the fewest for the name of a cell. */
const [WIDEST, NAMED] = [180, 30];
/** From so many on, their number is whole: lines are sharp. Fewer pixels are too dear to lose a part of one. */
const WHOLE = 32;

/** The layout in a frame of so many pixels. @param {Layout} layout @param {number} width @param {number} height @returns {Fitted} */
export function fit(layout, width, height) {
  const { coordinates } = layout;
  const bare = stepIn(layout, width, height, MARGIN.bare);
  const named = coordinates === 'cell' && bare >= NAMED;
  const labelled = coordinates === 'edge' || (coordinates === 'cell' && !named);
  const margin = labelled ? MARGIN[layout.kind] : MARGIN.bare;
  const step = labelled ? stepIn(layout, width, height, margin) : bare;
  const px = STEP / step;
  const radius = layout.reach * STEP + cornerOf(layout, margin - ROUND / 2) * px;
  const slab = layout.slab.map(({ x, y }) => ({ x: x * radius, y: y * radius }));
  return {
    px,
    box: {
      x: (-width / 2) * px,
      y: (-(height - SHADOW.below + SHADOW.aside) / 2) * px,
      width: width * px,
      height: height * px,
    },
    slab,
    edge: labelled ? layout.labels.map((label) => placeLabel(label, px)) : [],
    named,
  };
}

/** The outline of a regular polygon around the origin with a margin, round at its corners. @param {readonly Point[]} corners @param {number} margin */
export function rounded(corners, margin) {
  const [first, second] = corners;
  const turn = first.x * second.y > first.y * second.x ? 1 : 0;
  const sides = corners.flatMap((from, index) => {
    const to = corners[(index + 1) % corners.length];
    const [x, y] = [from.x + to.x, from.y + to.y];
    const out = margin / Math.hypot(x, y);
    return [from, to].map((end) => `${round(end.x + out * x)} ${round(end.y + out * y)}`);
  });
  const arc = `A${round(margin)} ${round(margin)} 0 0 ${turn} `;
  return `M${sides.map((place, index) => (index ? (index % 2 ? 'L' : arc) : '') + place).join('')}${arc}${sides[0]}Z`;
}

/**
 * The pixels from cell to cell with which the board fills a frame: whole ones, for sharp lines.
 * @param {Layout} layout @param {number} width @param {number} height @param {number} margin
 */
function stepIn(layout, width, height, margin) {
  const extent = extentOf(layout.slab);
  const room = Math.min(
    (width - 2 * SHADOW.aside) / extent.width,
    (height - SHADOW.aside - SHADOW.below) / extent.height,
  );
  const step = Math.min(WIDEST, (room - cornerOf(layout, margin)) / layout.reach);
  return step > 1 ? (step > WHOLE ? Math.floor(step) : step) : 1;
}

/** The factor by which a margin moves the corners farther out than the sides. @param {Layout} layout @param {number} margin */
const cornerOf = ({ kind }, margin) => (kind === 'hex' ? (margin * 2) / Math.sqrt(3) : margin);

/** @param {Label} label @param {number} px */
const placeLabel = ({ cell, away, text }, px) => ({
  x: cell.x + away.x * (STEP / 2 + ASIDE * px),
  y: cell.y + away.y * (STEP / 2 + ASIDE * px),
  text,
});

/** @param {number} value */
const round = (value) => Math.round(value * 10) / 10;

/** @param {Pick<Geometry, 'shape'>} board @returns {Point[]} */
function cornersOf(board) {
  if (board.shape === 'square') {
    return [
      [-0.5, -0.5],
      [0.5, -0.5],
      [0.5, 0.5],
      [-0.5, 0.5],
    ].map(([x, y]) => ({ x, y }));
  }
  return [0, 1, 2, 3, 4, 5].map((side) => {
    const angle = Math.PI / 6 + (side * Math.PI) / 3;
    return { x: Math.cos(angle) / Math.sqrt(3), y: Math.sin(angle) / Math.sqrt(3) };
  });
}

/** The corners of the whole board, at distance 1: of a square along its half side. @param {Geometry} board @returns {Point[]} */
function cornersOfBoard({ shape }) {
  if (shape === 'square') return cornersOf({ shape }).map(({ x, y }) => ({ x: 2 * x, y: 2 * y }));
  return [0, 1, 2, 3, 4, 5].map((corner) => {
    const angle = (corner * Math.PI) / 3;
    return { x: Math.cos(angle), y: Math.sin(angle) };
  });
}

/** Steps from the centre to the corners just around the cells. @param {Geometry} board */
const reachOf = ({ shape, size }) => (shape === 'square' ? size / 2 : size - 1 + 2 / 3);

/** @param {Point[]} points */
function extentOf(points) {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  return {
    width: Math.max(...xs) - Math.min(...xs),
    height: Math.max(...ys) - Math.min(...ys),
  };
}

/** Letters and numbers beside the rows. @param {Geometry} board @param {(point: Point) => Point} place @returns {Label[]} */
function edgeLabels(board, place) {
  /** @param {number} cell @param {number} x @param {number} y @param {string} text @returns {Label} */
  const beside = (cell, x, y, text) => {
    const away = place({ x, y });
    return {
      cell: place(board.centres[cell]),
      away: { x: away.x / STEP, y: away.y / STEP },
      text,
    };
  };
  const isHex = board.shape === 'hex';
  const rows = board.rows.flatMap((row) => {
    const [first, last] = [row[0], row[row.length - 1]];
    const [letter, number] = [board.labels[first][0], board.labels[last].slice(1)];
    return isHex
      ? [beside(first, -1, 0, letter), beside(last, 1, 0, number)]
      : [beside(first, -1, 0, board.labels[first].slice(1))];
  });
  const columns = isHex
    ? []
    : board.rows[0].map((cell) => beside(cell, 0, 1, board.labels[cell][0]));
  return [...rows, ...columns];
}
