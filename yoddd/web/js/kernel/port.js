// Workers and their ports, in browsers and elsewhere.
import { KernelError } from '../base/errors.js';

/**
 * @typedef {object} Port to the other side of a worker
 * @property {(message: any) => void} post
 * @property {(isBusy: boolean) => void} hold whether the program has to stay for an answer
 * @property {() => void} end
 */
/** The arguments of a `Worker`. @typedef {[string, {type?: 'module' | 'classic'}]} Script */

/** Advice for a file of the engine that is not at its place. */
export const MISPLACED =
  ': a bundler may have left it out; the table of bundlers in the README of yoddd says what to change';
/** Advice for a page that cannot load files. */
export const FROM_FILE =
  ': a page opened as a file loads no other files: open it from a web server, or give its files as data: addresses';

/** A module of Node.js, named where no bundler looks for it; null where there is none. @param {string} name @returns {Promise<any>} */
export const nodeModule = (name) =>
  import(/* @vite-ignore */ /* webpackIgnore: true */ `node:${name}`).catch(() => null);

/**
 * Starts a worker.
 * @param {Script} script
 * @param {(message: any) => void} receive
 * @param {(reason: string) => void} fail called when it ends by itself
 * @returns {Promise<Port>}
 */
export async function startWorker(script, receive, fail) {
  if (!canUseWorker()) return startThread(script, receive, fail);
  const [url, options] = startable(script);
  /** @type {Worker & {ref?: () => void, unref?: () => void}} which Bun has */
  const worker = begun(url, options);
  worker.onmessage = ({ data }) => receive(data);
  worker.onerror = async (event) => {
    event.preventDefault();
    fail(event.message || (await loadProblem(url)));
  };
  return {
    post: (message) => worker.postMessage(message),
    hold: (isBusy) => (isBusy ? worker.ref?.() : worker.unref?.()),
    end: () => worker.terminate(),
  };
}

/** Whether there are workers, and ones that keep no program from its end if threads of Node.js would not. */
function canUseWorker() {
  const { Worker: known, document, process } = /** @type {any} */ (globalThis);
  return Boolean(known && (document || known.prototype.unref || !process?.getBuiltinModule));
}

/** @param {Script} script */
function begun(...[url, options]) {
  try {
    return new Worker(url, options);
  } catch (error) {
    const reason = url.startsWith('file:')
      ? FROM_FILE
      : `: ${/** @type {Error} */ (error).message}`;
    throw new KernelError(`${url} cannot be started as a worker${reason}`);
  }
}

/** A thread of Node.js. @type {typeof startWorker} */
async function startThread([url], receive, fail) {
  const threads = await nodeModule('worker_threads');
  if (!threads)
    throw new KernelError(
      'no worker can be started here, as in a service worker: start the engine in a page, or use Counter, which needs none',
    );
  const worker = new threads.Worker(new URL(url));
  worker.on('message', receive);
  worker.on('error', (/** @type {Error} */ error) => fail(error.message));
  worker.on('exit', (/** @type {number} */ code) => fail(`the engine has ended (${code})`));
  return {
    post: (message) => worker.postMessage(message),
    hold: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
    end: () => worker.terminate(),
  };
}

/** Why a script could not be loaded, and what to change. @param {string} url */
async function loadProblem(url) {
  const said = `${url} could not be loaded as the engine's worker`;
  const reply = await fetch(url).catch(() => null);
  if (!reply)
    return `${said}${url.startsWith('file:') ? FROM_FILE : ': it cannot be reached from here'}`;
  const type = reply.headers.get('Content-Type') ?? 'of no type';
  if (reply.ok && /script/.test(type))
    return `${said}: the Content-Security-Policy has to allow it as worker-src`;
  return `${said}, since it is ${reply.ok ? type : reply.status}${MISPLACED}`;
}

/** A script that may be started here: one of another origin may only be imported. @param {Script} script @returns {Script} */
function startable([given, options]) {
  const here = globalThis.location; // Deno and Bun have none
  const url = new URL(given, here?.href);
  if (!here || !url.protocol.startsWith('http') || url.origin === here.origin)
    return [url.href, options];
  const href = JSON.stringify(url.href);
  const text = options.type === 'module' ? `import ${href};` : `importScripts(${href});`;
  return [URL.createObjectURL(new Blob([text], { type: 'text/javascript' })), options];
}

/** Receives what the starter of this worker posts. @param {(message: any) => void} receive @returns {(message: any) => void} posts to it */
export function openPort(receive) {
  if (globalThis.self && typeof globalThis.postMessage === 'function') {
    self.onmessage = ({ data }) => receive(data);
    return (message) => self.postMessage(message);
  }
  const opened = nodeModule('worker_threads').then(({ parentPort }) => {
    parentPort.on('message', receive);
    return parentPort;
  });
  return (message) => void opened.then((port) => port.postMessage(message));
}

/** Lets messages arrive. @returns {Promise<void>} */
export function giveWay() {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
