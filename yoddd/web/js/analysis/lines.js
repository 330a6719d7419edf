// The list beside the board: turns or half turns with their chances and continuations.
import { writeDiscs } from '../base/discs.js';
import { countText } from './engineview.js';
import { html, write } from '../base/svg.js';
import { decimal } from '../base/texts.js';

/** The rows of the list where it has no height of its own; a lower one scrolls. */
const LEAST = 6;

/** The rows that the list has room for. */
let room = LEAST;
export const roomForLines = () => room;

/** Counts the rows for which there is room, whenever that changes. @param {HTMLElement} list */
export function watchRoom(list) {
  new ResizeObserver(() => {
    const row = parseFloat(getComputedStyle(list).gridAutoRows);
    room = Math.max(LEAST, Math.floor(list.clientHeight / row));
  }).observe(list);
}

/**
 * The items stay while their text changes: one may have the focus or the pointer.
 * @param {HTMLElement} list
 * @param {readonly import('./candidates.js').Row[]} rows
 */
export function drawLines(list, rows) {
  while (list.children.length < rows.length) list.append(item());
  while (list.children.length > rows.length) list.lastElementChild?.remove();
  rows.forEach((row, index) => {
    const [chance, played, expected, count] = list.children[index].children;
    write(chance, `${decimal(row.chance * 100, 1)}%`);
    writeDiscs(played, row.played);
    writeDiscs(expected, row.expected.join(', '));
    write(count, row.visits ? countText(row.visits) : '');
  });
}

const item = () =>
  html('li', { tabindex: 0 }, html('b'), html('span.played'), html('span.pv'), html('span.visits'));
