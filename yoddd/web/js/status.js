// The status line under the board, in words.
import { isBranch, liveTree, namesOf } from './game.js';
import { nameOf } from './rules.js';

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
  if (refereed?.termination && !isBranch(state)) return [refereed.termination, 'over'];
  if (flagged !== null) return [`Time is up: ${namesOf(state)[1 - flagged]} wins`, 'over'];
  const outcome = position.outcome();
  if (outcome) {
    const how = outcome.reason === 'resign' ? 'by resignation' : margin(position, outcome.score);
    return [`${nameOf(outcome.winner)} wins ${how}`, 'over'];
  }
  if (state.thinking)
    return [`${nameOf(liveTree(state).position.player)} to move: the engine is thinking…`, ''];
  const turn = `${nameOf(position.player)} to move`;
  if (!state.connected) return [`${turn} (no connection to the server)`, ''];
  return [message.text ? `${turn} · ${message.text}` : turn, ''];
}

/** @param {import('./rules.js').Position} position @param {number} score */
function margin(position, score) {
  const { black, white } = position.census();
  if (position.facts.odd)
    return `with ${Math.min(black, white)} groups to ${Math.max(black, white)}`;
  return position.rules.game === 'odd' ? '' : `by ${score}`;
}
