// The list beside the board: turns or half turns with their chances and continuations.
import { withDiscs } from './discs.js';
import { countText } from './engineview.js';
import { html } from './svg.js';

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
    chance.textContent = `${(row.chance * 100).toFixed(1)}%`;
    played.replaceChildren(...withDiscs(row.played));
    expected.replaceChildren(...withDiscs(row.expected.join(', ')));
    count.textContent = row.visits ? countText(row.visits) : '';
  });
}

const item = () =>
  html(
    'li',
    { tabindex: 0 },
    html('b'),
    html('span', { class: 'played' }),
    html('span', { class: 'pv' }),
    html('span', { class: 'visits' }),
  );
