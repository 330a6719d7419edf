// The values of all turns of a position, by one sweep.
import { NO_MEMORY, instantiate } from './module.js';
import { isBeforeSwap, sweep, sweepCost } from './sweep.js';

/** @import { Position, Turn } from '../rules/rules.js' */
/** @import { Kernel } from './module.js' */
/** A turn whose value is proven, with best play after it as far as it is asked for. @typedef {import('./sweep.js').TurnValue & {line: Turn[]}} Proven */

/** Bytes of a sweep: 18 empty cells with distances, 19 for the winner; the former on devices that say that they have so many gigabytes. */
const [LARGE, USUAL] = [400 << 20, 144 << 20];
const PLENTY = 4;
/** Up to so many bytes a sweep is made in the kernel of the search, whose memory never shrinks. */
const SMALL = 64 << 20;
/** The time that a sweep with distances may take, as a multiple of what is allowed by what is expected. */
const HASTE = 3;

/** Chromium alone tells. */
const hasPlenty = () => /** @type {any} */ (globalThis.navigator)?.deviceMemory >= PLENTY;

/**
 * The values of the turns, best first, the first with best play after it if `hasLine`; null if no
 * sweep is expected to be done in time, or if its memory is more than this device has.
 * @param {Kernel} kernel
 * @param {Position} position
 * @param {{seconds: number, hasLine?: boolean, most?: number}} how the expected time, and bytes
 * @returns {Promise<Proven[] | null>}
 */
export async function valuesOf(kernel, position, { seconds, hasLine = false, most }) {
  if (position.isOver || isBeforeSwap(position)) return null;
  const limit = most ?? (hasPlenty() ? LARGE : USUAL);
  for (const hasDistances of [true, false]) {
    const { bytes, seconds: expected } = sweepCost(kernel, position, hasDistances);
    if (!bytes || bytes > limit || expected > seconds) continue;
    const how = { hasDistances, hasLine, seconds: hasDistances ? HASTE * seconds : 0 };
    if (bytes <= SMALL) return swept(kernel, position, how);
    try {
      const found = swept(await instantiate(kernel.module), position, how);
      if (found) return found;
    } catch (error) {
      if (/** @type {Error} */ (error).message !== NO_MEMORY) throw error;
    }
  }
  return null;
}

/** @param {Kernel} kernel @param {Position} position @param {{hasDistances: boolean, hasLine: boolean, seconds: number}} how @returns {Proven[] | null} */
function swept(kernel, position, how) {
  const [values, line] = sweep(kernel, position, how) ?? [];
  const after = line?.map(({ turn }) => turn) ?? [];
  return values?.map((one, i) => ({ ...one, line: [one.turn, ...(i ? [] : after)] })) ?? null;
}
