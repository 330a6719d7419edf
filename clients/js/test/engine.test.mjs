// The engine in its worker. Run by `make test-js`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import {
  Counter,
  GAMES,
  GameTree,
  KernelError,
  Position,
  formatPosition,
  formatTurn,
  makeRules,
  parsePosition,
  startEngine,
} from '../../../build/js/index.js';

const engine = await startEngine();
after(() => engine.close());

const start = (game, board, options) => new Position(makeRules(game, board, options));

test('levels play the turns of the native engine', async () => {
  const text = readFileSync(new URL('levels.txt', import.meta.url), 'utf8');
  const lines = text.split('\n').filter((line) => line && !line.startsWith('#'));
  assert.ok(lines.length > 70);
  for (const line of lines) {
    const [start, level, seed, turn] = line.split(' ; ');
    const position = parsePosition(start);
    const found = await engine.genmove(position, { level: Number(level), seed: BigInt(seed) });
    assert.equal(formatTurn(found.turn, position.rules), turn, line);
  }
});

test('endgames are played perfectly, and an analysis says so', async () => {
  const position = parsePosition('yodd hex3 1w1/w1wb/wwbwb/1wbb/bbb w 0 10');
  const winning = '1e1,2d2';
  const { turn, winrate } = await engine.genmove(position);
  assert.ok(formatTurn(turn, position.rules) === winning && winrate === 1);
  for await (const { candidates, proven } of engine.analyze(position)) {
    assert.equal(formatTurn(candidates[0].turn, position.rules), winning);
    assert.ok(candidates[0].distance >= 1 && proven === position.player);
    assert.equal(candidates[0].line.length, candidates[0].distance);
  }
});

test('a limit of time ends a search, also of level 10', async () => {
  for (const level of [undefined, 10]) {
    const begun = performance.now();
    const found = await engine.genmove(start('yodd', 'hex8'), { level, seconds: 0.3 });
    const took = performance.now() - begun;
    assert.ok(found.visits >= 32 && took >= 250 && took < 3000, `${took}`);
  }
});

test('an analysis streams, and leaving it frees the engine', async () => {
  const position = start('yodd', 'hex4');
  let visits = 0;
  for await (const insight of engine.analyze(position)) {
    assert.ok(insight.visits > visits);
    visits = insight.visits;
    const { candidates, ownership, policy, winrate } = insight;
    assert.equal(position.illegality(candidates[0].turn), null);
    assert.equal(ownership.length, position.rules.board.cells);
    const likely = policy.filter((share) => share >= 0).reduce((sum, share) => sum + share, 0);
    assert.ok(Math.abs(likely - 1) < 1e-9 && winrate > 0 && winrate < 1);
    if (visits > 500) break;
  }
  await engine.genmove(position, { level: 1 });
});

test('a search goes on in the tree of the one before', async () => {
  const tree = GameTree.from(start('yodd', 'hex4'));
  const first = await engine.genmove(tree, { playouts: 3000 });
  const { visits } = await engine.genmove(tree.play(first.turn), { playouts: 10 });
  assert.ok(visits > 20, `${visits}`);
});

test('a signal ends a search with its best turn so far', async () => {
  const ending = new AbortController();
  setTimeout(() => ending.abort(), 100);
  const { turn } = await engine.genmove(start('xodd', 'square8'), {
    seconds: 60,
    signal: ending.signal,
  });
  assert.equal(turn.kind, 'drop');
});

test('bad input gets an error with a reason, and the engine goes on', async () => {
  const position = start('yodd', 'hex3');
  await assert.rejects(
    startEngine({ module: new URL('no.wasm', import.meta.url) }),
    /no such file/,
  );
  await assert.rejects(
    startEngine({ module: new URL('levels.txt', import.meta.url) }),
    /levels.txt is not the kernel's module: a bundler may have left it out; .*README/,
  );
  await engine.genmove(position, { level: 1 });
});

