// What helps a newcomer: the marks of the board, each offered once, when it first has something to show.
import { showMessage, changeSettings } from './game.js';
import { isMine } from './state.js';
import { memo } from '../base/memo.js';
import { diamondLinks } from '../rules/parity.js';
import { el, html } from '../base/svg.js';
import { t, tOf } from '../base/texts.js';

/** @import { State } from './state.js' */

const linksIn = memo(diamondLinks);

/** Whether a mark has something to show. @type {Record<string, (state: State) => boolean>} */
const DUE = {
  shade: ({ tree: { position }, pending }) =>
    position.facts.parity === 1 && position.maxStones > 1 && pending.length === 1,
  links: ({ tree: { position }, pending }) => !pending.length && linksIn(position).length > 0,
};

/** The mark to offer, by the name of its setting; empty for none. @param {State} state */
export const tipOf = (state) =>
  (isMine(state) && state.settings.offers.find((name) => DUE[name](state))) || '';

/** The mark is shown and explained, or is not; either way it is not offered again. @param {State} state @param {boolean} taken */
export function answerTip(state, taken) {
  const name = tipOf(state);
  const offers = state.settings.offers.filter((one) => one !== name);
  const next = changeSettings(state, { offers, ...(taken ? { [name]: true } : {}) });
  return taken ? showMessage(next, tOf(`tip.${name}-on`)) : next;
}

/** @param {string} name of the mark */
export function drawTip(name) {
  const place = el('tip');
  place.hidden = !name;
  if (!name) return;
  place.replaceChildren(
    html('p', { role: 'status' }, tOf(`tip.${name}`)),
    html('button', { class: 'solid', value: 'yes' }, t('tip.mark')),
    html('button', { value: 'no' }, t('not-now')),
  );
}
