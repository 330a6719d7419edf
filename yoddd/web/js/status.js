// The status line under the board, in words.
import { isBranch, liveTree, namesOf } from './game.js';
import { nameOf } from './rules.js';
import { reasonText } from './standing.js';

/** @typedef {import('./game.js').State} State */

/** The text and its class. @param {State} state @returns {[string, '' | 'refused' | 'over']} */
export function statusText(state) {
  const {
    message,
    refereed,
    flagged,
    tree: { position },
  } = state;
  if (message.kind) return [message.text, 'refused'];
  if (refereed && !refereed.begun) return ['Waiting for an opponent…', ''];
  if (refereed?.termination && !isBranch(state)) return [terminationText(refereed), 'over'];
  if (flagged !== null) return [`Time is up: ${namesOf(state)[1 - flagged]} wins`, 'over'];
  const outcome = position.outcome();
  if (outcome) {
    return [`${nameOf(outcome.winner)} wins${howText(position, outcome)}`, 'over'];
  }
  if (state.thinking)
    return [`${nameOf(liveTree(state).position.player)} to move: the engine is thinking…`, ''];
  const turn = `${nameOf(position.player)} to move`;
  if (!state.connected) return [`${turn} (no connection to the server)`, ''];
  return [message.text ? `${turn} · ${message.text}` : turn, ''];
}

/** The way the winner has won. @param {import('./rules.js').Position} position @param {import('./rules.js').Outcome} outcome */
const howText = (position, { reason, winner }) =>
  reason === 'resign' ? ' by resignation' : reasonText(position, winner);

/** The termination of a refereed game, with the count where that decided. @param {import('./game.js').Refereed} refereed */
function terminationText({ termination, end }) {
  const outcome = end?.outcome();
  const counted = end && outcome?.reason === 'groups';
  return counted ? `${termination}${reasonText(end, outcome.winner)}` : (termination ?? '');
}
