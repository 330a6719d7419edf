// Where a game stands by its facts: the figures that decide, who leads and why, and its rules in words.
import { capital, nameOf, parityName, parityText, stoneName } from './rules.js';
import { countsOf, factorsOf, isOfGroups, sizesOf } from './scoring.js';
import { t, tOf } from '../base/texts.js';

/** @import { Facts } from './facts.js' */
/** @import { Colour, Position, Rules } from './rules.js' */
/** @import { Verdict } from './scoring.js' */

/**
 * The three figures of the helper.
 * @typedef {object} Figures
 * @property {string} title what is counted
 * @property {[string, string, string]} values of Black, of White, and of both
 * @property {[string, string, string]} captions
 * @property {'' | 'fits' | 'unfit'} tone whether a turn may end with so many groups, where that has a rule
 */

/** @param {Facts} facts */
const isMultiplied = ({ count }) => count === 'product' || count === 'area';
/** Whether the sum of both counts decides. @param {Facts} facts */
const isBySum = ({ wins }) => wins === 'odd' || wins === 'even';

/** @param {number} n */
const groupsFrom = (n) => (n > 1 ? t('count.large', { n }) : t('count.one'));

/** The name of what is counted of each colour. @param {Facts} facts */
function countName({ count, value, k }) {
  if (count !== 'points') return tOf(`count.${count}`);
  return value === 'large' ? groupsFrom(k) : tOf(`count.${value}`, { k });
}

/** The name of what a tie compares. @param {Verdict} verdict @param {Facts} facts */
function comparedName({ by, at }, facts) {
  if (by === 'size') return groupsFrom(at + 1);
  if (by === 'ascending') return t('count.ascending', { n: at + 1 });
  if (by === 'stones') return t('count.size');
  return by === 'odd' ? t('count.odd-sized') : countName(facts);
}

/** The counts of Black and White, whose course over a game is drawn. @param {Position} position */
export const courseOf = (position) => countsOf(position.census().groups, position.facts);
/** The name of what `courseOf` counts. @param {Rules} rules */
export const courseTitle = ({ facts }) => capital(countName(facts));

/** The counts as a sentence has them: 4 × 1 = 4. @param {Position} position */
function countTexts(position) {
  const { facts } = position;
  const counts = courseOf(position);
  return counts.map((count, colour) =>
    isMultiplied(facts) ? `${factorsText(position, colour)} = ${count}` : String(count),
  );
}

/** @param {Position} position @param {number} colour */
const factorsText = (position, colour) =>
  factorsOf(sizesOf(position.census().groups)[colour], position.facts).join(' × ');

/** @param {Position} position @returns {Figures} */
export function figuresOf(position) {
  const { facts } = position;
  const { total } = position.census();
  const verdict = position.verdict();
  const counts = courseOf(position);
  const isOfCounts = !verdict || ['count', 'black', 'white'].includes(verdict.by);
  const values = isOfCounts ? counts : verdict.values;
  const names = [0, 1].map((colour) =>
    isOfCounts && isMultiplied(facts)
      ? factorsText(position, colour)
      : nameOf(/** @type {Colour} */ (colour)),
  );
  const sum = counts[0] + counts[1];
  const parity = parityName(total);
  /** @type {string[]} */
  const [value, caption] =
    facts.parity !== null
      ? [String(total), isOfGroups(facts) ? parity : t('standing.groups', { parity })]
      : isBySum(facts)
        ? [String(sum), parityName(sum)]
        : verdict
          ? [`+${verdict.score}`, nameOf(verdict.winner)]
          : ['=', t('standing.level')];
  return {
    title: capital(isOfCounts ? countName(facts) : comparedName(verdict, facts)),
    values: [String(values[0]), String(values[1]), value],
    captions: [names[0], names[1], caption],
    tone: facts.parity === null || !total ? '' : position.fits(total) ? 'fits' : 'unfit',
  };
}

/** Both values, the winner's first. @template T @param {readonly T[]} values @param {Colour} winner @returns {T[]} */
const facing = ([black, white], winner) => (winner ? [white, black] : [black, white]);

/** Why the winner of the count leads or has won, to follow "White leads" or "White wins". @param {Position} position */
export function reasonText(position) {
  const { facts } = position;
  const verdict = position.verdict();
  if (!verdict) return '';
  const { winner, by, values } = verdict;
  const what = countName(facts);
  const [black, white] = courseOf(position);
  if (isBySum(facts)) {
    const n = black + white;
    return t('standing.why-sum', { what, n, parity: parityName(n) });
  }
  if (by === 'count') {
    const [own, rival] = facing(countTexts(position), winner);
    const isNumber = facts.count === 'points' && ['one', 'size', 'large'].includes(facts.value);
    const key = isNumber ? `standing.why-${facts.wins}` : `standing.why-number-${facts.wins}`;
    return tOf(key, { what, own, rival });
  }
  const [own, rival] = facing(values, winner);
  const compared = comparedName(verdict, facts);
  const tie =
    by === 'black' || by === 'white'
      ? t('standing.tie-colour', { name: nameOf(winner) })
      : t(by === 'ascending' ? 'standing.tie-larger' : 'standing.tie-fewer', {
          ...{ what: compared, own, rival },
        });
  return t('standing.why-tie', { what, each: black, tie });
}

