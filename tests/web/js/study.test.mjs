// The tree of a study: variations, glyphs, comments, deletion, its rows. Run: node --test tests/web/js/
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import './page.mjs';
import * as game from '../../../yoddd/web/js/play/game.js';
import { makeState } from '../../../yoddd/web/js/play/state.js';
import { typedGlyph } from '../../../yoddd/web/js/play/keys.js';
import { formatPosition, formatTurn } from '../../../yoddd/web/js/rules/notation.js';
import {
  formatPath,
  isStudy,
  packStudy,
  readPasted,
  readStudy,
  studyLink,
  writeLink,
} from '../../../yoddd/web/js/rules/link.js';
import { NotationError } from '../../../yoddd/web/js/base/errors.js';
import { rowsOf } from '../../../yoddd/web/js/play/record.js';
import { FIRST_SEATS, HUMANS } from '../../../yoddd/web/js/rules/seats.js';
import { loadSettings } from '../../../yoddd/web/js/base/settings.js';
import { decodeSgf, gamesOf, readSgf, writeSgf } from '../../../yoddd/web/js/rules/sgf.js';
import { sizeOf } from '../../../yoddd/web/js/rules/tree.js';

const HEAD = '(;YGAME[odd]YBOARD[hex3]';
const STUDY = `${HEAD}C[start];B[1c3];W[2a1](;B[1b1]C[quiet];W[1a2])(;B[2b2](;W[1e1])(;W[2e1];B[1e2]))(;B[1d1]))`;

const studyOf = (text) => readSgf(text).tree;
/** The state of a page that shows a study. */
const stateOf = (text, seats = HUMANS) => {
  const tree = studyOf(text);
  return game.showGame(makeState(tree.root.position, loadSettings()), tree, seats);
};
/** A tree as nested tokens. */
const shape = (node, rules) => [
  node.turn ? formatTurn(node.turn, rules) : '',
  ...node.children.map((child) => shape(child, rules)),
];
const shapeOf = ({ root, rules }) => JSON.stringify(shape(root, rules));

test('a promoted variation is the main line from its fork on', () => {
  const inner = studyOf(STUDY).visit([0, 0, 1, 1, 0]);
  const promoted = inner.promote();
  assert.deepEqual(promoted.path, [0, 0, 1, 0, 0], 'the innermost fork first');
  const main = inner.promote(true);
  assert.deepEqual(main.path, [0, 0, 0, 0, 0]);
  assert.ok(main.isMain);
  assert.equal(main.position, inner.position);
  assert.equal(sizeOf(main.root), sizeOf(inner.root));
});

test('a deleted variation comes back to its place', () => {
  const before = stateOf(STUDY);
  const at = game.goToPath(before, [0, 0, 1]);
  const without = game.deleteTurn(at);
  assert.equal(sizeOf(without.tree.root), sizeOf(before.tree.root) - 4);
  assert.match(without.message.text, /^4 turns deleted/);
  assert.equal(without.live, without.tree.position);
  const again = game.restoreDeleted(without);
  assert.equal(shapeOf(again.tree), shapeOf(before.tree));
  assert.deepEqual(again.tree.path, [0, 0, 1]);
  assert.equal(game.restoreDeleted(again), again, 'there is nothing else to bring back');
});

test('what was deleted joins the same turn if it has been played again', () => {
  const without = game.deleteTurn(game.goToPath(stateOf(STUDY), [0, 0, 0]));
  const { tree } = without;
  const [first] = studyOf(STUDY).visit([0, 0, 0]).current.turn.stones;
  const played = { ...without, tree: tree.play({ kind: 'drop', stones: [first] }) };
  const { tree: joined } = game.restoreDeleted(played);
  assert.equal(joined.current.comment, 'quiet');
  assert.equal(joined.current.position, played.tree.position);
  assert.equal(joined.current.children.length, 1);
  assert.equal(joined.visit([0, 0]).current.children.length, 3);
});

