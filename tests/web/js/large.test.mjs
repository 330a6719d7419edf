// A record far larger than usual ones. Run: node --test tests/web/js/
import assert from 'node:assert/strict';
import test from 'node:test';
import './page.mjs';
import { rowsOf } from '../../../yoddd/web/js/play/record.js';
import { readSgf, writeSgf } from '../../../yoddd/web/js/rules/sgf.js';
import { sizeOf } from '../../../yoddd/web/js/rules/tree.js';

const HEAD = '(;YGAME[odd]YBOARD[hex3]';

test('a record of many thousand turns and variations is read, laid out and written', () => {
  const wide = `${HEAD};B[1c3]${'(;W[2a1])(;W[2a2];B[1a1])'.repeat(20_000)})`;
  const { tree, problems } = readSgf(wide);
  assert.deepEqual(problems, []);
  assert.equal(sizeOf(tree.root), 60_002);
  assert.equal(rowsOf(tree.root).rows.length, 40_000);
  assert.equal(readSgf(writeSgf(tree)).tree.root.children[0].children.length, 40_000);
  const deep = `${HEAD}${';C[note]'.repeat(50_000)};B[1c3])`;
  assert.equal(readSgf(deep).tree.goTo(Infinity).tokens().length, 1);
});
