// Questions of the page to its user. The browser's own would stop the page, its clocks and its
// connection until they are answered.
import { el } from './svg.js';

/**
 * Whether the user agrees.
 * @param {string} question
 * @param {string} verb what the button that agrees says
 * @returns {Promise<boolean>}
 */
export function confirmed(question, verb) {
  const dialog = /** @type {HTMLDialogElement} */ (el('confirm-dialog'));
  el('confirm-text').textContent = question;
  el('confirm-yes').textContent = verb;
  dialog.showModal();
  return new Promise((resolve) => {
    const answered = new AbortController();
    /** @param {boolean} agreed */
    const answer = (agreed) => {
      answered.abort();
      resolve(agreed);
    };
    const { signal } = answered;
    // Not its `close`, which comes a moment after the dialog is gone: a key pressed in between would
    // find the answer not yet carried out.
    dialog.addEventListener(
      'submit',
      (event) => answer(/** @type {HTMLButtonElement?} */ (event.submitter)?.value === 'yes'),
      { signal },
    );
    // Escape closes it without a button. Where it is open, the event is that of a question before.
    dialog.addEventListener('close', () => dialog.open || answer(false), { signal });
  });
}
