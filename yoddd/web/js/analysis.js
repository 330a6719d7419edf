// Searches of the engine without a turn at their end, streamed over a channel of their own.
import { readInfo } from './candidates.js';
import { Refusal } from './connection.js';
import { compareSeconds } from './seconds.js';
import { readAnswer } from './table.js';

/** @typedef {import('./candidates.js').Candidate} Candidate */
/** @typedef {import('./table.js').Answer} Answer */
/** @typedef {import('./connection.js').Channel} Channel */

/** The reply of the table of the server about its position; empty if it has none. @param {Channel} channel */
const probe = (channel) =>
  channel.ask('probe').catch((error) => {
    if (error instanceof Refusal) return '';
    throw error;
  });

/** Seconds of analysis of one position. */
const LONGEST = 60;

/** One search at a time. */
export class Analysis {
  /**
   * @param {import('./server.js').Server} server
   * @param {(candidates: Candidate[]) => void} onCandidates
   * @param {(answer: Answer) => void} onTable
   */
  constructor(server, onCandidates, onTable) {
    this.server = server;
    this.onCandidates = onCandidates;
    this.onTable = onTable;
    /** @type {Channel | null} */
    this.channel = null;
    /** Identifies the wanted search; empty for none. */
    this.wanted = '';
    /** @type {Promise<unknown>} the latest search */
    this.job = Promise.resolve();
  }

  /**
   * Ends the running search, waits until it has ended, and begins another unless a third has been
   * wanted meanwhile: in one channel a request would end the other search's stream.
   * @template T
   * @param {string} wanted
   * @param {(channel: Channel) => Promise<T>} work
   * @returns {Promise<T | null>} null if a later search replaced it
   */
  begin(wanted, work) {
    this.wanted = wanted;
    this.channel?.stop();
    const before = this.job;
    const own = (async () => {
      await before;
      if (this.wanted !== wanted) return null;
      if (!this.channel?.isOpen) this.channel = this.server.connection.channel();
      return work(this.channel);
    })();
    this.job = own.catch(() => {
      if (this.wanted === wanted) this.stop();
    });
    return own;
  }

  /**
   * The turns of a position: by the server's complete table, if it has one, else by a search.
   * @param {string} wanted @param {string} positionLine @param {boolean} probes whether to ask for a table
   */
  watch(wanted, positionLine, probes) {
    return this.begin(wanted, async (channel) => {
      await channel.ask(positionLine);
      if (this.wanted !== wanted) return;
      const known = probes && (await probe(channel));
      if (this.wanted !== wanted) return;
      if (known) {
        this.onTable(readAnswer(positionLine, known));
        return;
      }
      await channel.stream(`analyze interval=10 maxtime=${LONGEST}`, (line) => {
        if (this.wanted === wanted && line.startsWith('info')) this.onCandidates(readInfo(line));
      });
    }).catch(() => {});
  }

  /**
   * Turns of two stones with the same first stone, see `compareSeconds`.
   * @param {string} wanted
   * @param {string} positionLine
   * @param {string[]} turns
   */
  watchSeconds(wanted, positionLine, turns) {
    return this.begin(wanted, (channel) =>
      compareSeconds(channel, positionLine, turns, this.onCandidates, () => this.wanted === wanted),
    ).catch(() => {});
  }

  /**
   * The best turn after a short search; null if there is none.
   * @param {string} positionLine
   * @param {number} seconds
   * @returns {Promise<Candidate | null>}
   */
  glance(positionLine, seconds) {
    return this.begin(`glance ${positionLine}`, async (channel) => {
      await channel.ask(positionLine);
      /** @type {Candidate | null} */
      let best = null;
      await channel.stream(`analyze interval=10 maxtime=${seconds}`, (line) => {
        if (line.startsWith('info')) [best = null] = readInfo(line);
      });
      return best;
    });
  }

  stop() {
    this.wanted = '';
    this.channel?.close();
    this.channel = null;
  }
}
