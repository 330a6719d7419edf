// The engine's view beside the board: how far it is, which of its views the board shows, and how to
// read that.
import { withoutText } from '../server/engineplace.js';
import { isUniform } from './policy.js';
import { nameOf } from '../rules/rules.js';
import { isStatic } from '../base/site.js';
import { el, write } from '../base/svg.js';
import { decimal, t } from '../base/texts.js';

/** @import { View } from './candidates.js' */
/** @import { State } from '../play/state.js' */

/** A number in few characters. @param {number} count */
export const countText = (count) =>
  count > 999_999
    ? `${decimal(count / 1e6, 1)}M`
    : count > 999
      ? `${decimal(count / 1000, 1)}k`
      : String(count);

/**
 * The progress of the analysis, and what continues it, if anything does.
 * @param {State} state
 * @returns {{text: string, action: string}}
 */
export function progressOf({ question, watch, report, tree, thinking, ready }) {
  const visits = report.visits ? t('engine.visits', { n: countText(report.visits) }) : '';
  if (tree.position.isOver) return { text: t('engine.over'), action: '' };
  if (thinking) return { text: t('engine.waits'), action: '' };
  if (!ready && isStatic) return { text: t('engine.none', { reason: withoutText() }), action: '' };
  if (!ready || watch.kind === 'lost') return { text: t('engine.lost'), action: t('try-now') };
  if (!question.key) return { text: '', action: '' };
  if (watch.kind === 'refused')
    return { text: t('engine.refused', { reason: watch.reason }), action: t('try-again') };
  if (watch.kind === 'ended' && question.first) return { text: t('engine.complete'), action: '' };
  if (watch.kind === 'ended')
    return {
      text: visits ? t('engine.stopped', { visits }) : t('engine.stopped-early'),
      action: t('engine.continue'),
    };
  return { text: visits ? t('engine.searching', { visits }) : t('engine.searches'), action: '' };
}

/** The player who is ahead, and by how much. @param {import('./candidates.js').Insight} report @param {import('../rules/rules.js').Position} position */
function leadText({ lead, spread }, position) {
  if (lead === null) return '';
  const name = nameOf(lead < 0 ? (position.player ? 0 : 1) : position.player);
  const range = spread === null ? '' : ` ± ${decimal(spread, 1)}`;
  return ` ${t('engine.lead', { name, by: decimal(Math.abs(lead), 1) + range })}`;
}

/** @param {State['policy']} policy */
const policyText = (policy) =>
  policy.length && isUniform(policy) ? t('engine.policy-none') : t('engine.policy');

/** Words on how to read the board. @param {View} view @param {Pick<State, 'report' | 'policy'>} known @param {import('../rules/rules.js').Position} position */
function legendOf(view, { report, policy }, position) {
  if (view === 'policy') return policyText(policy);
  if (view === 'ownership') return t('engine.ownership') + leadText(report, position);
  if (view === 'visits') return t('engine.visits-legend');
  return t('engine.chance-legend');
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
 * @param {State['report']} report @param {State['policy']} policy @param {import('../rules/rules.js').Position} position
 */
export function drawLegend(view, report, policy, position) {
  write(el('analysis-legend'), legendOf(view, { report, policy }, position));
  for (const choice of document.querySelectorAll('input[name=view]'))
    /** @type {HTMLInputElement} */ (choice).checked =
      /** @type {HTMLInputElement} */ (choice).value === view;
}
