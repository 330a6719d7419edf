// The rules and the notation without sentences, in a program that loads nothing else.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  GAMES,
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

test('the games that come with the program need no check of their facts', async () => {
  const works = (game, board, options) =>
    makeRules({ name: 'x', description: {}, ...game }, board, options);
  const draws = { ...GAMES.product, given: { ...GAMES.product.given, 'score.ties': [] } };
  works(draws); // nothing reads descriptions yet
  await import('../../../build/js/js/rules/description.js');
  assert.throws(() => works(draws), RulesError);
  for (const game of Object.values(GAMES)) {
    let chosen = [{}];
    for (const [name, { words, range }] of Object.entries(game.options))
      chosen = chosen.flatMap((one) =>
        (words ?? range).map((value) => ({ ...one, [name]: String(value) })),
      );
    const boards = Object.keys(game.boards).flatMap((shape) =>
      Array.from({ length: shape === 'hex' ? 12 : 24 }, (_, n) => `${shape}${n + 2}`),
    );
    for (const board of boards) for (const options of chosen) works(game, board, options);
  }
});
