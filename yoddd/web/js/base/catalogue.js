// The texts by their keys, in one language. A program adds those that it shows; workers show none.

/** The place of a text and its name there. @typedef {keyof typeof import('./en.js').EN} Key */
/** @typedef {string | Record<string, string>} Text with its values in braces; by plural category where `n` counts something */

/** @type {Record<string, Text>} */
const texts = {};
let plurals = new Intl.PluralRules('en');

/** Adds texts, which replace those that have the same keys. @param {Record<string, Text>} more @param {string} [language] */
export function addTexts(more, language = 'en') {
  Object.assign(texts, more);
  plurals = new Intl.PluralRules(language);
}

/** The text of a key, with its values; the key itself without one. @param {Key} key @param {Record<string, string | number>} [values] */
export function t(key, values = {}) {
  const found = texts[key] ?? key;
  const text = typeof found === 'string' ? found : found[plurals.select(Number(values.n))];
  return (text ?? Object(found).other).replace(/\{(\w+)\}/g, (/** @type {string} */ whole, name) =>
    String(values[name] ?? whole),
  );
}

/** A text whose key is made of parts. @param {string} key @param {Record<string, string | number>} [values] */
export const tOf = (key, values) => t(/** @type {Key} */ (key), values);

/** Whether there is such a key. @param {string} key */
export const hasText = (key) => Object.hasOwn(texts, key);
