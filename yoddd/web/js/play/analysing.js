// The intents of analysis: what the engine and the tables have found. See `game.js`.
import { change } from './state.js';

/** @import { Watch } from '../analysis/analysis.js' */
/** @import { Insight } from '../analysis/candidates.js' */
/** @import { Likely } from '../analysis/policy.js' */
/** @import { Answer } from '../analysis/solved.js' */
/** @import { Position } from '../rules/rules.js' */
/** @import { State } from './state.js' */

/** @param {State} state @param {boolean} analysing */
export const setAnalysing = (state, analysing) => change(state, { analysing });

/** The winrate of a position, from the engine's best turn there. @param {State} state @param {Position} position @param {{winrate: number}} best */
export function setWinrate(state, position, { winrate }) {
  const winrates = new Map(state.winrates).set(position, position.player ? 1 - winrate : winrate);
  return change(state, { winrates });
}

/** The engine's answer to the question. @param {State} state @param {Insight} report */
export function setReport(state, report) {
  const [best] = report.candidates;
  const judged = best && !best.flat ? setWinrate(state, state.tree.position, best) : state;
  return change(judged, { report });
}

/** The engine goes on with the question, or no longer. @param {State} state @param {Watch['kind']} kind @param {string} [reason] */
export const setWatch = (state, kind, reason = '') => change(state, { watch: { kind, reason } });

/** The table's answer to the question. @param {State} state @param {Answer} table */
export function setTable(state, table) {
  const winrate = table.value.won ? 1 : 0;
  const judged = setWinrate(state, state.tree.position, { winrate });
  return change(judged, { table });
}

/** The policy for the question. @param {State} state @param {readonly Likely[]} policy */
export const setPolicy = (state, policy) => change(state, { policy });

/** The row of the list whose line is to be shown on the board. @param {State} state @param {number | null} pointed */
export const pointAtLine = (state, pointed) =>
  pointed === state.pointed ? state : change(state, { pointed });
