// The engine in a channel of its own: it chooses turns; on the server it checks every turn, too.
import { positionLine } from '../rules/notation.js';
import { levelOf } from '../rules/seats.js';

/** @import { EnginePlace } from './engineplace.js' */
/** @import { GameTree } from '../rules/tree.js' */

export class Engine {
  /** @param {EnginePlace} place */
  constructor(place) {
    this.place = place;
    /** @type {import('./connection.js').Channel | null} */
    this.channel = null;
    /** Number of the latest search; a search with another number has been cancelled. */
    this.search = 0;
  }

  /** Lets the server check the turns up to the current one; rejects with its reason. @param {GameTree} tree */
  async check(tree) {
    if (!this.place.isHere) await this.ask(positionLine(tree));
  }

  /** The engine's turn here, as a token; null if the search was cancelled. @param {GameTree} tree @param {string} id of a level */
  async choose(tree, id) {
    const level = levelOf(id);
    if (!level) throw new Error(`no level ${id}`);
    this.search += 1;
    const mine = this.search;
    await this.ask(positionLine(tree));
    await this.ask(`set_param level ${level.level}`);
    await this.ask(`set_param seed ${Math.floor(Math.random() * 2 ** 31)}`);
    // An interrupt ends only a running search: one cancelled before it began must not begin.
    if (mine !== this.search) return null;
    const token = await this.ask('reg_genmove');
    return mine === this.search ? token : null;
  }

  /** Cancels the running search. */
  cancel() {
    this.search += 1;
    this.channel?.interrupt();
  }

  /** Ends the session. */
  close() {
    this.channel?.close();
  }

  /** @param {string} line */
  ask(line) {
    if (!this.channel?.isOpen) this.channel = this.place.channel();
    return this.channel.ask(line);
  }
}
