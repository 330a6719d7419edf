// How a game of two participants ended, in words.
import { FACTS } from './facts.js';

/** Returns the winner of a recorded game and the cause, without the detail. @param {Record<string, any>} record */
export function describeResult({ black, white, winner, reason }) {
  if (!reason) return ''; // in play
  if (winner !== 'b' && winner !== 'w') return `No winner: ${reason}`;
  const [name, loser] = winner === 'b' ? [black, white] : [white, black];
  const { deed, cause } = FACTS.reasons[reason] ?? {};
  return deed ? `${name} wins: ${loser} ${deed}` : `${name} wins by ${cause ?? reason}`;
}
