// The engine's view of a position, streamed: candidate turns, their chances, and a heat map.
import { Connection } from './connection.js';
import { withDiscs } from './discs.js';
import { socketUrl } from './engine.js';
import { parseTurn, showTurn } from './notation.js';
import { other } from './rules.js';
import { lookAtSeconds } from './seconds.js';
import { html } from './svg.js';

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
  return line.split(/(?:^|\s)info\s+/).slice(1).map((entry) => {
    const [head, tail = ''] = entry.split(/\spv\s/);
    const words = head.trim().split(/\s+/);
    /** @type {Record<string, string>} */
    const fields = {};
    for (let at = 0; at + 1 < words.length; at += 2) fields[words[at]] = words[at + 1];
    return {
      token: fields.move ?? '', visits: Number(fields.visits ?? 0),
      winrate: Number(fields.winrate ?? 0.5), pv: tail.trim().split(/\s+/).filter(Boolean),
    };
  }).filter(({ token }) => token);
}

/**
 * How much the engine thinks of each cell: as a first stone, or as a second one behind `pending`.
 * @param {Candidate[]} candidates
 * @param {Position} position
 * @param {Stone[]} pending
 */
export function heatOf(candidates, position, pending) {
  /** @type {Map<number, {visits: number, sum: number, colours: [number, number]}>} */
  const cells = new Map();
  // Of two colours on one cell the better counts: the best come last, and take the cell.
  const flat = candidates.some((one) => one.flat);
  const listed = flat ? [...candidates].sort((a, b) => a.winrate - b.winrate) : candidates;
  for (const { token, visits, winrate } of listed) {
    const { stones } = parseTurn(token, position.rules, position.player);
    const held = pending.every((one) => stones.some(({ cell, colour }) => cell === one.cell && colour === one.colour));
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
  return new Map([...cells].map(([cell, { visits, sum, colours }]) => [cell, {
    share: flat ? ((sum / visits - least) / (best - least || 1)) ** 2 : visits / most,
    text: String(Math.round((100 * sum) / visits)), colour: colours[1] > colours[0] ? 1 : 0,
  }]));
}

/** A row of turns, the players taking them by turns. @param {string[]} tokens @param {Position} position */
export function readLine(tokens, position) {
  return tokens.map((token, index) => parseTurn(
    token, position.rules, index % 2 ? other(position.player) : position.player,
  ));
}

/**
 * @param {HTMLElement} list
 * @param {Candidate[]} candidates
 * @param {Position} position
 * @param {(line: string[] | null) => void} preview
 */
export function drawLines(list, candidates, position, preview) {
  const shown = [...candidates].sort((a, b) => b.visits - a.visits || b.winrate - a.winrate).slice(0, 6);
  // The items stay while their text changes: the pointer rests on one, and the keyboard may.
  while (list.children.length < shown.length) list.append(item());
  while (list.children.length > shown.length) list.lastElementChild?.remove();
  shown.forEach(({ token, visits, winrate, pv }, index) => {
    const row = /** @type {HTMLElement} */ (list.children[index]);
    const line = [token, ...pv.slice(1)];
    const [turn, ...rest] = readLine(line, position).map((one) => showTurn(one, position.rules));
    const [chance, played, expected, count] = row.children;
    chance.textContent = `${(winrate * 100).toFixed(1)}%`;
    played.replaceChildren(...withDiscs(turn));
    expected.replaceChildren(...withDiscs(rest.join(', ')));
    count.textContent = visits > 999 ? `${(visits / 1000).toFixed(1)}k` : String(visits);
    row.onpointerenter = row.onfocus = () => preview(line);
    row.onpointerleave = row.onblur = () => preview(null);
    if (row.matches(':hover, :focus')) preview(line);
  });
}

const item = () => html('li', { tabindex: 0 },
  html('b'), html('span', { class: 'played' }), html('span', { class: 'pv' }), html('span', { class: 'visits' }));

/** Seconds that an engine looks at one position. */
const LONGEST = 60;

/** One look at a time, over a connection of its own. */
export class Analysis {
  /** @param {(candidates: Candidate[]) => void} onLine */
  constructor(onLine) {
    this.onLine = onLine;
    /** @type {Connection | null} */
    this.connection = null;
    /** What is looked at; empty for nothing. */
    this.wanted = '';
    /** @type {Promise<unknown>} the look that runs, or the last one */
    this.job = Promise.resolve();
  }

  /**
   * Ends the look that runs, waits until it has ended, and begins another, unless yet another has
   * been asked for meanwhile. The server hears one at a time: a line would stop the other's stream.
   * @template T
   * @param {string} wanted
   * @param {(connection: Connection) => Promise<T>} work
   * @returns {Promise<T | null>} null if it was overtaken
   */
  look(wanted, work) {
    this.wanted = wanted;
    this.connection?.stop();
    const before = this.job;
    const mine = (async () => {
      await before;
      if (this.wanted !== wanted) return null;
      if (!this.connection?.isOpen) this.connection = new Connection(socketUrl());
      return work(this.connection);
    })();
    this.job = mine.catch(() => { if (this.wanted === wanted) this.stop(); });
    return mine;
  }

  /** The turns of a position. @param {string} positionLine */
  watch(positionLine) {
    return this.look(positionLine, async (connection) => {
      await connection.ask(positionLine);
      if (this.wanted !== positionLine) return;
      await connection.stream(`analyze interval=10 maxtime=${LONGEST}`, (line) => {
        if (this.wanted === positionLine && line.startsWith('info')) this.onLine(readInfo(line));
      });
    }).catch(() => {});
  }

  /**
   * Second stones behind a first one, see `lookAtSeconds`.
   * @param {string} wanted says what is looked at
   * @param {string} positionLine
   * @param {string[]} turns
   */
  watchSeconds(wanted, positionLine, turns) {
    return this.look(wanted, (connection) => lookAtSeconds(
      connection, positionLine, turns, (candidates) => this.onLine(candidates), () => this.wanted === wanted,
    )).catch(() => {});
  }

  /**
   * The best turn after a short look; null if there is none.
   * @param {string} positionLine
   * @param {number} seconds
   * @returns {Promise<Candidate | null>}
   */
  glance(positionLine, seconds) {
    return this.look(`glance ${positionLine}`, async (connection) => {
      await connection.ask(positionLine);
      /** @type {Candidate | null} */
      let best = null;
      await connection.stream(`analyze interval=10 maxtime=${seconds}`, (line) => {
        if (line.startsWith('info')) [best = null] = readInfo(line);
      });
      return best;
    });
  }

  stop() {
    this.wanted = '';
    this.connection?.close();
    this.connection = null;
  }
}
