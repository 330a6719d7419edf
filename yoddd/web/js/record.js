// The list of turns: the line shown, with the variations beside each of its turns.
import { withDiscs } from './discs.js';
import { gradeIcon } from './grades.js';
import { showTurn } from './notation.js';
import { html } from './svg.js';

/** @typedef {import('./tree.js').GameTree} GameTree */
/** @typedef {import('./tree.js').Node} Node */
/** @typedef {ReadonlyMap<import('./rules.js').Position, import('./judgements.js').Judgement>} Judged */

/** Each turn is a button with its path in the tree as data. @param {HTMLElement} list @param {GameTree} tree @param {Judged} judged */
export function drawRecord(list, tree, judged) {
  const line = tree.line();
  const path = tree.linePath();
  /** @type {HTMLElement[]} */
  const rows = [];
  /** @type {HTMLElement | null} */
  let row = null;
  let filled = 0;
  line.slice(1).forEach((node, index) => {
    if (!row || filled === 2) {
      row = html('li', {}, html('span', { class: 'n' }, `${node.position.number - 1}`));
      rows.push(row);
      filled = 0;
    }
    const buttons = line[index].children.map((child, taken) =>
      button(
        tree,
        child,
        [...path.slice(0, index), taken],
        line[index].children.length > 1,
        judged,
      ),
    );
    const [own] = buttons.splice(path[index], 1);
    row.append(own);
    filled += 1;
    if (buttons.length) {
      const box = html('div', { class: 'alternatives' }, ...buttons);
      row.append(...(filled === 1 ? [html('span')] : []), box);
      filled = 2;
    }
  });
  list.replaceChildren(
    ...(rows.length ? rows : [html('li', {}, html('span', { class: 'empty' }, 'No turn yet'))]),
  );
  const current = list.querySelector('[aria-current]');
  if (current instanceof HTMLElement) {
    // Whole rows only: a line that is cut in two is hard to read.
    const height = current.offsetHeight;
    const top = current.offsetTop - list.offsetTop;
    const seen = Math.max(1, Math.floor(list.clientHeight / height));
    list.scrollTop = Math.max(0, Math.round(top / height) - seen + 1) * height;
  }
}

/** @param {GameTree} tree @param {Node} node @param {number[]} path @param {boolean} forks @param {Judged} judged */
function button(tree, node, path, forks, judged) {
  const grade = judged.get(node.position)?.grade ?? 'sound';
  const text = node.turn ? showTurn(node.turn, tree.rules) : '';
  return html(
    'button',
    {
      type: 'button',
      class: forks ? 'fork' : null,
      'aria-current': node === tree.current ? 'step' : null,
      title: node.comment || (grade === 'sound' ? null : grade),
      'data-path': path.join('.'),
    },
    ...withDiscs(text + (node.comment ? ' ✎' : '')),
    ...(grade === 'sound' ? [] : [gradeIcon(grade), html('span', { class: 'hidden' }, grade)]),
  );
}
