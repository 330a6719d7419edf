// Where a game stands by its own rule: the figures that decide, who leads and why, and the goal.
import {
  GAMES,
  nameOf,
  parity,
  parityName,
  parityText,
  productsOf,
  stoneName,
  tally,
} from './rules.js';
import { t } from '../base/texts.js';

/** @import { Colour, Position } from './rules.js' */

/**
 * The three figures of the helper.
 * @typedef {object} Figures
 * @property {string} title what is counted
 * @property {[string, string, string]} values of Black, of White, and of both
 * @property {[string, string, string]} captions
 * @property {'' | 'odd' | 'even'} tone the parity, where a turn has to leave an odd number
 */

/** Groups of at least `min_group` stones, by colour. @param {Position} position */
export const largeOf = (position) =>
  tally(position.census().groups, Number(position.rules.options.min_group) - 1);

/** The counts of groups bigger than 0, 1, 2 … stones, up to the first that differ. @param {Position} position */
export function decidingCounts(position) {
  const { groups } = position.census();
  const largest = Math.max(0, ...groups.map(({ cells }) => cells.length));
  const counts = [tally(groups)];
  while (counts.length < largest) {
    const [black, white] = counts[counts.length - 1];
    if (black !== white) break;
    counts.push(tally(groups, counts.length));
  }
  return counts;
}

/** @param {number} least */
const ofSize = (least) => (least > 1 ? t('standing.of-size', { least }) : '');

/** The margin of who leads, with a caption. @param {Position} position @returns {[string, string]} */
function lead(position) {
  const verdict = position.verdict();
  return verdict ? [`+${verdict.score}`, nameOf(verdict.winner)] : ['=', t('standing.level')];
}

/** @param {number} black @param {number} white @param {[string, string]} last @returns {Pick<Figures, 'values' | 'captions' | 'tone'>} */
const pair = (black, white, [value, caption]) => ({
  values: [String(black), String(white), value],
  captions: [nameOf(0), nameOf(1), caption],
  tone: '',
});

/** @type {Record<string, (position: Position) => Figures>} */
const FIGURES = {
  odd: (position) => {
    const [black, white] = largeOf(position);
    const total = black + white;
    return {
      ...pair(black, white, [String(total), parityName(total)]),
      title: t('standing.groups') + ofSize(Number(position.rules.options.min_group)),
    };
  },
  yoin: (position) => {
    const counts = decidingCounts(position);
    const [black, white] = counts[counts.length - 1];
    return {
      ...pair(black, white, lead(position)),
      title: t('standing.groups') + ofSize(counts.length),
    };
  },
  product: (position) => {
    const [black, white] = productsOf(position);
    return {
      ...pair(black.product, white.product, lead(position)),
      title: t('standing.product'),
      captions: [factors(black), factors(white), lead(position)[1]],
    };
  },
};

/** @param {{sizes: [number, number]}} side */
const factors = ({ sizes }) => sizes.join(' × ');

/** The two numbers whose course over a game is drawn: groups, large groups, or products. @param {Position} position @returns {[number, number]} */
export function courseOf(position) {
  const { kind } = position.facts;
  const [black, white] =
    kind === 'product'
      ? productsOf(position).map(({ product }) => product)
      : kind === 'odd'
        ? largeOf(position)
        : tally(position.census().groups);
  return [black, white];
}

/** @type {Record<string, string>} */
const COURSES = { odd: t('standing.large'), product: t('standing.products') };

/** The name of what `courseOf` counts. @param {import('./rules.js').Rules} rules */
export const courseTitle = ({ game }) => COURSES[GAMES[game].kind] ?? t('standing.groups');

/** @param {Position} position @returns {Figures} */
export function figuresOf(position) {
  const own = FIGURES[position.facts.kind];
  if (own) return own(position);
  const { black, white, total } = position.census();
  return {
    ...pair(black, white, [String(total), parityName(total)]),
    title: t('standing.groups'),
    tone: total ? parity(total) : '',
  };
}

/** The reason for the lead of the winner of `verdict`, after "White leads". @type {Record<string, (position: Position, winner: Colour) => string>} */
const REASONS = {
  odd: (position) => {
    const [black, white] = largeOf(position);
    return t('standing.why-large', { n: black + white, parity: parityName(black + white) });
  },
  yoin: (position, winner) => {
    const counts = decidingCounts(position);
    const level = counts
      .slice(0, -1)
      .map(
        ([each], index) =>
          t('standing.each', { each }) + (ofSize(index + 1) || t('standing.of-all')),
      );
    const [own, rival] = facing(counts[counts.length - 1], winner);
    const before = level.length ? ` (${level.join(', ')})` : '';
    return t('standing.why-fewer', { size: ofSize(counts.length), own, rival }) + before;
  },
  product: (position, winner) => {
    const [own, rival] = facing(productsOf(position), winner);
    if (own.product !== rival.product)
      return t('standing.why-product', {
        own: `${factors(own)} = ${own.product}`,
        rival: `${factors(rival)} = ${rival.product}`,
      });
    const equal = t('standing.equal', { n: own.product });
    if (position.rules.options.tie !== 'stones')
      return t('standing.tie-colour', { equal, name: nameOf(winner) });
    return t('standing.tie-stones', { equal, own: own.stones, rival: rival.stones });
  },
};

