// Refuses facts of which no game can be made: those of a user's description. The games that come with
// the program need no check, which is why `rules.js` does not import it.
import { FACTS, FACT_VALUES } from '../base/facts.js';
import { t } from '../base/catalogue.js';
import { anyOf } from './rules.js';

/** @import { Fact } from '../base/facts.js' */
/** @import { Facts, Given } from './facts.js' */

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
const wordsOf = (key) => /** @type {any[] | undefined} */ (FACT_VALUES.words[key]);

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
export function idleKeys(values) {
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

/** Throws a `FactError` unless some facts are those of a game. @param {Given} given */
export function checkFacts(given) {
  const { defaults } = FACTS.facts;
  for (const [key, value] of Object.entries(given)) checkValue(key, value);
  /** @type {Given} */
  const values = { ...defaults, ...given };
  for (const key of ['turn.stones', 'turn.colour', 'score.count', 'score.wins'])
    if (!(key in values))
      throw new FactError(key, t('describe.missing', { expected: choices(key) }));
  const idle = idleKeys(values);
  for (const [key, wanted] of Object.entries(idle))
    if (key in given) throw new FactError(key, t('describe.idle', { wanted }));
  if (!('score.k' in values) && !('score.k' in idle))
    throw new FactError('score.k', t('describe.missing', { expected: choices('score.k') }));
  if (values[TIES].slice(0, -1).some(isColour))
    throw new FactError(TIES, t('describe.after-colour'));
  const groups = values['turn.groups'];
  if ((values['turn.pass'] === 'none') !== (groups === 'any'))
    throw new FactError('turn.pass', t('describe.pass', { what: shown(values['turn.pass']) }));
  if (groups === 'even' && values['turn.first'] === 1)
    throw new FactError('turn.first', t('describe.first'));
}

/** @param {unknown} tie */
const isColour = (tie) => tie === 'black' || tie === 'white';

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
