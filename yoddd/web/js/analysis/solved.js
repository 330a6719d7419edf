// Complete tables, and positions that are solved, as the server reads them: what every stone and every completion is worth.
import { hasStone, parseTurn } from '../rules/notation.js';
import { t } from '../base/texts.js';

/** @import { Position, Stone, Turn } from '../rules/rules.js' */

/** The worth of a position or a turn; turns to the end, null if the table has no distances. @typedef {{won: boolean, turns: number | null}} Value */

/**
 * The answer of the table to a position.
 * @typedef {object} Answer
 * @property {string} line the request that sets the position up
 * @property {Value} value for the player to move
 * @property {readonly (Value & {token: string})[]} turns every legal one, the best first
 */

/**
 * A stone that may be placed next, or the whole of what is left of a turn.
 * @typedef {object} Entry
 * @property {Turn} turn the best one that begins so
 * @property {Stone | null} stone null for a pass, a swap, or the end of the turn
 * @property {Value} value that of the turn
 * @property {number} winning how many turns that begin so win
 * @property {number} total how many begin so
 */

/** Boards of more cells have no table. */
const MOST_CELLS = 25;
/** Positions with more empty cells are not solved; one with as many takes some 0.2 s. */
const MOST_EMPTY = 18;

/** The request for the worth of every turn; empty where neither a table nor the solver has it. @param {Position} position */
export function probeOf({ cells }) {
  const empty = cells.filter((colour) => colour < 0).length;
  if (empty <= MOST_EMPTY) return 'probe 1';
  return cells.length <= MOST_CELLS ? 'probe' : '';
}

/** @param {string[]} words */
const readValue = ([word, turns]) => ({
  won: word === 'won',
  turns: turns === undefined ? null : Number(turns),
});

/** Reads the reply to `probe`. @param {string} line of the position @param {string} text @returns {Answer} */
export function readAnswer(line, text) {
  const [head, ...rest] = text.split('\n').map((one) => one.trim().split(' '));
  const turns = rest.map(([token, ...words]) => ({ token, ...readValue(words) }));
  return { line, value: readValue(head), turns };
}

/**
 * The stones that may follow the pending ones, the best first: each is worth the best turn with it.
 * @param {Answer} answer @param {Position} position @param {readonly Stone[]} pending
 * @returns {Entry[]}
 */
export function entriesOf(answer, position, pending) {
  /** @type {Map<string, Entry>} */
  const entries = new Map();
  for (const { token, won, turns } of answer.turns) {
    const turn = parseTurn(token, position.rules, position.player);
    if (!pending.every((stone) => hasStone(turn.stones, stone))) continue;
    const rest = turn.stones.filter((stone) => !hasStone(pending, stone));
    for (const stone of rest.length ? rest : [null]) {
      const key = stone ? `${stone.colour} ${stone.cell}` : turn.kind;
      const entry = entries.get(key) ?? {
        turn,
        stone,
        value: { won, turns },
        winning: 0,
        total: 0,
      };
      entry.total += 1;
      entry.winning += won ? 1 : 0;
      entries.set(key, entry);
    }
  }
  return [...entries.values()];
}

/** The worth of a black and of a white stone, by cell. @param {readonly Entry[]} entries */
export function marksOf(entries) {
  /** @type {Map<number, [Value | null, Value | null]>} */
  const marks = new Map();
  for (const { stone, value } of entries) {
    if (!stone) continue;
    const mark = marks.get(stone.cell) ?? [null, null];
    mark[stone.colour] = value;
    marks.set(stone.cell, mark);
  }
  return marks;
}

/** Whether some stone ends the game sooner than another one; where the board has to be full none does. @param {readonly Entry[]} entries */
export const isTimed = (entries) => new Set(entries.map(({ value }) => value.turns)).size > 1;

/** @param {Entry} entry @returns {Entry} */
export const withoutTurns = (entry) => ({ ...entry, value: { ...entry.value, turns: null } });

/** "won in 7", with as much as is known. @param {Value} value */
export const valueText = ({ won, turns }) =>
  t(won ? 'games.win' : 'games.loss') + (turns === null ? '' : t('table.in', { n: turns }));

/** "White wins in 7 turns". @param {string} name @param {Value} value */
export function verdictText(name, { won, turns }) {
  if (turns === null) return t(won ? 'table.wins' : 'table.loses', { name });
  return t(won ? 'table.wins-in' : 'table.loses-in', { name, n: turns });
}
