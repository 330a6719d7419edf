// A redraw over the regions of a large board. Run: node --test tests/web/js/
import assert from 'node:assert/strict';
import test from 'node:test';

import './page.mjs';
import { geometry } from '../../../yoddd/web/js/rules/geometry.js';
import { layOut, STEP } from '../../../yoddd/web/js/board/layout.js';
import { Redraw, regionsOf } from '../../../yoddd/web/js/board/redraw.js';

/** @typedef {import('../../../yoddd/web/js/board/redraw.js').Frames} Frames */

const VIEW = /** @type {const} */ ({ turns: 0, mirrored: false, coordinates: 'none' });

/** The regions of a board. @param {string} name */
const regions = (name) => regionsOf(layOut(geometry(name), VIEW).at, STEP);

/** Frames that come when they are asked to. @returns {Frames & {pass: () => boolean}} */
function makeFrames() {
  /** @type {Map<number, FrameRequestCallback>} */
  const asked = new Map();
  let last = 0;
  return {
    requestAnimationFrame: (act) => {
      last += 1;
      asked.set(last, act);
      return last;
    },
    cancelAnimationFrame: (frame) => void asked.delete(frame),
    pass: () => {
      const acts = [...asked.values()];
      asked.clear();
      for (const act of acts) act(0);
      return acts.length > 0;
    },
  };
}

test('a small board is one region', () => {
  assert.equal(regions('hex9').length, 1);
});

test('the regions of a large board have each cell once and are near squares', () => {
  const { at } = layOut(geometry('hex13'), VIEW);
  const found = regions('hex13');
  assert.deepEqual(
    found.flat().sort((a, b) => a - b),
    at.map((_, cell) => cell),
  );
  assert.ok(found.length > 6 && found.length < 20, String(found.length));
  for (const cells of found) {
    for (const axis of /** @type {const} */ (['x', 'y'])) {
      const values = cells.map((cell) => at[cell][axis]);
      assert.ok(Math.max(...values) - Math.min(...values) <= 7 * STEP);
    }
  }
});

test('a redraw draws a changed region at once and the others a frame each after the next', () => {
  /** @type {number[]} */
  const drawn = [];
  const frames = makeFrames();
  new Redraw((region) => drawn.push(region), frames).start(4, [2]);
  frames.pass();
  assert.deepEqual(drawn, [2]);
  frames.pass();
  assert.deepEqual(drawn, [2, 0]);
  while (frames.pass());
  assert.deepEqual(drawn, [2, 0, 1, 3]);
});

test('a redraw of many changed regions does not draw all of them at once', () => {
  /** @type {number[]} */
  const drawn = [];
  const frames = makeFrames();
  new Redraw((region) => drawn.push(region), frames).start(4, [0, 1, 2, 3]);
  assert.deepEqual(drawn, [0, 1]);
  while (frames.pass());
  assert.deepEqual(drawn, [0, 1, 2, 3]);
});

test('a region that waits is drawn even if a new redraw starts before each frame', () => {
  /** @type {number[]} */
  const drawn = [];
  const frames = makeFrames();
  const redraw = new Redraw((region) => drawn.push(region), frames);
  for (let turn = 0; turn < 12; turn += 1) {
    redraw.start(4, [0]);
    frames.pass();
  }
  assert.deepEqual(new Set(drawn), new Set([0, 1, 2, 3]));
});

test('what is deferred is drawn once, in a frame of its own before the regions', () => {
  /** @type {(number | string)[]} */
  const drawn = [];
  const frames = makeFrames();
  const redraw = new Redraw((region) => drawn.push(region), frames);
  redraw.start(3, [1]);
  const page = () => void drawn.push('page');
  redraw.defer(page);
  redraw.defer(page);
  frames.pass();
  assert.deepEqual(drawn, [1]);
  frames.pass();
  assert.deepEqual(drawn, [1, 'page']);
  while (frames.pass());
  assert.deepEqual(drawn, [1, 'page', 0, 2]);
});

test('what is deferred and has more to draw takes turns with the rest of it', () => {
  /** @type {(number | string)[]} */
  const drawn = [];
  const frames = makeFrames();
  const redraw = new Redraw((region) => drawn.push(region), frames);
  redraw.start(2, [1]);
  redraw.defer(() => drawn.push('spots') < 4);
  redraw.defer(() => void drawn.push('page'));
  while (frames.pass());
  assert.deepEqual(drawn, [1, 'spots', 'page', 'spots', 0]);
});

test('what waits leaves the frame of a new stone to it', () => {
  /** @type {(number | string)[]} */
  const drawn = [];
  const frames = makeFrames();
  const redraw = new Redraw((region) => drawn.push(region), frames);
  redraw.defer(() => void drawn.push('beside'));
  frames.pass();
  redraw.start(2, [1]);
  frames.pass();
  assert.deepEqual(drawn, [1]);
  while (frames.pass());
  assert.deepEqual(drawn, [1, 'beside', 0]);
});

test('a redraw that is stopped draws nothing more', () => {
  /** @type {number[]} */
  const drawn = [];
  const frames = makeFrames();
  const redraw = new Redraw((region) => drawn.push(region), frames);
  redraw.start(4, [1]);
  redraw.defer(() => void drawn.push(9));
  redraw.stop();
  assert.equal(frames.pass(), false);
  assert.deepEqual(drawn, [1]);
});
