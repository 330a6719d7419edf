// The server of the page: its connection, and what it can do.
import { Connection, Refusal, readKeys, socketUrl } from './connection.js';

/** @param {unknown} error */
function emptyIfRefused(error) {
  if (error instanceof Refusal) return '';
  throw error;
}

export class Server {
  constructor() {
    this.connection = new Connection(socketUrl());
    /** @type {Set<string>} features and commands; empty until the server has listed them */
    this.features = new Set();
    /** @type {Set<string>} */
    this.engines = new Set();
    /** @type {Set<string>} */
    this.parameters = new Set();
    this.connection.greet((ask) => this.greet(ask));
  }

  /** @param {(line: string) => Promise<string>} ask */
  async greet(ask) {
    const [hello, commands, parameters] = await Promise.all([
      ask('hello yoddd-board'),
      ask('list_commands'),
      ask('list_params').catch(emptyIfRefused), // where log-in is required
    ]);
    const keys = readKeys(hello);
    this.engines = new Set(keys.get('engines'));
    this.parameters = new Set(readKeys(parameters).keys());
    this.features = new Set([...(keys.get('features') ?? []), ...commands.split('\n')]);
  }

  get isConnected() {
    return this.connection.isOnline;
  }

  /** A request that is answered at once. @param {string} line */
  ask(line) {
    return this.connection.ask(line);
  }
}
