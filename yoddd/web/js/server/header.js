// What every page has: settings, help, and the link past the header.
import { wireAccount } from './login.js';
import { loadSettings, saveSettings } from '../base/settings.js';
import { isStatic } from '../base/site.js';
import { el, html } from '../base/svg.js';
import { LANGUAGES } from '../base/texts.js';

/** The choice of the language. The texts of what is on the page stay, so it is loaded again. */
function wireLanguage() {
  const field = /** @type {HTMLSelectElement} */ (el('language'));
  field.append(
    ...Object.entries(LANGUAGES).map(([code, name]) =>
      html('option', { value: code, lang: code }, name),
    ),
  );
  /** @type {HTMLElement} */ (field.closest('label')).hidden = Object.keys(LANGUAGES).length < 2;
  field.value = loadSettings().language;
  field.addEventListener('change', () => {
    saveSettings({ ...loadSettings(), language: field.value });
    location.reload();
  });
}

/** Keeps the page once it is installed, so that it opens without a network. */
function keepInstalled() {
  const keep = () => navigator.serviceWorker?.register('sw.js').catch(() => {}); // the next start does
  if (window.matchMedia('(display-mode: standalone)').matches) keep();
  window.addEventListener('appinstalled', keep);
}

/** Ties the buttons of the header to their dialogs. */
export function wireHeader() {
  wireLanguage();
  if (!isStatic) keepInstalled();
  for (const name of ['settings', 'help']) {
    const dialog = /** @type {HTMLDialogElement} */ (el(`${name}-dialog`));
    el(`${name}-open`).addEventListener('click', () => dialog.showModal());
  }
  // The fragment of an address names a game, or what a page shows.
  el('skip').addEventListener('click', (event) => {
    event.preventDefault();
    focusContent();
  });
}

/** Moves the focus past the header: to the board, or to what the page has in its place. */
export function focusContent() {
  const { hash } = /** @type {HTMLAnchorElement} */ (el('skip'));
  const content = el(hash.slice(1));
  const cell = content.querySelector('[tabindex="0"]');
  if (cell instanceof SVGElement) cell.focus({ preventScroll: true });
  else content.focus();
}

/** The header of a page beside the board, with the settings that matter there. */
export function wirePage() {
  wireHeader();
  wireAccount(() => document.dispatchEvent(new Event('login')));
  const { documentElement: root } = document;
  root.dataset.theme = loadSettings().theme;
  for (const id of /** @type {const} */ (['theme', 'confirm', 'sound'])) {
    const field = /** @type {HTMLInputElement} */ (el(id));
    const isBox = field.type === 'checkbox';
    const value = loadSettings()[id];
    if (typeof value === 'boolean') field.checked = value;
    else field.value = value;
    field.addEventListener('change', () => {
      saveSettings({ ...loadSettings(), [id]: isBox ? field.checked : field.value });
      root.dataset.theme = loadSettings().theme;
    });
  }
}
