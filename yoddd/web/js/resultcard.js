// The card that a game ends with: won or lost, why, and what may follow.
import {
  isAway,
  isOver,
  liveTree,
  mayAnalyse,
  mayReview,
  mayRematch,
  namesOf,
  toGame,
} from './game.js';
import { STEP, STONE } from './layout.js';
import { HUMAN, levelOf, seatOf } from './seats.js';
import { kind } from './stones.js';
import { resultText } from './status.js';
import { el, html, svg } from './svg.js';
import { openTab } from './tabs.js';
import { t } from './texts.js';

/** @typedef {import('./game.js').State} State */
/** @typedef {import('./rules.js').Colour} Colour */
/** @typedef {import('./rules.js').Position} Position */

/**
 * @typedef {object} Card
 * @property {string} title
 * @property {string} why one sentence
 * @property {'won' | 'lost' | ''} tone for the user; empty for a spectator
 * @property {readonly string[]} actions in their order; `brief` first while a review is shown, and once the card is closed
 */

const LABELS = /** @type {Record<string, string>} */ ({
  rematch: t('after.rematch'),
  again: t('after.rematch'),
  review: t('after.review'),
  analyse: t('after.analyse'),
  share: t('after.share'),
  back: t('after.back'),
});

/** Ends whose card the user has closed. @type {WeakSet<Position>} */
const closed = new WeakSet();

/** The seat of the user of this page; null for a spectator, and where one user has both. @param {State} state @returns {Colour | null} */
function ownSeat({ refereed, seats: { players } }) {
  if (refereed) return refereed.ticket.seat;
  const human = /** @type {Colour} */ (players.indexOf(HUMAN));
  return players.filter((player) => player === HUMAN).length === 1 ? human : null;
}

/** The seat that has won; null for none. @param {State} state @returns {Colour | null} */
function winnerOf(state) {
  const { refereed, flagged } = state;
  if (refereed) return refereed.winner;
  if (flagged !== null) return /** @type {Colour} */ (1 - flagged);
  const tree = liveTree(state);
  const outcome = tree.position.outcome();
  return outcome && seatOf(tree, outcome.winner);
}

/** The participants in words, by seat, as subjects of a sentence. @param {State} state @returns {string[]} */
function subjectsOf(state) {
  const own = ownSeat(state);
  return namesOf(state).map((name, seat) => {
    if (seat === own) return t('after.you');
    return !state.refereed && levelOf(state.seats.players[seat]) ? t('after.engine') : name;
  });
}

/** @param {string} text */
const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Why a game has ended so. @param {State} state @param {Colour | null} winner */
function whyText(state, winner) {
  const tree = liveTree(state);
  const { position } = tree;
  const isCounted = position.outcome()?.reason === 'groups' && position.facts.odd_total;
  if (!isCounted || winner === null) return `${resultText({ ...state, tree })}.`;
  const first = ownSeat(state) ?? winner;
  const subjects = subjectsOf(state);
  const { black, white } = position.census();
  const count = (/** @type {number} */ seat) =>
    seatOf(tree, /** @type {Colour} */ (seat)) ? white : black;
  const key = first === ownSeat(state) ? 'after.why-own' : 'after.why';
  const values = { name: subjects[first], n: count(first), other: subjects[1 - first] };
  return sentence(t(key, { ...values, count: count(1 - first) }));
}

/** The actions that the user may take next. @param {State} state */
function actionsOf(state) {
  const { refereed, review, seats } = state;
  const may = {
    brief: review !== null || closed.has(state.tree.position),
    rematch: mayRematch(state) && !refereed?.request,
    again: !refereed && !seats.names,
    review: !review && mayReview(state),
    analyse: mayAnalyse(state),
    share: true,
  };
  return Object.entries(may).flatMap(([name, allowed]) => (allowed ? [name] : []));
}

/** The card of the end of a game, or of a board on which turns are tried; null for another position. @param {State} state @returns {Card | null} */
export function cardOf(state) {
  if (state.lesson) return null;
  if (isAway(state)) return TRYING;
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
    why: whyText(state, winner),
    tone: winner === null || own === null ? '' : won ? 'won' : 'lost',
    actions: actionsOf(state),
  };
}

/** @type {Card} */
const TRYING = {
  title: '',
  why: t('after.trying'),
  tone: '',
  actions: ['back'],
};

/** The last position, small. @param {Position} position @param {import('./layout.js').Layout} layout */
function pictureOf({ cells }, { at, slab, reach }) {
  const corners = slab.map(({ x, y }) => `${x * reach * STEP},${y * reach * STEP}`).join(' ');
  const size = 2 * (reach + 0.4) * STEP;
  const stones = at.flatMap(({ x, y }, cell) =>
    cells[cell] < 0
      ? []
      : [svg('circle', { class: `stone ${kind(cells[cell])}`, cx: x, cy: y, r: STONE })],
  );
  const box = `${-size / 2} ${-size / 2} ${size} ${size}`;
  const plate = svg('polygon', { class: 'plate', points: corners });
  const named = { role: 'img', 'aria-label': t('after.picture') };
  return svg('svg', { class: 'picture', viewBox: box, ...named }, plate, ...stones);
}

/** @param {string} title @param {string} why @param {string} tone @param {string} actions separated by spaces @param {Position} end @param {import('./layout.js').Layout} layout */
export function drawCard(title, why, tone, actions, end, layout) {
  const card = el('after');
  // Of a card that is closed, or leaves its room to a review, the rematch of two users stays.
  const isBrief = actions.startsWith('brief');
  const names = actions.split(' ').filter((name) => name && (!isBrief || name === 'rematch'));
  card.hidden = names.length === 0;
  card.className = `card result ${tone}`;
  const buttons = names.map((name) =>
    html('button', { type: 'button', 'data-after': name }, LABELS[name] ?? ''),
  );
  const close = html(
    'button',
    { type: 'button', class: 'icon', 'data-after': 'close', 'aria-label': t('after.close') },
    '×',
  );
  const row = html('div', { class: 'row' }, ...buttons);
  const head = () => [pictureOf(end, layout), html('h2', {}, title), close];
  const said = isBrief ? [] : [...(title ? head() : []), html('p', {}, why)];
  card.replaceChildren(...said, row);
}

/** @param {Pick<import('./controller.js').Controller, 'state' | 'change' | 'review' | 'rematch' | 'again' | 'analyse'>} page @param {(ticket: import('./game.js').Ticket) => import('./game.js').Ticket} keep stores the ticket of a rematch */
export function wireCard(page, keep) {
  /** @type {Record<string, () => void>} */
  const actions = {
    rematch: () => page.rematch(true, keep),
    again: () => page.again(),
    review: () => {
      page.review();
      openTab('review');
      el('review').scrollIntoView({ block: 'nearest' });
    },
    analyse: () => {
      page.analyse();
      openTab('analysis');
    },
    share: () => el('files-open').click(),
    back: () => page.change(toGame(page.state)),
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