test('deletions come back in the reverse order, also inside each other', () => {
  const before = stateOf(STUDY);
  const inner = game.deleteTurn(game.goToPath(before, [0, 0, 1, 1]));
  const outer = game.deleteTurn(game.goToPath(inner, [0, 0, 1]));
  const back = game.restoreDeleted(game.restoreDeleted(outer));
  assert.equal(shapeOf(back.tree), shapeOf(before.tree));
});

test('turns of a game that goes on are not deleted', () => {
  const state = stateOf(STUDY, FIRST_SEATS);
  const refused = game.deleteTurn(game.goToPath(state, [0]));
  assert.equal(refused.message.kind, 'refused');
  assert.equal(sizeOf(refused.tree.root), sizeOf(state.tree.root));
  const beside = game.deleteTurn(game.goToPath(state, [0, 0, 2]));
  assert.equal(sizeOf(beside.tree.root), sizeOf(state.tree.root) - 1);
  assert.equal(beside.live, state.live);
});

test('keys lead out of a variation to its fork, and on to the next one', () => {
  const state = game.goToPath(stateOf(STUDY), [0, 0, 1, 1, 0]);
  const inner = game.goToFork(state);
  assert.deepEqual(inner.tree.path, [0, 0, 1]);
  assert.deepEqual(game.goToFork(inner).tree.path, [0, 0]);
  assert.deepEqual(game.goToFork(game.goToFork(inner)).tree.path, []);
  assert.deepEqual(game.goToNextFork(game.goToTurn(state, 0)).tree.path, [0, 0]);
  assert.deepEqual(game.goToNextFork(game.goToPath(state, [0, 0])).tree.path, [0, 0, 0, 0]);
});

test('a glyph is typed sign by sign', () => {
  const typed = (...signs) => signs.reduce(typedGlyph, '');
  assert.deepEqual(
    [typed('!'), typed('!', '?'), typed('?', '?'), typed('?', '!', '!')],
    ['!', '!?', '??', ''],
  );
  const state = game.annotateTurn(game.goToTurn(stateOf(STUDY), 0), '!');
  assert.equal(state.tree.current.glyph, '', 'the start is no turn');
});

test('glyphs are properties of SGF that other programs know', () => {
  const glyphs = {
    '!': 'TE[1]',
    '!!': 'TE[2]',
    '?': 'BM[1]',
    '??': 'BM[2]',
    '!?': 'IT[]',
    '?!': 'DO[]',
  };
  for (const [glyph, property] of Object.entries(glyphs)) {
    const tree = studyOf(`${HEAD};B[1c3])`).goTo(1).annotate(glyph);
    assert.ok(writeSgf(tree).includes(`;B[1c3]${property})`), writeSgf(tree));
    assert.equal(readSgf(writeSgf(tree)).tree.root.children[0].glyph, glyph);
  }
  assert.equal(studyOf(`${HEAD};B[1c3]TE[])`).goTo(1).current.glyph, '!');
});

test('rows are the main line by twos, and variations below the turn that they replace', () => {
  const { root, rules } = studyOf(STUDY);
  const { rows, places } = rowsOf(root);
  const texts = rows.map(({ depth, steps, isComment }) =>
    isComment
      ? `${depth} ${steps[0].node.comment}`
      : [depth, ...steps.map(({ node }) => formatTurn(node.turn, rules))].join(' '),
  );
  assert.deepEqual(texts, [
    '0 start',
    '0 1c3 2a1',
    '0 1b1',
    '0 quiet',
    '1 2b2 1e1',
    '2 2e1 1e2',
    '1 1d1',
    '0 1a2',
  ]);
  const at = (...path) => places.get(readNode(root, path));
  assert.deepEqual([at(0), at(0, 0), at(0, 0, 0), at(0, 0, 0, 0)], [1, 1, 2, 7]);
});

const readNode = (root, path) => path.reduce((node, taken) => node.children[taken], root);

