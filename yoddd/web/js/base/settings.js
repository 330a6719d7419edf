// The user's settings, and what else the browser keeps.

const KEY = 'yoddd.settings';

const DEFAULTS = {
  theme: 'auto',
  /** the code of a language; empty for that of the browser */
  language: '',
  coordinates: /** @type {'edge' | 'cell' | 'none'} */ ('edge'),
  confirm: 'two',
  engine: /** @type {import('../server/engineplace.js').Place} */ ('browser'),
  turns: 0,
  mirrored: false,
  sound: true,
  shade: true,
  number: false,
  links: true,
  /** the marks that are still to be offered to a newcomer */
  offers: /** @type {readonly string[]} */ ([]),
  view: /** @type {import('../analysis/candidates.js').View} */ ('chance'),
};

/** A newcomer has a board without marks, and is offered them. */
const NEWCOMER = { shade: false, links: false, offers: ['shade', 'links'] };

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

export function keepVisit() {
  saveSettings(loadSettings());
  keep('localStorage', VISITED, true);
}

const ENDED = 'yoddd.ended';

/** Whether a game has been played to its end in this browser, so that the goal is known. */
export const hasEnded = () => recall('localStorage', ENDED) !== null;

/** @param {boolean} isOver whether a game of the user is */
export function keepEnd(isOver) {
  if (isOver) keep('localStorage', ENDED, true);
}

/** @returns {Settings} */
export const loadSettings = () => ({
  ...DEFAULTS,
  ...(isFirstVisit() ? NEWCOMER : {}),
  ...recall('localStorage', KEY),
});

/** @param {Settings} settings */
export const saveSettings = (settings) => keep('localStorage', KEY, settings);
