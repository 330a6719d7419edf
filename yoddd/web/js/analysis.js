// The engine's view of a position, streamed: candidate turns, their chances, and a heat map.
import { Connection } from './connection.js';
import { socketUrl } from './engine.js';
import { parseTurn, showTurn } from './notation.js';
import { html } from './svg.js';

/** @typedef {import('./rules.js').Stone} Stone */
/** @typedef {import('./rules.js').Position} Position */

/**
 * @typedef {object} Candidate
 * @property {string} token
 * @property {number} visits
 * @property {number} winrate for the side to move
 * @property {string[]} pv
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
  for (const { token, visits, winrate } of candidates) {
    const { stones } = parseTurn(token, position.rules, position.player);
    const held = pending.every((one) => stones.some(({ cell, colour }) => cell === one.cell && colour === one.colour));
    if (!held || !visits) continue;
    for (const { cell, colour } of stones) {
      if (pending.some((one) => one.cell === cell)) continue;
      const entry = cells.get(cell) ?? { visits: 0, sum: 0, colours: [0, 0] };
      entry.visits += visits;
      entry.sum += visits * winrate;
      entry.colours[colour] += visits;
      cells.set(cell, entry);
    }
  }
  const most = Math.max(1, ...[...cells.values()].map(({ visits }) => visits));
  return new Map([...cells].map(([cell, { visits, sum, colours }]) => [cell, {
    share: visits / most, text: String(Math.round((100 * sum) / visits)), colour: colours[1] > colours[0] ? 1 : 0,
  }]));
}

/**
 * @param {HTMLElement} list
 * @param {Candidate[]} candidates
 * @param {Position} position
 * @param {(pv: string[] | null) => void} preview
 */
export function drawLines(list, candidates, position, preview) {
  const shown = [...candidates].sort((a, b) => b.visits - a.visits).slice(0, 6);
  list.replaceChildren(...shown.map(({ token, visits, winrate, pv }) => {
    const turn = parseTurn(token, position.rules, position.player);
    const item = html('li', { tabindex: 0 },
      html('b', {}, `${(winrate * 100).toFixed(1)}%`),
      html('span', { class: 'pv' }, showTurn(turn, position.rules), ` ${pv.slice(1).join(' ')}`),
      html('span', {}, visits > 999 ? `${(visits / 1000).toFixed(1)}k` : String(visits)));
    for (const name of ['pointerenter', 'focus']) item.addEventListener(name, () => preview([token, ...pv.slice(1)]));
    for (const name of ['pointerleave', 'blur']) item.addEventListener(name, () => preview(null));
    return item;
  }));
}

/** One stream at a time, over a connection of its own. */
export class Analysis {
  /** @param {(candidates: Candidate[]) => void} onLine */
  constructor(onLine) {
    this.onLine = onLine;
    /** @type {Connection | null} */
    this.connection = null;
    this.wanted = '';
  }

  /** @param {string} positionLine */
  async watch(positionLine) {
    if (this.wanted === positionLine) return;
    this.wanted = positionLine;
    if (!this.connection?.isOpen) this.connection = new Connection(socketUrl());
    try {
      this.connection.stop();
      await this.connection.ask(positionLine);
      await this.connection.stream('analyze interval=10', (line) => {
        if (this.wanted === positionLine && line.startsWith('info')) this.onLine(readInfo(line));
      });
    } catch {
      if (this.wanted === positionLine) this.stop();
    }
  }

  stop() {
    this.wanted = '';
    this.connection?.close();
    this.connection = null;
  }
}
