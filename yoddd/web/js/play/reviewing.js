// The review of a game on the page, as a part of its state: the judgements of the turns, the line that
// is shown, and the lesson in which the user looks for the better turns.
import { change } from './state.js';
import {
  chanceText,
  errorsOf,
  isBetterShown,
  judgementOf,
  placeOf,
} from '../analysis/judgements.js';
import { formatTurn, isSameTurn, parseTurn } from '../rules/notation.js';
import { capital } from '../rules/rules.js';
import { t, tOf } from '../base/texts.js';

/** @import { State } from './state.js' */
/** @import { Judgement, Lesson, Summary } from '../analysis/judgements.js' */
/** @import { Position, Turn } from '../rules/rules.js' */
/** @type {ReadonlyMap<Position, Judgement>} */
const NO_JUDGEMENTS = new Map();

// -- the review ---------------------------------------------------------------------------------

/** @param {State} state */
export const beginReview = (state) =>
  change(state, {
    review: {
      stage: 'running',
      percent: 0,
      reason: '',
      line: state.tree.line().map(({ position }) => position),
      summary: null,
      judged: NO_JUDGEMENTS,
    },
    lesson: null,
  });

/** @param {State} state @param {number} percent */
export const advanceReview = (state, percent) =>
  state.review ? change(state, { review: { ...state.review, percent } }) : state;

/** @param {State} state @param {string} reason */
export const failReview = (state, reason) =>
  state.review ? change(state, { review: { ...state.review, stage: 'failed', reason } }) : state;

/** @param {State} state */
export const dropReview = (state) => change(state, { review: null, lesson: null, shown: null });

/** The result of a review, with the chances of Black's seat for the graph. @param {State} state @param {Summary} summary @param {readonly Judgement[]} turns */
export function finishReview(state, summary, turns) {
  const { review } = state;
  if (!review) return state;
  const judged = new Map(turns.map((turn, at) => [review.line[at + 1], turn]));
  const winrates = new Map(state.winrates);
  summary.chances.forEach((chance, at) => winrates.set(review.line[at], chance));
  return change(state, { review: { ...review, stage: 'done', summary, judged }, winrates });
}

/** The state at the turn with a judgement, or at the one before. @param {State} state @param {Judgement} judgement @param {0 | 1} back */
function beside(state, judgement, back) {
  const at =
    state.review?.line.findIndex((one) => state.review?.judged.get(one) === judgement) ?? 0;
  const path = state.tree.pathTo(/** @type {Position} */ (state.review?.line[at - back]));
  return change(state, {
    tree: path ? state.tree.visit(path) : state.tree,
    shown: null,
    pending: [],
  });
}

/** Shows the better line on the position before the turn, or goes back to the turn. @param {State} state */
export function showBetter(state) {
  const judgement = judgementOf(state);
  if (!judgement) return state;
  if (isBetterShown(state, judgement)) return beside(state, judgement, 0);
  const before = beside(state, judgement, 1);
  return change(before, { shown: { position: before.tree.position, tokens: judgement.better } });
}

/** Shows the refutation on the position after the turn, or no longer. @param {State} state */
export function showRefutation(state) {
  const judgement = judgementOf(state);
  if (!judgement) return state;
  const after = beside(state, judgement, 0);
  const { position } = after.tree;
  const isShown = state.shown?.tokens === judgement.refutation && state.shown.position === position;
  return isShown ? after : change(after, { shown: { position, tokens: judgement.refutation } });
}

// -- the lesson ---------------------------------------------------------------------------------

/** Shows the position before the error of the lesson. @param {State} state */
function showPlace(state) {
  const place = placeOf(state);
  const path = place && state.tree.pathTo(place.before);
  return path
    ? change(state, { tree: state.tree.visit(path), pending: [], kept: null, shown: null })
    : state;
}

/** @param {State} state @param {'b' | 'w'} seat whose errors */
export function learn(state, seat) {
  const turns = state.review ? errorsOf(state.review, seat) : [];
  if (!turns.length) return state;
  /** @type {Lesson} */
  const lesson = { turns, at: 0, stage: 'asking', text: '', clean: true, solved: 0 };
  return showPlace(change(state, { lesson }));
}

/** @param {State} state @param {Partial<Lesson>} changes */
const update = (state, changes) =>
  state.lesson ? change(state, { lesson: { ...state.lesson, ...changes } }) : state;

/** The user tries a turn, which the server judges unless it is the better one. @param {State} state @param {Turn} turn */
export function attempt(state, turn) {
  const place = placeOf(state);
  if (!place) return state;
  const { position, rules } = state.tree;
  const tokens = [formatTurn(turn, rules)];
  const tried = change(state, { pending: [], shown: { position, tokens } });
  const [better] = place.judgement.better;
  const isBetter =
    better !== undefined && isSameTurn(turn, parseTurn(better, rules, position.player));
  return isBetter
    ? settle(tried, true, t('review.right'))
    : update(tried, { stage: 'judging', text: t('review.judging') });
}

/** The judgement of what was tried. @param {State} state @param {Judgement} judgement */
export function judgeAttempt(state, { grade, best, played }) {
  if (grade === 'sound') return settle(state, true, t('review.as-good'));
  const values = { best: chanceText(best), played: chanceText(played) };
  const text = t('review.tried', { grade: capital(tOf(`grade.${grade}`)), ...values });
  return settle(state, false, text);
}

/** The server could not judge. @param {State} state @param {string} reason */
export const failAttempt = (state, reason) =>
  update(state, { stage: 'asking', text: t('review.unjudged', { reason }) });

/** @param {State} state @param {boolean} right @param {string} text */
function settle(state, right, text) {
  const { lesson } = state;
  if (!lesson) return state;
  const solved = lesson.solved + (right && lesson.clean ? 1 : 0);
  return update(state, {
    stage: right ? 'right' : 'wrong',
    text,
    clean: lesson.clean && right,
    solved,
  });
}

/** Shows the better turn with the line that follows. @param {State} state */
export function giveUp(state) {
  const place = placeOf(state);
  if (!place) return state;
  const there = showPlace(state);
  const shown = { position: there.tree.position, tokens: place.judgement.better };
  return update(change(there, { shown }), {
    stage: 'shown',
    text: t('review.better'),
    clean: false,
  });
}

/** @param {State} state */
export function nextPlace(state) {
  const { lesson } = state;
  if (!lesson) return state;
  const at = lesson.at + 1;
  const stage = at < lesson.turns.length ? 'asking' : 'over';
  return showPlace(update(change(state, { shown: null }), { at, stage, text: '', clean: true }));
}

/** @param {State} state */
export const endLesson = (state) => change(state, { lesson: null, shown: null });
