// Searches on several threads, without the engine's worker. Run by `make test-js`.
import assert from 'node:assert/strict';
import test from 'node:test';
import { KNOTS, LEVELS } from '../../../build/js/facts.js';
import {
  Position,
  formatPosition,
  formatTurn,
  makeRules,
  startEngine,
} from '../../../build/js/index.js';
import { loadKernel } from '../../../build/js/js/kernel/helpers.js';
import { Player } from '../../../build/js/js/kernel/player.js';
import { giveWay } from '../../../build/js/js/kernel/port.js';

const at = (name) => new URL(`../../../build/js/js/kernel/${name}`, import.meta.url).href;
const FILES = {
  module: at('yoddd.wasm'),
  threaded: at('yoddd-threads.wasm'),
  helper: at('helper.js'),
};
/** A helper that ends by an error as soon as its search looks at the clock. */
const LOST = `import { parentPort } from 'node:worker_threads';
  parentPort.once('message', async ({ module, memory, number, stack, locals }) => {
    const fail = () => { throw new Error('lost'); };
    const wasi = { fd_close: fail, fd_seek: fail, fd_write: fail, clock_time_get: fail };
    const imports = { env: { memory }, wasi_snapshot_preview1: wasi };
    const { exports } = await WebAssembly.instantiate(module, imports);
    exports.__stack_pointer.value = stack;
    exports.__wasm_init_tls(locals);
    parentPort.postMessage('come');
    try {
      exports.yoddd_help(number);
    } catch {
      exports.yoddd_lose(number);
    }
  });`;
const GAMES = [
  ['yodd', 'hex8'],
  ['xodd', 'square12'],
  ['yoin', 'hex5'],
  ['odd', 'hex4'],
];

const setUpOf = (position) => ({ start: formatPosition(position), turns: [] });
const playerOf = (kernel) => new Player(kernel, { knots: KNOTS, levels: LEVELS });

/** A kernel whose helpers have come. */
async function kernelWith(threads, files = FILES) {
  const kernel = await loadKernel(files, threads);
  while (kernel.threads < threads) await giveWay();
  return kernel;
}

const kernel = await kernelWith(3);

/** Ends a search after so many slices. */
function pauseAfter(slices) {
  let left = slices;
  return async () => {
    await giveWay();
    left -= 1;
    return left <= 0;
  };
}

test('a search by time has helpers, and ends with a legal turn', async () => {
  const player = playerOf(kernel);
  for (const [game, board] of GAMES) {
    const before = kernel.call.yoddd_helped();
    let position = new Position(makeRules(game, board));
    for (let turns = 0; turns < 4; turns += 1) {
      const pause = async () => false;
      const found = await player.genmove(setUpOf(position), { seconds: 0.1 }, pause);
      assert.ok(found.visits >= 32 && found.winrate >= 0 && found.winrate <= 1);
      position = position.play(found.turn); // throws if it is illegal
    }
    assert.ok(kernel.call.yoddd_helped() >= before + 2);
  }
});

test('a search on several threads can be stopped after each slice', async () => {
  const player = playerOf(kernel);
  for (const [game, board] of GAMES)
    for (const slices of [1, 2, 5]) {
      const position = new Position(makeRules(game, board));
      const found = await player.genmove(setUpOf(position), { seconds: 600 }, pauseAfter(slices));
      assert.equal(position.illegality(found.turn), null);
    }
});

test('an analysis on several threads reports, and goes on in a small tree', async () => {
  const position = new Position(makeRules('odd', 'hex5'));
  const visits = [];
  let slices = 0;
  await playerOf(kernel).analyze(
    setUpOf(position),
    { memory: 2 << 20 },
    async () => {
      slices += 1;
      await giveWay();
      return visits.length > 4;
    },
    (insight) => visits.push(insight.visits),
  );
  assert.ok(slices >= visits.length && visits.at(-1) > visits[0]);
});

test('a search whose visits are counted is the same with and without threads', async () => {
  const single = await loadKernel(FILES, 1);
  assert.equal(single.threads, 1);
  for (const [game, board] of GAMES) {
    const setUp = setUpOf(new Position(makeRules(game, board)));
    const budget = { playouts: 1000, seed: 5n };
    const ask = (one) => playerOf(one).genmove(setUp, budget, async () => false);
    assert.deepEqual(await ask(kernel), await ask(single));
  }
});

test('without the module for threads, or a helper, one thread does all', async () => {
  const position = new Position(makeRules('yodd', 'hex4'));
  for (const files of [
    { ...FILES, threaded: at('no.wasm') },
    { ...FILES, threaded: undefined },
    { ...FILES, helper: at('no.js') },
  ]) {
    const one = await loadKernel(files, 2);
    const player = playerOf(one);
    const { turn } = await player.genmove(setUpOf(position), { seconds: 0.1 }, pauseAfter(9));
    assert.equal(position.illegality(turn), null);
    assert.equal(one.threads, 1);
  }
});

test('a helper that is lost ends the search by a trap', async () => {
  const one = await kernelWith(2, {
    ...FILES,
    helper: `data:text/javascript,${encodeURIComponent(LOST)}`,
  });
  const setUp = setUpOf(new Position(makeRules('yodd', 'hex8')));
  const asked = playerOf(one).genmove(setUp, { seconds: 600 }, async () => false);
  await assert.rejects(asked, WebAssembly.RuntimeError);
});

test('an engine with threads is stopped by its signal, and closed during a search', async () => {
  const engine = await startEngine({ threads: 3 });
  const position = new Position(makeRules('xodd', 'square8'));
  const ending = new AbortController();
  setTimeout(() => ending.abort(), 100);
  const { turn } = await engine.genmove(position, { seconds: 600, signal: ending.signal });
  assert.equal(position.illegality(turn), null);
  const level = await engine.genmove(position, { level: 7, seed: 3 });
  const single = await startEngine({ threads: 1 });
  const same = await single.genmove(position, { level: 7, seed: 3 });
  assert.equal(formatTurn(level.turn, position.rules), formatTurn(same.turn, position.rules));
  single.close();
  const asked = assert.rejects(engine.genmove(position, { seconds: 600 }), {
    message: 'the engine was closed',
  });
  engine.close();
  await asked;
});
