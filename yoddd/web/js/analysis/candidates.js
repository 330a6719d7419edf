// Candidate turns of the engine: as text from the server, weighed, as a heat map, as lines of turns.
import { memo } from '../base/memo.js';
import { hasStone, parseTurn, showTurn } from '../rules/notation.js';
import { other } from '../rules/rules.js';
import { decimal } from '../base/texts.js';

/** @import { Position, Stone } from '../rules/rules.js' */

/**
 * @typedef {object} Candidate
 * @property {string} token
 * @property {number} visits
 * @property {number} winrate for the side to move, as it was estimated
 * @property {string[]} pv
 * @property {boolean} [proven] whether the winrate is no estimate
 * @property {boolean} [flat] whether visits tell nothing of its worth: all got as many
 */

/**
 * What a search reports.
 * @typedef {object} Insight
 * @property {readonly Candidate[]} candidates best first
 * @property {number} visits of the position
 * @property {number | null} lead the expected difference in groups for the side to move
 * @property {number | null} spread its standard deviation
 * @property {readonly number[]} ownership by cell: 1 where a stone of the side to move is expected in
 *   the end, -1 where one of the other is; empty if unknown
 */

/** @typedef {Candidate & {chance: number, share: number}} Weighed the chance that is shown, and how dark */
/** @typedef {'chance' | 'visits' | 'ownership' | 'policy'} View what analysis puts on the board */

/** @param {string} text the words of keys and values */
function readFields(text) {
  const words = text.trim().split(/\s+/);
  /** @type {Record<string, string>} */
  const fields = {};
  for (let at = 0; at + 1 < words.length; at += 2) fields[words[at]] = words[at + 1];
  return fields;
}

/**
 * Reads a line of `info move …` entries, KataGo's grammar.
 * @param {string} line
 * @returns {Candidate[]}
 */
function readInfo(line) {
  return line
    .split(/(?:^|\s)info\s+/)
    .slice(1)
    .map((entry) => {
      const [head, tail = ''] = entry.split(/\spv\s/);
      const { move = '', visits = '0', winrate = '0.5', proven } = readFields(head);
      return {
        token: move,
        visits: Number(visits),
        winrate: Number(winrate),
        pv: tail.trim().split(/\s+/).filter(Boolean),
        ...(proven && { proven: true }),
      };
    })
    .filter(({ token }) => token);
}

/** Reads a line of an analysis. @param {string} line @returns {Insight} */
export function readReport(line) {
  const [head, owned = ''] = line.split(/(?:^|\s)ownership\s+/);
  const [infos, root = ''] = head.split(/(?:^|\s)rootInfo\s+/);
  const { visits, scoreLead, scoreStdev } = readFields(root);
  return {
    candidates: readInfo(infos),
    visits: Number(visits ?? 0),
    lead: scoreLead === undefined ? null : Number(scoreLead),
    spread: scoreStdev === undefined ? null : Number(scoreStdev),
    ownership: owned.split(/\s+/).filter(Boolean).map(Number),
  };
}

/** Visits for which the mean of all turns counts: an estimate of fewer is mostly that mean. */
const DOUBT = 40;
/** Visits with which a turn is half as dark as with many. */
const FAINT = 60;
/** The part of the darkness of the best turn that another one has at most. */
const BEHIND = 0.85;

/**
 * The candidates as they are shown, the same in the list and on the board. The chance of one with few
 * visits shrinks towards the mean of all; none seems better than the first, or is as dark.
 * @param {readonly Candidate[]} candidates best first
 * @returns {Weighed[]}
 */
export function weigh(candidates) {
  if (!candidates.length) return [];
  const all = candidates.reduce((sum, one) => sum + one.visits, 0);
  const won = candidates.reduce((sum, one) => sum + one.visits * one.winrate, 0);
  const mean = all ? won / all : 0.5;
  const shrunk = candidates.map(({ visits, winrate, proven }) =>
    proven ? winrate : (visits * winrate + DOUBT * mean) / (visits + DOUBT),
  );
  const chances = shrunk.map((chance) => Math.min(chance, shrunk[0]));
  const least = Math.min(...chances);
  const most = Math.max(1, ...candidates.map(({ visits }) => visits));
  const shares = candidates.map(({ visits, flat, proven }, index) => {
    const known = proven ? 1 : visits / (visits + FAINT);
    const worth = flat ? ((chances[index] - least) / (shrunk[0] - least || 1)) ** 2 : visits / most;
    return index ? known * worth : known;
  });
  return candidates.map((one, index) => ({
    ...one,
    chance: chances[index],
    share: index ? Math.min(shares[index], BEHIND * shares[0]) : shares[0],
  }));
}

