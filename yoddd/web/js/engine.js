// The server at the other end: it checks every turn and lets its engine choose.
import { Connection, readKeys } from './connection.js';
import { formatPosition } from './notation.js';
import { levelOf } from './seats.js';

/** @typedef {import('./tree.js').GameTree} GameTree */
/** @typedef {import('./tree.js').Node} Node */

/** Where the WebSocket is. */
export const socketUrl = () => {
  const url = new URL('ws', location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.hash = '';
  return url.href;
};

/** The request that sets the server's board up like ours. @param {GameTree} tree @param {Node} [node] */
export function positionLine(tree, node = tree.current) {
  const moves = tree.tokens(node);
  const start = formatPosition(tree.root.position);
  return `position ${start}${moves.length ? ` moves ${moves.join(' ')}` : ''}`;
}

export class Engine {
  /** @param {(connected: boolean) => void} onState */
  constructor(onState) {
    this.onState = onState;
    /** @type {Connection | null} */
    this.connection = null;
    this.search = 0;
    /** @type {Set<string>} */
    this.features = new Set();
    /** @type {Set<string>} */
    this.engines = new Set();
    /** @type {Set<string>} */
    this.parameters = new Set();
    this.retry = 500;
  }

  /** Connects, and again whenever the connection is lost. */
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

  get isConnected() { return this.connection?.isOpen ?? false; }

  /** Lets the server check the line up to here; rejects with its reason. @param {GameTree} tree */
  check(tree) { return this.ask(positionLine(tree)); }

  /** The engine's turn here, as a token; null if it was called off. @param {GameTree} tree @param {string} player */
  async choose(tree, player) {
    const level = levelOf(player);
    if (!level) throw new Error(`no level ${player}`);
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
    // An interrupt ends a search that runs: one that has not begun must not begin.
    if (mine !== this.search) return null;
    const token = await this.ask('reg_genmove');
    return mine === this.search ? token : null;
  }

  /** Calls a running search off. */
  cancel() {
    this.search += 1;
    this.connection?.interrupt();
  }

  /** @param {string} line */
  ask(line) {
    return this.connection ? this.connection.ask(line) : Promise.reject(new Error('the server is not connected'));
  }
}
