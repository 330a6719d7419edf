// The worth of each second stone behind a first one: the engine searches briefly after every turn
// that completes the first stone, then longer after the best of them.
import { ranked, readInfo } from './candidates.js';

/** @typedef {import('./candidates.js').Candidate} Candidate */
/** @typedef {import('./connection.js').Channel} Channel */

/** Visits of a turn in each round, and the part of the turns that goes on to the next. */
const ROUNDS = [24, 120, 600];
const KEPT = 0.25;

/** Turns searched between two reports. */
const BATCH = 12;

/** The winrate of a position's player: over all visits, not of the best turn alone. @param {Candidate[]} found */
function worth(found) {
  const visits = found.reduce((sum, one) => sum + one.visits, 0);
  return visits ? found.reduce((sum, one) => sum + one.visits * one.winrate, 0) / visits : 0.5;
}

/**
 * @param {Channel} channel
 * @param {string} line the position before the turn, with its moves
 * @param {string[]} turns
 * @param {(candidates: Candidate[]) => void} report receives all results so far
 * @param {() => boolean} isWanted ends the comparison when it is false
 */
export async function compareSeconds(channel, line, turns, report, isWanted) {
  const moves = line.includes(' moves ') ? ' ' : ' moves ';
  /** @type {Map<string, Candidate>} */
  const known = new Map();
  const results = () => ranked([...known.values()]);
  let left = turns;
  for (const visits of ROUNDS) {
    for (const [index, token] of left.entries()) {
      await channel.ask(`${line}${moves}${token}`);
      if (!isWanted()) return;
      /** @type {Candidate[]} */
      let found = [];
      await channel.stream(`analyze maxvisits=${visits}`, (text) => {
        if (text.startsWith('info')) found = readInfo(text);
      });
      if (!isWanted()) return;
      const [best] = found;
      known.set(token, {
        token,
        visits,
        winrate: 1 - worth(found),
        pv: [token, ...(best?.pv ?? [])],
        flat: true,
      });
      if (index % BATCH === BATCH - 1) report(results());
    }
    report(results());
    left = results()
      .slice(0, Math.ceil(left.length * KEPT))
      .map(({ token }) => token);
  }
}
