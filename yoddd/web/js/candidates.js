// Candidate turns of the engine, as text from the server, as a heat map and as lines of turns.
import { parseTurn } from './notation.js';
import { other } from './rules.js';

/** @typedef {import('./rules.js').Stone} Stone */
/** @typedef {import('./rules.js').Position} Position */

/**
 * @typedef {object} Candidate
 * @property {string} token
 * @property {number} visits
 * @property {number} winrate for the side to move
 * @property {string[]} pv
 * @property {boolean} [flat] whether visits tell nothing of its worth: all got as many
 */

/**
 * Reads a line of `info move …` entries, KataGo's grammar.
 * @param {string} line
 * @returns {Candidate[]}
 */
export function readInfo(line) {
  return line
    .split(/(?:^|\s)info\s+/)
    .slice(1)
    .map((entry) => {
      const [head, tail = ''] = entry.split(/\spv\s/);
      const words = head.trim().split(/\s+/);
      /** @type {Record<string, string>} */
      const fields = {};
      for (let at = 0; at + 1 < words.length; at += 2) fields[words[at]] = words[at + 1];
      return {
        token: fields.move ?? '',
        visits: Number(fields.visits ?? 0),
        winrate: Number(fields.winrate ?? 0.5),
        pv: tail.trim().split(/\s+/).filter(Boolean),
      };
    })
    .filter(({ token }) => token);
}

/**
 * The engine's rating of each cell: for a first stone, or for a second one behind `pending`.
 * @param {readonly Candidate[]} candidates
 * @param {Position} position
 * @param {readonly Stone[]} pending
 */
export function heatOf(candidates, position, pending) {
  /** @type {Map<number, {visits: number, sum: number, colours: [number, number]}>} */
  const cells = new Map();
  // Of two colours on one cell the better counts: the best come last, and take the cell.
  const flat = candidates.some((one) => one.flat);
  const listed = flat ? [...candidates].sort((a, b) => a.winrate - b.winrate) : candidates;
  for (const { token, visits, winrate } of listed) {
    const { stones } = parseTurn(token, position.rules, position.player);
    const held = pending.every((one) =>
      stones.some(({ cell, colour }) => cell === one.cell && colour === one.colour),
    );
    if (!held || !visits) continue;
    for (const { cell, colour } of stones) {
      if (pending.some((one) => one.cell === cell)) continue;
      const entry = (!flat && cells.get(cell)) || { visits: 0, sum: 0, colours: [0, 0] };
      entry.visits += visits;
      entry.sum += visits * winrate;
      entry.colours[colour] += visits;
      cells.set(cell, entry);
    }
  }
  const all = [...cells.values()];
  const chances = all.map(({ sum, visits }) => sum / visits);
  const [least, best] = [Math.min(...chances), Math.max(...chances)];
  const most = Math.max(1, ...all.map(({ visits }) => visits));
  return new Map(
    [...cells].map(([cell, { visits, sum, colours }]) => [
      cell,
      {
        share: flat ? ((sum / visits - least) / (best - least || 1)) ** 2 : visits / most,
        text: String(Math.round((100 * sum) / visits)),
        colour: colours[1] > colours[0] ? 1 : 0,
      },
    ]),
  );
}

/** Turns of the two players in alternation. @param {readonly string[]} tokens @param {Position} position */
export function readLine(tokens, position) {
  return tokens.map((token, index) =>
    parseTurn(token, position.rules, index % 2 ? other(position.player) : position.player),
  );
}

/** The most visited, best first. @param {readonly Candidate[]} candidates */
export const ranked = (candidates) =>
  [...candidates].sort((a, b) => b.visits - a.visits || b.winrate - a.winrate);

/** Lines of turns in the list. */
const LISTED = 6;

/** The candidates in the list beside the board. @param {readonly Candidate[]} candidates */
export const listed = (candidates) => ranked(candidates).slice(0, LISTED);

/** The turn and the engine's expected continuation. @param {Candidate} candidate */
export const lineOf = ({ token, pv }) => [token, ...pv.slice(1)];
