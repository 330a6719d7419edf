// Turns, positions and games as text, as the protocol spells them.
import { t, tOf } from '../base/catalogue.js';
import { NotationError, RulesError } from '../base/errors.js';
import { Position, chosenOptions, gameOf, makeRules, parityText } from './rules.js';

/** @import { Colour, OwnGame, Rules, Stone, Turn } from './rules.js' */

/** @param {Stone[]} stones @returns {Turn} */
export const drop = (...stones) => ({
  kind: 'drop',
  stones: [...stones].sort((a, b) => a.colour - b.colour || a.cell - b.cell),
});
/** @type {Turn} */
export const PASS = { kind: 'pass', stones: [] };
/** @type {Turn} */
export const SWAP = { kind: 'swap', stones: [] };
/** @type {Turn} */
export const RESIGN = { kind: 'resign', stones: [] };

/** Whether a stone is among others. @param {readonly Stone[]} stones @param {Stone} stone */
export const hasStone = (stones, stone) =>
  stones.some(({ cell, colour }) => cell === stone.cell && colour === stone.colour);

/** Whether two turns are of one kind and drop the same stones. @param {Turn} one @param {Turn} two */
export const isSameTurn = (one, two) =>
  one.kind === two.kind &&
  one.stones.length === two.stones.length &&
  one.stones.every((stone) => hasStone(two.stones, stone));

/** @param {Stone} stone @param {Rules} rules */
export function formatStone(stone, rules) {
  const label = rules.board.labels[stone.cell];
  const isBare = rules.definition.own_colour && rules.facts.own && rules.facts.firstOwn;
  return isBare ? label : `${stone.colour + 1}${label}`;
}

/** @param {Turn} turn @param {Rules} rules */
export function formatTurn(turn, rules) {
  if (turn.kind !== 'drop') return turn.kind;
  return turn.stones.map((stone) => formatStone(stone, rules)).join(',');
}

/** The keys of turns in words. @type {Record<string, import('../base/catalogue.js').Key>} */
const NAMES = { pass: 'turn.pass', swap: 'turn.swap', resign: 'turn.resign' };

/** A turn for the user to read: ●c3 ○d4. @param {Turn} turn @param {Rules} rules */
export function showTurn(turn, rules) {
  if (turn.kind !== 'drop') return t(NAMES[turn.kind]);
  return turn.stones
    .map(({ colour, cell }) => `${colour ? '○' : '●'}${rules.board.labels[cell]}`)
    .join(' ');
}

/**
 * Reads a stone; throws a `NotationError`.
 * @param {string} text
 * @param {Rules} rules
 * @param {Colour} player of a stone without a colour
 * @param {number} [column] where the text begins
 * @returns {Stone}
 */
export function parseStone(text, rules, player, column = 1) {
  // A second letter tells a colour from a column or row: b3 is a cell, bb3 a black stone on it.
  const [, sign = '', label] = /** @type {string[]} */ (/^([12bw](?=[a-z]))?([^]*)$/i.exec(text));
  const cell = rules.board.index.get(label.toLowerCase());
  if (cell === undefined)
    throw new NotationError(
      text
        ? t('notation.no-cell', { text: label, board: rules.board.name })
        : t('notation.no-stone'),
      column + sign.length,
    );
  const colour = sign ? /** @type {Colour} */ ('1bB'.includes(sign) ? 0 : 1) : player;
  return { colour, cell };
}

/** Reads a turn; throws a `NotationError`. @param {string} text @param {Rules} rules @param {Colour} player @returns {Turn} */
export function parseTurn(text, rules, player) {
  const word = text.trim();
  const plain = [PASS, SWAP, RESIGN].find(({ kind }) => kind === word.toLowerCase());
  if (plain) return plain;
  let column = 1 + text.indexOf(word);
  const parts = word.split(',');
  if (parts.length > 2)
    throw new NotationError(
      t('notation.stones', { n: parts.length }),
      column + parts.slice(0, 2).join().length + 1,
    );
  const stones = [];
  for (const part of parts) {
    stones.push(parseStone(part, rules, player, column));
    column += part.length + 1;
  }
  return drop(...stones);
}

