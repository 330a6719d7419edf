// The engine without its worker: memory and slices. Run by `make test-js`.
import assert from 'node:assert/strict';
import test from 'node:test';
import { KNOTS, LEVELS } from '../../../build/js/facts.js';
import {
  Counter,
  Position,
  formatPosition,
  makeRules,
  startEngine,
} from '../../../build/js/index.js';
import { compile, instantiate } from '../../../build/js/js/kernel/module.js';
import { Player } from '../../../build/js/js/kernel/player.js';

const MODULE = new URL('../../../build/js/js/kernel/yoddd.wasm', import.meta.url).href;
const start = (game, board) => ({
  start: formatPosition(new Position(makeRules(game, board))),
  turns: [],
});
const going = () => Promise.resolve(false);

test('one game after the other uses the same memory', async () => {
  const kernel = await instantiate(await compile(MODULE));
  const player = new Player(kernel, { knots: KNOTS, levels: LEVELS });
  const sizes = [];
  for (let round = 0; round < 6; round += 1) {
    for (const [game, board] of [
      ['yodd', 'hex5'],
      ['odd', 'hex4'],
      ['yoin', 'hex6'],
    ])
      await player.genmove(start(game, board), { playouts: 500 }, going);
    sizes.push(kernel.call.memory.buffer.byteLength);
  }
  assert.equal(sizes[5], sizes[1]);
  // Small things may lie where a tree was, so that the next one lies elsewhere.
  assert.ok(sizes[5] < 3 * (32 << 20), `${sizes[5]}`);
});

test('a long analysis gives way many times a second, and its tree stays within its memory', async () => {
  const kernel = await instantiate(await compile(MODULE));
  const player = new Player(kernel, { knots: KNOTS, levels: LEVELS });
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
    return false;
  };
  const visits = [];
  await player.analyze(start('odd', 'hex5'), { seconds: 2, memory: 2 << 20 }, pause, (insight) =>
    visits.push(insight.visits),
  );
  assert.ok(pauses > 20, `${pauses}`);
  assert.ok(visits.length > 4 && visits.at(-1) > visits[0]);
  assert.ok(kernel.call.memory.buffer.byteLength < 32 << 20);
});

test('an engine whose worker dies says why, then and later', async () => {
  const text = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ id, method }) => {
      if (method !== 'begin') throw new Error('out of luck');
      parentPort.postMessage({ id, result: null });
    });`;
  const worker = new URL(`data:text/javascript,${encodeURIComponent(text)}`);
  const engine = await startEngine({ worker });
  const position = new Position(makeRules('yodd', 'hex3'));
  const ask = () => assert.rejects(engine.genmove(position), { message: 'out of luck' });
  await ask();
  await ask();
});

test('values are not computed where they take more memory than allowed', async () => {
  const counter = await Counter.load();
  assert.equal(counter.values(new Position(makeRules('yodd', 'hex8'))), null);
  assert.equal(counter.values(new Position(makeRules('odd', 'hex3')), { memory: 1000 }), null);
});
