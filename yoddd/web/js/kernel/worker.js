// The engine's worker: loads the kernel and answers one request after the other.
import { KernelEnd, compile, instantiate } from './module.js';
import { Player } from './player.js';
import { MISPLACED, giveWay, openPort } from './port.js';

/** @typedef {{id: number, method: 'begin' | 'genmove' | 'analyze' | 'stop', [name: string]: any}} Request */

/** Starts a player. @returns {Promise<Player>} */
let start = async () => {
  throw new Error('the engine has not begun');
};
/** None before the first request, and where the kernel has ended. @type {Player | null} */
let player = null;
/** The requests that are to end. @type {Set<number>} */
const stopped = new Set();
/** Done when all requests before have been. @type {Promise<void>} */
let queue = Promise.resolve();

/** @param {Request} request */
async function answer({ id, method, setUp, budget, data, url }) {
  if (method === 'begin') {
    const module = await compile(url, MISPLACED);
    start = async () => new Player(await instantiate(module), data);
  }
  player ??= await start();
  if (method === 'begin') return null;
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
      if (error instanceof KernelEnd) player = null;
      post({ id, error: /** @type {Error} */ (error).message });
    }
    stopped.delete(id);
  });
}

const post = openPort(receive);
