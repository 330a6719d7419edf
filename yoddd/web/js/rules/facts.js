// The facts of a game, of which all follows that is played and said of it: yoddd/rules/facts.py does the same.
import { FACTS } from '../base/facts.js';
import { t } from '../base/catalogue.js';

/** @import { Ends, Fact } from '../base/facts.js' */
/** The values of some facts, by key. @typedef {Record<string, any>} Given */
/** The word by which each colour is counted. @typedef {'points' | 'largest' | 'smallest' | 'product' | 'area'} Count */
/** @typedef {'one' | 'size' | 'less' | 'square' | 'odd' | 'large'} Value */
/** @typedef {'size' | 'ascending' | 'stones' | 'odd' | 'black' | 'white'} Tie */

/**
 * All facts of a game, its options applied; those without a meaning have one fixed value.
 * @typedef {object} Facts
 * @property {boolean} pie whether White may swap sides instead of turn 2
 * @property {number} first the stones of the first turn
 * @property {boolean} firstOwn whether these are of the player's colour
 * @property {Ends} stones the fewest and the most of each later turn
 * @property {boolean} own whether these are of the player's colour
 * @property {0 | 1 | null} parity of the number of groups when a turn ends; null where it may be any
 * @property {'none' | 'free' | 'forced'} pass there is a pass where there is a parity, and only there
 * @property {boolean} fullEnds whether a full board ends a game with passes at once
 * @property {Count} count
 * @property {Value} value of a group, where its points are counted
 * @property {number} k the size that `value` refers to
 * @property {number} lone the size of a group that is missing
 * @property {'more' | 'fewer' | 'odd' | 'even'} wins which count wins, or the parity of both counts with which Black does
 * @property {Tie[]} ties what decides between equal counts, in order
 * @property {number[]} numbers all of them as the kernel takes them
 * @property {Given} given those that have a meaning, as a description has them
 */

/** A fact that is missing, has no such value, or does not go with the others. */
export class FactError extends Error {
  /** @param {string} key @param {string} reason */
  constructor(key, reason) {
    super(`${key}: ${reason}`);
    this.key = key;
    this.reason = reason;
  }
}

const TIES = 'score.ties';
const MOST_K = 999;

/** A value as a text quotes it: not all of a long one. @param {unknown} value */
export function shown(value) {
  const text = value === undefined ? t('describe.nothing') : String(JSON.stringify(value));
  return text.length > 40 ? text.slice(0, 40).concat('…') : text;
}

/** @param {string} key */
const wordsOf = (key) => /** @type {any[] | undefined} */ (FACTS.facts.words[key]);

