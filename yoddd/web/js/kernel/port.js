// Workers and their ports in browsers and in Node.js.

/** @typedef {{post: (message: any) => void, end: () => void}} Port to the other side of a worker */

/** Whether this runs in Node.js, whose modules are named where no bundler looks for them. */
export const isNode = Boolean(/** @type {any} */ (globalThis).process?.versions?.node);
/** @param {string} name @returns {Promise<any>} */
export const nodeModule = (name) =>
  import(/* @vite-ignore */ /* webpackIgnore: true */ `node:${name}`);

/**
 * Starts a worker.
 * @param {URL} url
 * @param {(message: any) => void} receive
 * @param {(reason: string) => void} fail called when it ends by itself
 * @returns {Promise<Port>}
 */
export async function startWorker(url, receive, fail) {
  if (isNode) {
    const { Worker: Thread } = await nodeModule('worker_threads');
    const worker = new Thread(url);
    worker.on('message', receive);
    worker.on('error', (/** @type {Error} */ error) => fail(error.message));
    worker.on('exit', (/** @type {number} */ code) => fail(`the engine has ended (${code})`));
    return { post: (message) => worker.postMessage(message), end: () => worker.terminate() };
  }
  const worker = new Worker(url, { type: 'module' });
  worker.onmessage = ({ data }) => receive(data);
  worker.onerror = (event) => fail(event.message || 'the engine could not be loaded');
  return { post: (message) => worker.postMessage(message), end: () => worker.terminate() };
}

/** The port to what has started this worker. @param {(message: any) => void} receive @returns {Promise<(message: any) => void>} */
export async function openPort(receive) {
  if (isNode) {
    const { parentPort } = await nodeModule('worker_threads');
    parentPort.on('message', receive);
    return (message) => parentPort.postMessage(message);
  }
  self.onmessage = ({ data }) => receive(data);
  return (message) => self.postMessage(message);
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
