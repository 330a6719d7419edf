// The box for the comment on a turn, which opens on demand.
import { el } from './svg.js';

/** @param {boolean} shown */
export function showComment(shown) {
  el('comment-field').hidden = !shown;
  el('comment-open').setAttribute('aria-expanded', String(shown));
}

/** Ties the box to its button; an empty one closes when it is left. */
export function wireComment() {
  const box = /** @type {HTMLTextAreaElement} */ (el('comment'));
  el('comment-open').addEventListener('click', () => {
    showComment(true);
    box.focus();
  });
  box.addEventListener('blur', () => showComment(box.value !== ''));
}
