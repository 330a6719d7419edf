// The package against the vectors of protocol/. Run by `make test-js`, which puts it together first.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import {
  Counter,
  GameTree,
  NotationError,
  Position,
  formatPosition,
  formatTurn,
  isSameTurn,
  parsePosition,
  parseTurn,
  readSgf,
} from '../../../build/js/index.js';

const FOLDER = new URL('../../../protocol/vectors/engine/', import.meta.url);
const counter = await Counter.load();

/** The fields of each line. @param {string} name */
function vectors(name) {
  const lines = readFileSync(new URL(name, FOLDER), 'utf8').split('\n');
  const found = lines
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => line.split(' ; '));
  assert.ok(found.length > 10, name);
  return found;
}

const read = (position, token) => parseTurn(token, position.rules, position.player);
const tokens = (list) => list.split(' ').filter(Boolean);

test('turns are read, written and played, and the kernel finds them legal', () => {
  for (const [text, typed, canonical, after] of vectors('turns.txt')) {
    const position = parsePosition(text);
    const turn = read(position, typed);
    assert.equal(formatTurn(turn, position.rules), canonical);
    const next = position.play(turn);
    if (turn.kind === 'resign') continue; // a line does not tell of it
    assert.equal(formatPosition(next), after);
    assert.ok(
      [...counter.turns(position)].some((legal) => isSameTurn(legal, turn)),
      typed,
    );
  }
});

test('turns that the rules forbid are refused with their reason, and the kernel lists none', () => {
  for (const [text, token, reason] of vectors('turns-refused.txt')) {
    const position = parsePosition(text);
    const turn = read(position, token);
    assert.equal(position.illegality(turn), reason, `${text} ${token}`);
    assert.throws(() => position.play(turn), { message: reason, reason, about: 'turn' });
    const [, label] = /^(\S+) (?:twice|is occupied)$/.exec(reason) ?? [];
    const cell = label ? position.rules.board.index.get(label) : undefined;
    if (label) assert.throws(() => position.play(turn), { cell });
    assert.ok(![...counter.turns(position)].some((legal) => isSameTurn(legal, turn)), token);
  }
});

test('what is no turn is refused', () => {
  for (const [text, token, column, reason] of vectors('turns-malformed.txt'))
    assert.throws(() => read(parsePosition(text), token), {
      constructor: NotationError,
      reason,
      line: 1,
      column: Number(column),
    });
});

test('a text that is no game of SGF is refused by what it is', () => {
  const line = 'yodd hex3 3/4/5/4/3 b 0 1';
  for (const [text, reason, column = 1] of [
    ['https://hexworld.org/board/#11c1,a1b2', /a link to a game of Hex on hexworld.org/],
    ['http://127.0.0.1:8080/#game=yodd&board=hex4', /a link to 127.0.0.1:8080, .* as SGF$/],
    [line, /a line with a position, which parsePosition reads$/],
    [`position ${line}`, /which parsePosition reads$/],
    ['(;GM[11]SZ[11];B[a1])', /a game of Hex, which is not supported$/, 2],
    ['(;GM[18])', /a game of GM\[18\], /, 2],
    ['(;GM[1]SZ[19])', /a game of Go on 19×19/, 2],
    ['', /no SGF file/],
  ])
    assert.throws(() => readSgf(text), { constructor: NotationError, reason, line: 1, column });
});