/**
 * The engine's view of a cell.
 * @typedef {object} Spot
 * @property {number} share 0 to 1, how dark
 * @property {string} text
 * @property {number} colour of the stone
 * @property {Weighed | undefined} candidate the best turn that drops it, if one was searched
 */

/** Chances that differ less are shown with a decimal. */
const ALIKE = 0.08;

/** @param {Spot} spot */
const chanceOf = ({ candidate }) => candidate?.chance ?? 0;

/** @param {readonly Spot[]} spots best first */
const areAlike = (spots) =>
  spots.length > 1 && spots.every((spot) => chanceOf(spots[0]) - chanceOf(spot) < ALIKE);

/**
 * The engine's rating of each cell: for a first stone, or for a second one after `pending`.
 * @param {readonly Weighed[]} candidates best first
 * @param {Position} position
 * @param {readonly Stone[]} pending
 * @param {View} [view]
 * @returns {Map<number, Spot>} best first
 */
export function heatOf(candidates, position, pending, view = 'chance') {
  /** @type {Map<number, {candidate: Weighed, colour: number, visits: number}>} */
  const cells = new Map();
  let all = 0;
  for (const candidate of candidates) {
    const { stones } = parseTurn(candidate.token, position.rules, position.player);
    const held = pending.every((one) => hasStone(stones, one));
    if (!held || !(candidate.visits || candidate.proven)) continue;
    all += candidate.visits;
    for (const { cell, colour } of stones) {
      if (pending.some((one) => one.cell === cell)) continue;
      const entry = cells.get(cell) ?? { candidate, colour, visits: 0 };
      entry.visits += candidate.visits;
      cells.set(cell, entry);
    }
  }
  const spots = [...cells].map(([cell, { candidate, colour, visits }]) => {
    const part = visits / (all || 1);
    return { cell, part, spot: { share: candidate.share, text: '', colour, candidate } };
  });
  if (view === 'visits') writeVisits(spots);
  else writeChances(spots.map(({ spot }) => spot));
  return new Map(spots.map(({ cell, spot }) => [cell, spot]));
}

/** The chances in per cent; with a decimal where all are alike. @param {readonly Spot[]} spots best first */
function writeChances(spots) {
  const alike = areAlike(spots);
  for (const spot of spots) {
    const chance = 100 * chanceOf(spot);
    spot.text = alike && chance < 99.95 ? decimal(chance, 1) : String(Math.round(chance));
  }
}

/** The part of the search that goes to turns with the stone. @param {readonly {part: number, spot: Spot}[]} spots best first */
function writeVisits(spots) {
  const most = Math.max(...spots.map(({ part }) => part));
  for (const { part, spot } of spots) {
    const isBest = spot.candidate === spots[0].spot.candidate;
    spot.share = isBest ? 1 : BEHIND * (part / (most || 1));
    spot.text = part < 0.01 ? '<1' : String(Math.round(100 * part));
  }
}

/** Turns of the two players in alternation. @param {readonly string[]} tokens @param {Position} position */
export function readLine(tokens, position) {
  return tokens.map((token, index) =>
    parseTurn(token, position.rules, index % 2 ? other(position.player) : position.player),
  );
}

/** The candidates of a report, weighed once for the list and the board. */
export const weighed = memo(weigh);

/**
 * A row of the list beside the board.
 * @typedef {object} Row
 * @property {number} chance 0 to 1
 * @property {string} played
 * @property {readonly string[]} expected the turns that follow
 * @property {number} visits
 * @property {Weighed | undefined} candidate the turn whose line the board shows
 */

/**
 * The best turns with the engine's expected continuations.
 * @param {readonly Weighed[]} candidates @param {Position} position @param {number} most
 * @returns {Row[]}
 */
export const rowsOf = (candidates, position, most) =>
  candidates.slice(0, most).map((candidate) => {
    const [played, ...expected] = readLine(lineOf(candidate), position).map((turn) =>
      showTurn(turn, position.rules),
    );
    return { chance: candidate.chance, played, expected, visits: candidate.visits, candidate };
  });

/** The turn and the engine's expected continuation. @param {Candidate} candidate */
export const lineOf = ({ token, pv }) => [token, ...pv.slice(1)];