/** The winner of a game that has ended on the board, and how; empty before. @param {Position} position */
export function wonText(position) {
  const outcome = position.outcome();
  if (!outcome) return '';
  const { winner, reason } = outcome;
  const how = reason === 'resign' ? t('standing.resigned') : reasonText(position);
  return t('standing.wins', { name: nameOf(winner) }) + how;
}

/** The lead or the win, and its reason. @param {Position} position */
export function verdictText(position) {
  if (position.isOver) return wonText(position);
  const { total } = position.census();
  if (total === 0) return t('standing.empty');
  if (!position.fits(total)) return t(total % 2 ? 'standing.odd' : 'standing.even');
  const verdict = position.verdict();
  if (!verdict) return t('standing.drawn');
  return t('standing.leads', { name: nameOf(verdict.winner) }) + reasonText(position);
}

/** The count that matters, after a turn: "17 groups, odd", or who leads. @param {Position} position */
export const summaryText = (position) =>
  position.facts.parity === null ? verdictText(position) : parityText(position.census().total);

/** @param {string | number} was @param {string | number} is */
const arrow = (was, is) => (was === is ? t('standing.stays', { n: is }) : `${was} → ${is}`);

/**
 * What a stone changes: "black 7 → 6, total 12 even", "black: 6 × 5 = 30 → 7 × 5 = 35".
 * @param {Position} before @param {Position} after @param {Colour} colour of the stone
 */
export function changeText(before, after, colour) {
  const { facts } = before;
  const name = stoneName(colour);
  const what = countName(facts);
  const { total } = after.census();
  const isGroups = isOfGroups(facts);
  const number = { n: total };
  const parity =
    facts.parity === null
      ? ''
      : `, ${isGroups ? `${t('standing.total', number)} ${parityName(total)}` : parityText(total)}`;
  if (isBySum(facts)) {
    const [was, is] = [before, after].map((one) => courseOf(one)[0] + courseOf(one)[1]);
    return `${name}: ${t('standing.in-all', { what })} ${arrow(was, is)}, ${parityName(is)}${parity}`;
  }
  const [was, is] = [before, after].map((one) => countTexts(one)[colour]);
  const subject = isGroups ? name : isMultiplied(facts) ? `${name}:` : `${name}: ${what}`;
  return `${subject} ${arrow(was, is)}${parity}`;
}

/**
 * What a turn is, the goal of a game, when it ends, and the meaning of a pass in it.
 * @param {Rules} rules
 * @returns {{turn: string, goal: string, end: string, pass: string}}
 */
export function aimOf({ facts }) {
  const { pass, fullEnds } = facts;
  const passes = pass !== 'none';
  return {
    turn: turnText(facts),
    goal: goalText(facts),
    end: t(!passes ? 'aim.end-full' : fullEnds ? 'aim.end-either' : 'aim.end'),
    pass: tOf(`aim.pass-${pass}`),
  };
}

/** @param {boolean} isOwn */
const colourKey = (isOwn) => (isOwn ? 'own' : 'either');

/** @param {Facts} facts */
function turnText({ first, firstOwn, stones, own, parity, pie }) {
  const [fewest, most] = stones;
  const isAlike = firstOwn === own;
  const isSame = isAlike && fewest === first && most === first;
  return t('aim.turn', {
    stones: tOf(`aim.stones-${fewest}${most}-${colourKey(own)}`),
    groups: parity === null ? '' : t(parity ? 'aim.leave-odd' : 'aim.leave-even'),
    first: isSame ? '' : tOf(`aim.first-${first}${isAlike ? '' : `-${colourKey(firstOwn)}`}`),
    swap: pie ? t('aim.swap') : '',
  });
}

/** @param {Facts} facts */
function goalText({ count, value, k, lone, wins, ties }) {
  const key = count === 'points' ? value : count;
  const texts = [...new Set(ties)].map((tie, index) =>
    t(index ? 'aim.tie-next' : 'aim.tie', { tie: tOf(`aim.tie-${tie}`) }),
  );
  return t('aim.goal', {
    count: tOf(`aim.count-${key}`, { k, n: k, lone }),
    wins: tOf(`aim.wins-${wins}`),
    ties: texts.join(''),
  });
}
