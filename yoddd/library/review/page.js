// The page of a review: a board that steps through a game, its graph, its turns and the lines.
import { errorCounts, gradeIcon, gradeSign } from '../../web/js/grades.js';
import { el, html, svg } from '../../web/js/svg.js';

/**
 * @typedef {[number, number]} Stone a colour and a cell
 * @typedef {{ text: string, add: Stone[] }} Step
 * @typedef {{ number: number, player: string, seat: number, text: string, add: Stone[],
 *   grade: string, only: boolean, turning: boolean, best: string, played: string,
 *   better: Step[], refutation: Step[] }} Turn
 * @typedef {{ name: string, turns: number, accuracy: string, loss: string,
 *   errors: Record<string, number> }} Player
 * @typedef {{ id: string, title: string, summary: string, board: string, start: Stone[],
 *   chances: number[], exact: number | null, players: Player[], turns: Turn[] }} Game
 * @typedef {{ box: number[], outline: number[][], cells: [number, number, string][],
 *   border: [number, number, string][], bonds: [number, number][] }} Board
 * @typedef {{ kind: 'better' | 'refutation', steps: number }} Line
 */

const { boards, games } =
  /** @type {{ boards: Record<string, Board>, games: Game[] }} */
  (JSON.parse(el('data').textContent ?? ''));

/** @type {{ game: Game, at: number, line: Line | null }} */
const state = { game: games[0], at: 0, line: null };

const COLOURS = ['Black', 'White'];
/** @param {string} grade */
const plural = (grade) => (grade === 'inaccuracy' ? 'inaccuracies' : `${grade}s`);
const NAMES = /** @type {Record<string, string>} */ ({
  better: 'Better',
  refutation: 'Refutation',
});

// -- what is shown ----------------------------------------------------------------------------

/** The turn that was played last. */
const shown = () => state.game.turns[state.at - 1];

/** The steps of the line that is open. @returns {Step[]} */
const steps = () => (state.line ? shown()[state.line.kind].slice(0, state.line.steps) : []);

/** The turns of the game on the board. */
const played = () => state.game.turns.slice(0, state.at - (state.line?.kind === 'better' ? 1 : 0));

/** @param {number} at @param {Line | null} [line] */
function go(at, line = null) {
  state.at = Math.max(0, Math.min(state.game.turns.length, at));
  state.line = line;
  paint();
}

/** One step on or back, in the line that is open or else in the game. @param {number} by */
function step(by) {
  const { line } = state;
  if (!line) return go(state.at + by);
  const count = line.steps + by;
  if (count > shown()[line.kind].length) return;
  go(state.at, count > 0 ? { kind: line.kind, steps: count } : null);
}

/** The next error in a direction. @param {number} by */
function error(by) {
  const { turns } = state.game;
  for (let at = state.at + by; at >= 1 && at <= turns.length; at += by) {
    if (turns[at - 1].grade !== 'sound') return go(at);
  }
}

// -- the board --------------------------------------------------------------------------------

function drawBoard() {
  const { cells, outline, border, box, bonds } = boards[state.game.board];
  const [left, top, right, bottom] = box;
  const last = state.line ? steps().at(-1) : shown();
  /** @type {Map<number, { colour: number, turn: number }>} */
  const stones = new Map();
  for (const [colour, cell] of state.game.start) stones.set(cell, { colour, turn: 0 });
  played().forEach(({ add }, at) =>
    add.forEach(([colour, cell]) => stones.set(cell, { colour, turn: at + 1 })),
  );
  for (const { add } of steps())
    for (const [colour, cell] of add) stones.set(cell, { colour, turn: -1 });
  const points = (/** @type {number} */ x, /** @type {number} */ y) =>
    outline.map(([i, j]) => `${x + i},${y + j}`).join(' ');
  // Names keep their size on small boards, where a cell is large.
  const size = Math.min(0.36, 0.035 * (bottom - top + 1.5));
  const root = el('board');
  root.setAttribute(
    'viewBox',
    `${left - 0.75} ${top - 0.75} ${right - left + 1.5} ${bottom - top + 1.5}`,
  );
  root.setAttribute('aria-label', `Board after ${describe()}`);
  root.replaceChildren(
    ...cells.map(([x, y]) => svg('polygon', { class: 'cell', points: points(x, y) })),
    ...border.map(([x, y, label]) =>
      svg('text', { class: 'border', 'font-size': size, x, y }, label),
    ),
    ...bonds.flatMap(([one, other]) => bond(stones, one, other)),
    ...[...stones].map(([cell, { colour, turn }]) => disc(cell, colour, turn)),
    ...(last?.add ?? []).map(([, cell]) => mark(cell, state.line ? 'last line' : 'last')),
    ...(state.line ? [] : hints()),
  );
}

