// The card that a game ends with: won or lost, why, and what may follow.
import { isBranch, isOver, liveTree, mayAnalyse, mayReview, mayRematch, namesOf } from './game.js';
import { plural } from './rules.js';
import { HUMAN, levelOf, seatOf } from './seats.js';
import { resultText } from './status.js';
import { el, html } from './svg.js';
import { openTab } from './tabs.js';

/** @typedef {import('./game.js').State} State */
/** @typedef {import('./rules.js').Colour} Colour */
/** @typedef {import('./rules.js').Position} Position */

/**
 * @typedef {object} Card
 * @property {string} title
 * @property {string} why one sentence
 * @property {'won' | 'lost' | ''} tone for the user; empty for a spectator
 * @property {readonly string[]} actions in their order; `brief` first while a review is shown
 */

const LABELS = /** @type {Record<string, string>} */ ({
  rematch: 'Rematch',
  again: 'Rematch',
  review: 'Review',
  analyse: 'Analyse',
  share: 'Share',
});

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
    if (seat === own) return 'you';
    return !state.refereed && levelOf(state.seats.players[seat]) ? 'the engine' : name;
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
  const verb = subjects[first] === 'you' ? 'have' : 'has';
  const own = `${subjects[first]} ${verb} ${plural(count(first), 'group')}`;
  return sentence(`${own}, ${subjects[1 - first]} ${count(1 - first)}`);
}

/** The actions that the user may take next. @param {State} state */
function actionsOf(state) {
  const { refereed, review, seats } = state;
  const may = {
    brief: review !== null,
    rematch: mayRematch(state) && !refereed?.request,
    again: !refereed && !seats.names,
    review: !review && mayReview(state),
    analyse: mayAnalyse(state),
    share: true,
  };
  return Object.entries(may).flatMap(([name, allowed]) => (allowed ? [name] : []));
}

/** The card of the position that is shown; null where no game has ended. @param {State} state @returns {Card | null} */
export function cardOf(state) {
  const live = liveTree(state).position;
  const isEnd = state.tree.position === (state.refereed?.end ?? live);
  if (!isOver(state) || !isEnd || isBranch(state) || state.lesson) return null;
  const winner = winnerOf(state);
  const own = ownSeat(state);
  const won = winner === own;
  return {
    title:
      winner === null
        ? 'No winner'
        : own === null
          ? `${namesOf(state)[winner]} won`
          : won
            ? 'You won'
            : 'You lost',
    why: whyText(state, winner),
    tone: winner === null || own === null ? '' : won ? 'won' : 'lost',
    actions: actionsOf(state),
  };
}

/** Ends whose card the user has closed. @type {WeakSet<Position>} */
const closed = new WeakSet();

/** @param {string} title @param {string} why @param {string} tone @param {string} actions separated by spaces @param {Position} end */
export function drawCard(title, why, tone, actions, end) {
  const card = el('after');
  // Of a card that is closed, or leaves its room to a review, the rematch of two users stays.
  const isBrief = closed.has(end) || actions.startsWith('brief');
  const names = actions.split(' ').filter((name) => !isBrief || name === 'rematch');
  card.hidden = !title || names.length === 0;
  card.className = `card result ${tone}`;
  const buttons = names.map((name) =>
    html('button', { type: 'button', 'data-after': name }, LABELS[name] ?? ''),
  );
  const close = html(
    'button',
    { type: 'button', class: 'icon', 'data-after': 'close', 'aria-label': 'Close the result' },
    '×',
  );
  const row = html('div', { class: 'row' }, ...buttons);
  const said = [html('h2', {}, title), close, html('p', {}, why)];
  card.replaceChildren(...(isBrief ? [] : said), row);
}

/** @param {Pick<import('./controller.js').Controller, 'state' | 'review' | 'rematch' | 'again' | 'analyse'>} page @param {(ticket: import('./game.js').Ticket) => import('./game.js').Ticket} keep stores the ticket of a rematch */
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
    close: () => {
      const end = page.state.tree.position;
      const { title = '', why = '', tone = '', actions: next = [] } = cardOf(page.state) ?? {};
      closed.add(end);
      drawCard(title, why, tone, next.join(' '), end);
    },
  };
  el('after').addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('[data-after]') : null;
    if (button instanceof HTMLElement) actions[button.dataset.after ?? '']?.();
  });
}
