// The kernel as WebAssembly: loads the module and passes numbers in and out of its memory.
// yoddd/kernel/c/yoddd.h describes what it exports.
import { KernelError } from '../base/errors.js';
import { FROM_FILE, nodeModule } from './port.js';

/** @typedef {any} Module a WebAssembly.Module, which only programs for browsers have a type of */
/** @typedef {any} Exports the functions of yoddd.h by their names, and the memory */

/** The answer of WASI's functions but the clock: the module reads and writes no files. */
const NOT_SUPPORTED = 58;

/** The first bytes of a module. */
const MAGIC = 0x0061736d;

/** The reason where an allocation fails; the kernel's is the same. */
export const NO_MEMORY = 'not enough memory';

/** The end of a kernel by a trap or for want of memory: what it was doing is unknown, and no more is asked of it. */
export class KernelEnd extends KernelError {}

/**
 * What a module imports, and what makes a kernel of its instance.
 * @param {Module} module
 */
function linked(module) {
  /** @type {Exports} */
  let exports = null;
  const refused = () => NOT_SUPPORTED;
  const host = {
    /** @param {number} _clock @param {bigint} _precision @param {number} at */
    clock_time_get(_clock, _precision, at) {
      const view = new DataView(exports.memory.buffer);
      view.setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    fd_close: refused,
    fd_seek: refused,
    fd_write: refused,
    /** The end of the module where memory lacks; see yoddd/kernel/c/traps.cpp. */
    proc_exit() {
      throw new KernelEnd(NO_MEMORY);
    },
  };
  const start = (/** @type {WebAssembly.Instance} */ instance) => {
    exports = instance.exports;
    exports._initialize();
    return new Kernel(guarded(exports), module);
  };
  return { imports: { wasi_snapshot_preview1: host }, start };
}

/** The exports of a module; none is called any more once one has ended it. @param {Exports} exports @returns {Exports} */
function guarded(exports) {
  const own = { ...exports, end: null };
  for (const [name, work] of Object.entries(exports))
    if (typeof work === 'function')
      own[name] = (/** @type {any[]} */ ...given) => {
        if (own.end) throw own.end;
        try {
          return work(...given);
        } catch (error) {
          const { message } = /** @type {Error} */ (error);
          const isEnd = error instanceof KernelEnd;
          own.end = isEnd ? error : new KernelEnd(`the engine has failed: ${message}`);
          throw own.end;
        }
      };
  return own;
}

/** @param {unknown} error of an instance @returns {never} */
function refuse(error) {
  throw error instanceof RangeError ? new KernelError(NO_MEMORY) : error;
}

/**
 * The kernel in a module.
 * @param {Module} module
 * @returns {Promise<Kernel>}
 */
export async function instantiate(module) {
  const { imports, start } = linked(module);
  const own = /** @type {WebAssembly.Module} */ (module);
  return start(await WebAssembly.instantiate(own, imports).catch(refuse));
}

/** Loads the module from where it lies. @param {string} url @param {string} [advice] what to change where it is not there @returns {Promise<Module>} */
export async function compile(url, advice = '') {
  if (typeof WebAssembly === 'undefined')
    throw new KernelError('the engine needs WebAssembly, which is missing or switched off here');
  const bytes = await read(url, advice);
  if (bytes.byteLength < 4 || new DataView(bytes).getUint32(0) !== MAGIC)
    throw new KernelError(`${url} is not the kernel's module${advice}`);
  if (!WebAssembly.validate(bytes))
    throw new KernelError(`${url} cannot be compiled: the engine needs WebAssembly with SIMD`);
  return WebAssembly.compile(bytes);
}

/** Reads a file from where it lies. @param {string} url @param {string} [advice] @returns {Promise<ArrayBuffer>} */
export async function read(url, advice = '') {
  const isFile = url.startsWith('file:');
  let hint = isFile ? FROM_FILE : '';
  try {
    const files = isFile && (await nodeModule('fs/promises'));
    if (files) {
      hint = advice;
      return new Uint8Array(await files.readFile(new URL(url))).buffer;
    }
    const response = await fetch(url);
    if (response.ok) return await response.arrayBuffer();
    hint = advice;
    throw new Error(`${response.status} ${response.statusText}`);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw new KernelError(`${url.slice(0, 200)} cannot be read: ${message}${hint}`);
  }
}

export class Kernel {
  /** @param {Exports} exports @param {Module} module */
  constructor(exports, module) {
    this.call = exports;
    this.module = module;
  }

  /** This kernel, or one that takes its place if it has ended. @returns {Kernel} */
  get alive() {
    if (!this.call.end) return this;
    const { imports, start } = linked(this.module);
    try {
      return start(new WebAssembly.Instance(this.module, imports));
    } catch (error) {
      return refuse(error);
    }
  }

  /** The reason of the latest failure. */
  get reason() {
    return this.#text(this.call.yoddd_error());
  }

  /** The content of a text of JSON. @param {number} at @returns {any} */
  json(at) {
    return JSON.parse(this.#text(at));
  }

  /** @param {number} at */
  #text(at) {
    const bytes = new Uint8Array(this.call.memory.buffer);
    return new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
  }

  /** The result of a function; throws if it says that it has failed. @param {number} result */
  checked(result) {
    if (result < 0) throw new KernelError(this.reason);
    return result;
  }

  /** The address of what a function has made; throws if it has made nothing. @param {number} made */
  made(made) {
    if (!made) throw new KernelError(this.reason);
    return made;
  }

  /**
   * Calls `work` with memory for so many bytes.
   * @template T
   * @param {number} bytes
   * @param {(at: number) => T} work
   * @returns {T}
   */
  borrow(bytes, work) {
    const at = this.call.yoddd_allocate(bytes);
    if (!at) throw new KernelError(NO_MEMORY);
    try {
      return work(at);
    } finally {
      this.call.yoddd_release(at);
    }
  }

  // Views are of the memory as it is now: it is another one after it has grown.

  /** @param {number} at @param {number} count */
  bytes(at, count) {
    return new Int8Array(this.call.memory.buffer, at, count);
  }

  /** @param {number} at @param {number} count */
  words(at, count) {
    return new Int32Array(this.call.memory.buffer, at, count);
  }

  /** @param {number} at @param {number} count */
  floats(at, count) {
    return new Float32Array(this.call.memory.buffer, at, count);
  }

  /** @param {number} at */
  view(at) {
    return new DataView(this.call.memory.buffer, at);
  }

  /**
   * Calls `work` with a copy of numbers in the module's memory, and their count.
   * @template T
   * @param {readonly number[]} numbers
   * @param {(at: number, count: number) => T} work
   * @returns {T}
   */
  withWords(numbers, work) {
    return this.borrow(4 * Math.max(1, numbers.length), (at) => {
      this.words(at, numbers.length).set(numbers);
      return work(at, numbers.length);
    });
  }
}