/** Both values, the winner's first. @template T @param {readonly T[]} values @param {Colour} winner @returns {T[]} */
const facing = ([black, white], winner) => (winner ? [white, black] : [black, white]);

/** Why `winner` leads or has won, to follow "White leads" or "White wins". @param {Position} position @param {Colour} winner */
export function reasonText(position, winner) {
  const own = REASONS[position.facts.kind];
  if (own) return own(position, winner);
  const { black, white } = position.census();
  const [least, most] = facing([black, white], winner);
  return t('standing.why-fewer', { size: '', own: least, rival: most });
}

/** The winner of a game that has ended on the board, and how; empty before. @param {Position} position */
export function wonText(position) {
  const outcome = position.outcome();
  if (!outcome) return '';
  const { winner, reason } = outcome;
  const how = reason === 'resign' ? t('standing.resigned') : reasonText(position, winner);
  return t('standing.wins', { name: nameOf(winner) }) + how;
}

/** The lead or the win, and its reason. @param {Position} position */
export function verdictText(position) {
  if (position.isOver) return wonText(position);
  const { total } = position.census();
  if (total === 0) return t('standing.empty');
  if (position.facts.odd_total && total % 2 === 0) return t('standing.even');
  const verdict = position.verdict();
  if (!verdict) return t('standing.drawn');
  return (
    t('standing.leads', { name: nameOf(verdict.winner) }) + reasonText(position, verdict.winner)
  );
}

/** The count that matters, after a turn: "17 groups, odd", or who leads. @param {Position} position */
export function summaryText(position) {
  if (position.facts.odd_total) return parityText(position.census().total);
  return verdictText(position);
}

/** The change by a stone of `colour`, by the rule of the game. @type {Record<string, (before: Position, after: Position, colour: Colour) => string>} */
const CHANGES = {
  odd: (before, after) => {
    const [was, is] = [before, after].map((one) => largeOf(one)[0] + largeOf(one)[1]);
    return t('standing.large-change', { change: arrow(was, is), parity: parityName(is) });
  },
  product: (before, after, colour) => {
    const [was, is] = [before, after].map((one) => {
      const side = productsOf(one)[colour];
      return `${factors(side)} = ${side.product}`;
    });
    return arrow(was, is);
  },
};

/** @param {string | number} was @param {string | number} is */
const arrow = (was, is) => (was === is ? t('standing.stays', { n: is }) : `${was} → ${is}`);

/**
 * What a stone changes: "black 7 → 6, total 12 even", "black 6 × 5 = 30 → 7 × 5 = 35".
 * @param {Position} before @param {Position} after @param {Colour} colour of the stone
 */
export function changeText(before, after, colour) {
  const name = stoneName(colour);
  const own = CHANGES[before.facts.kind];
  if (own) return `${name}: ${own(before, after, colour)}`;
  const [was, is] = [before, after].map((one) => tally(one.census().groups)[colour]);
  const { total } = after.census();
  return `${name} ${arrow(was, is)}${before.facts.odd_total ? `, ${t('standing.total', { n: total })} ${parityName(total)}` : ''}`;
}

const TURNS = /** @type {Record<string, string>} */ ({
  odd: t('aim.turn-odd'),
  yoin: t('aim.turn-yoin'),
  product: t('aim.turn-product'),
});

/**
 * What a turn is, the goal of a game, when it ends, and the meaning of a pass in it.
 * @param {import('./rules.js').Rules} rules
 * @returns {{turn: string, goal: string, end: string, pass: string}}
 */
export function aimOf({ game, options }) {
  const { kind } = GAMES[game];
  const turn = TURNS[kind];
  const full = t('aim.end-full');
  if (turn) return { turn, goal: fullBoardGoal(kind, options), end: full, pass: NO_PASS };
  const isOwn = options.own_colour === 'on';
  return {
    turn: t(isOwn ? 'aim.turn-own' : 'aim.turn'),
    goal: t('aim.goal'),
    end: t(options.end_on_full === 'on' ? 'aim.end-either' : 'aim.end'),
    pass: t(isOwn ? 'aim.pass-own' : 'aim.pass'),
  };
}

const NO_PASS = t('aim.no-pass');

/** The goal of a game that fills the board. @param {string} kind @param {Record<string, string>} options */
function fullBoardGoal(kind, options) {
  if (kind === 'odd') return t('aim.goal-odd', { n: Number(options.min_group) });
  if (kind === 'yoin') return t('aim.goal-yoin');
  return t('aim.goal-product');
}
