// The list of candidate turns with their winrates and continuations.
import { lineOf, listed, readLine } from './candidates.js';
import { withDiscs } from './discs.js';
import { countText } from './engineview.js';
import { showTurn } from './notation.js';
import { html } from './svg.js';

/**
 * The items stay while their text changes: one may have the focus or the pointer.
 * @param {HTMLElement} list
 * @param {readonly import('./candidates.js').Candidate[]} candidates
 * @param {import('./rules.js').Position} position
 */
export function drawLines(list, candidates, position) {
  const shown = listed(candidates);
  while (list.children.length < shown.length) list.append(item());
  while (list.children.length > shown.length) list.lastElementChild?.remove();
  shown.forEach((candidate, index) => {
    const { chance: worth, visits } = candidate;
    const [turn, ...rest] = readLine(lineOf(candidate), position).map((one) =>
      showTurn(one, position.rules),
    );
    const [chance, played, expected, count] = list.children[index].children;
    chance.textContent = `${(worth * 100).toFixed(1)}%`;
    played.replaceChildren(...withDiscs(turn));
    expected.replaceChildren(...withDiscs(rest.join(', ')));
    count.textContent = countText(visits);
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