test('the boards of a file are found again where they are asked for', () => {
  const { root } = studyOf(STUDY);
  const walk = (node) => {
    for (const child of node.children) {
      const played = node.position.play(child.turn);
      assert.deepEqual(child.position.cells, played.cells);
      assert.deepEqual(child.position.census(), played.census());
      child.position.release();
      assert.deepEqual(child.position.cells, played.cells);
      walk(child);
    }
  };
  const deepest = root.children[0].children[0].children[1].children[1].children[0];
  assert.equal(deepest.position.cells.filter((colour) => colour >= 0).length, 5, 'the last first');
  walk(root);
});

test('a foreign file is read as far as it goes, with the places of what is wrong', () => {
  const { tree, problems } = readSgf(
    `junk ${HEAD}\nXX[a\\]b][c]Copyright[me] ;B[1c3]C[a\\\nb\\\\];AB[a1];W[2a1](;B[1b1])(;W[1b2])`,
  );
  assert.deepEqual(problems, [
    'line 3, column 37: the game is not closed',
    'turn 2: AB: a position is set up in the root only',
  ]);
  assert.deepEqual(tree.root.extra.get('XX'), ['a\\]b', 'c']);
  assert.deepEqual(tree.root.extra.get('C'), undefined);
  assert.equal(tree.goTo(1).current.comment, 'ab\\');
  const other = readSgf(`${HEAD};B[1c3];B[2a1])`);
  assert.deepEqual(other.problems, ['turn 2: B where W is to move']);
  assert.deepEqual(readSgf(`${HEAD}?!;B[1c3]XX;W[2a1]`).problems, [
    'line 1, column 25: unexpected ?!',
    'line 1, column 36: XX has no value',
    'line 1, column 43: the game is not closed',
  ]);
});

test('a start is read from SZ, AB, AW and PL, and written as them', () => {
  for (const [text, line] of [
    ['(;YGAME[yodd]SZ[3])', 'yodd hex3 3/4/5/4/3 b 0 1'],
    ['(;YGAME[xodd]SZ[4])', 'xodd square4 4/4/4/4 b 0 1'],
    ['(;YGAME[yodd]YBOARD[hex3]AB[c3]PL[W])', 'yodd hex3 3/4/2b2/4/3 w 0 2'],
    ['(;YGAME[yodd]YBOARD[hex3]AB[c3];W[1c2])', 'yodd hex3 3/4/2b2/4/3 w 0 2'],
    ['(;YGAME[yodd]YBOARD[hex3]AB[c3])', 'yodd hex3 3/4/2b2/4/3 b 0 3'],
    ['(;YGAME[yodd]SZ[3]AB[c3][A1]AW[a3]PL[Black])', 'yodd hex3 3/4/2b2/4/b1w b 0 3'],
    ['(;YGAME[odd]YBOARD[hex3]AB[c3]AW[a1]PL[B])', 'odd hex3 3/4/2b2/4/w2 b 0 3'],
    ['(;YGAME[yoin]YBOARD[hex2]AB[b2]PL[W])', 'yoin hex2 2/1b1/2 w 0 2'],
    ['(;YGAME[yodd]YBOARD[hex3]PL[W])', 'yodd hex3 3/4/5/4/3 w 0 1'],
  ]) {
    const { tree, problems } = readSgf(text);
    assert.deepEqual(problems, []);
    assert.equal(formatPosition(tree.root.position), line);
    assert.equal(formatPosition(readSgf(writeSgf(tree)).tree.root.position), line);
  }
  const written = (line) => writeSgf(readSgf(`(;YGAME[odd]YBOARD[hex3]YSTART[${line}])`).tree);
  assert.match(
    written('odd hex3 3/4/2b2/4/w2 b 0 3'),
    /SZ\[3\].*YSTART\[[^\]]*\]AB\[c3\]AW\[a1\]PL\[B\]/,
  );
});

