// The errors of a review: names, and signs that differ by shape as well as by colour.
import { html, svg } from '../base/svg.js';

/** A disc, a diamond and a triangle. @type {Readonly<Record<string, string>>} */
const SHAPES = {
  inaccuracy: 'M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z',
  mistake: 'M0 -7L7 0L0 7L-7 0Z',
  blunder: 'M0 -8L8 6H-8Z',
};

/** The sign of a grade. @param {string} grade @param {number} x @param {number} y @param {number} [size] */
export const gradeSign = (grade, x, y, size = 1) =>
  svg('path', {
    class: `sign ${grade}`,
    d: SHAPES[grade],
    transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})${size === 1 ? '' : ` scale(${size})`}`,
  });

/** The sign among words. @param {string} grade */
export const gradeIcon = (grade) =>
  svg(
    'svg',
    { class: 'icon', viewBox: '-9 -9 18 18', 'aria-hidden': 'true' },
    gradeSign(grade, 0, 0),
  );

/**
 * The errors of a player with their numbers.
 * @param {Readonly<Record<string, number>>} errors
 * @param {(grade: string, count: number) => string} textOf so many of a grade in words
 */
export const errorCounts = (errors, textOf) =>
  html(
    'p.errors',
    ...Object.entries(errors).map(([grade, count]) =>
      html('span', gradeIcon(grade), textOf(grade, count)),
    ),
  );