/** @param {Position} position */
export function formatPosition(position) {
  const { rules } = position;
  const rows = [...rules.board.rows].reverse().map((row) =>
    row
      .map((cell) => '.bw'[position.cells[cell] + 1])
      .join('')
      .replace(/\.+/g, (run) => String(run.length)),
  );
  const fields = [
    rules.game,
    rules.board.name,
    rows.join('/'),
    'bw'[position.player],
    position.passes,
    position.number,
  ];
  return [...fields, ...chosenOptions(rules).map(([name, value]) => `${name}=${value}`)].join(' ');
}

/** The request that sets a game up to its current turn. @param {import('./tree.js').GameTree} tree */
export function positionLine(tree) {
  const moves = tree.tokens();
  const start = formatPosition(tree.root.position);
  return `position ${start}${moves.length ? ` moves ${moves.join(' ')}` : ''}`;
}

const FIELDS = ['game', 'board', 'placement', 'player', 'passes', 'turn'];
/** @param {string} name */
const fieldText = (name) => tOf(`field.${name}`);

/** @typedef {{text: string, column: number}} Word */

/**
 * Reads the line of a position that a game can begin from; throws a `NotationError`.
 * @param {string} text
 * @param {Partial<OwnGame>} [own] the game of its name, where that is not one of `GAMES`
 */
export function parsePosition(text, own) {
  const { position, problem } = readPosition(text, own);
  if (problem) throw problem;
  return position;
}

/**
 * Reads the line of a position that can be shown and analysed, also of one that `isUnfit`; throws a
 * `NotationError`.
 * @param {string} text @param {Partial<OwnGame>} [own]
 */
export function parseShown(text, own) {
  const { position, problem } = readPosition(text, own);
  if (problem && !isUnfit(position)) throw problem;
  return position;
}

/**
 * Reads a position line, and why no game can begin from it; throws a `NotationError` if it is none.
 * @param {string} text
 * @param {Partial<OwnGame>} [own]
 * @returns {{position: Position, problem: NotationError | null}}
 */
export function readPosition(text, own) {
  const words = [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
    text: word.toLowerCase(),
    column: index + 1,
  }));
  if (words.length < FIELDS.length)
    throw new NotationError(
      t('notation.missing', { field: fieldText(FIELDS[words.length]) }),
      text.trimEnd().length + 1,
    );
  const [game, board, placement, player, passes, turn, ...options] = words;
  const rules = readRules(game, board, options, own);
  const cells = readPlacement(placement, rules);
  if (!/^[bw]$/.test(player.text))
    throw new NotationError(t('notation.player', { text: player.text }), player.column);
  const position = new Position(
    rules,
    cells,
    player.text === 'b' ? 0 : 1,
    readNumber('passes', passes),
    readNumber('turn', turn),
  );
  const found = setUpProblem(position);
  const problem =
    found && new NotationError(found.reason, { placement, passes, turn }[found.about].column);
  return { position, problem };
}

/** @param {Word} game @param {Word} board @param {Word[]} options @param {Partial<OwnGame>} [own] */
function readRules(game, board, options, own) {
  /** @type {Record<string, number>} */
  const columns = { game: game.column, board: board.column };
  /** @type {Record<string, string>} */
  const settings = {};
  for (const { text, column } of options) {
    const [, name, value] = /^([^=]*)=(.*)$/.exec(text) ?? [];
    if (name === undefined) throw new NotationError(t('notation.option', { text }), column);
    if (name in settings) throw new NotationError(t('notation.twice', { name }), column);
    settings[name] = value;
    columns[name] = column;
  }
  try {
    return makeRules(gameOf(game.text, own), board.text, settings);
  } catch (error) {
    if (!(error instanceof RulesError)) throw error;
    throw new NotationError(error.reason, columns[error.about], 1, error);
  }
}

/** @param {Word} placement @param {Rules} rules */
function readPlacement({ text, column: first }, rules) {
  const { board } = rules;
  const rows = text.split('/');
  if (rows.length !== board.rows.length)
    throw new NotationError(
      t('notation.rows', { n: rows.length, board: board.name, rows: board.rows.length }),
      first,
    );
  const cells = new Int8Array(board.cells).fill(-1);
  let column = first;
  rows.forEach((row, index) => {
    const where = board.rows[board.rows.length - 1 - index];
    const contents = readRow(row, column);
    if (contents.length !== where.length)
      throw new NotationError(
        t('notation.row', { row, n: contents.length, cells: where.length }),
        column,
      );
    where.forEach((cell, at) => {
      cells[cell] = '.bw'.indexOf(contents[at]) - 1;
    });
    column += row.length + 1;
  });
  return cells;
}

