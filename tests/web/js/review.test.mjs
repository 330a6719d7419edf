// Reviews on the page: judgements, lines, lessons. Run: node --test tests/web/js/
import assert from 'node:assert/strict';
import test from 'node:test';
import './page.mjs';
import * as game from '../../../yoddd/web/js/play/game.js';
import { isMine, makeState } from '../../../yoddd/web/js/play/state.js';
import {
  errorBeside,
  errorsOf,
  isOutdated,
  judgementOf,
  missedStones,
  mayTry,
} from '../../../yoddd/web/js/analysis/judgements.js';
import { drop, parsePosition, PASS } from '../../../yoddd/web/js/rules/notation.js';
import * as reviewing from '../../../yoddd/web/js/play/reviewing.js';
import { HUMANS } from '../../../yoddd/web/js/rules/seats.js';
import { loadSettings } from '../../../yoddd/web/js/base/settings.js';
import { GameTree, playedTree } from '../../../yoddd/web/js/rules/tree.js';

const START = parsePosition('yodd hex3 3/4/5/4/3 b 0 1');
const TOKENS = ['1c3', '1a1,2e3', '1b1'];
const CHANCE = { value: 0.6, exact: false };

const judgement = (number, grade, better = []) => ({
  number,
  player: number % 2 ? 'b' : 'w',
  seat: number % 2 ? 'b' : 'w',
  turn: TOKENS[number - 1],
  best: CHANCE,
  played: { value: 0.2, exact: false },
  loss: 0.4,
  grade,
  better,
  refutation: grade === 'sound' ? [] : ['pass'],
  only: false,
  turning: false,
});
const SUMMARY = { players: {}, chances: [0.5, 0.6, 0.7, 0.3], exact_from: null, visits: 10 };
const TURNS = [
  judgement(1, 'sound'),
  judgement(2, 'mistake', ['1a1,2d2', 'pass']),
  judgement(3, 'blunder', ['2b2']),
];

function reviewed() {
  const shown = game.showGame(makeState(START, loadSettings()), playedTree(START, TOKENS), HUMANS);
  return reviewing.finishReview(reviewing.beginReview(shown), SUMMARY, TURNS);
}

test('a review belongs to the positions of its line', () => {
  const state = reviewed();
  assert.equal(judgementOf(state).number, 3);
  assert.deepEqual(errorsOf(state.review), [2, 3]);
  assert.deepEqual(errorsOf(state.review, 'w'), [2]);
  assert.equal(state.winrates.get(state.tree.goTo(2).position), 0.7);
  assert.equal(errorBeside(state, -1), 2);
  assert.equal(errorBeside(state, 1), null);
  assert.equal(isOutdated(state), false);
  assert.equal(isOutdated(game.playTurn(state, PASS, 0)), true);
  assert.equal(game.showGame(state, GameTree.from(START), HUMANS).review, null);
});

test('the better line is shown on the position before the turn, and taken away again', () => {
  const state = game.goToTurn(reviewed(), 2);
  const { index } = START.rules.board;
  assert.deepEqual(missedStones(state), [{ cell: index.get('d2'), colour: 1 }]);
  const better = reviewing.showBetter(state);
  assert.equal(better.tree.index, 1);
  assert.deepEqual(better.shown.tokens, ['1a1,2d2', 'pass']);
  assert.equal(judgementOf(better).number, 2, 'the card stays with the error');
  const back = reviewing.showBetter(better);
  assert.deepEqual([back.tree.index, back.shown], [2, null]);
  const refuted = reviewing.showRefutation(better);
  assert.deepEqual([refuted.tree.index, refuted.shown.tokens], [2, ['pass']]);
  assert.equal(reviewing.showRefutation(refuted).shown, null);
});

test('a lesson asks until the turn is right, and counts what was found at once', () => {
  let state = reviewing.learn(reviewed(), 'w');
  assert.equal(state.tree.index, 1);
  assert.ok(mayTry(state) && isMine(state));
  const { index } = START.rules.board;
  const stone = (label, colour = 0) => ({ cell: index.get(label), colour });
  state = reviewing.attempt(state, drop(stone('a1'), stone('b1', 1)));
  assert.equal(state.lesson.stage, 'judging');
  assert.equal(mayTry(state), false);
  state = reviewing.judgeAttempt(state, judgement(2, 'blunder'));
  assert.equal(state.lesson.stage, 'wrong');
  assert.match(state.lesson.text, /^Blunder: from 60\s% to 20\s%/);
  assert.ok(mayTry(state));
  assert.equal(game.setPending(state, [stone('a1')], index.get('a1')).shown, null);
  state = reviewing.attempt(state, drop(stone('d2', 1), stone('a1')));
  assert.equal(state.lesson.stage, 'right', 'the better turn in any order needs no server');
  assert.equal(state.lesson.solved, 0, 'not at the first try');
  state = reviewing.nextPlace(state);
  assert.equal(state.lesson.stage, 'over');
  const black = reviewing.learn(reviewed(), 'b');
  const found = reviewing.attempt(black, drop(stone('b2', 1)));
  assert.equal(found.lesson.solved, 1);
  const shown = reviewing.giveUp(black);
  assert.deepEqual([shown.lesson.stage, shown.shown.tokens], ['shown', ['2b2']]);
  assert.equal(reviewing.endLesson(shown).lesson, null);
  const other = reviewing.judgeAttempt(black, judgement(3, 'sound'));
  assert.equal(other.lesson.stage, 'right', 'another sound turn counts too');
});
