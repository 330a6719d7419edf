// The judgements of a review, and the lesson made of them, as the state of the page has them.
import { hasStone, parseTurn } from '../rules/notation.js';
import { t } from '../base/texts.js';

/** @typedef {Pick<import('../play/state.js').State, 'review' | 'lesson' | 'shown' | 'tree'>} Reviewed */
/** @import { Position, Stone } from '../rules/rules.js' */
/** @typedef {{value: number, exact: boolean}} Chance */

/**
 * The judgement of a turn; the fields are those of `protocol/schemas/review.schema.json`.
 * @typedef {object} Judgement
 * @property {number} number
 * @property {'b' | 'w'} player
 * @property {'b' | 'w'} seat
 * @property {string} turn
 * @property {Chance} best
 * @property {Chance} played
 * @property {number} loss
 * @property {string} grade
 * @property {readonly string[]} better
 * @property {readonly string[]} refutation
 * @property {boolean} only
 * @property {boolean} turning
 */

/** @typedef {{turns: number, accuracy: number | null, average_loss: number | null, errors: Readonly<Record<string, number>>}} Player */
/** @typedef {{players: Readonly<Record<'b' | 'w', Player>>, chances: readonly number[], exact_from: number | null, visits: number}} Summary */

/**
 * @typedef {object} Review
 * @property {'running' | 'done' | 'failed'} stage
 * @property {number} percent of the work
 * @property {string} reason of a failure
 * @property {readonly Position[]} line the positions that are judged, from the start on
 * @property {Summary | null} summary
 * @property {ReadonlyMap<Position, Judgement>} judged by the position after the turn
 */

/**
 * A user looks for the better turns.
 * @typedef {object} Lesson
 * @property {readonly number[]} turns the indices of the errors in the review's line
 * @property {number} at the place in `turns`
 * @property {'asking' | 'judging' | 'wrong' | 'right' | 'shown' | 'over'} stage
 * @property {string} text the answer to what was tried
 * @property {boolean} clean whether nothing wrong was tried at this place
 * @property {number} solved places whose first try was right
 */

/** A line of turns on the board, which goes when another position is shown. @typedef {{position: Position, tokens: readonly string[]}} Shown */

/** Whether turns were played that the review does not have. @param {Reviewed} state */
export function isOutdated({ review, tree }) {
  const line = tree.line();
  return (
    !review || line.length !== review.line.length || line.at(-1)?.position !== review.line.at(-1)
  );
}

/** The judgement of the turn that is shown, or of the one whose better line is. @param {Reviewed} state */
export function judgementOf({ review, shown, tree }) {
  const line = shown?.position === tree.position ? shown.tokens : null;
  const judged = [...(review?.judged.values() ?? [])];
  const better = line && judged.find((one) => one.better === line);
  return better ?? review?.judged.get(tree.position) ?? null;
}

/** Whether the better line of a judgement is on the board. @param {Reviewed} state @param {Judgement} judgement */
export const isBetterShown = ({ shown, tree }, { better }) =>
  shown?.position === tree.position && shown.tokens === better;

/** The indices of the errors, of one seat or of both. @param {Review} review @param {'b' | 'w' | null} seat */
export const errorsOf = ({ line, judged }, seat = null) =>
  line.flatMap((position, at) => {
    const judgement = judged.get(position);
    if (!judgement || judgement.grade === 'sound') return [];
    return seat === null || judgement.seat === seat ? [at] : [];
  });

/** The error before or after the turn that is shown; null if there is none. @param {Reviewed} state @param {number} way */
export function errorBeside({ review, tree }, way) {
  if (!review) return null;
  const errors = errorsOf(review);
  return (
    (way < 0 ? errors.findLast((at) => at < tree.index) : errors.find((at) => at > tree.index)) ??
    null
  );
}

/** The stones of the better turn that were not placed. @param {Reviewed} state @returns {readonly Stone[]} */
export function missedStones({ review, tree, lesson, shown }) {
  const judgement = review?.judged.get(tree.position);
  const { turn } = tree.current;
  const isLine = shown?.position === tree.position;
  if (lesson || isLine || !judgement?.better.length || !turn) return [];
  const mover = judgement.player === 'b' ? 0 : 1;
  const better = parseTurn(judgement.better[0], tree.rules, mover);
  return better.stones.filter((stone) => !hasStone(turn.stones, stone));
}

/** The place of the lesson: the error, and the position before it. @param {Reviewed} state */
export function placeOf({ review, lesson }) {
  if (!review || !lesson || lesson.stage === 'over') return null;
  const at = lesson.turns[lesson.at];
  const judgement = review.judged.get(review.line[at]);
  return judgement ? { at, judgement, before: review.line[at - 1] } : null;
}

/** Whether the user may try a turn now. @param {Reviewed} state */
export const mayTry = (state) =>
  placeOf(state)?.before === state.tree.position &&
  (state.lesson?.stage === 'asking' || state.lesson?.stage === 'wrong');

/** "won", "lost" or in per cent. @param {Chance} chance */
export function chanceText({ value, exact }) {
  if (exact) return t(value ? 'games.win' : 'games.loss');
  return `${Math.round(100 * value)}\u00a0%`;
}

/** The participant who is asked in the lesson. @param {Judgement} judgement */
export const moverOf = ({ player }) => t(player === 'b' ? 'black' : 'white');

/** The positions of the turns of a line on the board, for the preview. @param {Shown | null} shown @param {Position} position */
export const lineShown = (shown, position) =>
  shown?.position === position && shown.tokens.length
    ? { token: shown.tokens[0], pv: [...shown.tokens], visits: 0, winrate: 0 }
    : undefined;
