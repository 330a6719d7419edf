// Presence in a refereed game, and whose turn it is: in the player cards, in the title, in the
// icon of the page and, if the user has asked for it, in a notification.
import { clockText, firstUntil, pauseLeft } from '../rules/clock.js';
import { isFree, isMine, liveTree, namesOf } from './state.js';
import { seatOnTurn } from '../rules/seats.js';
import { keep, recall } from '../base/settings.js';
import { el, html } from '../base/svg.js';
import { LOCALE, t } from '../base/texts.js';

/** @import { Refereed, State } from './state.js' */

/**
 * Since when a participant is away, and when the game may be claimed; seconds of the page's clock.
 * @typedef {{since: number, claim: number}} Away
 */

const ICON = 'icon.svg';
/** The icon with a dot, and the number of games that wait, where there are several. @param {number} count */
const alertIcon = (count) =>
  'data:image/svg+xml,' +
  encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M16 2l12 7v14l-12 7-12-7V9z" fill="#3b6ea5"/><circle cx="22" cy="10" r="10" fill="#d33"/><text x="22" y="15.5" font-family="sans-serif" font-weight="bold" font-size="15" text-anchor="middle" fill="#fff">${count > 1 ? Math.min(count, 99) : ''}</text></svg>`,
  );

/** @param {{seconds: number, claim: number}} reported @param {number} now @returns {Away} */
export const awayAt = ({ seconds, claim }, now) => ({ since: now - seconds, claim: now + claim });

/** A time of day such as 14:02. @param {number} when seconds of the page's clock @param {number} now */
export const timeOfDay = (when, now) =>
  new Date(Date.now() + (when - now) * 1000).toLocaleTimeString(LOCALE, {
    hour: '2-digit',
    minute: '2-digit',
  });

/** The seat that may be claimed from, and when; null if the other one is here. @param {Refereed | null} refereed */
function absent(refereed) {
  if (!refereed?.begun || refereed.termination !== null || refereed.ticket.key === null)
    return null;
  const seat = 1 - refereed.ticket.seat;
  const away = refereed.away[seat];
  return away ? { seat, away } : null;
}

/** The note that the card of a seat has besides the name. @param {State} state @param {number} seat @param {number} now */
export function noteOf(state, seat, now) {
  const { refereed } = state;
  if (!refereed?.begun || refereed.termination !== null) return '';
  const away = refereed.away[seat];
  if (away) return t('presence.away', { time: timeOfDay(away.since, now) });
  const first = firstUntil(state.clock, seat);
  if (first !== null) return t('presence.first', { time: timeOfDay(first, now) });
  const left = pauseLeft(state.clock, now);
  if (left && seatOnTurn(liveTree(state)) === seat)
    return t('presence.paused', { time: clockText(left) });
  return isAwaited(state, now) && refereed.ticket.seat === seat ? t('presence.your-turn') : '';
}

/** Whether the user is to move in a refereed game that is not paused. @param {State} state @param {number} now */
const isAwaited = (state, now) =>
  Boolean(state.refereed) &&
  !isFree(state) &&
  !pauseLeft(state.clock, now) &&
  isMine({ ...state, tree: liveTree(state) });

/** @param {number} seat @param {string} text */
export function drawNote(seat, text) {
  const note = /** @type {Element} */ (el(`player-${seat}`).querySelector('.note'));
  note.textContent = text;
}

/** The call for the user, in words: their turn, or a game that has begun out of their sight; empty for nothing. @param {State} state @param {number} now */
export const callOf = (state, now) =>
  isAwaited(state, now) ? t('presence.notice') : state.refereed?.called ? t('presence.begun') : '';

/** The number of games that wait for the user, the one that is shown included. @param {State} state @param {number} now */
export const countOf = (state, now) => state.waiting + (callOf(state, now) ? 1 : 0);

/** The title of the page and its icon. @param {string} title @param {string} call of `callOf` @param {number} count of `countOf` */
export function drawAlert(title, call, count) {
  const text = call ? `● ${call}` : title;
  document.title = `${count > (call ? 1 : 0) ? `(${count}) ` : ''}${text} – yoddd`;
  const icon = /** @type {HTMLLinkElement} */ (document.querySelector('link[rel=icon]'));
  const href = count ? alertIcon(count) : ICON;
  if (icon.getAttribute('href') !== href) icon.href = href;
}

/** The words about a game that may be claimed, and whether that is possible yet. @param {State} state @param {number} now @returns {[string, boolean]} */
export function claimOf(state, now) {
  const found = absent(state.refereed);
  if (!found) return ['', false];
  const name = namesOf(state)[found.seat];
  return now >= found.away.claim
    ? [t('presence.claim-now', { name }), true]
    : [t('presence.claim-at', { name, time: timeOfDay(found.away.claim, now) }), false];
}

/** @param {string} text @param {boolean} due */
export function drawClaim(text, due) {
  const place = el('claim');
  place.hidden = !text;
  const button = html('button', { id: 'claim-game' }, t('presence.claim'));
  place.replaceChildren(html('p', { role: 'status' }, text), ...(due ? [button] : []));
}

/** @param {{claim: () => void}} page */
export function wirePresence(page) {
  el('claim').addEventListener('click', ({ target }) => {
    if (target instanceof HTMLElement && target.id === 'claim-game') page.claim();
  });
  const box = /** @type {HTMLInputElement} */ (el('notify'));
  box.checked = mayNotify();
  box.addEventListener('change', async () => {
    const granted = box.checked && (await askPermission());
    window.localStorage.setItem('yoddd.notify', granted ? 'yes' : 'no');
    box.checked = granted;
  });
}

const askPermission = async () =>
  'Notification' in window && (await Notification.requestPermission()) === 'granted';

const mayNotify = () =>
  'Notification' in window &&
  Notification.permission === 'granted' &&
  window.localStorage.getItem('yoddd.notify') === 'yes';

/** Notifies the user of what calls for them while the page is out of sight. @param {State} before @param {State} state @param {number} now */
export function notifyTurn(before, state, now) {
  const call = callOf(state, now);
  if (!call || call === callOf(before, now)) return;
  const names = namesOf(state);
  const rival = names[1 - (state.refereed?.ticket.seat ?? 0)];
  notify(call, t('mygames.against', { rival }), state.refereed?.ticket.id ?? '');
}

/** @param {string} call @param {string} body @param {string} id of the game: a notice takes the place of that of another tab */
function notify(call, body, id) {
  if (!document.hidden || !mayNotify()) return;
  const shown = new Notification(call, { body, tag: `yoddd-${id}` });
  shown.addEventListener('click', () => window.focus());
}

/** The key under which the browser keeps the turns that its tabs have told of. */
const TOLD = 'yoddd.told';

/**
 * Notifies the user of games in which the turn has come to them, once in all tabs.
 * @param {{id: string, turns: string, text: string}[]} games those that wait and are not shown
 */
export function notifyWaiting(games) {
  const told = recall('localStorage', TOLD) ?? {};
  for (const { id, turns, text } of games)
    if (told[id] !== turns) notify(t('presence.notice'), text, id);
  const now = Object.fromEntries(games.map(({ id, turns }) => [id, turns]));
  if (JSON.stringify(now) !== JSON.stringify(told)) keep('localStorage', TOLD, now);
}
