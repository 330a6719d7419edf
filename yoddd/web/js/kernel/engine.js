// The engine in a worker, as a program or a page asks it.
import { KernelError } from '../base/errors.js';
import { formatPosition, parsePosition } from '../rules/notation.js';
import { Position } from '../rules/rules.js';
import { GameTree } from '../rules/tree.js';
import { startWorker } from './port.js';

/** @import { Budget, Insight, Found, SetUp } from './player.js' */
/** The place of a file. @typedef {string | {readonly href: string}} Address */
/**
 * Ends a search.
 * @typedef {{
 *   readonly aborted: boolean,
 *   addEventListener: (type: 'abort', listener: () => void) => void,
 *   removeEventListener: (type: 'abort', listener: () => void) => void,
 * }} Signal
 */
/**
 * The parts of an engine: the places of the files, unless beside this module, the weights of the learned values and the levels.
 * @typedef {{worker?: Address, module?: Address, knots: import('./weights.js').Knots, levels: import('./player.js').Level[]}} Parts
 */
/** A request under way. @typedef {{resolve: (result: any) => void, reject: (error: Error) => void, report: (insight: Insight) => void}} Waiting */

/** A game with its turns, or one position: with its turns a search goes on in the tree of the one before. @typedef {GameTree | Position} Game */

/** The limits of searches: the least and the greatest value, and whether it is a whole number. @type {Record<string, [number, number | bigint, boolean]>} */
const RANGES = {
  level: [1, 10, true],
  playouts: [1, 10_000_000, true],
  visits: [1, 10_000_000, true],
  seconds: [0.001, 1_000_000, false],
  seed: [0, (1n << 63n) - 1n, true],
  memory: [1 << 20, 3 * 2 ** 30, true], // WebAssembly has 4 GB for all
};

/** Throws where a limit has another name, or no value of its range. @param {Record<string, any>} budget @param {string[]} names */
function check(budget, names) {
  for (const [name, value] of Object.entries(budget)) {
    if (value === undefined) continue;
    if (!names.includes(name)) throw new KernelError(`${name}: expected ${names.join(', ')}`);
    const [least, most, isWhole] = RANGES[name];
    const isNumber = isWhole ? Number.isInteger(value) : typeof value === 'number';
    const isKind = isNumber || (name === 'seed' && typeof value === 'bigint');
    if (!isKind || !(value >= least && value <= most))
      throw new KernelError(
        `${name} ${typeof value === 'string' ? `'${value}'` : String(value)}: expected ${isWhole ? 'a whole number from ' : ''}${least} to ${most}`,
      );
  }
}

/** The script beside this module, where bundlers put it. @returns {import('./port.js').Script} */
function ownScript() {
  const all = /** @type {any} */ (globalThis);
  const { Worker: real } = all;
  // Bundlers look for the very words below, and may change each of them. They start no worker yet:
  // one of another origin takes more, and so does Node.js.
  all.Worker = function (/** @type {URL} */ url, /** @type {object} */ options) {
    return [String(url), options];
  };
  try {
    return /** @type {any} */ (
      new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
    );
  } finally {
    if (real) all.Worker = real;
    else delete all.Worker;
  }
}

/** The place of the kernel's module, beside this one. @returns {Address} */
export const ownModule = () => placed(() => new URL('./yoddd.wasm', import.meta.url));

/** @template T @param {() => T} make @returns {T} */
function placed(make) {
  try {
    return make();
  } catch {
    throw new KernelError(
      'this bundle does not tell where its files are: startEngine({ worker, module }) and Counter.load(module) take their addresses',
    );
  }
}

/** @param {Address} address @returns {string} */
export function hrefOf(address) {
  const text = typeof address === 'string' ? address : address.href;
  try {
    return new URL(text, globalThis.location?.href).href;
  } catch {
    throw new KernelError(
      `address '${text}': expected a whole URL, as of new URL('worker.js', import.meta.url)`,
    );
  }
}

export class Engine {
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  /** @type {import('./port.js').Port | null} */
  #port = null;
  #last = 0;
  /** Why there is no engine any more; empty while there is one. */
  #ended = '';

