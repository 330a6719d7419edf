// The page's main connection to the server, which checks every turn and whose engine chooses turns.
import { Connection, readKeys, socketUrl } from './connection.js';
import { positionLine } from './notation.js';
import { levelOf } from './seats.js';

/** @typedef {import('./tree.js').GameTree} GameTree */

export class Engine {
  /** @param {(connected: boolean) => void} onState */
  constructor(onState) {
    this.onState = onState;
    /** @type {Connection | null} */
    this.connection = null;
    /** Number of the latest search; a search with another number has been cancelled. */
    this.search = 0;
    /** @type {Set<string>} features and commands of the server; empty until it has listed them */
    this.features = new Set();
    /** @type {Set<string>} */
    this.engines = new Set();
    /** @type {Set<string>} */
    this.parameters = new Set();
    /** Milliseconds before the next attempt to connect. */
    this.retry = 500;
  }

  /** Connects, and reconnects when the connection is lost. */
  connect() {
    const connection = new Connection(socketUrl(), (state) => {
      if (state === 'closed') {
        this.onState(false);
        window.setTimeout(() => this.connect(), this.retry);
        this.retry = Math.min(this.retry * 2, 8000);
      }
    });
    this.connection = connection;
    this.greet(connection).catch(() => {});
  }

  /** @param {Connection} connection */
  async greet(connection) {
    const keys = readKeys(await connection.ask('hello yoddd-board'));
    const commands = (await connection.ask('list_commands')).split('\n');
    this.engines = new Set(keys.get('engines'));
    this.parameters = new Set(readKeys(await connection.ask('list_params')).keys());
    this.features = new Set([...(keys.get('features') ?? []), ...commands]);
    this.retry = 500;
    this.onState(true);
  }

  get isConnected() {
    return this.connection?.isOpen ?? false;
  }

  /** Lets the server check the turns up to the current one; rejects with its reason. @param {GameTree} tree */
  check(tree) {
    return this.ask(positionLine(tree));
  }

  /** The engine's turn here, as a token; null if the search was cancelled. @param {GameTree} tree @param {string} id of a level */
  async choose(tree, id) {
    const level = levelOf(id);
    if (!level) throw new Error(`no level ${id}`);
    this.search += 1;
    const mine = this.search;
    await this.ask(positionLine(tree));
    if (this.parameters.has('level')) {
      await this.ask(`set_param level ${level.level}`);
    } else {
      const engine = level.level > 1 && ['mcts', 'uct'].find((name) => this.engines.has(name));
      await this.ask(`set_param engine ${engine || 'random'}`);
      await this.ask(`set_param playouts ${level.playouts}`);
    }
    await this.ask(`set_param seed ${Math.floor(Math.random() * 2 ** 31)}`);
    // An interrupt ends only a running search: one cancelled before it began must not begin.
    if (mine !== this.search) return null;
    const token = await this.ask('reg_genmove');
    return mine === this.search ? token : null;
  }

  /** Cancels the running search. */
  cancel() {
    this.search += 1;
    this.connection?.interrupt();
  }

  /** @param {string} line */
  ask(line) {
    return this.connection
      ? this.connection.ask(line)
      : Promise.reject(new Error('the server is not connected'));
  }
}
