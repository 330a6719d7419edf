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

/** @returns {typeof DEFAULTS} */
function load() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? '{}') };
  } catch {
    return { ...DEFAULTS };
  }
}

export const settings = load();

export function saveSettings() {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // A browser that keeps nothing still plays.
  }
}
