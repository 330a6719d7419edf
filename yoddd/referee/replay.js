// The games of a report, each played over on a board, with a graph of what its engines state.
import { button, el, html, svg } from '../web/js/svg.js';

/**
 * @typedef {[number, number]} Stone a colour and a cell
 * @typedef {{ by: string, text: string, add: Stone[], seat: number, chance: number | null,
 *   said: string }} Turn `chance` is that of Black's seat
 * @typedef {{ id: string, board: string, names: string, seats: string[], start: Stone[],
 *   turns: Turn[] }} Game
 * @typedef {{ box: number[], outline: number[][], cells: [number, number, string][],
 *   border: [number, number, string][] }} Board
 */

const { boards, games } =
  /** @type {{ boards: Record<string, Board>, games: Game[] }} */
  (JSON.parse(el('data').textContent ?? ''));

const box = el('viewer');

/** @type {{ game: Game | null, at: number }} */
const state = { game: null, at: 0 };

/** Shows a game after some of its turns. @param {Game} game @param {number} at */
function go(game, at) {
  state.game = game;
  state.at = Math.max(0, Math.min(game.turns.length, at));
  const { turns } = game;
  const turn = turns[state.at - 1];
  box.replaceChildren(
    html('p', {}, `${game.id}: ${game.names}`),
    makeBoard(game, state.at),
    html('p', {}, turn ? `${state.at}. ${turn.by}: ${turn.text}` : 'before the first turn'),
    ...(turn?.said ? [html('p', { class: 'said' }, turn.said)] : []),
    html(
      'p',
      {},
      button('|<', () => go(game, 0)),
      button('<', () => go(game, state.at - 1)),
      button('>', () => go(game, state.at + 1)),
      button('>|', () => go(game, turns.length)),
    ),
    ...(turns.some(({ chance }) => chance !== null) ? [makeGraph(game, state.at)] : []),
  );
}

// -- the board --------------------------------------------------------------------------------

/** @param {Game} game @param {number} at */
function makeBoard(game, at) {
  const { cells, outline, border, box: edges } = boards[game.board];
  const [left, top, right, bottom] = edges;
  const area = [left - 0.7, top - 0.7, right - left + 1.4, bottom - top + 1.4];
  /** @param {Stone} stone @param {boolean} isNew */
  const stone = ([colour, cell], isNew) => {
    const [cx, cy, label] = cells[cell];
    const look = `s${colour}${isNew ? ' new' : ''}`;
    return svg('circle', { cx, cy, r: 0.38, class: look }, svg('title', {}, label));
  };
  return svg(
    'svg',
    { viewBox: area.join(' '), role: 'img' },
    ...cells.map(([x, y, label]) => {
      const points = outline.map(([dx, dy]) => `${x + dx},${y + dy}`).join(' ');
      return svg('polygon', { points, class: 'cell' }, svg('title', {}, label));
    }),
    ...border.map(([x, y, label]) => svg('text', { x, y, class: 'border' }, label)),
    ...game.start.map((one) => stone(one, false)),
    ...game.turns
      .slice(0, at)
      .flatMap(({ add }, index) => add.map((one) => stone(one, index === at - 1))),
  );
}

// -- the graph --------------------------------------------------------------------------------

/** The width of the graph's picture, the margin at each side, and the lines of no and full chance. */
const [WIDTH, MARGIN, ZERO, FULL] = [300, 5, 85, 5];

/** The graph, which leads to the turn that is clicked. @param {Game} game @param {number} at */
function makeGraph(game, at) {
  const { length } = game.turns;
  const wide = WIDTH - 2 * MARGIN;
  /** @param {number} index */
  const x = (index) => MARGIN + (wide * index) / length;
  /** @param {number} chance */
  const y = (chance) => ZERO - (ZERO - FULL) * chance;
  const grid = [0, 0.5, 1].map((chance) =>
    svg('line', { x1: x(0), x2: x(length), y1: y(chance), y2: y(chance), class: 'grid' }),
  );
  const graph = svg(
    'svg',
    {
      viewBox: `0 0 ${WIDTH} 100`,
      class: 'chances',
      role: 'img',
      'aria-label': 'Chances of Black in the statements of both engines',
    },
    ...grid,
    svg('line', { x1: x(at), x2: x(at), y1: y(1), y2: y(0), class: 'now' }),
    ...[0, 1].flatMap((seat) => makeSeat(game, seat, x, y)),
  );
  graph.addEventListener('click', ({ clientX }) => {
    const { left, width } = graph.getBoundingClientRect();
    const place = ((clientX - left) / width) * WIDTH - MARGIN;
    go(game, Math.round((place / wide) * length));
  });
  return graph;
}

/**
 * The line, the dots and the name of one engine.
 * @param {Game} game
 * @param {number} seat
 * @param {(index: number) => number} x
 * @param {(chance: number) => number} y
 */
function makeSeat(game, seat, x, y) {
  const look = `c${seat}`;
  const dots = game.turns.flatMap(({ seat: by, chance, said }, index) =>
    by === seat && chance !== null ? [{ number: index + 1, chance, said }] : [],
  );
  const points = dots.map(({ number, chance }) => `${x(number)},${y(chance)}`).join(' ');
  const side = { x: seat ? WIDTH - MARGIN : MARGIN, 'text-anchor': seat ? 'end' : 'start' };
  return [
    svg('polyline', { points, class: look }),
    ...dots.map(({ number, chance, said }) => {
      const text = svg('title', {}, `${number}. ${said}`);
      return svg('circle', { cx: x(number), cy: y(chance), r: 2, class: look }, text);
    }),
    svg('text', { ...side, y: 97, class: look }, `Black's chance, by ${game.seats[seat]}`),
  ];
}

// -- choices ----------------------------------------------------------------------------------

document.addEventListener('click', ({ target }) => {
  const link = target instanceof Element ? target.closest('[data-game]') : null;
  if (!(link instanceof HTMLElement)) return;
  const game = games[Number(link.dataset.game)];
  box.hidden = false;
  go(game, game.turns.length);
});
document.addEventListener('keydown', ({ key }) => {
  if (!state.game) return;
  if (key === 'ArrowRight') go(state.game, state.at + 1);
  if (key === 'ArrowLeft') go(state.game, state.at - 1);
});
