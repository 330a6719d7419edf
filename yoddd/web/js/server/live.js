// A game of a tournament that is in play elsewhere, fetched again and again until it is over.
import { pause } from '../base/pause.js';

/** Milliseconds between two requests. */
const PAUSE = 1000;

/** The run and the game in play that an address names; null if it names none. @param {string} hash */
export function readLive(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const [run, game] = [parts.get('run'), parts.get('live')];
  return run && game ? { run, game } : null;
}

/** @param {string} run @param {string} game */
export const liveLink = (run, game) =>
  `#run=${encodeURIComponent(run)}&live=${encodeURIComponent(game)}`;

/**
 * Follows a game to its end; throws if there is no such game.
 * @param {{run: string, game: string}} address
 * @param {(record: Record<string, any>) => Promise<boolean>} show shows the game so far; whether it is still wanted
 */
export async function followLive({ run, game }, show) {
  const base = `api/runs/${encodeURIComponent(run)}`;
  const id = encodeURIComponent(game);
  for (let turns = -1; ;) {
    const playing = await fetch(`${base}/playing/${id}`);
    if (!playing.ok) break;
    const record = await playing.json();
    if (record.turns.length !== turns && !(await show(record))) return;
    turns = record.turns.length;
    await pause(PAUSE);
  }
  const reply = await fetch(`${base}/games/${id}`);
  const record = await reply.json();
  if (!reply.ok) throw new Error(record.error);
  await show(record);
}
