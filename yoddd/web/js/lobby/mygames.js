// "My games": those in which the user has a seat, in this browser or by the account, and those
// against the engine of this browser that are not over. The banner leads back to one.
import { clockText } from '../rules/clock.js';
import { expiresOf, expiryText, numberOf, wordsOf } from './terms.js';
import { nameProblem, suggestName } from '../base/names.js';
import { keep, recall } from '../base/settings.js';
import { button, el, html } from '../base/svg.js';
import { t } from '../base/texts.js';
import { dropTicket, inviteOf, keepTicket, tickets } from '../server/tickets.js';

/** @import { Ticket } from '../server/tickets.js' */
/** @typedef {Pick<import('../server/server.js').Server, 'features' | 'ask' | 'user'>} Server */
/** @typedef {{id: string, state: string, game: string, board: string, black: string, white: string, turns: string, more: string[]}} Entry */
/** @typedef {{entry: Entry, ticket: Ticket | null}} Mine a game, with the seat if this browser has it */

/**
 * A game against the engine that is not over.
 * @typedef {object} Kept
 * @property {string} link that shows the game as it stands
 * @property {string} text against whom it is, and how long
 * @property {string} title the game and its board
 * @property {import('../rules/clock.js').Clock['purses']} [purses] what its clocks had left
 */

/** Finished games that are listed. */
const OVER = 5;

/** The user's name, kept in the browser. */
const NAME = 'yoddd.name';

/** The name of the account, or the one that the user has played under. @param {Pick<Server, 'user'>} server @returns {string} */
export const savedName = ({ user }) => user ?? recall('localStorage', NAME) ?? '';

/**
 * The name of the account, or the one in a field, with another in its place if it cannot be used:
 * that is an Error with the reason.
 * @param {Pick<Server, 'user'>} server @param {HTMLInputElement} field
 */
export function myName({ user }, field) {
  if (user) return user;
  const name = field.value.trim();
  const problem = nameProblem(name);
  if (problem) {
    field.value = suggestName(name) || field.value;
    field.focus();
    throw new Error(problem);
  }
  keep('localStorage', NAME, name);
  return name;
}

/** The server's list of games, one a line. @param {string} text @returns {Entry[]} */
export function readGames(text) {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [id, state, game, board, black, white, turns, ...more] = line.split(' ');
      return { id, state, game, board, black, white, turns, more };
    });
}

/** @param {Server} server @returns {Promise<Mine[]>} */
export async function findMine(server) {
  if (!server.features.has('presence')) return [];
  const ofAccount = (await server.ask('resume').catch(() => '')).split(' ').filter(Boolean);
  const kept = tickets();
  const ids = [...new Set([...kept.map(({ id }) => id), ...ofAccount])];
  if (!ids.length) return [];
  const entries = new Map(
    readGames(await server.ask(`games ${ids.join(' ')}`)).map((entry) => [entry.id, entry]),
  );
  const mine = ids.flatMap((id) => {
    const entry = entries.get(id);
    const ticket = kept.find((one) => one.id === id) ?? null;
    if (!entry) dropTicket(id);
    return entry ? [{ entry, ticket }] : [];
  });
  const over = mine.filter(({ entry }) => entry.state === 'over');
  const open = mine.filter(({ entry }) => entry.state !== 'over');
  const name = savedName(server);
  /** @param {Mine} one those that wait for the user come first, and of them the most urgent one */
  const urgency = (one) =>
    isAwaited(one, name) ? (numberOf(one.entry, 'left') ?? NEVER) : Infinity;
  const ranks = new Map(open.map((one) => [one, urgency(one)]));
  open.sort((one, two) => Number(ranks.get(one)) - Number(ranks.get(two)) || 0);
  return [...open, ...over.slice(0, OVER)];
}

/** Seconds longer than any turn. */
const NEVER = 1e9;

/** The user's seat. @param {Mine} mine @param {string} name the user's, for a seat by the account @returns {0 | 1} */
const seatIn = ({ entry, ticket }, name) => ticket?.seat ?? (entry.white === name ? 1 : 0);

/** Whether the user is to move, and there is no pause. @param {Mine} mine @param {string} name */
export const isAwaited = (mine, name) =>
  mine.entry.state === 'playing' &&
  !mine.ticket?.engine &&
  numberOf(mine.entry, 'pause') === null &&
  wordsOf(mine.entry.more).get('turn') === 'bw'[seatIn(mine, name)];

/** A game in a few words. @param {Mine} mine @param {string} name */
export function describeMine(mine, name) {
  const { entry } = mine;
  const seat = seatIn(mine, name);
  const rival = seat ? entry.black : entry.white;
  if (entry.state === 'open') {
    const invite = inviteOf(entry.id);
    if (invite) return t('mygames.invite', { until: expiryText(invite.expires) });
    const expires = expiresOf(entry);
    if (expires) return t('mygames.offer-until', { until: expiryText(expires) });
    return t('mygames.offer');
  }
  if (entry.state === 'over') return `${t('mygames.against', { rival })}, ${t('mygames.over')}`;
  const against = t('mygames.against', { rival });
  if (mine.ticket?.engine) return against;
  const pause = numberOf(entry, 'pause');
  if (pause !== null) return `${against}: ${t('presence.paused', { time: clockText(pause) })}`;
  const turn = t(isAwaited(mine, name) ? 'presence.your-turn' : 'mygames.their-turn');
  const left = numberOf(entry, 'left');
  const time = left === null ? '' : `, ${t('mygames.left', { time: clockText(left) })}`;
  return `${against}: ${turn}${time}`;
}

/** Games whose banner the user has closed. @type {Set<string>} */
const closed = new Set();

/**
 * A game that is not shown, to which the banner leads back.
 * @typedef {object} Way
 * @property {string} id
 * @property {string} text which game it is
 * @property {boolean} isAwaited whether it waits for the user
 * @property {() => void} enter
 */

/** Offers the way back to a game of the user's, one that waits for them first. @param {readonly Way[]} ways */
export function drawReturn(ways) {
  const open = ways.filter(({ id }) => !closed.has(id));
  const way = open.find(({ isAwaited }) => isAwaited) ?? open[0];
  const place = el('return');
  place.hidden = !way;
  // Drawn again only when something has changed: a button must not vanish under the pointer.
  if (!way || (place.firstElementChild?.textContent === way.text && place.dataset.game === way.id))
    return;
  place.dataset.game = way.id;
  place.replaceChildren(
    html('p', { role: 'status' }, way.text),
    button(t('lobby.go-on'), way.enter, { class: 'solid' }),
    button(t('not-now'), () => {
      closed.add(way.id);
      place.hidden = true;
    }),
  );
}

/**
 * The banner goes once a game is shown: its own, or one that is played here.
 * @param {string} shown the id of a refereed game
 * @param {boolean} isPlaying whether a game without a referee goes on
 */
export function hideReturn(shown, isPlaying) {
  const place = el('return');
  const { game = '' } = place.dataset;
  if ((shown && game === shown) || (isPlaying && game.startsWith('#'))) place.hidden = true;
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
