// The engine's view beside the board: how far it is, which of its views the board shows, and how to
// read that.
import { isUniform } from './policy.js';
import { nameOf } from './rules.js';
import { el, write } from './svg.js';

/** @typedef {import('./game.js').State} State */
/** @typedef {import('./candidates.js').View} View */

/** A number in few characters. @param {number} count */
export const countText = (count) =>
  count > 999_999
    ? `${(count / 1e6).toFixed(1)}M`
    : count > 999
      ? `${(count / 1000).toFixed(1)}k`
      : String(count);

/**
 * The progress of the analysis, and what continues it, if anything does.
 * @param {State} state
 * @returns {{text: string, action: string}}
 */
export function progressOf({ question, watch, report, tree, thinking, connected }) {
  const visits = report.visits ? `${countText(report.visits)} visits` : '';
  if (tree.position.isOver) return { text: 'The game is over.', action: '' };
  if (thinking) return { text: 'Waits while the engine chooses its turn…', action: '' };
  if (!connected || watch.kind === 'lost')
    return { text: 'The connection is lost; goes on when it is back.', action: 'Try now' };
  if (!question.key) return { text: '', action: '' };
  if (watch.kind === 'refused')
    return { text: `The server has stopped: ${watch.reason}`, action: 'Try again' };
  if (watch.kind === 'ended' && question.first)
    return { text: 'Every completion has been searched.', action: '' };
  if (watch.kind === 'ended')
    return { text: `Stopped after ${visits || 'a while'}.`, action: 'Continue' };
  return { text: visits ? `Searching: ${visits}` : 'Searching…', action: '' };
}

/** The player who is ahead, and by how much. @param {import('./candidates.js').Insight} report @param {import('./rules.js').Position} position */
function leadText({ lead, spread }, position) {
  if (lead === null) return '';
  const name = nameOf(lead < 0 ? (position.player ? 0 : 1) : position.player);
  const range = spread === null ? '' : ` ± ${spread.toFixed(1)}`;
  return ` ${name} is expected to be ahead by ${Math.abs(lead).toFixed(1)}${range}.`;
}

/** @param {State['policy']} policy */
const policyText = (policy) =>
  policy.length && isUniform(policy)
    ? 'Nothing was learned for this game: all stones are alike.'
    : 'How likely each stone is before any search, in per cent.';

/** Words on how to read the board. @param {View} view @param {Pick<State, 'report' | 'policy'>} known @param {import('./rules.js').Position} position */
function legendOf(view, { report, policy }, position) {
  if (view === 'policy') return policyText(policy);
  if (view === 'ownership')
    return `Squares: whose stone is expected in the end, the larger the surer. Lines: groups that will be one.${leadText(report, position)}`;
  if (view === 'visits')
    return 'On the cells: per cent of the search that goes to turns with a stone there.';
  return 'On the cells: the chance to win in per cent; the best turn is the darkest, few visits are pale.';
}

/** @param {string} text @param {string} action */
export function drawProgress(text, action) {
  write(el('analysis-state'), text);
  const button = el('analysis-resume');
  write(button, action);
  button.hidden = !action;
}

/**
 * @param {View} view
 * @param {State['report']} report @param {State['policy']} policy @param {import('./rules.js').Position} position
 */
export function drawLegend(view, report, policy, position) {
  write(el('analysis-legend'), legendOf(view, { report, policy }, position));
  for (const choice of document.querySelectorAll('input[name=view]'))
    /** @type {HTMLInputElement} */ (choice).checked =
      /** @type {HTMLInputElement} */ (choice).value === view;
}