/** @param {Map<number, { colour: number }>} stones @param {number} one @param {number} other */
function bond(stones, one, other) {
  const colour = stones.get(one)?.colour;
  if (colour === undefined || stones.get(other)?.colour !== colour) return [];
  const { cells } = boards[state.game.board];
  const [[x1, y1], [x2, y2]] = [cells[one], cells[other]];
  return ['edge', 'inner'].map((part) =>
    svg('line', { class: `bond ${part} c${colour}`, x1, y1, x2, y2 }),
  );
}

/** A stone; a click goes to the turn that dropped it. */
function disc(
  /** @type {number} */ cell,
  /** @type {number} */ colour,
  /** @type {number} */ turn,
) {
  const [x, y, label] = boards[state.game.board].cells[cell];
  const name = `${COLOURS[colour]} ${label}${turn > 0 ? `, turn ${state.game.turns[turn - 1].number}` : ''}`;
  const circle = svg(
    'circle',
    { class: `stone c${colour}`, cx: x, cy: y, r: 0.4 },
    svg('title', {}, name),
  );
  if (turn > 0) {
    circle.classList.add('jump');
    circle.addEventListener('click', () => go(turn));
  }
  return circle;
}

/** @param {number} cell @param {string} kind */
function mark(cell, kind) {
  const [x, y] = boards[state.game.board].cells[cell];
  return svg('circle', { class: `mark ${kind}`, cx: x, cy: y, r: 0.41 });
}

/** The stones of the better turn; a click opens its line. */
function hints() {
  const turn = shown();
  if (!turn?.better.length) return [];
  const { cells } = boards[state.game.board];
  const isPlayed = (/** @type {Stone} */ [colour, cell]) =>
    turn.add.some(([one, at]) => one === colour && at === cell);
  const missed = turn.better[0].add.filter((stone) => !isPlayed(stone));
  return missed.map(([colour, cell]) => {
    const [x, y, label] = cells[cell];
    const title = svg('title', {}, `better: ${COLOURS[colour]} ${label}`);
    const hint = svg(
      'g',
      { class: 'hint' },
      title,
      svg('circle', { class: `ghost c${colour}`, cx: x, cy: y, r: 0.22 }),
      svg('circle', { class: 'ring', cx: x, cy: y, r: 0.41 }),
    );
    hint.addEventListener('click', () => go(state.at, { kind: 'better', steps: 1 }));
    return hint;
  });
}

// -- the graph --------------------------------------------------------------------------------

const [WIDTH, HEIGHT, PAD] = [600, 150, 8];

/** @param {number} at */
const across = (at) => PAD + (at / Math.max(1, state.game.turns.length)) * (WIDTH - 2 * PAD);
/** @param {number} chance */
const up = (chance) => PAD + (1 - chance) * (HEIGHT - 2 * PAD);