test('a start that cannot be set up is refused', () => {
  for (const [text, reason] of [
    ['(;YGAME[yodd]YBOARD[hex3]SZ[4])', 'SZ[4]: hex3 has 3 cells a side'],
    ['(;GM[1]SZ[19];B[pd])', 'this is a game of Go on 19×19, which is not supported'],
    ['(;YGAME[yodd]YBOARD[hex3]AB[z9])', 'AB[z9]: no such cell on hex3'],
    ['(;YGAME[yodd]YBOARD[hex3]AB[c3]AW[C3])', 'AW[c3]: the cell has a stone already'],
    ['(;YGAME[yodd]YBOARD[hex3]AB[c3][a1])', 'AB, AW or PL: 2 groups, even, after the first turn'],
    ['(;YGAME[yodd]YBOARD[hex3]AB[c3]PL[x])', 'PL[x]: expected B or W'],
    [
      '(;YGAME[yodd]YBOARD[hex3]AB[c3]YSTART[yodd hex3 3/4/5/4/3 b 0 1])',
      'AB, AW or PL: another position than that of YSTART',
    ],
  ])
    assert.throws(() => readSgf(text), { message: reason });
});

test('a game of Go on a board of Xodd is read as one', () => {
  const { tree, problems, go } = readSgf('(;GM[1]SZ[9]KM[6];B[ac];W[];B[ee])');
  assert.equal(go, '9');
  assert.deepEqual(problems, ['turn 3, e5: 2 groups, even']);
  assert.deepEqual(tree.goTo(Infinity).tokens(), ['1a7', 'pass']);
});

test('old names, a space in a turn and an empty turn are read', () => {
  const { tree, names, problems } = readSgf(
    '(;GaMe[9633]SiZe[3]PlayerBlack[Ann]YGAME[yodd];Black[1c3];White[1a1, 2e3];B[ 1b1\n1a2 ];W[1d1 ,1d2];B[];W[ ])',
  );
  assert.deepEqual([names.black, problems], ['Ann', []]);
  assert.deepEqual(
    tree.goTo(Infinity).tokens(),
    '1c3 1a1,2e3 1a2,1b1 1d1,1d2 pass pass'.split(' '),
  );
  assert.equal(gamesOf('(;PlayerBlack[Ann])')[0].black, 'Ann');
});

test('a game that does not say which it is is the one that fits', () => {
  for (const [text, found] of [
    ['SZ[2];B[b2];W[swap];W[a1]', 'yoin b2 swap a1'],
    ['SZ[3];B[1c3];W[1a1,2e3];B[];W[]', 'yodd 1c3 1a1,2e3 pass pass'],
    ['SZ[2]YBOARD[hex2]YOPTION[min_group:2];B[1b2];W[2a1]', 'odd 1b2 2a1'],
  ]) {
    const { tree } = readSgf(`(;GM[9633]${text})`);
    assert.equal([tree.rules.game, ...tree.goTo(Infinity).tokens()].join(' '), found);
  }
  assert.throws(() => readSgf('(;GM[9633]SZ[2];B[1b2];W[2a1])'), /its turns fit: Odd, Yoin/);
  assert.throws(() => readSgf('(;GM[9633]SZ[2];B[z9])'), /its turns fit: –/);
  assert.throws(() => readSgf('game=/lud/board/Yodd.lud\nMove'), /a trial of Ludii/);
});

test('a link to the page that is pasted is the game that it spells', async () => {
  const tree = studyOf('(;YGAME[odd]YBOARD[hex3];B[1c3];W[2a1](;B[1b1])(;B[1b2]))');
  const links = [writeLink(tree, null), studyLink((await packStudy(tree, null)) ?? '', tree, null)];
  for (const link of links.flatMap((one) => [one, `?${one.slice(1)}`])) {
    const found = await readPasted(` https://play.example.org/board/${link}\n`);
    assert.equal(shapeOf(found.tree.goTo(2)).slice(0, 14), shapeOf(tree).slice(0, 14), link);
  }
  for (const text of [
    'https://hexworld.org/board/#11c1,a1b2',
    'https://x.org/#run=r1&game=1',
    STUDY,
  ])
    assert.equal(await readPasted(text), null);
  await assert.rejects(readPasted('https://x.org/#study=abc'), /damaged/);
});

