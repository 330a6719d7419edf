// The worth of each second stone after a first one: the engine searches briefly after every turn
// that completes the first stone, then longer after the best of them.
import { readReport } from './candidates.js';

/** @import { Candidate, Insight } from './candidates.js' */
/** @import { Channel } from '../server/connection.js' */

/** Visits of a turn in each round, and the part of the turns that goes on to the next. */
const ROUNDS = [24, 120, 600];
const KEPT = 0.25;

/** Turns searched between two reports. */
const BATCH = 12;

/**
 * A turn and what is known of it.
 * @typedef {object} Compared
 * @property {string} token
 * @property {number[]} chances the estimate of each round
 * @property {Insight | null} report the latest one, of the position after the turn
 */

/** The winrate of a position's player: over all visits, not of the best turn alone. @param {readonly Candidate[]} found */
function worth(found) {
  const visits = found.reduce((sum, one) => sum + one.visits, 0);
  return visits ? found.reduce((sum, one) => sum + one.visits * one.winrate, 0) / visits : 0.5;
}

/** @param {readonly number[]} values */
const meanOf = (values) =>
  values.length ? values.reduce((sum, one) => sum + one, 0) / values.length : 0;

/**
 * The turns with comparable chances, best first. A short search thinks better of a turn than a long
 * one, since the replies are mostly poor ones: what a round has changed on average for the turns that
 * were searched again is taken off the others too. A turn that was dropped is not better than those
 * that went on.
 * @param {readonly Compared[]} compared
 * @returns {Candidate[]}
 */
export function settled(compared) {
  const changes = ROUNDS.map((_, round) =>
    meanOf(
      compared
        .filter(({ chances }) => round && chances.length > round)
        .map(({ chances }) => chances[round] - chances[round - 1]),
    ),
  );
  const found = compared.map(({ token, chances, report }) => {
    const last = chances.length - 1;
    const later = changes.slice(last + 1).reduce((sum, one) => sum + one, 0);
    const winrate = Math.min(1, Math.max(0, chances[last] + later));
    const pv = [token, ...(report?.candidates[0]?.pv ?? [])];
    return { token, visits: ROUNDS[last], winrate, pv, flat: true };
  });
  return found.sort((one, two) => two.visits - one.visits || two.winrate - one.winrate);
}

/**
 * @param {Channel} channel
 * @param {string} line the position before the turn, with its moves
 * @param {string[]} turns
 * @param {(report: Insight) => void} tell receives all results so far
 * @param {() => boolean} isWanted ends the comparison when it is false
 */
export async function compareSeconds(channel, line, turns, tell, isWanted) {
  const moves = line.includes(' moves ') ? ' ' : ' moves ';
  /** @type {Map<string, Compared>} */
  const known = new Map();
  const results = () => settled([...known.values()]);
  const report = () => {
    const candidates = results();
    const best = known.get(candidates[0]?.token)?.report;
    tell({
      candidates,
      visits: candidates.reduce((sum, one) => sum + one.visits, 0),
      lead: best?.lead === undefined || best.lead === null ? null : -best.lead,
      spread: best?.spread ?? null,
      ownership: best?.ownership.map((one) => -one) ?? [],
    });
  };
  let left = turns;
  for (const visits of ROUNDS) {
    for (const [index, token] of left.entries()) {
      await channel.ask(`${line}${moves}${token}`);
      if (!isWanted()) return;
      /** @type {Insight | null} */
      let found = null;
      const request = `analyze maxvisits=${visits} ownership=true rootInfo=true`;
      await channel.follow(request, (text) => {
        if (text.startsWith('info')) found = readReport(text);
      });
      if (!isWanted()) return;
      const latest = /** @type {Insight | null} */ (found);
      const chances = [...(known.get(token)?.chances ?? []), 1 - worth(latest?.candidates ?? [])];
      known.set(token, { token, chances, report: latest });
      if (index % BATCH === BATCH - 1) report();
    }
    report();
    left = results()
      .slice(0, Math.ceil(left.length * KEPT))
      .map(({ token }) => token);
  }
}
