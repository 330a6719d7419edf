// Threads for the kernel's searches: helpers, which are workers that run the same module over the
// same memory. yoddd/kernel/c/helpers.h describes what the module needs for it.
import { compile, instantiate } from './module.js';
import { isNode, nodeModule, startWorker } from './port.js';

/** @typedef {import('./module.js').Kernel} Kernel */
/** The addresses of the files; without a threaded module there are no threads. @typedef {{module: string, threaded?: string, helper: string}} Files */
/** The message that a helper gets. @typedef {{module: WebAssembly.Module, memory: WebAssembly.Memory, number: number, stack: number, locals: number}} Place the end of its stack, and the beginning of its thread's variables */

/** Bytes of a helper's stack. */
const STACK = 1 << 20;
/** Thread's variables begin at multiples of it. */
const ALIGNMENT = 64;
const MOST_THREADS = 8;

/**
 * Loads the kernel, with threads where memory can be shared.
 * @param {Files} files
 * @param {number} [threads] how many; without it by the processor
 * @returns {Promise<Kernel>}
 */
export async function loadKernel(files, threads) {
  const count = threads ?? (await threadsHere());
  if (files.threaded && count > 1 && canShare()) {
    try {
      return await loadThreaded(files.threaded, files.helper, count);
    } catch {
      // Without this file, or without an address space for its memory, one thread does it all.
    }
  }
  return instantiate(await compile(new URL(files.module)));
}

/** Whether workers can share memory: in Node.js, and where the page is isolated from other origins. */
const canShare = () => isNode || globalThis.crossOriginIsolated === true;

/** As many as there are processors; one of these is left to the page. */
async function threadsHere() {
  const cores = isNode
    ? (await nodeModule('os')).availableParallelism()
    : (globalThis.navigator?.hardwareConcurrency ?? 1);
  return Math.min(cores - 1, MOST_THREADS);
}

/** @param {string} url @param {string} helper @param {number} threads @returns {Promise<Kernel>} */
async function loadThreaded(url, helper, threads) {
  const module = await compile(new URL(url));
  const kernel = await instantiate(module);
  const { memory } = kernel.call;
  // Searches do not wait for helpers: one that begins before they have come has fewer threads.
  const come = () => (kernel.threads += 1);
  const fail = () => undefined;
  const most = Math.min(threads - 1, kernel.call.yoddd_most_helpers());
  for (let number = 0; number < most; number += 1) {
    const place = { module, memory, number, ...roomFor(kernel) };
    const port = await startWorker(new URL(helper), come, fail);
    port.post(place);
    port.unref();
  }
  return kernel;
}

/** Memory for a helper, which is never freed. @param {Kernel} kernel */
function roomFor(kernel) {
  const { call } = kernel;
  const bytes = call.__tls_size.value + ALIGNMENT;
  const locals = kernel.made(call.yoddd_allocate(bytes));
  const stack = kernel.made(call.yoddd_allocate(STACK));
  return {
    locals: Math.ceil(locals / ALIGNMENT) * ALIGNMENT,
    stack: Math.floor((stack + STACK) / ALIGNMENT) * ALIGNMENT,
  };
}
