// What changes on a drawn board when the position does. Run: node --test tests/web/js/
import assert from 'node:assert/strict';
import test from 'node:test';
import './page.mjs';
import { difference } from '../../../yoddd/web/js/base/layer.js';
import { layOut } from '../../../yoddd/web/js/board/layout.js';
import { readLink } from '../../../yoddd/web/js/rules/link.js';
import { expectedOf, squares, ties } from '../../../yoddd/web/js/board/outlook.js';
import { optionsOf } from '../../../yoddd/web/js/rules/parity.js';
import {
  badges,
  discs,
  fitSigns,
  joints,
  lastMarks,
  shadows,
} from '../../../yoddd/web/js/board/stones.js';

const GAME = '#game=yodd&board=hex5&turns=1e5.1c3,2g5.2g4.1d5.2f5';
const position = (await readLink(GAME)).tree.goTo(Infinity).position;
const { board } = position.rules;
const layout = layOut(board, { turns: 0, mirrored: false, coordinates: 'none' });
const NONE = new Map();

/** @param {string} label */
const cell = (label) => board.labels.indexOf(label);

const model = (pending = [], more = {}) => ({
  position: position.withStones(pending),
  pending,
  last: [],
  options: null,
  links: [],
  numbered: false,
  steps: NONE,
  active: true,
  ...more,
});

/** What goes and what comes between two models. */
const changes = (draw, before, after) => difference(new Map(draw(before)), new Map(draw(after)));

test('a difference names what has to go and what has to come', () => {
  const shown = new Map([
    ['a', 1],
    ['b', 2],
  ]);
  const wanted = new Map([
    ['b', 3],
    ['c', 4],
  ]);
  assert.deepEqual(difference(shown, wanted), { gone: ['a'], fresh: ['c'] });
});

test('a pending stone changes no other stone', () => {
  const stone = { cell: cell('e3'), colour: 0 };
  const [before, after] = [model(), model([stone])];
  const draw = (one) => discs(one, layout, new Set());
  const style = `${stone.cell} stone black pending`;
  assert.deepEqual(changes(draw, before, after), { gone: [], fresh: [style] });
  assert.deepEqual(changes(draw, after, model([{ ...stone, colour: 1 }])), {
    gone: [style],
    fresh: [`${stone.cell} stone white pending`],
  });
  assert.deepEqual(
    changes((one) => shadows(one, layout), before, after),
    { gone: [], fresh: [String(stone.cell)] },
  );
});

test('a stone is joined to the neighbours of its colour only', () => {
  const draw = (one) => joints('neck', one, layout);
  const join = (colour) => changes(draw, model(), model([{ cell: cell('e4'), colour }]));
  const beside = board.neighbours[cell('e4')].filter((next) => position.cells[next] === 0);
  assert.ok(beside.length > 0);
  assert.equal(join(0).fresh.length, beside.length);
  assert.ok(join(0).fresh.every((seen) => seen.endsWith('neck black')));
  assert.ok(join(1).fresh.every((seen) => seen.endsWith('neck white')));
  assert.deepEqual(join(0).gone, []);
});

test('the mark of the last turn gives way to a number', () => {
  const last = [{ cell: cell('e5'), colour: 0 }];
  assert.equal(lastMarks(model([], { last }), layout, NONE).length, 1);
  assert.equal(lastMarks(model([], { last }), layout, new Map([[cell('e5'), '1']])).length, 0);
});

test('a glyph stands beside the last stone of its turn, until a line is shown', () => {
  const last = [
    { cell: cell('c3'), colour: 0 },
    { cell: cell('g5'), colour: 1 },
  ];
  const seen = (more) => badges(model([], { last, ...more }), layout).map(([one]) => one);
  assert.deepEqual(seen({ glyph: '?!' }), [`${cell('g5')} ?!`]);
  assert.deepEqual(seen({ glyph: '' }), []);
  assert.deepEqual(seen({ glyph: '!', last: [] }), [], 'a pass has no stone');
  assert.deepEqual(seen({ glyph: '!', steps: new Map([[0, '1']]) }), []);
});

test('a cell has a sign for each stone that fits, or for each that does not', () => {
  const options = optionsOf(position, [{ cell: cell('e3'), colour: 0 }]);
  const one = model([{ cell: cell('e3'), colour: 0 }], { options });
  const all = [...position.cells.keys()];
  assert.equal(fitSigns(one, true, layout, all).length, options.count);
  assert.equal(fitSigns(one, false, layout, all).length, options.misfits);
});

test('an expectation that hardly changes changes no square', () => {
  const sure = (owned) => [...position.cells].map((colour) => (colour < 0 ? owned : 0));
  const draw = (owned) => {
    const expected = expectedOf(sure(owned), position);
    return [...squares(expected, layout), ...ties(expected, layout)];
  };
  assert.deepEqual(changes(draw, 0.8, 0.802), { gone: [], fresh: [] });
  assert.ok(changes(draw, 0.8, 0.3).fresh.length > 40);
});
