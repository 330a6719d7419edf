// "My games": the games in which the user has a seat, in this browser or by the account.
import { t } from '../base/texts.js';
import { dropTicket, inviteOf, keepTicket, tickets } from '../server/tickets.js';
import { gameTitle } from '../rules/rules.js';
import { button, el, html } from '../base/svg.js';

/** @import { Ticket } from '../server/tickets.js' */
/** @import { Entry } from './lobby.js' */
/** @typedef {Pick<import('../server/server.js').Server, 'features' | 'ask'>} Server */
/** @typedef {{entry: Entry, ticket: Ticket | null}} Mine a game, with the seat if this browser has it */

/** Finished games that are listed. */
const OVER = 5;

/** @param {Server} server @param {(text: string) => Entry[]} read @returns {Promise<Mine[]>} */
export async function findMine(server, read) {
  if (!server.features.has('presence')) return [];
  const ofAccount = (await server.ask('resume').catch(() => '')).split(' ').filter(Boolean);
  const kept = tickets();
  const ids = [...new Set([...kept.map(({ id }) => id), ...ofAccount])];
  if (!ids.length) return [];
  const entries = new Map(
    read(await server.ask(`games ${ids.join(' ')}`)).map((entry) => [entry.id, entry]),
  );
  const mine = ids.flatMap((id) => {
    const entry = entries.get(id);
    const ticket = kept.find((one) => one.id === id) ?? null;
    if (!entry) dropTicket(id);
    return entry ? [{ entry, ticket }] : [];
  });
  const over = mine.filter(({ entry }) => entry.state === 'over');
  return [...mine.filter(({ entry }) => entry.state !== 'over'), ...over.slice(0, OVER)];
}

/** The seat on turn of a listed game, `b` or `w`. @param {Entry} entry */
const onTurn = ({ more }) => more.find((word) => word.startsWith('turn='))?.slice(5);

/** The user's seat. @param {Mine} mine @param {string} name the user's, for a seat by the account @returns {0 | 1} */
const seatIn = ({ entry, ticket }, name) => ticket?.seat ?? (entry.white === name ? 1 : 0);

/** Whether the user is to move. @param {Mine} mine @param {string} name */
export const isAwaited = (mine, name) =>
  mine.entry.state === 'playing' && onTurn(mine.entry) === 'bw'[seatIn(mine, name)];

/** @param {Mine} mine @param {string} name */
function describe(mine, name) {
  const { entry } = mine;
  const seat = seatIn(mine, name);
  const rival = seat ? entry.black : entry.white;
  if (entry.state === 'open') return t(inviteOf(entry.id) ? 'mygames.invite' : 'mygames.offer');
  if (entry.state === 'over') return `${t('mygames.against', { rival })}, ${t('mygames.over')}`;
  return `${t('mygames.against', { rival })}: ${t(isAwaited(mine, name) ? 'presence.your-turn' : 'mygames.their-turn')}`;
}

/**
 * @param {readonly Mine[]} games
 * @param {string} name
 * @param {(mine: Mine) => void} onEnter
 */
export function drawMine(games, name, onEnter) {
  if (!games.length) return [];
  const rows = games.map((mine) => {
    const { entry } = mine;
    const note = describe(mine, name);
    const verb = t(entry.state === 'over' ? 'lobby.look' : 'lobby.go-on');
    const enter = button(verb, () => onEnter(mine), { 'aria-label': `${verb}: ${note}` });
    return html(
      'tr',
      { class: isAwaited(mine, name) ? 'awaited' : '' },
      html('th', { scope: 'row' }, note),
      html('td', gameTitle(entry.game, entry.board)),
      html('td', enter),
    );
  });
  return [
    html('h3', t('mygames.title')),
    html('table.lobby', { id: 'my-games' }, html('tbody', ...rows)),
  ];
}

/** Games whose banner the user has closed. @type {Set<string>} */
const closed = new Set();

/**
 * Offers the way back to a game of the user's that is not shown, one that waits for them first.
 * @param {readonly Mine[]} games in play
 * @param {string} name
 * @param {(mine: Mine) => void} onEnter
 */
export function drawReturn(games, name, onEnter) {
  const open = games.filter(({ entry }) => !closed.has(entry.id));
  const mine = open.find((one) => isAwaited(one, name)) ?? open[0];
  const place = el('return');
  const text = mine ? t('mygames.yours', { what: describe(mine, name) }) : '';
  place.hidden = !mine;
  // Drawn again only when something has changed: a button must not vanish under the pointer.
  if (!mine || place.firstElementChild?.textContent === text) return;
  place.dataset.game = mine.entry.id;
  place.replaceChildren(
    html('p', { role: 'status' }, text),
    button(t('lobby.go-on'), () => onEnter(mine), { class: 'solid' }),
    button(t('not-now'), () => {
      closed.add(mine.entry.id);
      place.hidden = true;
    }),
  );
}

/** The banner goes once its game is shown. @param {string} shown its id */
export function hideReturn(shown) {
  const place = el('return');
  if (shown && place.dataset.game === shown) place.hidden = true;
}

/**
 * The user's seat in a game: a new key for that of the account.
 * @param {Server} server @param {Mine} mine @param {string} name
 * @returns {Promise<Ticket>}
 */
export async function takeSeat(server, mine, name) {
  if (mine.ticket) return mine.ticket;
  const { id } = mine.entry;
  return keepTicket({ id, key: await server.ask(`resume ${id}`), seat: seatIn(mine, name) });
}