test('every text is read, or refused with a reason and a place in it', () => {
  const { rules } = parsePosition('yodd hex3 3/4/5/4/3 b 0 1');
  const readers = [(text) => read(new Position(rules), text), parsePosition, readSgf];
  const texts = [
    ' 1c3,2d4 ',
    'yodd hex3 3/4/2b2/4/3 w 0 2 own_colour=on',
    '(;GM[9633]YGAME[yodd]YBOARD[hex3]SZ[3]YOPTION[own_colour:on]YSTART[yodd hex3 3/4/2b2/4/3 w 0 2]AB[c3]\n;W[1b1,2e3]C[a])',
    'https://hexworld.org/board/#11c1,a1b2',
  ];
  let state = 7;
  const draw = (/** @type {any} */ from) => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return from[(state >> 8) % from.length];
  };
  let refusals = 0;
  for (let round = 0; round < 6000; round += 1) {
    const characters = [...draw(texts)];
    const places = [...characters.keys()];
    for (let change = round % 4; change > 0; change -= 1)
      characters.splice(draw(places), draw([0, 1, 3]), ...draw([[], [draw('\n1[];(bx/=,\\')]]));
    const text = characters.join('');
    try {
      draw(readers)(text);
    } catch (error) {
      refusals += 1;
      assert.ok(error instanceof NotationError && error.reason, `${text}: ${error}`);
      const line = error.line > 1 ? text.split('\n')[error.line - 1] : text;
      assert.ok(error.column >= 1 && error.column <= line.length + 1, `${text}: ${error}`);
    }
  }
  assert.ok(refusals > 1000 && refusals < 6000);
});

test('the kernel counts as the reference does', () => {
  for (const [text, depth, count] of vectors('perft.txt'))
    assert.equal(
      counter.perft(parsePosition(text), Number(depth)),
      BigInt(count),
      `${text} ${depth}`,
    );
});

test('finished games have their outcome by the rules and by the kernel', () => {
  for (const [text, result] of vectors('outcomes.txt')) {
    const position = parsePosition(text);
    const outcome = position.outcome();
    assert.ok(outcome && position.isOver, text);
    assert.equal(`${'BW'[outcome.winner]}+${outcome.score}`, result, text);
    const score = counter.score(position);
    assert.equal(score && `${'BW'[score.winner]}+${score.score}`, result, text);
    assert.deepEqual([...counter.turns(position)], []);
  }
});

test('games lead to the positions that they are said to lead to', () => {
  for (const [text, turns, winning] of vectors('won.txt')) {
    const end = parsePosition(text);
    const start = parsePosition(emptyLine(end));
    const tree = tokens(turns).reduce(
      (at, token) => at.play(read(at.position, token)),
      GameTree.from(start),
    );
    assert.equal(formatPosition(tree.position), formatPosition(end));
    const legal = [...counter.turns(end)].map((turn) => formatTurn(turn, end.rules));
    const kept = tokens(winning);
    assert.deepEqual(
      legal.filter((token) => kept.includes(token)),
      kept,
    );
  }
});

test('the turns that keep a win are those that the kernel finds', () => {
  for (const [text, , winning] of vectors('won.txt')) {
    const position = parsePosition(text);
    const empty = position.cells.filter((colour) => colour < 0).length;
    if (empty > 14) continue;
    const kept = counter.values(position, { distances: false }).filter(({ wins }) => wins);
    const found = kept.map(({ turn }) => formatTurn(turn, position.rules)).sort();
    assert.deepEqual(found, tokens(winning).sort(), text);
  }
});

test('small boards are solved with the length of the game', () => {
  let solved = 0;
  for (const [text, , , ...turns] of vectors('solved.txt')) {
    const position = parsePosition(text);
    // Before a swap the values are those of colours, in the vectors those of participants.
    if (position.rules.board.cells > 9 || position.rules.options.pie === 'on') continue;
    solved += 1;
    const values = counter.values(position);
    [true, false].forEach((isWon, i) => {
      const wanted = turns[i] === '-' ? [] : tokens(turns[i]).sort();
      const found = values
        .filter(({ wins }) => wins === isWon)
        .map(({ turn, distance }) => `${formatTurn(turn, position.rules)}=${distance}`);
      assert.deepEqual(found.sort(), wanted, text);
    });
  }
  assert.ok(solved > 20);
});

/** The start of the game of a position. */
function emptyLine(position) {
  const [game, board] = formatPosition(position).split(' ');
  const rows = [...position.rules.board.rows].reverse().map((row) => row.length);
  const options = formatPosition(position).split(' ').slice(6);
  return [game, board, rows.join('/'), 'b 0 1', ...options].join(' ');
}
