// The box for the comment on a turn, which opens on demand.
import { el } from './svg.js';

/** @param {boolean} shown */
export function showComment(shown) {
  el('comment-field').hidden = !shown;
  el('comment-open').setAttribute('aria-expanded', String(shown));
}

/** Opens the box for the current turn. */
export function editComment() {
  showComment(true);
  el('comment').focus();
}

/** Ties the box to its button; an empty one closes when it is left. */
export function wireComment() {
  const box = /** @type {HTMLTextAreaElement} */ (el('comment'));
  el('comment-open').addEventListener('click', editComment);
  box.addEventListener('blur', () => showComment(box.value !== ''));
}
