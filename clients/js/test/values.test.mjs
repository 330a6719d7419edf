// Perfect play by sweeps. Run by `make test-js`.
import assert from 'node:assert/strict';
import test from 'node:test';
import { formatTurn, parsePosition } from '../../../build/js/index.js';
import { compile, instantiate } from '../../../build/js/js/kernel/module.js';
import { sweep, sweepCost } from '../../../build/js/js/kernel/sweep.js';
import { valuesOf } from '../../../build/js/js/kernel/values.js';

const MODULE = new URL('../../../build/js/js/kernel/yoddd.wasm', import.meta.url).href;
const compiled = await compile(MODULE);
const kernel = await instantiate(compiled);

/** Puzzles, and the only turn that wins. */
const PUZZLES = [
  ['yodd hex4 1w1b/1bbww/1w1wbb/1wbbww1/1bww2/1wbb1/1bw1 b 0 13', '1e3,1g3'],
  ['xodd square5 2b1w/2w1b/w1ww1/1b1ww/3b1 b 0 7', '1b3,1b4'],
  ['odd hex4 2w1/wbbbb/1wb1bw/wwbbw1b/wbbwb1/w1b1b/b3 w 0 26', '1d6'],
  ['yoin hex4 bwb1/1wb2/w1bb2/1ww1bbw/bbwbw1/1bwbb/1www w 0 26', 'e6'],
].map(([line, best]) => ({ position: parsePosition(line), best }));
const DEEP = parsePosition('yodd hex4 3w/1bbbb/1b3w/bbwwww1/1w1wb1/1w3/w1w1 b 0 11');

const shown = (turn, { rules }) => formatTurn(turn, rules);

/** Has the device say how many gigabytes it has. */
const tells = (deviceMemory) =>
  Object.defineProperty(globalThis, 'navigator', { value: { deviceMemory }, configurable: true });

test('values have distances where time and memory allow them', async () => {
  const [{ position, best }] = PUZZLES;
  const look = (how) => valuesOf(kernel, position, how);
  const full = await look({ seconds: 100, hasLine: true });
  assert.equal(shown(full[0].turn, position), best);
  assert.equal(full[0].line.length, full[0].distance);
  assert.ok(full.slice(1).every(({ wins, line }) => !wins && line.length === 1));
  const compact = await look({ seconds: 100, most: 2 << 20 });
  assert.equal(shown(compact[0].turn, position), best);
  assert.ok(compact.every(({ distance }) => distance === null));
  assert.equal(compact.length, full.length);
  assert.equal(await look({ seconds: 100, most: 1000 }), null);
  assert.equal(await look({ seconds: 1e-4 }), null);
});

test('a large sweep is made in a kernel of its own, a smaller one where that fails', async () => {
  const before = kernel.call.memory.buffer.byteLength;
  const how = { seconds: 100 };
  tells(8);
  const full = await valuesOf(kernel, DEEP, how);
  assert.equal(kernel.call.memory.buffer.byteLength, before);
  assert.equal(full.filter(({ wins }) => wins).length, 1);
  assert.ok(full.every(({ distance }) => distance > 0));
  const { instantiate: platforms } = WebAssembly;
  WebAssembly.instantiate = () => Promise.reject(new RangeError('no memory'));
  try {
    const compact = await valuesOf(kernel, DEEP, how);
    assert.equal(shown(compact[0].turn, DEEP), shown(full[0].turn, DEEP));
    assert.equal(compact[0].distance, null);
  } finally {
    WebAssembly.instantiate = platforms;
  }
});

test('a device that does not tell that it has much memory is asked for less', async () => {
  for (const gigabytes of [2, undefined]) {
    tells(gigabytes);
    const [{ wins, distance }] = await valuesOf(kernel, DEEP, { seconds: 100 });
    assert.ok(wins && distance === null);
  }
});

test('a sweep takes little more memory than it says', async () => {
  const own = await instantiate(compiled);
  const before = own.call.memory.buffer.byteLength;
  sweep(own, DEEP, { hasDistances: false, seconds: 0 });
  // The last block that is asked for is used in part.
  const more = own.call.memory.buffer.byteLength - before;
  assert.ok(more < sweepCost(own, DEEP, false).bytes + (48 << 20), `${more}`);
});
