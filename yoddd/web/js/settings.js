// What a person has chosen for good; kept by the browser.

const KEY = 'yoddd.settings';

const DEFAULTS = {
  theme: 'auto',
  coordinates: /** @type {'edge' | 'cell' | 'none'} */ ('edge'),
  confirm: 'two',
  turns: 0,
  mirrored: false,
  sound: true,
  shade: true,
  number: false,
  links: true,
};

/** @typedef {'localStorage' | 'sessionStorage'} Store for good, or for this tab */

/** A value that was kept; null where there is none. @param {Store} store @param {string} key @returns {any} */
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
    // A browser that keeps nothing still plays.
  }
}

export const settings = { ...DEFAULTS, ...recall('localStorage', KEY) };

export const saveSettings = () => keep('localStorage', KEY, settings);