function drawGraph() {
  const { chances, exact, turns } = state.game;
  const path = chances
    .map((chance, at) => `${at ? 'L' : 'M'}${across(at).toFixed(1)} ${up(chance).toFixed(1)}`)
    .join('');
  const end = across(chances.length - 1);
  const solved =
    exact === null
      ? []
      : [
          svg('rect', {
            class: 'solved',
            x: across(exact),
            y: 0,
            width: end - across(exact) + PAD,
            height: HEIGHT,
          }),
        ];
  el('graph').replaceChildren(
    svg('title', {}, 'Chance of Black by turn; a click goes there'),
    ...solved,
    svg('path', { class: 'area', d: `${path}L${end} ${up(0)}L${PAD} ${up(0)}Z` }),
    svg('path', { class: 'half', d: `M${PAD} ${up(0.5)}H${WIDTH - PAD}` }),
    svg('path', { class: 'course', d: path }),
    svg('path', { class: 'now', d: `M${across(state.at)} 0V${HEIGHT}` }),
    ...turns.flatMap((turn, at) =>
      turn.grade === 'sound' ? [] : [gradeSign(turn.grade, across(at + 1), up(chances[at + 1]))],
    ),
  );
}

// -- words ------------------------------------------------------------------------------------

/** The turn on the board in words. */
function describe() {
  const turn = shown();
  if (!turn) return 'no turn';
  const text = `turn ${turn.number}, ${turn.player} ${turn.text}`;
  return state.line ? `${NAMES[state.line.kind].toLowerCase()} of ${text}` : text;
}

function drawDetail() {
  const turn = shown();
  const chance = state.game.chances[state.at];
  const head = turn
    ? html(
        'p',
        { class: 'head' },
        ...(turn.grade === 'sound' ? [] : [gradeIcon(turn.grade)]),
        headline(turn),
      )
    : html('p', { class: 'head' }, 'Before the first turn');
  const lines = turn ? [...lineOf(turn, 'better'), ...lineOf(turn, 'refutation')] : [];
  const solved = state.game.exact !== null && state.at >= state.game.exact;
  const standing = solved
    ? `${chance > 0.5 ? 'Black' : 'White'} wins by best play.`
    : `Chance of Black: ${Math.round(100 * chance)} %, an estimate.`;
  el('detail').replaceChildren(head, html('p', { class: 'soft' }, standing), ...lines);
}

/** @param {Turn} turn */
function headline(turn) {
  const name = `${turn.number}. ${turn.player} ${turn.text}`;
  if (turn.grade !== 'sound') {
    const point = turn.turning ? ', a turning point' : '';
    const chances = `from ${turn.best} to ${turn.played}`.replaceAll(' %', '\u00a0%');
    return `${name}: ${turn.grade}${point}, ${chances}`;
  }
  return turn.only ? `${name}: the only turn that wins` : name;
}

/** A line as buttons. @param {Turn} turn @param {'better' | 'refutation'} kind */
function lineOf(turn, kind) {
  if (!turn[kind].length) return [];
  const open = state.line?.kind === kind ? state.line.steps : 0;
  const buttons = turn[kind].map(({ text }, at) => {
    const button = html(
      'button',
      { type: 'button', 'aria-pressed': String(open === at + 1) },
      text,
    );
    button.addEventListener('click', () =>
      go(state.at, open === at + 1 ? null : { kind, steps: at + 1 }),
    );
    return button;
  });
  return [
    html('div', { class: 'line' }, html('span', {}, NAMES[kind]), html('div', {}, ...buttons)),
  ];
}

function drawPlayers() {
  const rows = state.game.players.map(({ name, turns, accuracy, loss, errors }, seat) =>
    html(
      'div',
      { class: 'player' },
      html('h2', {}, html('span', { class: `dot c${seat}` }), name || COLOURS[seat]),
      html('p', {}, html('b', {}, accuracy), ' accuracy'),
      html('p', {}, html('b', {}, loss), ` average loss in ${turns} turns`),
      errorCounts(errors, (grade, count) => `${count} ${count === 1 ? grade : plural(grade)}`),
    ),
  );
  el('players').replaceChildren(...rows);
}

