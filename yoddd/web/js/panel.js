// The parity panel: counts, verdict, and the effect of a stone on the pointed cell.
import { effectOf, effectText, verdictText } from './parity.js';
import { parity } from './rules.js';
import { el } from './svg.js';

/** @typedef {import('./rules.js').Position} Position */
/** @typedef {import('./rules.js').Stone} Stone */

/** @param {Position} position with the pending stones */
export function drawCounts(position) {
  const { black, white, total } = position.census();
  const counts = position.facts.odd;
  el('count-0').textContent = String(black);
  el('count-1').textContent = String(white);
  el('count-2').textContent = String(total);
  el('parity').textContent = counts ? parity(total) : 'groups';
  el('total').className = counts && total ? parity(total) : '';
  el('verdict').textContent = verdictText(position);
}

/**
 * @param {Position} position where the turn began
 * @param {readonly Stone[]} pending
 * @param {number | null} cell
 * @param {{completing: boolean, count: number} | null} options
 */
export function drawHover(position, pending, cell, options) {
  const open = cell !== null && position.isEmpty(cell) && !position.isOver;
  const before = pending.filter((stone) => stone.cell !== cell);
  const held = before.length < position.maxStones ? before : before.slice(0, -1);
  el('hover-title').textContent =
    cell === null ? 'Point at a cell' : `On ${position.rules.board.labels[cell]}`;
  el('hover-note').textContent = options?.completing
    ? `${options.count} stone${options.count === 1 ? '' : 's'} complete${options.count === 1 ? 's' : ''} the turn`
    : '';
  for (const colour of /** @type {const} */ ([0, 1])) {
    const line = /** @type {HTMLElement} */ (el(`hover-${colour}`).querySelector('dd'));
    if (!open || !position.colours.includes(colour)) {
      line.textContent = open ? 'not yours to drop' : '–';
      continue;
    }
    const effect = effectOf(position, held, { cell, colour });
    const mark = document.createElement('span');
    mark.className = effect.legal ? 'yes' : 'no';
    mark.textContent = effect.legal ? '✓' : effect.completable ? '✗ + 1' : '✗';
    mark.title = effect.legal
      ? 'a legal turn'
      : effect.completable
        ? 'needs a second stone'
        : 'no turn completes it';
    line.replaceChildren(
      effectText(effect, position.facts.odd),
      ...(position.facts.odd ? [mark] : []),
    );
  }
}
