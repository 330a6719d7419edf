// The judgement of one turn, and the accuracy of a player, as yoddd/library/review/judgement.py has
// them: formulas without a game.

/** The chance of one participant to win. @typedef {{value: number, visits: number, exact: boolean, distance: number | null}} Chance no visits if it is exact; turns to the end of the game if that is known */
/** @typedef {'sound' | 'inaccuracy' | 'mistake' | 'blunder'} Grade */

/** A loss counts from so many standard errors on. */
const DOUBT = 2;
/** The deviation of long searches of one position from different seeds. */
const SPREAD = 0.015;
const ROUNDING = 1e-9;
/** The least loss of an error, the greatest first. @type {[Grade, number][]} */
export const THRESHOLDS = [
  ['blunder', 0.15],
  ['mistake', 0.1],
  ['inaccuracy', 0.05],
];
/** Height, decay and offset of the accuracy by the loss in percent; and what is added for the doubt. */
const [HEIGHT, DECAY, OFFSET] = [103.1668100711649, 0.04354415386753951, 3.166924740191411];
const BONUS = 1;
/** The fewest and the most positions whose chances weigh a turn, and the bounds of the weights. */
const WINDOWS = [2, 8];
const WEIGHTS = [0.5, 12];

/** @param {boolean} wins @param {number | null} distance @returns {Chance} */
export const proven = (wins, distance = null) => ({
  value: Number(wins),
  visits: 0,
  exact: true,
  distance,
});

/** The chance of the other participant. @param {Chance} chance @returns {Chance} */
export const opponents = (chance) => ({ ...chance, value: 1 - chance.value });

/** @param {Chance} chance */
function standardError({ value, visits, exact }) {
  return exact || !visits ? 0 : Math.hypot(Math.sqrt((value * (1 - value)) / visits), SPREAD);
}

/** The chance that a turn gives away, 0 to 1. @param {Chance} best @param {Chance} played */
export const lossOf = (best, played) => Math.max(0, best.value - played.value);

/** @param {Chance} best @param {Chance} played @returns {Grade} */
export function gradeOf(best, played) {
  const loss = lossOf(best, played);
  if (loss <= DOUBT * Math.hypot(standardError(best), standardError(played))) return 'sound';
  return THRESHOLDS.find(([, least]) => loss >= least - ROUNDING)?.[0] ?? 'sound';
}

/** The accuracy of a turn, 0 to 100. @param {number} loss */
export function accuracyOf(loss) {
  if (loss <= 0) return 100;
  return Math.min(100, Math.max(0, HEIGHT * Math.exp(-DECAY * 100 * loss) - OFFSET + BONUS));
}

/** @param {readonly number[]} values */
const meanOf = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;

/** @param {readonly number[]} values */
function deviationOf(values) {
  const mean = meanOf(values);
  return Math.sqrt(meanOf(values.map((one) => (one - mean) ** 2)));
}

/**
 * The accuracy of one player in a game, 0 to 100; null without a turn.
 * @param {readonly number[]} accuracies of all turns of the game
 * @param {readonly number[]} chances of one of the players, before the first turn and after every turn
 * @param {readonly number[]} places the indices of the player's turns
 */
export function gameAccuracy(accuracies, chances, places) {
  if (!places.length) return null;
  const weights = weightsOf(chances);
  const sum = places.reduce((all, at) => all + weights[at], 0);
  const weighted = places.reduce((all, at) => all + weights[at] * accuracies[at], 0) / sum;
  const harmonic = 1 / meanOf(places.map((at) => 1 / Math.max(1, accuracies[at])));
  return (weighted + harmonic) / 2;
}

/** For each turn the deviation of the chances around it, in percent and within bounds. @param {readonly number[]} chances */
function weightsOf(chances) {
  const percents = chances.map((chance) => 100 * chance);
  const [low, high] = WINDOWS;
  const size = Math.min(Math.max(Math.floor((chances.length - 1) / 10), low), high);
  const windows = Array.from({ length: Math.min(size, percents.length) - low }, () =>
    percents.slice(0, size),
  );
  for (let at = 0; at + size <= percents.length; at += 1)
    windows.push(percents.slice(at, at + size));
  return windows.map((one) => Math.min(Math.max(deviationOf(one), WEIGHTS[0]), WEIGHTS[1]));
}
