// The terms of an offer in the lobby, in words: the clock, whether it is rated, who may accept it.
import { controlText } from '../rules/clock.js';
import { GAMES, boardText } from '../rules/rules.js';
import { LOCALE, t } from '../base/texts.js';

/** @typedef {{state: string, black: string, more: string[]}} Entry a game as the server lists it */

/** The terms of an offer or a game, besides the game and the board. @param {Entry} entry */
export function termsText({ state, black, more }) {
  const words = new Map(
    more.map((word) => {
      const [name, ...rest] = word.split('=');
      return [name, rest.join('=')];
    }),
  );
  const free = t(black === '-' ? 'black' : 'white');
  const options = more.filter(
    (word) => !/^(clock|rated|accept|for|turn|left|winner|expires|rematch)=/.test(word),
  );
  return [
    ...(state === 'open' ? [t('terms.you-play', { colour: free })] : []),
    controlText(words.get('clock') ?? 'none'),
    t(words.get('rated') === 'yes' ? 'terms.is-rated' : 'terms.is-unrated'),
    ...(words.has('for') ? [t('terms.for', { name: words.get('for') ?? '' })] : []),
    ...(words.get('accept') === 'users' ? [t('terms.users-only')] : []),
    ...options.map((word) => word.replace('=', ' ').replaceAll('_', ' ')),
  ].join(' · ');
}

/** The range of an engine in words; empty for everything. @param {string[]} words as `who` tells it */
export function rangeText(words) {
  /** @type {Record<string, (text: string) => string>} */
  const spelled = {
    games: (game) => GAMES[game]?.title ?? game,
    boards: boardText,
    clock: controlText,
  };
  /** @param {string} name @param {string} text */
  const rangeOf = (name, text) => {
    const [low, high] = text.split('..').map((end) => end && spelled[name](end));
    if (high === undefined) return low;
    return low && high ? `${low} – ${high}` : low ? `≥ ${low}` : `≤ ${high}`;
  };
  return words
    .map((word) => word.split(/=(.*)/))
    .filter(([name]) => name in spelled || name === 'closed')
    .map(([name, text]) => {
      if (name === 'closed') return text.replaceAll('_', ' ');
      const parts = name === 'clock' ? [text] : text.split(',');
      return parts.map((one) => rangeOf(name, one)).join(', ');
    })
    .join(' · ');
}

/** "until 14:02" or "until 23 Nov, 14:02". @param {number} expires seconds since 1970 */
export function expiryText(expires) {
  const when = new Date(expires * 1000);
  const isToday = when.toDateString() === new Date().toDateString();
  const time = when.toLocaleTimeString(LOCALE, { hour: '2-digit', minute: '2-digit' });
  const day = when.toLocaleDateString(LOCALE, { day: 'numeric', month: 'short' });
  return t('invite.until', { time: isToday ? time : `${day}, ${time}` });
}

/** When an invite expires; 0 for an offer that the lobby lists. @param {Pick<Entry, 'more'>} entry */
export const expiresOf = ({ more }) =>
  Number(more.find((word) => word.startsWith('expires='))?.slice(8) ?? 0);
