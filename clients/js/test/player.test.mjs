// The engine without its worker: memory and slices. Run by `make test-js`.
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
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

test('a kernel that ends says why, and another one takes its place', async () => {
  const position = new Position(makeRules('yodd', 'hex3'));
  for (const [end, message] of [
    ["throw new WebAssembly.RuntimeError('unreachable')", 'the engine has failed: unreachable'],
    ['imports.wasi_snapshot_preview1.proc_exit(1)', 'not enough memory'],
  ]) {
    const text = `const { instantiate } = WebAssembly;
      WebAssembly.instantiate = async (module, imports) => {
        WebAssembly.instantiate = instantiate;
        const { exports } = await instantiate(module, imports);
        return { exports: { ...exports, yoddd_engine_step() { ${end}; } } };
      };
      await import(${JSON.stringify(new URL('worker.js', MODULE))});`;
    const worker = new URL(`data:text/javascript,${encodeURIComponent(text)}`);
    const engine = await startEngine({ worker });
    await assert.rejects(engine.genmove(position), { message });
    await engine.genmove(position, { playouts: 10 });
    engine.close();
  }
  const kernel = await instantiate(await compile(MODULE));
  const counter = new Counter(kernel);
  const turns = counter.countTurns(position);
  const { memory } = kernel.call;
  memory.grow(2 ** 16 - memory.buffer.byteLength / 2 ** 16);
  const ends = { message: 'not enough memory' };
  const search = async () =>
    new Player(kernel, { knots: KNOTS, levels: LEVELS }).genmove(start('odd', 'hex13'), {}, going);
  await assert.rejects(search, ends);
  assert.throws(() => kernel.call.yoddd_error(), ends);
  assert.equal(counter.countTurns(position), turns);
});

test('the session of the page answers or refuses every command, whatever the position', async () => {
  const posted = [];
  let wake = () => undefined;
  globalThis.self = {
    location: { href: MODULE },
    postMessage: (line) => {
      posted.push(line);
      wake();
    },
  };
  // What of it the package does not have.
  for (const name of ['parts', 'review', 'session', 'square5'])
    copyFileSync(
      new URL(`../../../yoddd/web/js/kernel/${name}.js`, import.meta.url),
      new URL(`${name}.js`, MODULE),
    );
  const { PARTS } = await import(new URL('parts.js', MODULE));
  Object.assign(PARTS, { knots: KNOTS, levels: LEVELS });
  await import(new URL('session.js', MODULE));
  const ask = async (line) => {
    posted.length = 0;
    self.onmessage({ data: line });
    const isDone = () => (posted[0] === '=' ? posted.at(-1) === '' : posted.length);
    while (!isDone()) await new Promise((resolve) => (wake = resolve));
    return posted[0];
  };
  const refused = '? the game is over';
  for (const position of [
    'yodd hex2 2/3/b1 w 2 4',
    'xodd square3 bbb/bbb/bbb w 2 10',
    'odd hex2 bb/bbb/bb w 0 8',
    'yoin hex2 wb/bwb/bw w 0 8',
    'product hex2 wb/bwb/bw w 0 8',
  ]) {
    assert.equal(await ask(`position ${position}`), '= ');
    for (let level = 1; level <= LEVELS.length; level += 1) {
      await ask(`set_param level ${level}`);
      assert.equal(await ask('reg_genmove'), refused);
    }
    assert.equal(await ask('analyze maxvisits=10'), refused);
    assert.equal(await ask('policy'), '= ');
    assert.equal(await ask('probe'), '? no table');
    assert.match(await ask('solve'), /^= value unknown/);
    assert.equal(await ask('review'), '? the game has no turn yet');
  }
});

test('values are not computed where they take more memory than allowed', async () => {
  const counter = await Counter.load();
  assert.equal(counter.values(new Position(makeRules('yodd', 'hex8'))), null);
  assert.equal(counter.values(new Position(makeRules('odd', 'hex3')), { memory: 1000 }), null);
});
