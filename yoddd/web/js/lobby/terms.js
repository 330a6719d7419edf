// The terms of an offer in the lobby, in words: the clock, whether it is rated, who may accept it.
import { controlText } from '../rules/clock.js';
import { GAMES, boardText } from '../rules/rules.js';
import { LOCALE, t } from '../base/texts.js';

/** @typedef {{state: string, black: string, more: string[]}} Entry a game as the server lists it */

/** The words of a listed game, or of an engine, by their names. @param {readonly string[]} words */
export const wordsOf = (words) =>
  new Map(
    words.map((word) => {
      const [name, value = ''] = word.split(/=(.*)/);
      return [name, value];
    }),
  );

/** The words of a listed game that are no options of it. */
const KNOWN = [
  'clock',
  'rated',
  'accept',
  'for',
  'turn',
  'left',
  'pause',
  'winner',
  'expires',
  'rematch',
];

/** The terms of an offer or a game, besides the game and the board. @param {Entry} entry */
export function termsText({ state, black, more }) {
  const words = wordsOf(more);
  const free = t(black === '-' ? 'black' : 'white');
  const options = [...words].filter(([name]) => !KNOWN.includes(name));
  return [
    ...(state === 'open' ? [t('terms.you-play', { colour: free })] : []),
    controlText(words.get('clock') ?? 'none'),
    t(words.get('rated') === 'yes' ? 'terms.is-rated' : 'terms.is-unrated'),
    ...(words.has('for') ? [t('terms.for', { name: words.get('for') ?? '' })] : []),
    ...(words.get('accept') === 'users' ? [t('terms.users-only')] : []),
    ...options.map((option) => option.join(' ').replaceAll('_', ' ')),
  ].join(' · ');
}

/** @typedef {(text: string) => string} Speller */

/** @param {Speller} spell @returns {Speller} */
const listOf = (spell) => (text) => text.split(',').map(spell).join(', ');

/** @param {Speller} spell @returns {Speller} */
const spanOf = (spell) => (text) => {
  const [low, high] = text.split('..').map((end) => end && spell(end));
  if (high === undefined) return low;
  return low && high ? `${low} – ${high}` : low ? `≥ ${low}` : `≤ ${high}`;
};

/** The words of the range of an engine. @type {Map<string, Speller>} */
const SPELLED = new Map([
  ['games', listOf((game) => GAMES[game]?.title ?? game)],
  ['boards', listOf(spanOf(boardText))],
  ['clock', spanOf(controlText)],
  ['closed', (text) => text.replaceAll('_', ' ')],
]);

/** The range of an engine in words; empty for everything. @param {string[]} words as `who` tells it */
export const rangeText = (words) =>
  [...wordsOf(words)].flatMap(([name, text]) => SPELLED.get(name)?.(text) ?? []).join(' · ');

/** "until 14:02" or "until 23 Nov, 14:02". @param {number} expires seconds since 1970 */
export function expiryText(expires) {
  const when = new Date(expires * 1000);
  const isToday = when.toDateString() === new Date().toDateString();
  const time = when.toLocaleTimeString(LOCALE, { hour: '2-digit', minute: '2-digit' });
  const day = when.toLocaleDateString(LOCALE, { day: 'numeric', month: 'short' });
  return t('invite.until', { time: isToday ? time : `${day}, ${time}` });
}

/** A number that the list states of a game; null if it does not. @param {Pick<Entry, 'more'>} entry @param {string} name */
export function numberOf({ more }, name) {
  const text = wordsOf(more).get(name);
  return text === undefined ? null : Number(text);
}

/** When an invite expires; 0 for an offer that the lobby lists. @param {Pick<Entry, 'more'>} entry */
export const expiresOf = (entry) => numberOf(entry, 'expires') ?? 0;
