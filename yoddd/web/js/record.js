// The list of turns: the line that one is on, with the other turns that were tried beside it.
import { withDiscs } from './discs.js';
import { showTurn } from './notation.js';
import { html } from './svg.js';

/** @typedef {import('./tree.js').GameTree} GameTree */
/** @typedef {import('./tree.js').Node} Node */

/** @param {HTMLElement} list @param {GameTree} tree @param {(node: Node) => void} choose */
export function drawRecord(list, tree, choose) {
  const line = tree.line();
  /** @type {HTMLElement[]} */
  const rows = [];
  /** @type {HTMLElement | null} */
  let row = null;
  let filled = 0;
  for (const node of line.slice(1)) {
    if (!row || filled === 2) {
      row = html('li', {}, html('span', { class: 'n' }, `${node.position.number - 1}`));
      rows.push(row);
      filled = 0;
    }
    row.append(button(tree, node, choose));
    filled += 1;
    const others = node.parent?.children.filter((child) => child !== node) ?? [];
    if (others.length) {
      const box = html('div', { class: 'alternatives' }, ...others.map((other) => button(tree, other, choose)));
      row.append(...(filled === 1 ? [html('span')] : []), box);
      filled = 2;
    }
  }
  list.replaceChildren(...(rows.length ? rows : [html('li', {}, html('span', { class: 'empty' }, 'No turn yet'))]));
  const current = list.querySelector('[aria-current]');
  if (current instanceof HTMLElement) {
    // Whole rows only: a line that is cut in two is hard to read.
    const height = current.offsetHeight;
    const top = current.offsetTop - list.offsetTop;
    const seen = Math.max(1, Math.floor(list.clientHeight / height));
    list.scrollTop = Math.max(0, Math.round(top / height) - seen + 1) * height;
  }
}

/** @param {GameTree} tree @param {Node} node @param {(node: Node) => void} choose */
function button(tree, node, choose) {
  const forks = (node.parent?.children.length ?? 0) > 1;
  const text = node.turn ? showTurn(node.turn, tree.rules) : '';
  const made = html('button', {
    type: 'button', class: forks ? 'fork' : null, 'aria-current': node === tree.current ? 'step' : null,
    title: node.comment || null,
  }, ...withDiscs(text + (node.comment ? ' ✎' : '')));
  made.addEventListener('click', () => choose(node));
  return made;
}
