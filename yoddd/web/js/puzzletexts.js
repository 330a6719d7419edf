// The sentences of the page of puzzles: hints, results to share, and how the user stands.
import { drop, showTurn } from './notation.js';
import { dayOf, daysInRow, gameOf } from './puzzleset.js';
import { GAMES, nameOf } from './rules.js';

/** @typedef {import('./puzzleset.js').Puzzle} Puzzle */
/** @typedef {import('./puzzleset.js').Progress} Progress */
/** @typedef {'day' | 'storm' | 'run' | 'free'} Mode */

/** @type {Record<Mode, string>} */
export const TITLES = {
  day: 'Puzzle of the day',
  storm: 'Storm',
  run: 'Streak',
  free: 'By theme and grade',
};

/**
 * The first hint is what the rules leave open, the number of stones or their colour; the next one a
 * stone.
 * @param {import('./rules.js').Position} start @param {readonly import('./rules.js').Stone[]} stones
 * @param {number} hints how many were asked for
 */
export function hintText(start, stones, hints) {
  const [one] = stones;
  const [fewest, most] = start.facts.stones;
  if (hints === 1 && fewest < most)
    return stones.length > 1 ? 'The turn drops two stones.' : 'The turn drops one stone.';
  const subject = most > 1 ? 'One of them' : 'The stone';
  if (hints === 1 && start.colours.length > 1)
    return `${subject} is ${nameOf(one.colour).toLowerCase()}.`;
  return `${subject} is ${showTurn(drop(one), start.rules)}.`;
}

/** The result in a sentence, to share. @param {Puzzle} puzzle @param {Mode} mode @param {boolean} isClean @param {number} days in a row */
export function cardText(puzzle, mode, isClean, days) {
  const { title } = GAMES[gameOf(puzzle)];
  if (!isClean) return `Can you solve this ${title} puzzle?`;
  return mode === 'day'
    ? `I solved the ${title} puzzle of the day. Days in a row: ${days}`
    : `I solved this ${title} puzzle at the first try`;
}

/** The figures of the user, outside a storm. @param {Mode} mode @param {Progress} progress @param {number} run puzzles in a row @param {number} all puzzles */
export function standingText(mode, progress, run, all) {
  const today = dayOf(new Date());
  if (mode === 'day')
    return `Days in a row: ${daysInRow(progress, today)}, at most ${progress.mostDays}${progress.day === today ? '; solved today' : ''}`;
  if (mode === 'run') return `In a row: ${run}, at most ${progress.mostRun}`;
  const count = Object.keys(progress.solved).length;
  return `Solved: ${count} of ${all}. Your rating: ${Math.round(progress.rating)}`;
}
