// A position in the making. Run: node --test tests/web/js/
import assert from 'node:assert/strict';
import test from 'node:test';
import './page.mjs';
import '../../../yoddd/web/js/base/texts.js';
import {
  formatPosition,
  parsePosition,
  parseShown,
  problemText,
} from '../../../yoddd/web/js/rules/notation.js';
import { Position, makeRules } from '../../../yoddd/web/js/rules/rules.js';
import * as setup from '../../../yoddd/web/js/rules/setup.js';
import { facts } from './vectors.mjs';

const empty = (game, board) => setup.draftOf(new Position(makeRules(game, board)));
const problemOf = (draft) => problemText(setup.positionOf(draft));
const withStones = (draft, ...tokens) =>
  tokens.reduce(
    (at, token) =>
      setup.paint(at, draft.rules.board.index.get(token.slice(1)), Number(token[0]) - 1),
    draft,
  );

test('every position of the vectors is set up as it is spelled', () => {
  for (const [text, canonical] of facts('positions')) {
    const draft = setup.draftOf(parsePosition(text));
    assert.equal(formatPosition(setup.positionOf(draft)), canonical);
    assert.equal(problemOf(draft), '');
  }
});

test('lines of no position are refused as every program of the project does', () => {
  for (const [text, column, reason] of facts('positions-refused'))
    assert.throws(() => parsePosition(text), { message: reason, column: Number(column) }, text);
});

test('a group count that the rules forbid is refused with the reason', () => {
  const one = withStones(empty('yodd', 'hex4'), '1d4');
  assert.equal(problemOf({ ...one, player: 1 }), '');
  const two = withStones(one, '2a1');
  assert.equal(
    problemOf(two),
    '2 groups, even, after the first turn: a turn of Yodd leaves an odd number of groups',
  );
  assert.equal(problemOf(withStones(two, '2a2', '1g4')), '');
  const product = withStones(empty('product', 'hex2'), '1a1', '1a2', '2b1', '2b2');
  assert.match(problemOf(product), /odd number of cells is empty/);
});

test('a position with a wrong number of groups alone is shown, and legal turns follow', () => {
  const line = 'yodd hex3 b2/4/2w2/4/3 w 0 3';
  const position = parseShown(line);
  assert.equal(formatPosition(position), line);
  assert.equal(position.illegality({ kind: 'pass', stones: [] }), '2 groups, even');
  const [stone] = position.candidates().filter((one) => position.completable(one));
  assert.ok(position.completions(stone).length);
  for (const wrong of ['yodd hex3 b2/4/2w2/4/3 w 2 5', 'product hex2 2/bw1/2 b 0 1 x=1', '%'])
    assert.throws(() => parseShown(wrong));
});

test('the number of the turn fits the stones and the player unless it is given', () => {
  const number = (draft) => setup.positionOf(draft).number;
  const draft = empty('yodd', 'hex4');
  assert.equal(number(draft), 1);
  const one = withStones(draft, '1d4');
  assert.equal(number({ ...one, player: 1 }), 2);
  assert.equal(number({ ...one, player: 0 }), 3);
  assert.equal(number({ ...one, player: 1, number: 8 }), 8);
  assert.equal(problemOf({ ...one, player: 0, passes: 1 }), '');
  assert.match(problemOf({ ...one, passes: 2, number: 2 }), /passes 2: too many for turn 2/);
});

test('another board keeps the stones that fit on it, another shape none', () => {
  const draft = withStones(empty('odd', 'hex4'), '1d4', '2g4', '1a1');
  const smaller = setup.changeRules(draft, makeRules('odd', 'hex3'));
  assert.equal(formatPosition(setup.positionOf(smaller)).split(' ')[2], '3/3b/5/4/b2');
  const square = setup.changeRules(draft, makeRules('odd', 'square5'));
  assert.equal(setup.positionOf(square).census().total, 0);
  const yodd = setup.changeRules(
    { ...empty('yodd', 'hex4'), passes: 1 },
    makeRules('yoin', 'hex4'),
  );
  assert.equal(yodd.passes, 0);
});

test('a tap with the same stone takes it away, and clear takes all', () => {
  const draft = setup.toggle(empty('odd', 'hex3'), 3, 0);
  assert.equal(draft.cells[3], 0);
  assert.equal(setup.toggle(draft, 3, 1).cells[3], 1);
  assert.equal(setup.toggle(draft, 3, 0).cells[3], setup.NOTHING);
  assert.equal(setup.clear({ ...draft, player: 1 }).player, 0);
  assert.equal(setup.positionOf(setup.clear(draft)).census().total, 0);
});
