// The user's settings, and what else the browser keeps.

const KEY = 'yoddd.settings';

const DEFAULTS = {
  theme: 'auto',
  /** the code of a language; empty for that of the browser */
  language: '',
  coordinates: /** @type {'edge' | 'cell' | 'none'} */ ('edge'),
  confirm: 'two',
  engine: /** @type {import('./engineplace.js').Place} */ ('browser'),
  turns: 0,
  mirrored: false,
  sound: true,
  shade: true,
  number: false,
  links: true,
  view: /** @type {import('./candidates.js').View} */ ('chance'),
};

/** @typedef {Readonly<typeof DEFAULTS>} Settings */
/** @typedef {'localStorage' | 'sessionStorage'} Store across visits, or for this tab */

/** The value under a key; null if there is none. @param {Store} store @param {string} key @returns {any} */
export function recall(store, key) {
  try {
    return JSON.parse(window[store].getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

/** @param {Store} store @param {string} key @param {unknown} value */
export function keep(store, key, value) {
  try {
    window[store].setItem(key, JSON.stringify(value));
  } catch {
    // The page works without storage.
  }
}

const VISITED = 'yoddd.visited';

/** Whether nothing that this browser has kept says that the user has been here. */
export const isFirstVisit = () =>
  recall('localStorage', VISITED) === null && recall('localStorage', KEY) === null;

export const keepVisit = () => keep('localStorage', VISITED, true);

/** @returns {Settings} */
export const loadSettings = () => ({ ...DEFAULTS, ...recall('localStorage', KEY) });

/** @param {Settings} settings */
export const saveSettings = (settings) => keep('localStorage', KEY, settings);