test('files of neighbours, mutated by byte and by property, are read or refused in a sentence', () => {
  const files = ['sabaki', 'sgfmill'].map((name) =>
    readFileSync(new URL(`../../notation/go/${name}.sgf`, import.meta.url)),
  );
  let state = 7;
  const below = (/** @type {number} */ n) => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return (state >> 8) % n;
  };
  const draw = (/** @type {any[]} */ from) => from[below(from.length)];
  const byte = (/** @type {string} */ text) => {
    const at = below(text.length + 1);
    return (
      text.slice(0, at) + draw([...'\n()[];:\\,\0 \xffA1', '']) + text.slice(at + draw([0, 1, 9]))
    );
  };
  const property = (/** @type {string} */ text) => {
    const parts = text.match(/[A-Za-z]+|\[(?:[^\]\\]|\\[^])*\]|[();]/g) ?? [text];
    const at = below(parts.length);
    const word = parts[at];
    const long = `[${'9'.repeat(3000)}]`;
    parts[at] = draw(['', word + word, draw(parts), word.toLowerCase(), '[]', '[tt]', long]);
    return parts.join('');
  };
  const check = (/** @type {string} */ sentence, /** @type {string} */ text) =>
    assert.match(sentence, /^[^\p{Cc}]{1,300}$/u, JSON.stringify([sentence, text]));
  let refusals = 0;
  for (let round = 0; round < 3000; round += 1) {
    let text = draw(files).toString('latin1');
    for (let change = round % 4; change > 0; change -= 1) text = draw([byte, property])(text);
    text = decodeSgf(Uint8Array.from(Buffer.from(text, 'latin1')).buffer);
    for (const begin of [undefined, ...gamesOf(text).map((one) => one.begin)]) {
      try {
        readSgf(text, begin).problems.forEach((one) => check(one, text));
      } catch (error) {
        refusals += 1;
        assert.ok(
          error instanceof NotationError && error.line >= 1 && error.column >= 1,
          `${error}`,
        );
        check(error.reason, text);
      }
    }
  }
  assert.ok(refusals > 100);
});

test('each game of a collection is found and read, and brackets in values are none', () => {
  const second = `${HEAD}PB[an\\]n]PW[bob]C[(;(;PB[cid])`;
  const text = `${HEAD};B[1c3])\n${second} ${HEAD}(;B[1a1])(;B[1b1]))`;
  const games = gamesOf(text);
  assert.deepEqual(
    games.map(({ black, white }) => [black, white]),
    [
      ['', ''],
      ['an]n', 'bob'],
      ['', ''],
    ],
  );
  const read = games.map(({ begin }) => readSgf(text, begin));
  assert.deepEqual(
    read.map(({ tree, problems }) => [tree.root.children.length, problems.length]),
    [
      [1, 0],
      [0, 0],
      [2, 0],
    ],
  );
  assert.equal(shapeOf(readSgf(text).tree), shapeOf(read[0].tree));
  assert.equal(read[1].names.black, 'an]n');
  assert.deepEqual(gamesOf('no game at all'), []);
});

test('a file is read in the encoding that it names', () => {
  const bytes = (text) => Uint8Array.from(text, (sign) => sign.charCodeAt(0)).buffer;
  assert.equal(decodeSgf(bytes('(;CA[ISO-8859-1]PB[Andr\xe9])')), '(;CA[ISO-8859-1]PB[André])');
  assert.equal(decodeSgf(bytes('(;CA[no-such]PB[Andr\xc3\xa9])')), '(;CA[no-such]PB[André])');
});

test('a result that the board does not show is kept', () => {
  const timed = readSgf(`${HEAD}RE[B+T]PC[here];B[1c3])`).tree;
  assert.match(writeSgf(timed), /RE\[B\+T\]PC\[here\]/);
});

const VECTORS = new URL('../../../protocol/vectors/sessions/studies.jsonl', import.meta.url);
const studies = readFileSync(VECTORS, 'utf8').trim().split('\n').map(JSON.parse);

