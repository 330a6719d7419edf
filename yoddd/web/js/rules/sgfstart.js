// The board and the start of a game as SGF: SZ, AB, AW and PL, beside YBOARD and YSTART.
import { t } from '../base/catalogue.js';
import { rulesHash } from './hash.js';
import { fittingNumber, formatPosition, parsePosition, parseShown } from './notation.js';
import { GAMES, Position, gameOf, makeRules } from './rules.js';

/** @import { OwnGame, Rules } from './rules.js' */
/** @import { Raw } from './sgf.js' */

/** The properties that SGF sets a position up with. */
export const SET_UP = ['AB', 'AW', 'AE', 'PL'];

/** The properties of a start; none of the empty board with Black to move. @param {Position} start */
export function startProperties(start) {
  const { player, passes, cells, rules } = start;
  if (start.number === 1 && player === 0 && !start.census().total) return '';
  const line = `YSTART[${formatPosition(start)}]`;
  if (passes) return line; // set-up stones cannot say that
  const stones = ['AB', 'AW'].map((name, colour) => {
    const found = rules.board.labels.filter((_, cell) => cells[cell] === colour);
    return found.length ? name + found.map((label) => `[${label}]`).join('') : '';
  });
  return `${line}${stones.join('')}PL[${'BW'[player]}]`;
}

/** The first games of SGF after Go, by their numbers from 2. */
const OTHERS =
  'Othello,chess,Gomoku,Nine Men’s Morris,backgammon,xiangqi,shogi,Lines of Action,Ataxx,Hex';
/** The number of all our games. */
export const OURS = '9633';

/** The kind of a text without a game tree, in words. @param {string} text */
export function describeText(text) {
  if (/^\s*game=\S*\.lud\b/.test(text)) return t('sgf.ludii');
  const [, host] = /^\s*(?:https?:\/\/)?([\w.:-]+)\/\S*\s*$/.exec(text) ?? [];
  if (host === 'hexworld.org') return t('sgf.hexworld');
  if (host) return t('sgf.link', { host });
  const [, game] = /^\s*(?:position\s+)?(\S+)/i.exec(text) ?? ['', ''];
  return t(Object.hasOwn(GAMES, game.toLowerCase()) ? 'sgf.line' : 'sgf.no-tree');
}

/** The size of the board of a file that names no game of ours; an Error unless it is Go on a board of Xodd. @param {(name: string) => string} value */
export function goSize(value) {
  const number = value('GM');
  if (!number && !value('SZ')) throw new Error(t('sgf.none'));
  if (number && number !== '1') {
    const game = OTHERS.split(',')[Number(number) - 2] ?? `GM[${number}]`;
    throw new Error(t('sgf.other-game', { game }));
  }
  const size = value('SZ') || '19';
  const [least, most] = GAMES.xodd.boards.square ?? [0, 0];
  if (/^\d+$/.test(size) && Number(size) >= least && Number(size) <= most) return size;
  throw new Error(t('sgf.go', { size: size.replace(':', '×').replace(/^\d+$/, '$&×$&') }));
}

/** Makes a game of Go one of Xodd, with the points of its stones as cells. @param {Raw} root @param {string} size */
export function readAsXodd(root, size) {
  root.properties.set('YGAME', ['xodd']).set('YBOARD', [`square${size}`]);
  const rest = [root];
  for (let node = rest.pop(); node; node = rest.pop()) {
    for (const name of ['B', 'W', 'AB', 'AW']) {
      const cells = node.properties.get(name)?.map((point) => cellAt(point.trim(), size));
      if (cells) node.properties.set(name, cells);
    }
    rest.push(...node.children);
  }
}

/** The cell of a point, whose letters count from the left and from above. @param {string} point @param {string} size */
function cellAt(point, size) {
  if (['', 'tt'].includes(point)) return 'pass';
  return /^[a-z]{2}$/.test(point) ? `${point[0]}${Number(size) + 97 - point.charCodeAt(1)}` : point;
}

/**
 * The rules that a root names.
 * @param {(name: string) => string} value @param {Record<string, string>} options
 * @param {OwnGame} [own] the game that it describes
 */
export function readRules(value, options, own) {
  const game = gameOf(value('YGAME').toLowerCase(), own);
  const [board, size] = [value('YBOARD'), value('SZ')];
  let rules = makeRules(game, board || undefined, options);
  if (size && !board) rules = makeRules(game, rules.board.shape + size, options);
  if (size && size !== String(rules.board.size))
    throw new Error(t('sgf.size', { size, board: rules.board.name, n: rules.board.size }));
  const hash = value('YHASH');
  if (hash && hash !== rulesHash(rules.facts))
    throw new Error(t('sgf.hash', { title: rules.definition.title }));
  return rules;
}

/** The position that a root sets up. @param {Raw} root @param {Rules} rules @param {(name: string) => string} value */
export function readStart(root, rules, value) {
  const line = value('YSTART');
  const start = line ? parseShown(line, rules.definition) : null;
  if (!SET_UP.some((name) => root.properties.has(name))) return start ?? new Position(rules);
  const cells = readCells(root, rules);
  const player = playerOf(value('PL'));
  if (start) {
    if (
      cells.some((one, cell) => one !== start.cells[cell]) ||
      ![null, start.player].includes(player)
    )
      throw new Error(t('sgf.other-start'));
    return start;
  }
  const mover = player ?? firstPlayer(root);
  const number = fittingNumber({ rules, cells, player: mover, passes: 0 });
  const made = new Position(rules, cells, mover, 0, number);
  try {
    return parsePosition(formatPosition(made), rules.definition);
  } catch (error) {
    const { message: reason } = /** @type {Error} */ (error);
    throw new Error(t('sgf.start', { reason }), { cause: error });
  }
}

/** @param {Raw} root @param {Rules} rules */
function readCells({ properties }, { board }) {
  const cells = new Int8Array(board.labels.length).fill(-1);
  for (const [colour, name] of ['AB', 'AW'].entries()) {
    for (const text of properties.get(name) ?? []) {
      const label = text.trim().toLowerCase();
      const cell = board.labels.indexOf(label);
      if (cell < 0) throw new Error(t('sgf.no-cell', { name, cell: label, board: board.name }));
      if (cells[cell] >= 0) throw new Error(t('sgf.occupied', { name, cell: label }));
      cells[cell] = colour;
    }
  }
  return cells;
}

/** @param {string} text @returns {0 | 1 | null} */
function playerOf(text) {
  if (!text) return null;
  const player = 'bw'.indexOf(text[0].toLowerCase());
  if (player < 0) throw new Error(t('sgf.player', { text }));
  return player ? 1 : 0;
}

/** The player of the first turn, as programs read it that write no PL. @param {Raw} root @returns {0 | 1} */
function firstPlayer(root) {
  for (let node = /** @type {Raw | undefined} */ (root); node; node = node.children[0]) {
    if (node.properties.has('B')) return 0;
    if (node.properties.has('W')) return 1;
  }
  return 0;
}
