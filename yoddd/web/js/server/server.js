// The server of the page: its connection, and what it can do.
import { Connection, Refusal, readKeys, socketUrl } from './connection.js';
import { currentSession } from './login.js';

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
    /** @type {string | null} the account that the browser is logged in to */
    this.user = null;
    this.connection.greet((ask) => this.greet(ask));
  }

  /** @param {(line: string) => Promise<string>} ask */
  async greet(ask) {
    await this.logIn(await currentSession(), ask);
    const [hello, commands] = await Promise.all([
      ask('hello yoddd-board'),
      ask('list_commands'),
      ask('set_param errors subcodes').catch(emptyIfRefused), // where log-in is required
    ]);
    const features = readKeys(hello).get('features') ?? [];
    this.features = new Set([...features, ...commands.split('\n')]);
  }

  /**
   * Logs the connection in to the account of the browser; the server closes it at a log-out.
   * @param {import('./login.js').Session} session @param {(line: string) => Promise<string>} [ask]
   */
  async logIn({ user, ticket }, ask = (line) => this.ask(line)) {
    this.user = user;
    // Where a log-in is required the connection is only accepted now; `greet` logs it in.
    if (!this.connection.main) this.connection.retry();
    else if (user) await ask(`login ${user} ${ticket}`).catch(emptyIfRefused);
  }

  get isConnected() {
    return this.connection.isOnline;
  }

  /** A request that is answered at once. @param {string} line */
  ask(line) {
    return this.connection.ask(line);
  }
}
