// Turns, positions and games as text, as the protocol spells them.
import { GAMES, Position, chosenOptions, makeRules, parityText } from './rules.js';

/** @typedef {import('./rules.js').Stone} Stone */
/** @typedef {import('./rules.js').Turn} Turn */
/** @typedef {import('./rules.js').Rules} Rules */
/** @typedef {import('./rules.js').Colour} Colour */

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

/** @param {Stone} stone @param {Rules} rules */
export function formatStone(stone, rules) {
  const label = rules.board.labels[stone.cell];
  return rules.game === 'yoin' ? label : `${stone.colour + 1}${label}`;
}

/** @param {Turn} turn @param {Rules} rules */
export function formatTurn(turn, rules) {
  if (turn.kind !== 'drop') return turn.kind;
  return turn.stones.map((stone) => formatStone(stone, rules)).join(',');
}

/** A turn for the user to read: ●c3 ○d4. @param {Turn} turn @param {Rules} rules */
export function showTurn(turn, rules) {
  if (turn.kind !== 'drop') return turn.kind;
  return turn.stones
    .map(({ colour, cell }) => `${colour ? '○' : '●'}${rules.board.labels[cell]}`)
    .join(' ');
}

/** @param {string} text @param {Rules} rules @param {Colour} player @returns {Stone} */
export function parseStone(text, rules, player) {
  const match = /^([12bw](?=[a-z]))?([a-z]\d{1,2})$/.exec(text.toLowerCase());
  const cell = match && rules.board.index.get(match[2]);
  if (!match || cell === undefined || cell === null) {
    throw new Error(`no cell '${text}' on ${rules.board.name}`);
  }
  const colour = match[1] ? /** @type {Colour} */ ('1b'.includes(match[1]) ? 0 : 1) : player;
  return { colour, cell };
}

/** @param {string} text @param {Rules} rules @param {Colour} player @returns {Turn} */
export function parseTurn(text, rules, player) {
  const word = text.trim().toLowerCase();
  const plain = { pass: PASS, swap: SWAP, resign: RESIGN }[word];
  if (plain) return plain;
  const parts = word.split(',');
  if (parts.length > 2) throw new Error(`${parts.length} stones in one turn`);
  return drop(...parts.map((part) => parseStone(part, rules, player)));
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

/** Reads a position line; throws an Error with the reason. @param {string} text */
export function parsePosition(text) {
  const [game, board, placement, player, passes, turn, ...settings] = text
    .trim()
    .toLowerCase()
    .split(/\s+/);
  if (turn === undefined) throw new Error('expected: game board placement player passes turn');
  const options = Object.fromEntries(settings.map((setting) => setting.split('=')));
  const rules = makeRules(game, board, options);
  if (!/^[bw]$/.test(player)) throw new Error(`player ${player}: expected b or w`);
  if (!/^[012]$/.test(passes)) throw new Error(`${passes} passes: expected 0, 1 or 2`);
  if (!/^[1-9]\d{0,8}$/.test(turn)) throw new Error(`turn ${turn}: expected a number from 1`);
  const position = new Position(
    rules,
    readPlacement(placement, rules),
    player === 'b' ? 0 : 1,
    Number(passes),
    Number(turn),
  );
  checkPosition(position);
  return position;
}

/** @param {string} text @param {Rules} rules */
function readPlacement(text, rules) {
  const { board } = rules;
  const rows = text.split('/');
  if (rows.length !== board.rows.length) {
    throw new Error(`${rows.length} rows, ${board.name} has ${board.rows.length}`);
  }
  const cells = new Int8Array(board.cells).fill(-1);
  rows.forEach((row, index) => {
    const where = board.rows[board.rows.length - 1 - index];
    const spread = row.replace(/\d+/g, (run) => '.'.repeat(Math.min(99, Number(run))));
    if (!/^[.bw]*$/.test(spread) || spread.length !== where.length) {
      throw new Error(
        `row '${row}': expected ${where.length} cells of b, w and runs of empty ones`,
      );
    }
    where.forEach((cell, column) => {
      cells[cell] = '.bw'.indexOf(spread[column]) - 1;
    });
  });
  return cells;
}

/** @param {Position} position */
function checkPosition(position) {
  const { total } = position.census();
  const facts = GAMES[position.rules.game];
  if (facts.least === 2) {
    const empty = position.cells.filter((content) => content < 0).length;
    if ((empty - Number(position.number === 1 && empty > 0)) % 2) {
      throw new Error('an odd number of cells is empty: turns of two stones cannot fill the board');
    }
  }
  if (position.passes && !facts.odd) throw new Error(`${facts.title} has no pass`);
  if (position.passes >= position.number) {
    throw new Error(`${position.passes} passes before turn ${position.number}`);
  }
  if (facts.odd && total % 2 === 0 && (position.number > 1 || position.isOver)) {
    throw new Error(`${parityText(total)}, after the first turn`);
  }
}
