// What the two participants of a refereed game agree on: turns taken back, a pause, and a rematch.
import { el, html } from '../base/svg.js';
import { t, tOf } from '../base/texts.js';
import { spectator } from '../server/tickets.js';

/** @import { Refereed } from './state.js' */

/** The actions of the buttons, by the word of the request. @typedef {(agrees: boolean) => void} Answer */

/**
 * @typedef {object} Choice
 * @property {string} text
 * @property {'takeback' | 'pause' | 'rematch' | 'offer' | 'watch'} what
 * @property {string} [detail] what the request names
 * @property {{label: string, agrees: boolean, what?: string}[]} buttons
 */

/** The request that the user can answer or make; null for none. @param {Refereed | null} refereed @returns {Choice | null} */
export function choiceOf(refereed) {
  if (!refereed) return null;
  if (refereed.ticket.key === null) {
    const { rematch } = refereed;
    const buttons = [{ label: t('agreement.watch'), agrees: true }];
    return rematch ? { text: t('agreement.begun'), what: 'watch', detail: rematch, buttons } : null;
  }
  const { request, ticket, names, answer, begun } = refereed;
  const withdraw = [{ label: t('agreement.withdraw'), agrees: false }];
  if (!begun) return { text: '', what: 'offer', buttons: offerButtons(refereed) };
  if (!request) {
    return answer ? { text: answer, what: 'takeback', buttons: [] } : null;
  }
  const { what, seat, detail } = request;
  const values = { name: names[seat], n: Number(detail) || 0 };
  if (seat === ticket.seat)
    return { text: tOf(`agreement.you-${what}`, values), what, buttons: withdraw };
  return {
    text: tOf(`agreement.they-${what}`, values),
    what,
    detail,
    buttons: [
      { label: t('agreement.agree'), agrees: true },
      { label: t('agreement.decline'), agrees: false },
    ],
  };
}

/** The buttons of an offer that waits. @param {Refereed} refereed */
const offerButtons = ({ former }) => [
  ...(former
    ? []
    : [
        { label: t('offer.meanwhile'), agrees: true },
        { label: t('share.invite'), agrees: true, what: 'share' },
      ]),
  { label: t('cancel'), agrees: false },
];

/** @param {Refereed | null} refereed */
export function drawAgreement(refereed) {
  const choice = choiceOf(refereed);
  const place = el('agreement');
  place.hidden = choice === null;
  place.replaceChildren(
    ...(choice?.text ? [html('p', { role: 'alert' }, choice.text)] : []),
    ...(choice?.buttons ?? []).map(({ label, agrees, what = choice?.what }) =>
      html(
        'button',
        {
          'data-what': what ?? null,
          'data-agrees': agrees ? 'yes' : 'no',
          'data-detail': choice?.detail ?? null,
        },
        label,
      ),
    ),
  );
}

/** @param {import('./refereed.js').RefereedGames} games */
export function wireAgreement(games) {
  el('pause').addEventListener('click', () =>
    /** @type {HTMLDialogElement} */ (el('pause-dialog')).showModal(),
  );
  el('pause-form').addEventListener('submit', () =>
    games.agree('pause', /** @type {HTMLInputElement} */ (el('pause-days')).value),
  );
  el('agreement').addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('button') : null;
    if (!button) return;
    const agrees = button.dataset.agrees === 'yes';
    if (button.dataset.what === 'share') el('files-open').click();
    else if (button.dataset.what === 'offer' && agrees) games.playMeanwhile();
    else if (button.dataset.what === 'offer') games.cancelOffer();
    else if (button.dataset.what === 'watch') games.enter(spectator(button.dataset.detail ?? ''));
    else if (button.dataset.what === 'rematch') games.rematch(agrees);
    else games.agree(button.dataset.what ?? '', agrees ? (button.dataset.detail ?? '') : 'no');
  });
}
