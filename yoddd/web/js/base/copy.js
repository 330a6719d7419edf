// The buttons that copy a link beside them.
import { el } from './svg.js';
import { t } from './texts.js';

export function wireCopies() {
  for (const button of document.querySelectorAll('[data-copy]'))
    button.addEventListener('click', () => copyLink(/** @type {HTMLElement} */ (button)));
}

/** @param {HTMLElement} button */
async function copyLink(button) {
  const link = /** @type {HTMLInputElement} */ (el(button.dataset.copy ?? ''));
  link.select();
  // Only pages over HTTPS or from this machine have a clipboard; elsewhere the old command works.
  const copied = await (navigator.clipboard?.writeText(link.value) ?? Promise.reject()).then(
    () => true,
    () => document.execCommand('copy'),
  );
  const text = button.dataset.text ?? button.textContent;
  button.dataset.text = text ?? '';
  button.textContent = copied ? t('share.copied') : t('share.copy-yourself');
  window.setTimeout(() => {
    button.textContent = text;
  }, 1500);
}
