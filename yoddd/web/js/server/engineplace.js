// Where the engine runs: in a worker of this browser, or on the server. Both answer the same lines.
import { Channel, Refusal } from './connection.js';
import { isStatic } from '../base/site.js';
import { isUnfit } from '../rules/notation.js';
import { GAMES } from '../rules/rules.js';
import { t } from '../base/texts.js';

/** @typedef {'browser' | 'server'} Place */

/** The worker's script; empty where the site has none. */
const WORKER = document.querySelector?.('meta[name=engine]')?.getAttribute('content') ?? '';

/** Whether this browser may run the engine, as far as is known before it has tried. */
export const runsHere = WORKER !== '' && typeof WebAssembly === 'object';

/** Why no engine can be asked. */
export const withoutText = () => {
  if (!isStatic) return t('network.unconnected');
  return t(WORKER ? 'engine.no-webassembly' : 'engine.no-file');
};

/** Whether the user can choose between two engines. */
export const isChoice = runsHere && !isStatic;

export class EnginePlace {
  /**
   * @param {import('./server.js').Server} server
   * @param {() => Place} wanted what the user has chosen
   * @param {() => import('../rules/rules.js').Position | null} [shown] where the game begins that is shown
   */
  constructor(server, wanted, shown = () => null) {
    this.server = server;
    this.wanted = wanted;
    this.shown = shown;
    /** Whether the engine of this browser has failed: the server's takes its place, if there is one. */
    this.hasFailed = false;
  }

  /** Whether the engine of this browser is asked. */
  get isHere() {
    if (!runsHere) return false;
    if (this.isBound) return true;
    return (
      !(this.hasFailed && this.server.isConnected) && (isStatic || this.wanted() === 'browser')
    );
  }

  /** Whether the server would refuse the position that is shown: its game, or its number of groups. */
  get isBound() {
    const start = this.shown();
    return this.ownGame !== null || (start !== null && isUnfit(start));
  }

  /** The game that is shown, if it is the user's; null of another one. */
  get ownGame() {
    const definition = this.shown()?.rules.definition;
    const isOwn = definition?.description && definition !== GAMES[definition.name ?? ''];
    return isOwn ? definition : null;
  }

  /** Whether an engine can be asked. */
  get isReady() {
    return this.isHere || this.server.isConnected;
  }

  /** Whether it has a command. @param {string} command */
  can(command) {
    return this.isHere || this.server.features.has(command);
  }

  /** A session of its own. @returns {Channel} */
  channel() {
    if (!this.isHere) return this.server.connection.channel();
    this.hasFailed = false;
    const worker = new Worker(WORKER);
    const channel = new Channel(
      (line) => {
        const { ownGame: game } = this;
        if (game && line.startsWith('position ')) worker.postMessage({ game });
        worker.postMessage(line);
      },
      () => worker.terminate(),
    );
    const fail = (/** @type {string} */ reason) => {
      this.hasFailed = true;
      worker.terminate();
      channel.lose(new Refusal(t('engine.unable', { reason })));
    };
    worker.onmessage = ({ data }) => {
      if (data.end) fail(data.end);
      else channel.take(data);
    };
    worker.onerror = (event) => fail(event.message || t('engine.unloaded'));
    return channel;
  }
}
