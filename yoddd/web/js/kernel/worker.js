// The engine's worker: loads the kernel and answers one request after the other.
import { compile, instantiate } from './module.js';
import { Player } from './player.js';
import { giveWay, openPort } from './port.js';

/** @typedef {{id: number, method: 'begin' | 'genmove' | 'analyze' | 'stop', [name: string]: any}} Request */

/** @type {Player | null} */
let player = null;
/** The requests that are to end. @type {Set<number>} */
const stopped = new Set();
/** Done when all requests before have been. @type {Promise<void>} */
let queue = Promise.resolve();

/** @param {Request} request */
async function answer({ id, method, setUp, budget, data, url }) {
  if (method === 'begin') {
    player = new Player(await instantiate(await compile(url)), data);
    return null;
  }
  if (!player) throw new Error('the engine has not begun');
  const pause = async () => {
    await giveWay();
    return stopped.has(id);
  };
  if (method === 'genmove') return player.genmove(setUp, budget, pause);
  await player.analyze(setUp, budget, pause, (insight) => post({ id, insight }));
  return null;
}

/** @param {Request} request */
function receive(request) {
  if (request.method === 'stop') {
    stopped.add(request.id);
    return;
  }
  queue = queue.then(async () => {
    const { id } = request;
    try {
      post({ id, result: await answer(request) });
    } catch (error) {
      // What the module was doing is unknown behind a trap: nothing more is asked of it.
      const isTrap = error instanceof WebAssembly.RuntimeError;
      if (isTrap) player = null;
      const reason = isTrap
        ? 'the engine has run out of memory'
        : /** @type {Error} */ (error).message;
      post({ id, error: reason, ended: isTrap });
    }
    stopped.delete(id);
  });
}

const post = openPort(receive);
