// The set of puzzles: choice, day, runs, progress. Run: node --test tests/web/js/
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import './page.mjs';
import * as set from '../../../yoddd/web/js/pages/puzzleset.js';

const FILE = new URL('../../../yoddd/library/puzzles.jsonl', import.meta.url);
const PUZZLES = set.readPuzzles(readFileSync(FILE, 'utf8'));

test('every puzzle has a grade, and winning turns that the page can play', () => {
  const grades = new Set(Object.keys(set.GRADES));
  for (const puzzle of PUZZLES) {
    assert.ok(grades.has(set.gradeOf(puzzle)), puzzle.id);
    const start = set.startOf(puzzle);
    for (const turn of set.winningTurns(puzzle, start))
      assert.equal(start.illegality(turn), null, puzzle.id);
  }
});

test('every theme and grade has puzzles, and a choice keeps to all it names', () => {
  for (const theme of Object.keys(set.THEMES))
    assert.ok(set.chosen(PUZZLES, { game: '', grade: '', theme }).length, theme);
  for (const theme of ['diamond', 'double-join', 'parity-trap'])
    assert.ok(PUZZLES.some((one) => set.motifsOf(one).includes(theme)));
  const fit = set.chosen(PUZZLES, { game: 'yodd', grade: 'medium', theme: 'joining' });
  assert.ok(fit.length);
  for (const puzzle of fit) {
    assert.match(puzzle.id, /^yodd-/);
    assert.ok(puzzle.level === 5 || puzzle.level === 6);
    const start = set.startOf(puzzle);
    const [turn] = set.winningTurns(puzzle, start);
    assert.ok(turn.stones.some((stone) => start.joins(stone).length > 1));
  }
  assert.deepEqual(set.chosen(PUZZLES, { game: 'chess', grade: '', theme: '' }), []);
});

test('each day has a puzzle of its own for years', () => {
  const day = set.dayOf(new Date(2026, 10, 22, 23, 59));
  assert.equal(set.dayOf(new Date(2026, 10, 23, 0, 1)), day + 1);
  const ids = Array.from({ length: 700 }, (_, at) => set.puzzleOfDay(PUZZLES, day + at).id);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.slice(0, 180).every((id) => id.startsWith('yodd-')));
  assert.equal(set.puzzleOfDay(PUZZLES, day), set.puzzleOfDay(PUZZLES, day));
});

test('days in a row count on from the day before, and a missed one ends them', () => {
  let progress = set.solveDay(set.NO_PROGRESS, 100);
  progress = set.solveDay(set.solveDay(progress, 101), 101);
  assert.deepEqual([progress.days, progress.mostDays], [2, 2]);
  assert.equal(set.daysInRow(progress, 102), 2);
  assert.equal(set.daysInRow(progress, 103), 0);
  progress = set.solveDay(progress, 105);
  assert.deepEqual([progress.days, progress.mostDays], [1, 2]);
});

test('a run grows harder, and prefers what has not been solved', () => {
  const levels = [0, 1, 2, 6, 16, 40].map(
    (run) => set.puzzleOfRun(PUZZLES, run, set.NO_PROGRESS, 0).level ?? 10,
  );
  assert.deepEqual(levels.slice(0, 5), [2, 2, 3, 5, 10]);
  const first = set.puzzleOfRun(PUZZLES, 0, set.NO_PROGRESS, 0);
  const progress = set.solve(set.NO_PROGRESS, first, false);
  assert.notEqual(set.puzzleOfRun(PUZZLES, 0, progress, 0), first);
  assert.equal(set.solve(set.solve(progress, first, true), first, false).solved[first.id], true);
  assert.equal(set.keepRun(set.keepRun(progress, 4), 2).mostRun, 4);
});

test('a rating rises with a hard puzzle more than with an easy one, and falls by a miss', () => {
  const [easy, hard] = [1, 9].map((level) => PUZZLES.find((one) => one.level === level));
  const after = (/** @type {any} */ puzzle, /** @type {boolean} */ solved) =>
    set.rate(set.NO_PROGRESS, puzzle, solved).rating - set.NO_PROGRESS.rating;
  assert.ok(after(hard, true) > after(easy, true) && after(easy, true) > 0);
  assert.ok(after(easy, false) < after(hard, false) && after(hard, false) < 0);
});

test('what was solved on two devices is joined, and the rating is that of the account', () => {
  const own = { ...set.NO_PROGRESS, solved: { a: true, b: false }, day: 7, days: 2, mostDays: 4 };
  const other = { solved: { b: true, c: false }, day: 8, days: 1, mostDays: 3, rating: 1100 };
  assert.deepEqual(set.merged(own, other), {
    ...set.NO_PROGRESS,
    solved: { a: true, b: true, c: false },
    day: 8,
    days: 1,
    mostDays: 4,
    rating: 1100,
  });
  assert.deepEqual(set.merged(own, { solved: {} }), own);
});
