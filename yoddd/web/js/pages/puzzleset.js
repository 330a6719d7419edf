// The proven puzzles: reading them, grades and themes, which one is next, and what has been solved.
// No DOM; the day is an argument.
import { parsePosition, parseTurn } from '../rules/notation.js';
import { diamondLinks } from '../rules/parity.js';

/** @import { Position, Turn } from '../rules/rules.js' */

/**
 * A position in which exactly one turn wins, up to symmetry; see `protocol/schemas/puzzle.schema.json`.
 * @typedef {object} Puzzle
 * @property {string} id
 * @property {string} position
 * @property {readonly string[]} turns that win
 * @property {number} distance
 * @property {number | null} level
 */

/** @typedef {{game: string, grade: string, theme: string}} Choice empty for any */

/**
 * What this browser keeps.
 * @typedef {object} Progress
 * @property {Readonly<Record<string, boolean>>} solved puzzles by id: whether at the first try
 * @property {number} day of the latest puzzle of the day that was solved
 * @property {number} days solved in a row, up to that one
 * @property {number} mostDays
 * @property {number} mostRun puzzles in a row
 * @property {number} mostStorm puzzles of a storm
 * @property {number} rating of the user, by the first tries at puzzles
 */

/** @type {Progress} */
export const NO_PROGRESS = {
  solved: {},
  day: 0,
  days: 0,
  mostDays: 0,
  mostRun: 0,
  mostStorm: 0,
  rating: 1000,
};

/** The first puzzle of those who have solved none: after one turn the game is decided. It does not count. @type {Puzzle} */
export const PRIMER = {
  id: '',
  position: 'yodd hex3 b1b/w1bb/wb1bb/bwwb/www w 0 10',
  turns: ['2d2,2e2'],
  distance: 3,
  level: 1,
};

/** The highest level of each grade; those that no level solves come last. */
export const GRADES = /** @type {const} */ ({ easy: 4, medium: 6, hard: 8, 'very-hard': Infinity });

/** A turn, and the position that it is played in. @typedef {(turn: Turn, position: Position, puzzle: Puzzle) => boolean} Test */

/** @type {Readonly<Record<string, Test>>} */
export const THEMES = {
  single: ({ stones }) => stones.length === 1,
  pair: ({ stones }) => stones.length === 2,
  'other-colour': ({ stones }, { player }) => stones.some(({ colour }) => colour !== player),
  joining: ({ stones }, position) => stones.some((stone) => position.joins(stone).length > 1),
  diamond: ({ stones }, position) =>
    diamondLinks(position).some(({ waist }) => stones.some(({ cell }) => waist.includes(cell))),
  'double-join': ({ stones }, position) =>
    stones.filter((stone) => position.joins(stone).length > 1).length > 1 ||
    stones.some((stone) => position.joins(stone).length > 2),
  // Few of the opponent's single stones leave an odd total.
  'parity-trap': (turn, position) => {
    const after = position.play(turn);
    if (position.facts.parity === null || after.isOver) return false;
    const stones = after.candidates();
    const legal = stones.filter((stone) => after.dropProblem([stone]) === null);
    return 3 * legal.length <= stones.length;
  },
  'new-group': ({ stones }, position) => stones.some((stone) => position.joins(stone).length === 0),
  short: (_turn, _position, { distance }) => distance <= 4,
  long: (_turn, _position, { distance }) => distance >= 8,
};

/** Reads the file of puzzles, one a line. @param {string} text @returns {Puzzle[]} */
export const readPuzzles = (text) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** @param {Puzzle} puzzle */
export const startOf = (puzzle) => parsePosition(puzzle.position);

/** The turns that win. @param {Puzzle} puzzle @param {Position} start */
export const winningTurns = ({ turns }, { rules, player }) =>
  turns.map((token) => parseTurn(token, rules, player));

/** @param {Puzzle} puzzle */
export const gameOf = ({ position }) => position.slice(0, position.indexOf(' '));

/** @param {Puzzle} puzzle */
export const gradeOf = ({ level }) =>
  /** @type {keyof typeof GRADES} */ (
    Object.entries(GRADES).find(([, most]) => (level ?? Infinity) <= most)?.[0]
  );

/** @param {Puzzle} puzzle @param {string} theme */
function hasTheme(puzzle, theme) {
  const start = startOf(puzzle);
  const [turn] = winningTurns(puzzle, start);
  return THEMES[theme](turn, start, puzzle);
}

/** The puzzles of a choice. @param {readonly Puzzle[]} puzzles @param {Choice} choice */
export const chosen = (puzzles, { game, grade, theme }) =>
  puzzles.filter(
    (one) =>
      (!game || gameOf(one) === game) &&
      (!grade || gradeOf(one) === grade) &&
      (!theme || hasTheme(one, theme)),
  );

