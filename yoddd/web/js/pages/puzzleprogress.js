// What the user has solved of the puzzles: kept in this browser, and in the account of a user who is
// logged in, where it joins what was solved on other devices.
import { currentSession } from '../server/login.js';
import { NO_PROGRESS, merged } from './puzzleset.js';
import { keep, recall } from '../base/settings.js';

/** @import { Progress } from './puzzleset.js' */
/** @typedef {Progress & {owner?: string}} Kept with the account that it is of, if of one */
/** @typedef {Record<string, any>} Values from the server, as docs/reference/http.md has them */

const KEY = 'yoddd.puzzles';

/** Puzzles that a request may name. */
const MOST = 100;

/** The figures of an account by the names of the server. */
const FIGURES = /** @type {const} */ ({
  rating: 'rating',
  day: 'day',
  days: 'days',
  most_days: 'mostDays',
  most_run: 'mostRun',
  most_storm: 'mostStorm',
});

/** The puzzles that the account has, and whether each was solved at the first try; null without one. @type {Readonly<Record<string, boolean>> | null} */
let stored = null;

/** The requests so far, which follow each other. */
let sending = Promise.resolve();

/** @returns {Kept} */
export const loadProgress = () => ({ ...NO_PROGRESS, ...recall('localStorage', KEY) });

/** @param {Progress} progress */
export function keepProgress(progress) {
  keep('localStorage', KEY, progress);
  if (stored) sending = sending.then(send).catch(() => {}); // the next one sends it again
}

/** The progress of an account in the words of the page. @param {Values} values @returns {Partial<Progress>} */
function read(values) {
  const known = Object.entries(FIGURES).filter(([name]) => name in values);
  return {
    ...Object.fromEntries(known.map(([name, own]) => [own, values[name]])),
    solved: values.solved,
  };
}

/** Sends the figures, and the puzzles that the account does not have yet. */
async function send() {
  const progress = loadProgress();
  const fresh = Object.entries(progress.solved).filter(([id, isFirst]) => {
    const known = stored?.[id];
    return known === undefined || (isFirst && !known);
  });
  const query = new URLSearchParams(
    Object.entries(FIGURES).map(([name, own]) => [name, String(progress[own])]),
  );
  const part = fresh.slice(0, MOST);
  for (const [name, wanted] of /** @type {const} */ ([
    ['first', true],
    ['later', false],
  ])) {
    const ids = part.filter(([, isFirst]) => isFirst === wanted).map(([id]) => id);
    if (ids.length) query.set(name, ids.join(','));
  }
  const reply = await fetch(`api/puzzles?${query}`, { method: 'POST' });
  if (!reply.ok) throw new Error(reply.statusText);
  stored = (await reply.json()).puzzles.solved;
  if (fresh.length > MOST) await send();
}

/** Joins the progress of this browser with that of the account of its user; false if there is none. */
export async function joinAccount() {
  const { user } = await currentSession();
  if (!user) return false;
  const { puzzles } = await (await fetch('api/puzzles', { cache: 'no-store' })).json();
  if (!puzzles) return false;
  const own = loadProgress();
  // Not the progress of another user of this browser.
  const mine = (own.owner ?? user) === user ? own : NO_PROGRESS;
  stored = puzzles.solved;
  keepProgress(/** @type {Kept} */ ({ ...merged(mine, read(puzzles)), owner: user }));
  return true;
}
