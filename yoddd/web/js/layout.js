// Where a board's cells lie on the page: turned, mirrored, and measured.

/** @typedef {import('./geometry.js').Geometry} Geometry */
/** @typedef {{x: number, y: number}} Point */

/** Pixels of the drawing from a cell to its neighbour. */
export const STEP = 40;
/** The radius of a stone. */
export const STONE = STEP * 0.4;

/**
 * @typedef {object} Layout
 * @property {Point[]} at the centre of each cell
 * @property {string[]} outline the polygon of each cell, as SVG points
 * @property {{x: number, y: number, text: string}[]} edge coordinates around the board
 * @property {string} viewBox
 * @property {{x: number, y: number, width: number, height: number}} box
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
  const edge =
    view.coordinates === 'edge'
      ? edgeLabels(board).map(({ x, y, text }) => ({
          ...place({ x, y }),
          text,
        }))
      : [];
  const box = measure(at, edge);
  return {
    at,
    outline,
    edge,
    box,
    viewBox: [box.x, box.y, box.width, box.height].map(round).join(' '),
  };
}

/** @param {number} value */
const round = (value) => Math.round(value * 10) / 10;

/** @param {Geometry} board @returns {Point[]} */
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

/** Letters and numbers beside the rows. @param {Geometry} board */
function edgeLabels(board) {
  const labels = [];
  for (const row of board.rows) {
    const [first, last] = [row[0], row[row.length - 1]];
    const left = board.centres[first];
    const right = board.centres[last];
    if (board.shape === 'hex') {
      labels.push({ x: left.x - 0.85, y: left.y, text: board.labels[first][0] });
      labels.push({ x: right.x + 0.85, y: right.y, text: board.labels[last].slice(1) });
    } else {
      labels.push({ x: left.x - 0.8, y: left.y, text: board.labels[first].slice(1) });
    }
  }
  if (board.shape === 'square') {
    for (const cell of board.rows[0]) {
      const { x, y } = board.centres[cell];
      labels.push({ x, y: y + 0.8, text: board.labels[cell][0] });
    }
  }
  return labels;
}

/** @param {Point[]} at @param {Point[]} edge */
function measure(at, edge) {
  const cell = STEP * 0.62;
  const text = STEP * 0.3;
  const xs = [
    ...at.flatMap(({ x }) => [x - cell, x + cell]),
    ...edge.flatMap(({ x }) => [x - text, x + text]),
  ];
  const ys = [
    ...at.flatMap(({ y }) => [y - cell, y + cell]),
    ...edge.flatMap(({ y }) => [y - text, y + text]),
  ];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}