test('every call on a position is answered, or refused with a reason', async () => {
  const counter = await Counter.load();
  let state = 65;
  const draw = (/** @type {any[]} */ ...from) => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return from[(state >> 8) % from.length];
  };
  for (let round = 0; round < 150; round += 1) {
    const game = draw(...Object.keys(GAMES));
    const { boards, options } = GAMES[game];
    const board = `${draw(...Object.keys(boards))}${draw(2, 3)}`;
    let position = start(game, board, 'pie' in options ? { pie: draw('on', 'off') } : {});
    const length = draw(0, 3, 99, 99);
    for (let played = 0; played < length && !position.isOver; played += 1)
      position = position.play(draw(...counter.turns(position)));
    const memory = draw(undefined, 2 ** 20, 3e8, 2 ** 31, 5e9, 2 ** 40);
    const limits = { ...draw({ playouts: 50 }, { visits: 50 }, { seconds: 0.01 }), memory };
    const level = draw(undefined, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    const seed = state;
    const calls = [
      async () => (await engine.genmove(position, { level, seed, ...limits })).turn,
      async () => {
        let turn;
        for await (const { candidates } of engine.analyze(position, limits))
          ({ turn } = candidates[0]);
        return turn;
      },
    ];
    for (const call of calls) {
      const found = await call().catch((error) => error);
      const label = `${formatPosition(position)} ${JSON.stringify({ level, ...limits })} ${found}`;
      if (memory > 3 * 2 ** 30) assert.match(found.reason, /^memory /, label);
      else if (position.isOver) assert.equal(found.reason, 'the game is over', label);
      else if (found instanceof KernelError)
        assert.ok(found.reason === 'not enough memory' && memory > 1e9, label);
      else assert.equal(position.illegality(found), null, label);
    }
    const turns = BigInt([...counter.turns(position)].length);
    assert.equal(turns === 0n, position.isOver);
    assert.equal(counter.countTurns(position), turns);
    assert.equal(counter.perft(position, 1), turns);
    const { blackWins } = counter.playouts(position, 3);
    if (!position.isOver) continue;
    assert.deepEqual(counter.values(position), []);
    assert.equal(blackWins, position.outcome().winner ? 0 : 3);
    assert.equal(counter.score(position).winner, position.outcome().winner);
  }
});

test('arguments out of their range are refused by name', async () => {
  const position = start('yodd', 'hex3');
  for (const [budget, reason] of [
    [{ level: 11 }, 'level 11: expected a whole number from 1 to 10'],
    [{ playouts: -1 }, 'playouts -1: expected a whole number from 1 to 10000000'],
    [{ visits: 1.5 }, 'visits 1.5: expected a whole number from 1 to 10000000'],
    [{ seconds: 0 }, 'seconds 0: expected 0.001 to 1000000'],
    [{ seconds: NaN }, 'seconds NaN: expected 0.001 to 1000000'],
    [{ memory: 5e9 }, 'memory 5000000000: expected a whole number from 1048576 to 3221225472'],
    [{ level: '4' }, "level '4': expected a whole number from 1 to 10"],
    [{ seed: '7' }, "seed '7': expected a whole number from 0 to 9223372036854775807"],
    [{ levle: 4 }, 'levle: expected level, playouts, visits, seconds, seed, memory'],
  ])
    await assert.rejects(engine.genmove(position, budget), { message: reason, reason });
  const levelled = engine.analyze(position, { level: 3 }).next();
  await assert.rejects(levelled, /^Error: level: expected playouts, visits/);
  const text = formatPosition(position);
  await assert.rejects(engine.genmove(text), /: expected a Position or a GameTree$/);
  const counter = await Counter.load();
  assert.throws(() => counter.countTurns(text), /: expected a Position$/);
  const cells = Int8Array.from(position.cells, (_, cell) => (cell < 2 ? cell : -1));
  const even = new Position(position.rules, cells, 0, 0, 3);
  await assert.rejects(engine.genmove(even), { reason: '2 groups, even, after the first turn' });
});

test('the number of threads is ignored, with one warning', async (t) => {
  const warn = t.mock.method(console, 'warn', () => undefined);
  for (const threads of [2, 4]) (await startEngine({ threads })).close();
  assert.equal(warn.mock.callCount(), 1);
});

test('closing an engine ends what is under way', async () => {
  const other = await startEngine();
  const asked = assert.rejects(other.genmove(start('yodd', 'hex8'), { seconds: 60 }), KernelError);
  other.close();
  await asked;
  await assert.rejects(other.genmove(start('yodd', 'hex8')), { message: 'the engine was closed' });
});

test('playouts are those of the native kernel', async () => {
  const counter = await Counter.load();
  const found = counter.playouts(start('yodd', 'hex8'), 20000, 1n);
  assert.deepEqual(found, { playouts: 20000, blackWins: 9962, stones: 3377869 });
});
