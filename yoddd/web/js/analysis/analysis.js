// Searches of the engine without a turn at their end, streamed over a channel of their own.
import { readReport } from './candidates.js';
import { Refusal } from '../server/connection.js';
import { readPolicy } from './policy.js';
import { reasonOf } from '../base/errortext.js';
import { compareSeconds } from './secondstones.js';
import { readAnswer } from './solved.js';

/** @import { Insight } from './candidates.js' */
/** @import { Channel } from '../server/connection.js' */
/** @import { Likely } from './policy.js' */
/** @import { Answer } from './solved.js' */

/**
 * How far the engine is with a question: it searches, it has ended, the connection is lost, or the
 * server refuses, with its reason.
 * @typedef {{kind: 'searching' | 'ended' | 'lost' | 'refused', reason: string}} Watch
 */

/** A reply that the server may refuse; empty then. @param {Channel} channel @param {string} request */
const askFor = (channel, request) =>
  channel.ask(request).catch((error) => {
    if (error instanceof Refusal) return '';
    throw error;
  });

/** Milliseconds of analysis of one position: then the user is asked whether it shall go on. */
const LONGEST = 300_000;

/** @param {unknown} error @returns {[Watch['kind'], string]} */
const endOf = (error) => (error instanceof Refusal ? ['refused', reasonOf(error)] : ['lost', '']);

/** A search until it is stopped, by the page after a while. @param {Channel} channel @param {(line: string) => void} onLine */
async function search(channel, onLine) {
  const timer = window.setTimeout(() => channel.stop(), LONGEST);
  try {
    await channel.follow('analyze interval=10 ownership=true rootInfo=true', onLine);
  } finally {
    window.clearTimeout(timer);
  }
}

/** One search at a time. */
export class Analysis {
  /**
   * @param {import('../server/engineplace.js').EnginePlace} place
   * @param {(report: Insight) => void} onReport
   * @param {(answer: Answer) => void} onTable
   * @param {(policy: Likely[]) => void} onPolicy
   * @param {(kind: Watch['kind'], reason: string) => void} onEnd the wanted search has ended
   */
  constructor(place, onReport, onTable, onPolicy, onEnd) {
    this.place = place;
    this.onReport = onReport;
    this.onTable = onTable;
    this.onPolicy = onPolicy;
    this.onEnd = onEnd;
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
   * @param {string} wanted
   * @param {(channel: Channel) => Promise<unknown>} work
   */
  begin(wanted, work) {
    this.wanted = wanted;
    this.channel?.stop();
    const before = this.job;
    this.job = (async () => {
      await before;
      if (this.wanted !== wanted) return;
      if (!this.channel?.isOpen) this.channel = this.place.channel();
      const { channel } = this;
      try {
        await work(channel);
        if (this.wanted === wanted) this.onEnd('ended', '');
      } catch (error) {
        // The same may be wanted again, of another engine.
        if (this.wanted !== wanted || this.channel !== channel) return;
        this.close();
        this.onEnd(...endOf(error));
      }
    })();
  }

  /**
   * The turns of a position: by the server's complete table or its solver, else by a search.
   * @param {string} wanted @param {string} positionLine @param {string} proof the request for exact values; may be empty
   */
  watch(wanted, positionLine, proof) {
    const isWanted = () => this.wanted === wanted;
    this.begin(wanted, async (channel) => {
      await channel.ask(positionLine);
      const known = proof && isWanted() && (await askFor(channel, proof));
      if (known && isWanted()) this.onTable(readAnswer(positionLine, known));
      if (known || !isWanted()) return;
      await this.askPolicy(channel, wanted, 'policy');
      if (!isWanted()) return;
      await search(channel, (line) => {
        if (isWanted() && line.startsWith('info')) this.onReport(readReport(line));
      });
    });
  }

  /**
   * Turns of two stones with the same first stone, see `compareSeconds`.
   * @param {string} wanted
   * @param {string} positionLine
   * @param {string} first
   * @param {string[]} turns
   */
  watchSeconds(wanted, positionLine, first, turns) {
    const isWanted = () => this.wanted === wanted;
    this.begin(wanted, async (channel) => {
      await channel.ask(positionLine);
      if (isWanted()) await this.askPolicy(channel, wanted, `policy ${first}`);
      if (isWanted()) await compareSeconds(channel, positionLine, turns, this.onReport, isWanted);
    });
  }

  /** @param {Channel} channel @param {string} wanted @param {string} request */
  async askPolicy(channel, wanted, request) {
    const text = await askFor(channel, request);
    if (text && this.wanted === wanted) this.onPolicy(readPolicy(text));
  }

  stop() {
    this.wanted = '';
    this.close();
  }

  close() {
    this.channel?.close();
    this.channel = null;
  }
}
