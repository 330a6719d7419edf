// The board in frames of any size. Run: node --test tests/web/js/
import assert from 'node:assert/strict';
import test from 'node:test';
import './page.mjs';
import { geometry } from '../../../yoddd/web/js/rules/geometry.js';
import { fit, layOut, STEP } from '../../../yoddd/web/js/board/layout.js';

const BOARDS = ['hex2', 'hex8', 'hex13', 'square2', 'square9', 'square25'].map(geometry);
const FRAMES = [
  [344, 300],
  [820, 710],
  [1500, 1360],
];

test('a board in a frame is whole with its coordinates, whichever way it is turned', () => {
  for (const board of BOARDS)
    for (const turns of [0, 1, 5])
      for (const coordinates of /** @type {const} */ (['edge', 'cell', 'none']))
        for (const [width, height] of FRAMES) {
          const layout = layOut(board, { turns, mirrored: turns === 5, coordinates });
          const { box, px, slab, edge } = fit(layout, width, height);
          const name = `${board.name} ${turns} ${coordinates} in ${width} by ${height}`;
          assert.ok(Math.abs(box.width / box.height - width / height) < 1e-9, name);
          for (const { x, y } of [...slab, ...edge, ...layout.at]) {
            assert.ok(x > box.x && x < box.x + box.width, name);
            assert.ok(y > box.y && y < box.y + box.height, name);
          }
          assert.equal(
            edge.length > 0,
            coordinates === 'edge' || (coordinates === 'cell' && STEP / px < 30),
            name,
          );
        }
});

test('large cells have whole pixels and no board has cells beyond reason', () => {
  for (const board of BOARDS) {
    const layout = layOut(board, { turns: 0, mirrored: false, coordinates: 'edge' });
    const step = STEP / fit(layout, 1500, 1360).px;
    assert.ok(Math.abs(step - Math.round(step)) < 1e-9 && step <= 180, `${board.name} ${step}`);
  }
});
