// How a game of two participants ended, in words.
import { hasText, t, tOf } from '../base/texts.js';

/** The reason of an end in a word or two. @param {string} reason */
export const endText = (reason) => (hasText(`end.${reason}`) ? tOf(`end.${reason}`) : reason);

/** The end of a game in words, next to the board, which shows the groups. @param {Record<string, any>} record */
export function terminationOf(record) {
  const { black, white, winner, reason } = record;
  if (!winner) return t('standing.void');
  if (reason === 'groups') return t('standing.wins', { name: winner === 'w' ? white : black });
  return describeResult(record);
}

/** Returns the winner of a recorded game and the cause, without the detail. @param {Record<string, any>} record */
export function describeResult({ black, white, winner, reason }) {
  if (!reason) return ''; // in play
  if (winner !== 'b' && winner !== 'w') return t('result.none', { reason });
  const [name, loser] = winner === 'b' ? [black, white] : [white, black];
  const key = `reason.${reason}`;
  return hasText(key) ? tOf(key, { name, loser }) : t('result.by', { name, reason });
}
