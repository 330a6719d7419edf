// The names that a user can take. Run: node --test tests/web/js/
import assert from 'node:assert/strict';
import test from 'node:test';
import './page.mjs';
import { nameProblem, suggestName } from '../../../yoddd/web/js/base/names.js';

test('a name that cannot be used is answered by the rule and by a name that can', () => {
  const answers = {
    'ann-b.2': '',
    '': /first/,
    'Ann Lee': /begins with a letter or a digit\. How about Ann-Lee\?/,
    'José García': /How about Jose-Garcia\?/,
    '🎲🎲': /letters from A to Z.* enter another/,
    דנה: /enter another/,
    '-ann': /How about ann\?/,
    ['x'.repeat(33)]: /at most 32/,
  };
  for (const [name, answer] of Object.entries(answers)) {
    if (answer) assert.match(nameProblem(name), answer);
    else assert.equal(nameProblem(name), '');
  }
  assert.equal(nameProblem(suggestName('  a'.repeat(40))), '');
});