  /** Starts a worker and loads the kernel in it. @param {Parts} parts @returns {Promise<Engine>} */
  static async start({ worker, module = ownModule(), knots, levels }) {
    const engine = new Engine();
    engine.#port = await startWorker(
      worker ? [hrefOf(worker), { type: 'module' }] : placed(ownScript),
      (message) => engine.#receive(message),
      (reason) => engine.#fail(reason),
    );
    try {
      await engine.#ask('begin', { url: hrefOf(module), data: { knots, levels } });
    } catch (error) {
      engine.close();
      throw error;
    }
    return engine;
  }

  /**
   * The turn that the engine plays.
   * @param {Game} game
   * @param {Budget & {signal?: Signal}} [budget] the signal ends the search with its best turn so far
   * @returns {Promise<Found>}
   */
  async genmove(game, { signal, ...budget } = {}) {
    check(budget, Object.keys(RANGES));
    return this.#ask('genmove', { setUp: setUpOf(game), budget }, signal);
  }

  /**
   * What the engine thinks, again and again until a limit; leaving the loop or the signal ends it.
   * @param {Game} game
   * @param {Omit<Budget, 'level'> & {signal?: Signal}} [budget]
   * @returns {AsyncGenerator<Insight, void, void>}
   */
  async *analyze(game, { signal, ...budget } = {}) {
    check(budget, Object.keys(RANGES).slice(1));
    const leaving = new AbortController();
    const leave = () => leaving.abort();
    if (signal?.aborted) leave();
    signal?.addEventListener('abort', leave);
    /** The latest insight that was not taken yet. @type {Insight | null} */
    let latest = null;
    let wake = () => undefined;
    let isDone = false;
    const done = this.#ask(
      'analyze',
      { setUp: setUpOf(game), budget },
      leaving.signal,
      (insight) => {
        latest = insight;
        wake();
      },
    ).finally(() => {
      isDone = true;
      wake();
    });
    done.catch(() => undefined); // reported below
    try {
      while (!isDone || latest) {
        if (latest) {
          const insight = latest;
          latest = null;
          yield insight;
        } else {
          await new Promise((resolve) => (wake = () => void resolve(undefined)));
        }
      }
      await done;
    } finally {
      leave();
      signal?.removeEventListener('abort', leave);
    }
  }

  /** Ends the worker; what is under way fails. */
  close() {
    this.#fail('the engine was closed');
  }

  /**
   * @param {string} method
   * @param {object} content
   * @param {Signal} [signal]
   * @param {(insight: Insight) => void} [report]
   * @returns {Promise<any>}
   */
  #ask(method, content, signal, report = () => undefined) {
    if (this.#ended) return Promise.reject(new KernelError(this.#ended));
    this.#last += 1;
    const id = this.#last;
    const stop = () => this.#port?.post({ id, method: 'stop' });
    const answered = new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, report });
    });
    this.#port?.post({ id, method, ...content });
    this.#port?.hold(true);
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop);
    return answered.finally(() => signal?.removeEventListener('abort', stop));
  }

  /** @param {{id: number, insight?: Insight, result?: any, error?: string}} message */
  #receive({ id, insight, result, error }) {
    const waiting = this.#waiting.get(id);
    if (insight) {
      waiting?.report(insight);
      return;
    }
    this.#waiting.delete(id);
    this.#port?.hold(this.#waiting.size > 0);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new KernelError(error));
  }

  /** @param {string} reason */
  #fail(reason) {
    if (this.#ended) return;
    this.#ended = reason;
    for (const { reject } of this.#waiting.values()) reject(new KernelError(reason));
    this.#waiting.clear();
    this.#port?.end();
  }
}

/** A game as the worker gets it. @param {Game} game @returns {SetUp} */
function setUpOf(game) {
  if (!(game instanceof GameTree || game instanceof Position))
    throw new KernelError(`game ${String(game)}: expected a Position or a GameTree`);
  const isTree = game instanceof GameTree;
  const position = isTree ? game.root.position : game;
  const { definition } = position.rules;
  const start = formatPosition(position);
  parsePosition(start, definition); // throws in words, which the worker does not have
  return { start, turns: isTree ? game.tokens() : [], game: definition };
}
