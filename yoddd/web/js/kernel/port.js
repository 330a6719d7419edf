// Workers and their ports in browsers and in Node.js.

/**
 * @typedef {object} Port to the other side of a worker
 * @property {(message: any) => void} post
 * @property {(isBusy: boolean) => void} hold whether the program has to stay for an answer
 * @property {() => void} end
 */
/** The arguments of a `Worker`. @typedef {[string, {type?: 'module' | 'classic'}]} Script */

/** A module of Node.js, named where no bundler looks for it. @param {string} name @returns {Promise<any>} */
export const nodeModule = (name) =>
  import(/* @vite-ignore */ /* webpackIgnore: true */ `node:${name}`);

/**
 * Starts a worker.
 * @param {Script} script
 * @param {(message: any) => void} receive
 * @param {(reason: string) => void} fail called when it ends by itself
 * @returns {Promise<Port>}
 */
export async function startWorker(script, receive, fail) {
  if (typeof Worker === 'undefined') {
    const { Worker: Thread } = await nodeModule('worker_threads');
    const worker = new Thread(new URL(script[0]));
    worker.on('message', receive);
    worker.on('error', (/** @type {Error} */ error) => fail(error.message));
    worker.on('exit', (/** @type {number} */ code) => fail(`the engine has ended (${code})`));
    return {
      post: (message) => worker.postMessage(message),
      hold: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
      end: () => worker.terminate(),
    };
  }
  const worker = new Worker(...startable(script));
  worker.onmessage = ({ data }) => receive(data);
  worker.onerror = (event) => fail(event.message || 'the engine could not be loaded');
  return {
    post: (message) => worker.postMessage(message),
    hold: () => undefined,
    end: () => worker.terminate(),
  };
}

/** A script that may be started here: one of another origin may only be imported. @param {Script} script @returns {Script} */
function startable([given, options]) {
  const url = new URL(given, location.href);
  if (!url.protocol.startsWith('http') || url.origin === location.origin)
    return [url.href, options];
  const href = JSON.stringify(url.href);
  const text = options.type === 'module' ? `import ${href};` : `importScripts(${href});`;
  return [URL.createObjectURL(new Blob([text], { type: 'text/javascript' })), options];
}

/** Receives what the starter of this worker posts. @param {(message: any) => void} receive @returns {(message: any) => void} posts to it */
export function openPort(receive) {
  if (typeof globalThis.postMessage === 'function') {
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
