// Searches of the engine without a turn at their end, streamed over a connection of their own.
import { readInfo } from './candidates.js';
import { Connection, Refusal, socketUrl } from './connection.js';
import { compareSeconds } from './seconds.js';
import { readAnswer } from './table.js';

/** @typedef {import('./candidates.js').Candidate} Candidate */
/** @typedef {import('./table.js').Answer} Answer */

/** The reply of the table of the server about its position; empty if it has none. @param {Connection} connection */
const probe = (connection) =>
  connection.ask('probe').catch((error) => {
    if (error instanceof Refusal) return '';
    throw error;
  });

/** Seconds of analysis of one position. */
const LONGEST = 60;

/** One search at a time. */
export class Analysis {
  /** @param {(candidates: Candidate[]) => void} onCandidates @param {(answer: Answer) => void} onTable */
  constructor(onCandidates, onTable) {
    this.onCandidates = onCandidates;
    this.onTable = onTable;
    /** @type {Connection | null} */
    this.connection = null;
    /** Identifies the wanted search; empty for none. */
    this.wanted = '';
    /** @type {Promise<unknown>} the latest search */
    this.job = Promise.resolve();
  }

  /**
   * Ends the running search, waits until it has ended, and begins another unless a third has been
   * wanted meanwhile: on one connection a request would end the other search's stream.
   * @template T
   * @param {string} wanted
   * @param {(connection: Connection) => Promise<T>} work
   * @returns {Promise<T | null>} null if a later search replaced it
   */
  begin(wanted, work) {
    this.wanted = wanted;
    this.connection?.stop();
    const before = this.job;
    const own = (async () => {
      await before;
      if (this.wanted !== wanted) return null;
      if (!this.connection?.isOpen) this.connection = new Connection(socketUrl());
      return work(this.connection);
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
    return this.begin(wanted, async (connection) => {
      await connection.ask(positionLine);
      if (this.wanted !== wanted) return;
      const known = probes && (await probe(connection));
      if (this.wanted !== wanted) return;
      if (known) {
        this.onTable(readAnswer(positionLine, known));
        return;
      }
      await connection.stream(`analyze interval=10 maxtime=${LONGEST}`, (line) => {
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
    return this.begin(wanted, (connection) =>
      compareSeconds(
        connection,
        positionLine,
        turns,
        this.onCandidates,
        () => this.wanted === wanted,
      ),
    ).catch(() => {});
  }

  /**
   * The best turn after a short search; null if there is none.
   * @param {string} positionLine
   * @param {number} seconds
   * @returns {Promise<Candidate | null>}
   */
  glance(positionLine, seconds) {
    return this.begin(`glance ${positionLine}`, async (connection) => {
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
