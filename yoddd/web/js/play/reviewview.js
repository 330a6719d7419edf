// The card of a review: accuracy and errors of both players, the turn that is shown, the lesson.
import { withDiscs } from '../base/discs.js';
import { errorCounts, gradeIcon } from '../board/grades.js';
import { parseTurn, showTurn } from '../rules/notation.js';
import * as judgements from '../analysis/judgements.js';
import * as reviewing from './reviewing.js';
import { nameOf, other } from '../rules/rules.js';
import { el, html, off } from '../base/svg.js';
import { allowTab } from '../base/tabs.js';
import { t, tOf } from '../base/texts.js';

/** @import { Judgement, Review, Reviewed } from '../analysis/judgements.js' */

const SEATS = /** @type {const} */ (['b', 'w']);

/** A button that `wireReview` knows by its action. @param {string} action @param {string} label @param {Record<string, string | null>} [more] */
const button = (action, label, more = {}) =>
  html('button', { 'data-review': action, ...more }, ...withDiscs(label));

/**
 * @param {Reviewed['review']} review @param {Reviewed['lesson']} lesson
 * @param {Reviewed['shown']} shown @param {Reviewed['tree']} tree @param {boolean} allowed
 * @param {number | null} own the seat of the user of this page, if it is one alone
 */
export function drawReview(review, lesson, shown, tree, allowed, own) {
  allowTab('review', allowed || review !== null);
  const state = { review, lesson, shown, tree };
  const parts = !review
    ? [button('begin', t('review.begin'))]
    : review.stage === 'done'
      ? lesson
        ? drawLesson(state)
        : drawResult(state, review, own)
      : drawWork(review);
  replace(el('review-body'), parts);
}

/** Puts other elements in place; a button that was focused keeps the focus. @param {HTMLElement} body @param {readonly Element[]} parts */
function replace(body, parts) {
  const focused = document.activeElement;
  const action =
    focused instanceof HTMLElement && body.contains(focused) ? focused.dataset.review : undefined;
  body.replaceChildren(...parts);
  const again = action && body.querySelector(`[data-review="${action}"]`);
  if (again instanceof HTMLElement) again.focus();
}

/** @param {Review} review */
function drawWork({ stage, percent, reason }) {
  if (stage === 'failed')
    return [html('p.problem', t('review.failed', { reason })), button('begin', t('try-again'))];
  return [
    html('label.work', t('review.running'), progress(percent)),
    button('stop', t('review.stop')),
  ];
}

/** @param {number} percent */
const progress = (percent) => html('progress', { max: 100, value: percent }, `${percent} %`);

/** @param {Reviewed} state @param {Review} review @param {number | null} own */
function drawResult(state, review, own) {
  const judgement = judgements.judgementOf(state);
  return [
    html(
      'div.steps',
      button('before', t('review.before'), off(judgements.errorBeside(state, -1) === null)),
      button('after', t('review.after'), off(judgements.errorBeside(state, 1) === null)),
    ),
    ...(judgement ? drawJudgement(state, judgement) : []),
    html('div.both', ...SEATS.map((seat, at) => drawPlayer(review, seat, at))),
    ...SEATS.flatMap((seat, at) =>
      judgements.errorsOf(review, seat).length
        ? [
            button(
              `learn-${seat}`,
              at === own ? t('review.learn-own') : t('review.learn', { name: nameOf(at ? 1 : 0) }),
            ),
          ]
        : [],
    ),
    ...(judgements.isOutdated(state) ? [button('begin', t('review.again'))] : []),
  ];
}

/** @param {Review} review @param {'b' | 'w'} seat @param {number} at */
function drawPlayer({ summary }, seat, at) {
  const player = summary?.players[seat];
  const accuracy = player?.accuracy ?? null;
  return html(
    'div.judged',
    html('h2', html('i', { class: `dot ${at ? 'white' : 'black'}` }), nameOf(at ? 1 : 0)),
    html(
      'p',
      html('b', accuracy === null ? '–' : `${accuracy.toFixed(0)} %`),
      t('review.accuracy'),
    ),
    errorCounts(player?.errors ?? {}, (grade, n) => tOf(`grades.${grade}`, { n })),
  );
}

