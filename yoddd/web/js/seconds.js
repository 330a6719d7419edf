// What each second stone is worth behind a first one: the engine looks a little at the position
// after every turn that completes it, then longer at the best of them.
import { readInfo } from './analysis.js';

/** @typedef {import('./analysis.js').Candidate} Candidate */
/** @typedef {import('./connection.js').Connection} Connection */

/** Playouts a turn in each round, and the part of the turns that goes on to the next. */
const ROUNDS = [24, 120, 600];
const KEPT = 0.25;

/** How many turns are looked at between two pictures. */
const BATCH = 12;

/** What a position is worth to its player: over all playouts, not the best turn's alone. @param {Candidate[]} found */
function worth(found) {
  const visits = found.reduce((sum, one) => sum + one.visits, 0);
  return visits ? found.reduce((sum, one) => sum + one.visits * one.winrate, 0) / visits : 0.5;
}

/**
 * @param {Connection} connection
 * @param {string} line the position before the turn, with its moves
 * @param {string[]} turns
 * @param {(candidates: Candidate[]) => void} hear is told what is known so far
 * @param {() => boolean} alive whether anybody still wants to know
 */
export async function lookAtSeconds(connection, line, turns, hear, alive) {
  const moves = line.includes(' moves ') ? ' ' : ' moves ';
  /** @type {Map<string, Candidate>} */
  const known = new Map();
  let left = turns;
  for (const visits of ROUNDS) {
    for (const [index, token] of left.entries()) {
      await connection.ask(`${line}${moves}${token}`);
      if (!alive()) return;
      /** @type {Candidate[]} */
      let found = [];
      await connection.stream(`analyze maxvisits=${visits}`, (text) => {
        if (text.startsWith('info')) found = readInfo(text);
      });
      if (!alive()) return;
      const [best] = found;
      known.set(token, { token, visits, winrate: 1 - worth(found), pv: [token, ...(best?.pv ?? [])], flat: true });
      if (index % BATCH === BATCH - 1) hear(order(known));
    }
    hear(order(known));
    left = order(known).slice(0, Math.ceil(left.length * KEPT)).map(({ token }) => token);
  }
}

/** @param {Map<string, Candidate>} known */
const order = (known) => [...known.values()].sort((a, b) => b.visits - a.visits || b.winrate - a.winrate);
