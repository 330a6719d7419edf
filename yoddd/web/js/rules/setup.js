// A position in the making. Drafts never change: every function returns another one. Stones are kept
// as they are, whether the rules allow them or not; `problemText` says why they do not.
import { fittingNumber } from './notation.js';
import { Position } from './rules.js';

/** @import { Colour, Rules } from './rules.js' */

/**
 * @typedef {object} Draft
 * @property {Rules} rules
 * @property {Int8Array} cells the colour of each stone, -1 for none
 * @property {Colour} player
 * @property {number} passes in succession
 * @property {number | null} number of the turn about to be played; null for one that fits the stones
 */

/** The contents of a cell without a stone. */
export const NOTHING = -1;

/** The draft of a position. @param {Position} position @returns {Draft} */
export function draftOf(position) {
  const { rules, cells, player, passes, number } = position;
  const draft = { rules, cells, player, passes, number: null };
  return fittingNumber(draft) === number ? draft : { ...draft, number };
}

/** @param {Draft} draft */
export const positionOf = (draft) =>
  new Position(
    draft.rules,
    draft.cells,
    draft.player,
    draft.passes,
    draft.number ?? fittingNumber(draft),
  );

/** A stone or nothing on a cell. @param {Draft} draft @param {number} cell @param {Colour | -1} content */
export function paint(draft, cell, content) {
  if (draft.cells[cell] === content) return draft;
  const cells = draft.cells.slice();
  cells[cell] = content;
  return { ...draft, cells };
}

/** A tap: the same stone again takes it away. @param {Draft} draft @param {number} cell @param {Colour | -1} content */
export const toggle = (draft, cell, content) =>
  paint(draft, cell, draft.cells[cell] === content ? NOTHING : content);

/** The board without stones, with Black to begin. @param {Draft} draft @returns {Draft} */
export const clear = ({ rules }) => draftOf(new Position(rules));

/** Other rules, with the stones on cells that the other board has too. @param {Draft} draft @param {Rules} rules @returns {Draft} */
export function changeRules(draft, rules) {
  const { board } = draft.rules;
  const passes = rules.facts.parity !== null ? draft.passes : 0;
  if (board === rules.board) return { ...draft, rules, passes };
  const cells = new Int8Array(rules.board.cells).fill(NOTHING);
  if (board.shape === rules.board.shape)
    rules.board.labels.forEach((label, cell) => {
      const before = board.index.get(label);
      if (before !== undefined) cells[cell] = draft.cells[before];
    });
  return { ...draft, rules, cells, passes };
}
