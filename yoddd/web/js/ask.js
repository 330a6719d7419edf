// Questions of the page to its user. The browser's own would stop the page, its clocks and its
// connection until they are answered.
import { el } from './svg.js';

/**
 * Whether the user agrees.
 * @param {string} question
 * @param {string} verb what the button that agrees says
 * @returns {Promise<boolean>}
 */
export function ask(question, verb) {
  const dialog = /** @type {HTMLDialogElement} */ (el('confirm-dialog'));
  el('confirm-text').textContent = question;
  el('confirm-yes').textContent = verb;
  // Escape closes it without a value.
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}