/** A row with a dot for each empty cell. @param {string} row @param {number} column */
function readRow(row, column) {
  const wrong = /^(?:[bw]|[1-9]\d{0,2})*/.exec(row)?.[0].length ?? 0;
  if (wrong < row.length)
    throw new NotationError(t('notation.contents', { text: row[wrong] }), column + wrong);
  return row.replace(/\d+/g, (run) => '.'.repeat(Number(run)));
}

/** @param {string} name @param {Word} word */
function readNumber(name, { text, column }) {
  if (!/^\d{1,9}$/.test(text))
    throw new NotationError(t('notation.number', { field: fieldText(name), text }), column);
  return Number(text);
}

/**
 * Why a position cannot be set up, and what is to blame; null if it can.
 * @param {Position} position
 * @returns {{reason: string, about: 'placement' | 'passes' | 'turn'} | null}
 */
export function setUpProblem(position) {
  return countersProblem(position) ?? contentProblem(position);
}

/** Whether nothing is wrong but the number of groups, with which no turn ends: what follows is legal. @param {Position} position */
export const isUnfit = (position) =>
  position.number > 1 &&
  !position.fits(position.census().total) &&
  !position.isOver &&
  countersProblem(position) === null &&
  position.someDrop();

/** Why a position cannot be set up, in a sentence; empty if it can. @param {Position} position */
export function problemText(position) {
  const problem = setUpProblem(position);
  if (!problem) return '';
  if (problem.about !== 'placement' || position.fits(position.census().total))
    return problem.reason;
  const { title } = position.rules.definition;
  return t(position.facts.parity ? 'editor.odd' : 'editor.even', { reason: problem.reason, title });
}

/** @param {Position} position @returns {ReturnType<typeof setUpProblem>} */
function countersProblem({ passes, number, facts, rules }) {
  if (number < 1) return { reason: t('notation.turn', { n: number }), about: 'turn' };
  const reason =
    passes > 2
      ? t('notation.passes-range')
      : passes && facts.parity === null
        ? t('rules.no-pass', { title: rules.definition.title })
        : passes && passes >= number - 1
          ? t('notation.too-many', { n: number })
          : '';
  return reason ? { reason: t('notation.passes', { n: passes, reason }), about: 'passes' } : null;
}

/** @param {Position} position @returns {ReturnType<typeof setUpProblem>} */
function contentProblem(position) {
  const { isOver, facts, number, cells } = position;
  const { total } = position.census();
  /** @param {string} reason */
  const refused = (reason) => ({ reason, about: /** @type {const} */ ('placement') });
  if (!position.fits(total) && (number > 1 || isOver))
    return refused(
      `${parityText(total)}, ${t(isOver ? 'notation.in-finished' : 'notation.after-first')}`,
    );
  const empty = cells.filter((content) => content < 0).length;
  const first = number === 1 && empty ? facts.first : 0;
  if (facts.parity === null && facts.stones[0] === 2 && (empty - first) % 2)
    return refused(t('notation.empty-odd'));
  const isStuck =
    !isOver &&
    position.illegality(PASS) !== null &&
    position.illegality(SWAP) !== null &&
    !position.someDrop();
  return isStuck ? refused(t('notation.stuck', { parity: parityText(total) })) : null;
}

/** The number of a turn that could follow: one for the empty board. @param {{rules: Rules, cells: Int8Array, player: Colour, passes: number}} draft */
export function fittingNumber({ rules, cells, player, passes }) {
  const stones = cells.reduce((sum, content) => sum + Number(content >= 0), 0);
  if (!stones && !passes) return 1;
  // The turns after the first have as many stones as they can.
  const { first, stones: ends } = rules.facts;
  const turns = stones ? 1 + Math.ceil(Math.max(0, stones - first) / ends[1]) : 0;
  const next = turns + passes + 1;
  return next + Number((next - 1) % 2 !== player);
}