function drawList() {
  const flawed = /** @type {HTMLInputElement} */ (el('flawed')).checked;
  const rows = state.game.turns.flatMap((turn, at) => {
    if (flawed && turn.grade === 'sound' && at + 1 !== state.at) return [];
    const button = html(
      'button',
      { type: 'button', class: turn.grade, 'aria-current': at + 1 === state.at ? 'true' : null },
      html('span', { class: 'n' }, String(turn.number)),
      html('span', { class: `dot c${turn.player === 'Black' ? 0 : 1}` }),
      html('span', { class: 't' }, turn.text),
      ...(turn.grade === 'sound'
        ? []
        : [gradeIcon(turn.grade), html('span', { class: 'g' }, turn.grade)]),
      ...(turn.only ? [html('span', { class: 'g only' }, 'only win')] : []),
    );
    button.addEventListener('click', () => go(at + 1));
    return [html('li', {}, button)];
  });
  el('turns').replaceChildren(...rows);
  // Only the list scrolls: `scrollIntoView` would take the page along on a phone.
  const [list, current] = [el('turns'), el('turns').querySelector('[aria-current]')];
  if (!current) return;
  const [outer, inner] = [list.getBoundingClientRect(), current.getBoundingClientRect()];
  list.scrollTop += Math.max(0, inner.bottom - outer.bottom) - Math.max(0, outer.top - inner.top);
}

// -- all of it --------------------------------------------------------------------------------

function paint() {
  drawBoard();
  drawGraph();
  drawDetail();
  drawList();
  el('where').textContent = state.line
    ? `${NAMES[state.line.kind]}, ${state.line.steps} of ${shown()[state.line.kind].length}`
    : `${state.at} of ${state.game.turns.length}`;
  el('back').hidden = !state.line;
  const place = `#game=${games.indexOf(state.game) + 1}&turn=${state.at}`;
  history.replaceState(null, '', place);
}

/** @param {number} index @param {number} at */
function open(index, at) {
  state.game = games[Math.max(0, Math.min(games.length - 1, index))];
  el('title').textContent = state.game.title;
  el('summary').textContent = state.game.summary;
  drawPlayers();
  go(at);
}

/** Opens the place that the address names, or the first error of the first game. */
function openPlace() {
  const place = new URLSearchParams(location.hash.slice(1));
  const index = Number(place.get('game') ?? 1) - 1 || 0;
  /** @type {HTMLSelectElement} */ (el('game')).selectedIndex = index;
  const turns = games[index]?.turns ?? [];
  const first = turns.findIndex(({ grade }) => grade !== 'sound') + 1;
  open(index, Number(place.get('turn') ?? first) || 0);
}

function listen() {
  const choice = /** @type {HTMLSelectElement} */ (el('game'));
  games.forEach(({ id, title }) => choice.append(html('option', {}, `${id}: ${title}`)));
  el('games').hidden = games.length < 2;
  choice.addEventListener('change', () => open(choice.selectedIndex, 0));
  el('first').addEventListener('click', () => go(0));
  el('previous').addEventListener('click', () => step(-1));
  el('next').addEventListener('click', () => step(1));
  el('last').addEventListener('click', () => go(state.game.turns.length));
  el('error-before').addEventListener('click', () => error(-1));
  el('error-after').addEventListener('click', () => error(1));
  el('back').addEventListener('click', () => go(state.at));
  el('flawed').addEventListener('change', drawList);
  el('graph').addEventListener('click', (event) => {
    const box = el('graph').getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * WIDTH - PAD;
    go(Math.round((place / (WIDTH - 2 * PAD)) * state.game.turns.length));
  });
  addEventListener('keydown', onKey);
  addEventListener('hashchange', openPlace);
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.target instanceof HTMLSelectElement) return;
  const acts = /** @type {Record<string, () => void>} */ ({
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    ArrowUp: () => error(-1),
    ArrowDown: () => error(1),
    Home: () => go(0),
    End: () => go(state.game.turns.length),
    Escape: () => go(state.at),
  });
  if (!acts[event.key]) return;
  event.preventDefault();
  acts[event.key]();
}

listen();
openPlace();
