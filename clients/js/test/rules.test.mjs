// The rules and the notation without sentences, in a program that loads nothing else.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  NotationError,
  Position,
  RulesError,
  formatPosition,
  formatTurn,
  makeRules,
  parsePosition,
  parseTurn,
} from '../../../build/js/rules.js';

test('turns are read, played and written, and refused by the keys of sentences', () => {
  const rules = makeRules('yodd', 'hex3', { end_on_full: 'on' });
  const turn = parseTurn('1c3', rules, 0);
  const next = new Position(rules).play(turn);
  assert.equal(formatTurn(turn, rules), '1c3');
  assert.equal(formatPosition(parsePosition(formatPosition(next))), formatPosition(next));
  for (const [work, kind, reason] of [
    [() => next.play(turn), RulesError, 'rules.occupied'],
    [() => parseTurn('z9', rules, 0), NotationError, 'notation.no-cell'],
    [() => parsePosition('yodd'), NotationError, 'notation.missing'],
  ])
    assert.throws(work, (error) => error instanceof kind && error.reason === reason);
});
