// The sentences of the page of puzzles: hints, results to share, and how the user stands.
import { drop, showTurn } from '../rules/notation.js';
import { dayOf, daysInRow, gameOf } from './puzzleset.js';
import { GAMES, stoneName } from '../rules/rules.js';
import { t } from '../base/texts.js';

/** @import { Progress, Puzzle } from './puzzleset.js' */
/** @typedef {'day' | 'storm' | 'run' | 'free'} Mode */

/** @type {Record<Mode, string>} */
export const TITLES = {
  day: t('puzzle.day'),
  storm: t('puzzle.storm'),
  run: t('puzzle.run'),
  free: t('puzzle.free'),
};

/**
 * The first hint is what the rules leave open, the number of stones or their colour; the next one a
 * stone.
 * @param {import('../rules/rules.js').Position} start @param {readonly import('../rules/rules.js').Stone[]} stones
 * @param {number} hints how many were asked for
 */
export function hintText(start, stones, hints) {
  const [one] = stones;
  const [fewest, most] = start.stones;
  if (hints === 1 && fewest < most)
    return stones.length > 1 ? t('puzzle.hint-two') : t('puzzle.hint-one');
  const subject = t(most > 1 ? 'puzzle.one-of' : 'puzzle.the-stone');
  if (hints === 1 && start.colours.length > 1)
    return t('puzzle.hint-is', { subject, what: stoneName(one.colour) });
  return t('puzzle.hint-is', { subject, what: showTurn(drop(one), start.rules) });
}

/** The result in a sentence, to share. @param {Puzzle} puzzle @param {Mode} mode @param {boolean} isClean @param {number} days in a row */
export function cardText(puzzle, mode, isClean, days) {
  const { title } = GAMES[gameOf(puzzle)];
  if (!isClean) return t('puzzle.card-ask', { title });
  return mode === 'day'
    ? t('puzzle.card-day', { title, n: days })
    : t('puzzle.card-solved', { title });
}

/** The figures of the user, outside a storm. @param {Mode} mode @param {Progress} progress @param {number} run puzzles in a row @param {number} all puzzles */
export function standingText(mode, progress, run, all) {
  const today = dayOf(new Date());
  if (mode === 'day')
    return (
      t('puzzle.days', { n: daysInRow(progress, today), most: progress.mostDays }) +
      (progress.day === today ? t('puzzle.today') : '')
    );
  if (mode === 'run') return t('puzzle.in-a-row', { n: run, most: progress.mostRun });
  const count = Object.keys(progress.solved).length;
  return t('puzzle.count', {
    n: count,
    total: all,
    rating: Math.round(progress.rating),
  });
}