/** @param {Reviewed} state @param {Judgement} judgement */
function drawJudgement(state, judgement) {
  const { tree, shown } = state;
  const { number, turn, grade, best, played, better, refutation, only, turning } = judgement;
  const mover = judgement.player === 'b' ? 0 : 1;
  const text = showTurn(parseTurn(turn, tree.rules, mover), tree.rules);
  const head = `${number}. ${judgements.moverOf(judgement)} ${text}`;
  if (grade === 'sound')
    return [
      html('p.verdict', ...withDiscs(`${head}: ${t(only ? 'review.only' : 'review.sound')}`)),
    ];
  const point = turning ? t('review.turning') : '';
  const chances = { best: judgements.chanceText(best), played: judgements.chanceText(played) };
  const said = `${head}: ${tOf(`grade.${grade}`)}${point}, ${t('review.change', chances)}`;
  const isOpen = shown?.tokens === refutation && shown.position === tree.position;
  return [
    html('p.verdict', gradeIcon(grade), ' ', ...withDiscs(said)),
    ...lineButton('better', better, mover, tree.rules, judgements.isBetterShown(state, judgement)),
    ...lineButton('refutation', refutation, other(mover), tree.rules, isOpen),
  ];
}

/**
 * @param {'better' | 'refutation'} action
 * @param {readonly string[]} tokens
 * @param {import('../rules/rules.js').Colour} mover
 * @param {import('../rules/rules.js').Rules} rules
 * @param {boolean} open
 */
function lineButton(action, tokens, mover, rules, open) {
  if (!tokens.length) return [];
  const turns = tokens.map((token, at) =>
    showTurn(parseTurn(token, rules, at % 2 ? other(mover) : mover), rules),
  );
  const name = t(action === 'better' ? 'review.better-line' : 'review.refutation');
  const label = `${name}: ${turns.slice(0, 4).join(', ')}${turns.length > 4 ? ' …' : ''}`;
  return [button(action, label, { 'aria-pressed': String(open), class: 'line' })];
}

/** @param {Reviewed} state */
function drawLesson(state) {
  const { lesson } = state;
  if (!lesson) return [];
  const place = judgements.placeOf(state);
  if (!place)
    return [
      html('p', t('review.done', { n: lesson.solved, total: lesson.turns.length })),
      button('close', t('review.back')),
    ];
  const { judgement } = place;
  const mover = judgement.player === 'b' ? 0 : 1;
  const played = showTurn(parseTurn(judgement.turn, state.tree.rules, mover), state.tree.rules);
  const isDone = lesson.stage === 'right' || lesson.stage === 'shown';
  const grade = tOf(`grade.${judgement.grade}`);
  const question = t('review.find', { name: judgements.moverOf(judgement), played, grade });
  return [
    html('p.quiet', t('review.mistake', { n: lesson.at + 1, total: lesson.turns.length })),
    html('p.verdict', gradeIcon(judgement.grade), ' ', ...withDiscs(question)),
    html('p', { class: `told ${lesson.stage}`, role: 'status' }, lesson.text),
    html(
      'div.steps',
      ...(isDone ? [] : [button('give-up', t('review.show'))]),
      button('next', t(isDone ? 'review.next' : 'review.skip'), { class: isDone ? 'solid' : null }),
      button('close', t('review.end')),
    ),
  ];
}

/** @typedef {Pick<import('./controller.js').Controller, 'state' | 'change' | 'review' | 'stopReview' | 'goToError'>} Page */

/** The changes of the state by the actions of buttons. @type {Record<string, (state: import('./state.js').State) => import('./state.js').State>} */
const CHANGES = {
  better: reviewing.showBetter,
  refutation: reviewing.showRefutation,
  'learn-b': (state) => reviewing.learn(state, 'b'),
  'learn-w': (state) => reviewing.learn(state, 'w'),
  'give-up': reviewing.giveUp,
  next: reviewing.nextPlace,
  close: reviewing.endLesson,
};

/** Ties the buttons to what they do. @param {Page} page */
export function wireReview(page) {
  /** @type {Record<string, () => void>} */
  const actions = {
    begin: () => page.review(),
    stop: () => page.stopReview(),
    before: () => page.goToError(-1),
    after: () => page.goToError(1),
  };
  el('review').addEventListener('click', (event) => {
    const found = event.target instanceof Element ? event.target.closest('[data-review]') : null;
    const name = found?.getAttribute('data-review') ?? '';
    if (name in CHANGES) page.change(CHANGES[name](page.state));
    else actions[name]?.();
  });
}
