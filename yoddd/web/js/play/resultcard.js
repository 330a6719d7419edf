// The card that a game ends with: won or lost, and what may follow. The status line says why.
import * as game from './game.js';
import {
  isAway,
  isOver,
  liveTree,
  mayAnalyse,
  mayRematch,
  mayReview,
  namesOf,
  ownSeat,
} from './state.js';
import { seatOf } from '../rules/seats.js';
import { el, html } from '../base/svg.js';
import { openTab } from '../base/tabs.js';
import { t } from '../base/texts.js';

/** @import { State } from './state.js' */
/** @import { Colour, Position } from '../rules/rules.js' */

/**
 * @typedef {object} Card
 * @property {string} title empty for a board on which turns are tried
 * @property {'won' | 'lost' | ''} tone for the user; empty for a spectator
 * @property {readonly string[]} actions in their order; `brief` first while a review is shown, and once the card is closed
 */

const LABELS = /** @type {Record<string, string>} */ ({
  rematch: t('after.rematch'),
  again: t('after.rematch'),
  review: t('after.review'),
  analyse: t('editor.analyse'),
  back: t('after.back'),
});

/** Ends whose card the user has closed. @type {WeakSet<Position>} */
const closed = new WeakSet();

/** The seat that has won; null for none. @param {State} state @returns {Colour | null} */
function winnerOf(state) {
  const { refereed, flagged } = state;
  if (refereed) return refereed.winner;
  if (flagged !== null) return /** @type {Colour} */ (1 - flagged);
  const tree = liveTree(state);
  const outcome = tree.position.outcome();
  return outcome && seatOf(tree, outcome.winner);
}

/** The actions that the user may take next. @param {State} state */
function actionsOf(state) {
  const { review } = state;
  const may = {
    brief: review !== null || closed.has(state.tree.position),
    review: !review && mayReview(state),
    analyse: mayAnalyse(state),
  };
  const [brief, ...others] = Object.entries(may).map(([name, allowed]) => (allowed ? [name] : []));
  return [brief, rematchOf(state), ...others].flat();
}

/** The action that plays a game again that is over; none where it is another's. @param {State} state */
function rematchOf(state) {
  const { refereed, seats } = state;
  if (!isOver(state) || (refereed ? !mayRematch(state) || refereed.request : seats.names))
    return [];
  return [refereed ? 'rematch' : 'again'];
}

/** The card of the end of a game, or of a board on which turns are tried; null for another position. @param {State} state @returns {Card | null} */
export function cardOf(state) {
  if (state.lesson) return null;
  if (isAway(state)) return { ...TRYING, actions: ['back', ...rematchOf(state)] };
  if (!isOver(state) || state.tree.position !== state.live) return null;
  const winner = winnerOf(state);
  const own = ownSeat(state);
  const won = winner === own;
  return {
    title:
      winner === null
        ? t('after.none')
        : own === null
          ? t('after.won', { name: namesOf(state)[winner] })
          : won
            ? t('after.you-won')
            : t('after.you-lost'),
    tone: winner === null || own === null ? '' : won ? 'won' : 'lost',
    actions: actionsOf(state),
  };
}

/** @type {Card} */
const TRYING = { title: '', tone: '', actions: ['back'] };

/** @param {string} title @param {string} tone @param {string} actions separated by spaces */
export function drawCard(title, tone, actions) {
  const card = el('after');
  // Of a card that is closed, or leaves its room to a review, the rematch stays.
  const isBrief = actions.startsWith('brief');
  const names = actions
    .split(' ')
    .filter((name) => name && (!isBrief || name === 'rematch' || name === 'again'));
  card.hidden = names.length === 0;
  card.className = `card result ${tone}`;
  const buttons = names.map((name) => html('button', { 'data-after': name }, LABELS[name] ?? ''));
  const close = html(
    'button',
    { class: 'icon', 'data-after': 'close', 'aria-label': t('after.close') },
    '×',
  );
  const row = html('div.row', ...buttons);
  const head = title ? [html('h2', title), close] : [html('p', t('after.trying'))];
  card.replaceChildren(...(isBrief ? [] : head), row);
}

/** @param {Pick<import('./controller.js').Controller, 'state' | 'apply' | 'change' | 'review' | 'refereed' | 'playAgain' | 'analyse'>} page */
export function wireCard(page) {
  /** @type {Record<string, () => void>} */
  const actions = {
    rematch: () => page.refereed.rematch(true),
    again: () => page.playAgain(),
    review: () => {
      page.review();
      openTab('review');
      el('review').scrollIntoView({ block: 'nearest' });
    },
    analyse: () => {
      page.analyse();
      openTab('analysis');
    },
    back: () => page.apply(game.goToLive),
    close: () => {
      closed.add(page.state.tree.position);
      page.change(page.state);
    },
  };
  el('after').addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('[data-after]') : null;
    if (button instanceof HTMLElement) actions[button.dataset.after ?? '']?.();
  });
}