/** Words to choose from: a, b or c. @param {string[]} words */
export const anyOf = (words) =>
  [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(` ${t('or')} `);

/** The values of a fact, as a text lists them. @param {string} key */
function choices(key) {
  const words = wordsOf(key);
  if (!words) return t('rules.range', { least: 1, most: MOST_K });
  const texts = words.map((word) => (typeof word === 'string' ? word : JSON.stringify(word)));
  if (key === TIES) return t('describe.list', { words: texts.join(' ') });
  return anyOf(texts);
}

/** The value of a fact as a description has it; throws a `FactError`. @param {string} key @param {unknown} value @returns {Fact} */
export function checkValue(key, value) {
  const words = wordsOf(key);
  const isAmong = (/** @type {unknown} */ one) =>
    words?.some((word) => JSON.stringify(word) === JSON.stringify(one)) ??
    (Number.isInteger(one) && Number(one) >= 1 && Number(one) <= MOST_K);
  if (key === TIES ? Array.isArray(value) && value.every(isAmong) : isAmong(value))
    return /** @type {Fact} */ (value);
  throw new FactError(key, t('describe.expected', { what: shown(value), expected: choices(key) }));
}

/** The keys without a meaning beside the other facts, and what would give them one. @param {Given} values @returns {Record<string, string>} */
function idleKeys(values) {
  const isPoints = values['score.count'] === 'points';
  const isSize = ['largest', 'smallest', 'product'].includes(values['score.count']);
  return Object.fromEntries(
    Object.entries({
      'score.value': isPoints ? '' : 'count = "points"',
      'score.k':
        isPoints && ['less', 'large'].includes(values['score.value'])
          ? ''
          : 'value = "less", "large"',
      'score.lone': isSize ? '' : 'count = "largest", "smallest", "product"',
      'turn.full_ends': values['turn.pass'] === 'none' ? 'pass = "free", "forced"' : '',
      [TIES]: ['odd', 'even'].includes(values['score.wins']) ? 'wins = "more", "fewer"' : '',
    }).filter(([, wanted]) => wanted),
  );
}

/** The facts of which some are given; throws a `FactError`. @param {Given} given @returns {Facts} */
export function settle(given) {
  const { keys, defaults } = FACTS.facts;
  for (const [key, value] of Object.entries(given)) checkValue(key, value);
  /** @type {Given} */
  const values = { ...defaults, ...given };
  for (const key of ['turn.stones', 'turn.colour', 'score.count', 'score.wins'])
    if (!(key in values))
      throw new FactError(key, t('describe.missing', { expected: choices(key) }));
  values['turn.first_colour'] ??= values['turn.colour'];
  const idle = idleKeys(values);
  for (const [key, wanted] of Object.entries(idle))
    if (key in given) throw new FactError(key, t('describe.idle', { wanted }));
  if (!('score.k' in values) && !('score.k' in idle))
    throw new FactError('score.k', t('describe.missing', { expected: choices('score.k') }));
  /** @type {Tie[]} */
  const ties = values[TIES];
  if (ties.slice(0, -1).some(isColour)) throw new FactError(TIES, t('describe.after-colour'));
  const groups = values['turn.groups'];
  if ((values['turn.pass'] === 'none') !== (groups === 'any'))
    throw new FactError('turn.pass', t('describe.pass', { what: shown(values['turn.pass']) }));
  if (groups === 'even' && values['turn.first'] === 1)
    throw new FactError('turn.first', t('describe.first'));
  const meant = Object.fromEntries(Object.entries(values).filter(([key]) => !(key in idle)));
  for (const key of Object.keys(idle)) values[key] = defaults[key] ?? 0;
  return {
    given: meant,
    pie: values.pie,
    first: values['turn.first'],
    firstOwn: values['turn.first_colour'] === 'own',
    stones: values['turn.stones'],
    own: values['turn.colour'] === 'own',
    parity: groups === 'any' ? null : groups === 'odd' ? 1 : 0,
    pass: values['turn.pass'],
    fullEnds: values['turn.full_ends'],
    count: values['score.count'],
    value: values['score.value'],
    k: values['score.k'],
    lone: values['score.lone'],
    wins: values['score.wins'],
    ties,
    numbers: keys.flatMap((key) => numberOf(key, values[key])),
  };
}

/** @param {unknown} tie */
const isColour = (tie) => tie === 'black' || tie === 'white';

/** A fact as numbers of the kernel. @param {string} key @param {any} value @returns {number | number[]} */
function numberOf(key, value) {
  const placeOf = (/** @type {string} */ word) => wordsOf(key)?.indexOf(word) ?? 0;
  if (!Array.isArray(value)) return typeof value === 'string' ? placeOf(value) : Number(value);
  if (key !== TIES) return value;
  const places = [...new Set(value)].map((word, n) => (placeOf(word) + 1) * 8 ** n);
  return places.reduce((sum, place) => sum + place, 0);
}

/** Throws a `FactError` where a game on so many cells may end in a draw, or come to a stop. @param {Facts} facts @param {number} cells */
export function checkDrawless({ first, stones, parity, count, value, k, wins, ties }, cells) {
  const isFull = parity === null;
  if (isFull && stones[0] === 2 && (cells - first) % 2)
    throw new FactError('turn.stones', t('describe.odd-cell', { cells }));
  const isOddSum = ['size', 'square', 'odd'].includes(value) || (value === 'less' && k % 2 === 0);
  if (
    wins === 'odd' ||
    wins === 'even' ||
    isColour(ties[ties.length - 1]) ||
    (parity === 1 && count === 'points' && value === 'one') ||
    (isFull && cells % 2 && (ties.length || (count === 'points' && isOddSum)))
  )
    return;
  const wanted = JSON.stringify([...ties, 'white']);
  throw new FactError(TIES, t('describe.draw', { cells, wanted }));
}
