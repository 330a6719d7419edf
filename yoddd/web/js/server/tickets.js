// The user's seats in refereed games, kept in the browser profile, and the links that name them.
import { publicLink } from '../rules/link.js';
import { keep, recall } from '../base/settings.js';

/** @import { Colour } from '../rules/rules.js' */

/**
 * A refereed game and this user's place in it; key and seat are null for a spectator. `against` is an attached
 * engine, and `engine` the level of this page's engine that plays in the user's place.
 * @typedef {{id: string, key: string, seat: Colour, against?: string, engine?: string}
 *   | {id: string, key: null, seat: null, against?: undefined, engine?: undefined}} Ticket
 */

/**
 * An invite that its owner may send.
 * @typedef {object} Invite
 * @property {string} secret
 * @property {number} expires seconds since 1970
 */

const PREFIX = 'yoddd.ticket.';
const INVITE = 'yoddd.invite.';
/** Seats that are kept; the oldest are dropped. */
const MOST = 100;

/** @param {string} id @returns {Ticket} */
export const spectator = (id) => ({ id, key: null, seat: null });

/** @param {string} id @returns {Ticket | null} */
export const ticketOf = (id) => recall('localStorage', PREFIX + id)?.ticket ?? null;

/** @param {string} id @returns {Invite | null} */
export const inviteOf = (id) => recall('localStorage', INVITE + id);

/** @param {Ticket} ticket @param {Invite} [invite] */
export function keepTicket(ticket, invite) {
  keep('localStorage', PREFIX + ticket.id, { ticket, saved: Date.now() });
  if (invite) keep('localStorage', INVITE + ticket.id, invite);
  for (const { id } of tickets().slice(MOST)) dropTicket(id);
  return ticket;
}

/** @param {string} id */
export function dropTicket(id) {
  for (const prefix of [PREFIX, INVITE]) window.localStorage.removeItem(prefix + id);
}

/** The user's seats, the latest first. @returns {Ticket[]} */
export function tickets() {
  try {
    return Object.keys(window.localStorage)
      .filter((name) => name.startsWith(PREFIX))
      .map((name) => recall('localStorage', name))
      .filter((kept) => kept?.ticket)
      .sort((one, two) => two.saved - one.saved)
      .map(({ ticket }) => ticket);
  } catch {
    return []; // a browser without storage
  }
}

// -- links --------------------------------------------------------------------------------------

/** This page with another fragment. @param {string} fragment */
function address(fragment) {
  const url = new URL(location.href);
  url.hash = fragment;
  return url.href;
}

/** The link to watch a game, which has a preview. @param {string} id */
export const watchLink = (id) => publicLink(`#table=${id}`);

/** The link that takes the user's seat on another device. @param {Ticket} ticket */
export const returnLink = ({ id, key, seat }) =>
  address(`seat=${id}&key=${key}&as=${seat ? 'w' : 'b'}`);

/** The link to an offer. @param {string} id @param {Invite | null} invite null for one that the lobby lists */
export const inviteLink = (id, invite) =>
  address(`join=${id}${invite ? `&secret=${invite.secret}` : ''}`);

/** The offer that a link names; null for another address. @param {string} hash */
export function readInvite(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const id = parts.get('join');
  return id ? { id, secret: parts.get('secret') ?? '' } : null;
}

/**
 * The user's ticket for the refereed game that an address names; null if it names none. A seat that
 * a private link names is kept.
 * @param {string} hash
 */
export function ticketIn(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const id = parts.get('table') ?? parts.get('seat');
  if (!id || !/^[\w.:-]+$/.test(id)) return null;
  const key = parts.get('key');
  if (!parts.has('seat') || !key) return ticketOf(id) ?? spectator(id);
  const seat = /** @type {Colour} */ (parts.get('as') === 'w' ? 1 : 0);
  return keepTicket({ id, key, seat });
}
