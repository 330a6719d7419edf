// The page in a file of `yoddd review`: games whose reviews are done.
import { readRecord } from '../rules/link.js';
import { beginReview, finishReview } from './reviewing.js';
import { html } from '../base/svg.js';
import { openTab } from '../base/tabs.js';
import { t } from '../base/texts.js';

/**
 * A review as `protocol/schemas/review.schema.json` describes it.
 * @typedef {import('../analysis/judgements.js').Summary & {id: string, turns: import('../analysis/judgements.js').Judgement[], [key: string]: any}} Reviewed
 */

/** The games of the file; none on a site. @type {Reviewed[]} */
export const REVIEWED = JSON.parse(document.getElementById('reviewed')?.textContent ?? '[]');

/** Shows a game at its first error. @param {import('./controller.js').Controller} app @param {Reviewed} reviewed */
async function show(app, reviewed) {
  const turns = reviewed.turns.map(({ turn }) => turn);
  const { tree, seats } = await readRecord({ ...reviewed, turns, detail: reviewed.result });
  const names = reviewed.black && reviewed.white ? seats.names : undefined;
  app.show(tree, { ...seats, names });
  app.change(finishReview(beginReview(app.state), reviewed, reviewed.turns));
  app.goToError(1);
  openTab('review');
}

/** Shows the first game, and a choice where there are several. @param {import('./controller.js').Controller} app */
export function openReviewed(app) {
  const options = REVIEWED.map(({ id }, at) => html('option', { value: at }, id));
  const choice = html('select', { 'aria-label': t('archive.game') }, ...options);
  choice.addEventListener('change', () => show(app, REVIEWED[Number(choice.value)]));
  if (options.length > 1) document.querySelector('.actions')?.prepend(choice);
  show(app, REVIEWED[0]);
}
