// Proofs about positions: by the engine of this browser, or by the server where it has a solver.
import { Refusal } from './connection.js';
import { EnginePlace } from './engineplace.js';
import { Server } from './server.js';
import { loadSettings } from '../base/settings.js';
import { isStatic } from '../base/site.js';

export class Prover {
  /** Whether the server was asked for a connection. */
  #hasCalled = false;
  /** The session in this browser, which is kept. @type {import('./connection.js').Channel | null} */
  #kept = null;

  constructor() {
    this.server = new Server();
    this.place = new EnginePlace(this.server, () => loadSettings().engine);
  }

  /** @param {string} position @param {string} request @returns {Promise<string>} empty if it is not answered */
  async ask(position, request) {
    const { isHere } = this.place;
    if (!isHere) await this.#meet();
    const channel = this.#kept?.isOpen ? this.#kept : this.place.channel();
    this.#kept = isHere ? channel : null;
    try {
      await channel.ask(`position ${position}`);
      return await channel.ask(request);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!isHere || isStatic || !this.place.hasFailed) return '';
      await this.#meet();
      return this.ask(position, request);
    } finally {
      if (!isHere) channel.close();
    }
  }

  /** Waits for the server. */
  #meet() {
    if (!this.#hasCalled) this.server.connection.start();
    this.#hasCalled = true;
    return this.server.connection.whenOnline();
  }
}
