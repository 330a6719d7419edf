// Asks the engine to judge games.
import { keyAndRest } from './connection.js';
import { t } from '../base/texts.js';

/** @import { Judgement, Summary } from '../analysis/judgements.js' */

export class Reviewer {
  /** @param {import('./engineplace.js').EnginePlace} place */
  constructor(place) {
    this.place = place;
    /** @type {import('./connection.js').Channel | null} of the latest review; it ends with it */
    this.channel = null;
  }

  /**
   * The judgements of all turns; rejects if the server or the connection fails, or `cancel` is called.
   * @param {string} positionLine the request that sets the game up
   * @param {(percent: number) => void} onProgress
   * @returns {Promise<{summary: Summary, turns: Judgement[]}>}
   */
  async review(positionLine, onProgress = () => {}) {
    this.cancel();
    const channel = this.place.channel();
    this.channel = channel;
    /** @type {Summary | null} */
    let summary = null;
    /** @type {Judgement[]} */
    const turns = [];
    try {
      await channel.ask(positionLine);
      await channel.follow('review', (line) => {
        const [word, rest] = keyAndRest(line);
        if (word === 'progress') onProgress(Number(rest));
        else if (word === 'review') summary = JSON.parse(rest);
        else if (word === 'turn') turns.push(JSON.parse(rest));
      });
    } finally {
      channel.close();
    }
    if (!summary) throw new Error(t('review.ended'));
    return { summary, turns };
  }

  /** Ends the running review. */
  cancel() {
    this.channel?.close();
    this.channel = null;
  }
}