/** The themes that have a name among players. */
const MOTIFS = ['diamond', 'double-join', 'parity-trap', 'other-colour'];

/** The motifs of the turn that wins. @param {Puzzle} puzzle */
export const motifsOf = (puzzle) => MOTIFS.filter((theme) => hasTheme(puzzle, theme));

// -- the puzzle of the day ------------------------------------------------------------------------

const DAY = 86_400_000;
/** The game whose puzzles come first. */
export const FIRST = 'yodd';
/** A step through the puzzles that meets each of them before one again, since it is prime. */
const STRIDE = 7919;
/** The day that the puzzles of `FIRST` begin with; those of other games follow. */
const BEGUN = 20_779;

/** The number of a day, by the calendar of the user. @param {Date} date */
export const dayOf = (date) =>
  Math.floor(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY);

/** The puzzle of a day, the same for everyone: none of the easiest and hardest. @param {readonly Puzzle[]} puzzles @param {number} day */
export function puzzleOfDay(puzzles, day) {
  const fit = puzzles.filter((one) => ['easy', 'medium'].includes(gradeOf(one)));
  const first = fit.filter((one) => gameOf(one) === FIRST);
  const others = fit.filter((one) => gameOf(one) !== FIRST);
  const at = (day - BEGUN + fit.length) % fit.length;
  return at < first.length
    ? first[(at * STRIDE) % first.length]
    : others[((at - first.length) * STRIDE) % others.length];
}

// -- a run of puzzles ---------------------------------------------------------------------------

/** Puzzles of a run for each level. */
const PER_LEVEL = 2;

/**
 * The next puzzle of a run, which grow harder: one of the level that was not solved before, if there is one.
 * @param {readonly Puzzle[]} puzzles @param {number} run how many were solved in a row @param {Progress} progress
 * @param {number} chance 0 to 1
 */
export function puzzleOfRun(puzzles, run, { solved }, chance) {
  const wanted = Math.min(10, 2 + Math.floor(run / PER_LEVEL));
  const level = puzzles.filter((one) => (one.level ?? 10) === wanted && gameOf(one) === FIRST);
  const fresh = level.filter(({ id }) => !(id in solved));
  const drawn = fresh.length ? fresh : level;
  return drawn[Math.floor(chance * drawn.length)];
}

// -- progress -------------------------------------------------------------------------------------

/** A puzzle has been solved. @param {Progress} progress @param {Puzzle} puzzle @param {boolean} clean whether at the first try, without help */
export const solve = (progress, { id }, clean) => ({
  ...progress,
  solved: { ...progress.solved, [id]: progress.solved[id] || clean },
});

/** That of a day has been solved. @param {Progress} progress @param {number} day */
export function solveDay(progress, day) {
  if (progress.day === day) return progress;
  const days = progress.day === day - 1 ? progress.days + 1 : 1;
  return { ...progress, day, days, mostDays: Math.max(days, progress.mostDays) };
}

/** The days in a row as of today: none if one was missed. @param {Progress} progress @param {number} today */
export const daysInRow = ({ day, days }, today) => (day >= today - 1 ? days : 0);

/** The rating of a puzzle by the level of the engine that solves it. @param {Puzzle} puzzle */
const ratingOf = ({ level }) => 500 + 150 * (level ?? 12);

/** The greatest change of a rating by one puzzle. */
const STEP = 40;

/**
 * A puzzle was solved at the first try, or was not: the rating follows as in chess.
 * @param {Progress} progress @param {Puzzle} puzzle @param {boolean} solved
 */
export function rate(progress, puzzle, solved) {
  const expected = 1 / (1 + 10 ** ((ratingOf(puzzle) - progress.rating) / 400));
  return { ...progress, rating: progress.rating + STEP * (Number(solved) - expected) };
}

/** @param {Progress} progress @param {number} score */
export const keepStorm = (progress, score) => ({
  ...progress,
  mostStorm: Math.max(score, progress.mostStorm),
});

/** @param {Progress} progress @param {number} run */
export const keepRun = (progress, run) =>
  run > progress.mostRun ? { ...progress, mostRun: run } : progress;

/** Joins what was solved on two devices. @param {Progress} own @param {Partial<Progress>} other of which the rating counts, if it has one */
export function merged(own, other) {
  const most = { ...NO_PROGRESS, ...other };
  const latest = most.day > own.day || (most.day === own.day && most.days > own.days) ? most : own;
  const solved = { ...own.solved };
  for (const [id, isFirst] of Object.entries(most.solved)) solved[id] ||= isFirst;
  return {
    solved,
    day: latest.day,
    days: latest.days,
    mostDays: Math.max(own.mostDays, most.mostDays),
    mostRun: Math.max(own.mostRun, most.mostRun),
    mostStorm: Math.max(own.mostStorm, most.mostStorm),
    rating: other.rating ?? own.rating,
  };
}