/** A tree as the vectors have it. */
const plain = ({ turn, glyph, comment, children }, rules) => ({
  turn: turn ? formatTurn(turn, rules) : '',
  glyph,
  comment,
  children: children.map((child) => plain(child, rules)),
});

for (const { title, sgf, tree: wanted } of studies) {
  test(`a study is read and written: ${title}`, () => {
    const first = readSgf(sgf);
    assert.deepEqual(first.problems, []);
    assert.deepEqual(plain(first.tree.root, first.tree.rules), wanted);
    const text = writeSgf(first.tree, first.names, first.winrates);
    const again = readSgf(text);
    assert.deepEqual(plain(again.tree.root, again.tree.rules), wanted);
    assert.equal(writeSgf(again.tree, again.names, again.winrates), text);
  });
}

const linkOf = async (tree, seats = null) => studyLink(await packStudy(tree, seats), tree, seats);

test('a link holds a whole study and where one looks', async () => {
  for (const path of [[], [0, 0], [0, 0, 2], [0, 0, 1, 1, 0]]) {
    const tree = studyOf(STUDY)
      .visit(path)
      .annotate(path.length ? '!?' : '');
    const seats = { players: ['person', 'level-2'], clock: '', names: ['Ann ☺', 'Bob'] };
    const { tree: back, seats: found } = await readStudy(await linkOf(tree, seats));
    assert.equal(writeSgf(back), writeSgf(tree));
    assert.deepEqual(back.path, path);
    assert.deepEqual(found, seats);
  }
});

test('a path is spelled by the turns to each fork', () => {
  const spelled = [[], [0, 0], [1], [0, 0, 1, 0, 0, 0, 2]].map(formatPath);
  assert.deepEqual(spelled, ['0', '2', '0.1', '2.1.3.2']);
});

test('a link that is cut short, or stands for too much, is refused with the reason', async () => {
  const link = await linkOf(studyOf(STUDY));
  const bomb = await packStudy(studyOf(`${HEAD}C[${'a'.repeat(5_000_000)}])`), null);
  assert.ok(bomb.length < 10_000);
  for (const hash of [
    link.replace(/study=.{40}/, 'study='),
    '#study=%%',
    '#study=',
    `#study=${bomb}`,
  ])
    await assert.rejects(readStudy(hash), /damaged|no SGF/, hash.slice(0, 60));
});

test('only what a list of turns would lose is a study', () => {
  assert.ok(!isStudy(studyOf(`${HEAD};B[1c3];W[2a1])`)));
  for (const more of ['TE[1]', 'C[well]', 'XX[kept]', '(;W[1a1])(;W[1a2])'])
    assert.ok(isStudy(studyOf(`${HEAD};B[1c3]${more})`)), more);
});

test('the link of a study of usual size stays short', async () => {
  // Sixty turns, twelve variations of five turns, and a comment of eighty characters on every third.
  const cells = studyOf(`${HEAD.replace('hex3', 'hex8')})`).rules.board.labels;
  const turns = (from, count) =>
    Array.from(
      { length: count },
      (_, at) =>
        `;${'BW'[(from + at) % 2]}[${1 + ((from * 7 + at) % 2)}${cells[(from + at * 37) % 169]}]`,
    );
  const note = (at) =>
    at % 3
      ? ''
      : `C[${'what was meant by turn here and there '.repeat(3).slice(0, 70)} ${at * 7919}]`;
  const end = turns(48, 12).join('');
  const text = Array.from({ length: 12 }, (_, at) => at * 4).reduceRight(
    (rest, from) =>
      `${turns(from, 4)
        .map((turn, at) => turn + note(from + at))
        .join('')}(${rest})(${turns(from + 4, 5).join('')})`,
    end,
  );
  const { tree } = readSgf(`${HEAD.replace('hex3', 'hex8')}${text})`);
  const link = await linkOf(tree);
  assert.ok(sizeOf(tree.root) > 60, `${sizeOf(tree.root)} turns`);
  assert.ok(link.length < 2000, `${link.length} characters`);
});
