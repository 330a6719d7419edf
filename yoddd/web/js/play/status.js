// The status line under the board, in words.
import { withoutText } from '../server/engineplace.js';
import { isBranch, isMine, liveTree, mayResign, namesOf } from './state.js';
import { isUnfit, positionLine, problemText } from '../rules/notation.js';
import { nameOf, other } from '../rules/rules.js';
import { reasonText, wonText } from '../rules/standing.js';
import { t } from '../base/texts.js';

/** @import { State } from './state.js' */

/** The text and its class. @param {State} state @returns {[string, '' | 'refused' | 'over']} */
export function statusText(state) {
  const {
    message,
    refereed,
    tree: { position },
  } = state;
  if (message.kind) return [message.text, 'refused'];
  if (refereed && !refereed.begun)
    return [[t('status.waiting'), refereed.terms].filter(Boolean).join(' · '), ''];
  const result = resultText(state);
  if (result) return [result, 'over'];
  if (state.thinking)
    return [t('status.thinking', { name: nameOf(liveTree(state).position.player) }), ''];
  const turn = t('status.to-move', { name: nameOf(position.player) });
  if (!state.ready) return [t('status.offline', { turn, reason: withoutText() }), ''];
  const unfit = isUnfit(position) ? problemText(position) : '';
  return [[turn, message.text, unfit, lossText(state)].filter(Boolean).join(' · '), ''];
}

/**
 * Who has won for certain, to the loser who is to move: by a table or a sweep that has answered, or
 * because only passes are left; empty else.
 * @param {State} state
 */
function lossText(state) {
  const { live, table, tree } = state;
  const { position } = tree;
  if (position !== live || !isMine(state) || !mayResign(state)) return '';
  const rival = other(position.player);
  const isProven = table?.line === positionLine(tree) && !table.value.won;
  if (position.isFull && position.verdict()?.winner === rival)
    return t('status.full', { name: nameOf(rival) });
  return isProven ? t('status.lost', { name: nameOf(rival) }) : '';
}

/** The winner of the game, and how; empty during the game and on a branch of it. @param {State} state */
export function resultText(state) {
  const { refereed, flagged, tree } = state;
  if (isBranch(state)) return wonText(tree.position);
  if (refereed?.termination) return terminationText(state.live, refereed.termination);
  if (flagged !== null) return t('status.flagged', { name: namesOf(state)[1 - flagged] });
  return wonText(tree.position);
}

/** The termination of a refereed game, with the count where that decided. @param {import('../rules/rules.js').Position} end @param {string} termination */
function terminationText(end, termination) {
  const outcome = end.outcome();
  return outcome?.reason === 'groups' ? `${termination}${reasonText(end)}` : termination;
}
