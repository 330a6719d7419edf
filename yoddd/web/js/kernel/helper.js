// A helper's worker: a thread of the kernel's searches. See helpers.js.
import { link } from './module.js';
import { openPort } from './port.js';

/** @param {import('./helpers.js').Place} place */
async function help({ module, memory, number, stack, locals }) {
  const exports = await link(module, memory);
  exports.__stack_pointer.value = stack;
  exports.__wasm_init_tls(locals);
  post('come');
  try {
    exports.yoddd_help(number);
  } catch {
    exports.yoddd_lose(number);
  }
}

/** @type {(message: string) => void} */
let post = () => undefined;

/** Takes the place that it is given. */
async function begin() {
  /** @type {(place: import('./helpers.js').Place) => void} */
  let take = () => undefined;
  /** @type {Promise<import('./helpers.js').Place>} */
  const given = new Promise((resolve) => (take = resolve));
  post = await openPort(take);
  await help(await given);
}

void begin();
