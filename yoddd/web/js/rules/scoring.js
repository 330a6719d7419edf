// Who wins by the groups on the board, and by what: yoddd/rules/scoring.py does the same.

/** @import { Facts, Tie } from './facts.js' */
/** @import { Colour, Group } from './rules.js' */

/**
 * What decides, or would if the game ended now.
 * @typedef {object} Verdict
 * @property {Colour} winner
 * @property {'groups'} reason
 * @property {number} score
 * @property {'count' | Tie} by
 * @property {[number, number]} values of Black and White; what `by` compares
 * @property {number} at of `size` the most stones of the groups left out, of `ascending` the place of the sizes
 */

/** The worth of a group. @type {Record<Facts['value'], (size: number, k: number) => number>} */
const VALUES = {
  one: () => 1,
  size: (size) => size,
  less: (size, k) => size - k,
  square: (size) => size * size,
  odd: (size) => (size % 2 ? 1 : 2),
  large: (size, k) => Number(size >= k),
};

/** The count of a colour, from the sizes of its groups, ascending. @type {Record<Facts['count'], (sizes: number[], facts: Facts) => number>} */
const COUNTS = {
  points: (sizes, { value, k }) => sum(sizes.map((size) => VALUES[value](size, k))),
  largest: (sizes, { lone }) => sizes[sizes.length - 1] ?? lone,
  smallest: (sizes, { lone }) => sizes[0] ?? lone,
  product: multiplied,
  area: multiplied,
};

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

/** The two numbers that a product or an area multiplies. @param {number[]} sizes ascending @param {Facts} facts */
export const factorsOf = (sizes, { count, lone }) =>
  count === 'area'
    ? [sizes[sizes.length - 1] ?? 0, sizes.length]
    : [sizes[sizes.length - 1] ?? lone, sizes[sizes.length - 2] ?? lone];

/** @param {number[]} sizes @param {Facts} facts */
function multiplied(sizes, facts) {
  const [one, other] = factorsOf(sizes, facts);
  return one * other;
}

/** For each colour the sizes of its groups, ascending. @param {Group[]} groups */
export const sizesOf = (groups) =>
  [0, 1].map((side) =>
    groups
      .filter(({ colour }) => colour === side)
      .map(({ cells }) => cells.length)
      .sort((a, b) => a - b),
  );

/** The counts of Black and White. @param {Group[]} groups @param {Facts} facts @returns {[number, number]} */
export const countsOf = (groups, facts) =>
  /** @type {[number, number]} */ (
    sizesOf(groups).map((sizes) => COUNTS[facts.count](sizes, facts))
  );

/** Whether groups are counted, all of them. @param {Facts} facts */
export const isOfGroups = ({ count, value }) => count === 'points' && value === 'one';
/** Whether the groups are told apart by their numbers, and not by their sizes. @param {Facts} facts */
export const hasNumbers = (facts) => facts.parity !== null && isOfGroups(facts);

/** The number of odd ones. @param {number[]} sizes */
const oddOnes = (sizes) => sizes.filter((size) => size % 2).length;

/**
 * By how much Black leads by a tie, with the values that it compares.
 * @type {Record<Tie, (black: number[], white: number[]) => {lead: number, values: [number, number], at?: number}>}
 */
const TIES = {
  size: (black, white) => {
    for (let n = 0; ; n += 1) {
      const [ours, theirs] = [black, white].map((sizes) => sizes.filter((one) => one > n).length);
      if (ours !== theirs || !ours) return { ...fewer(ours, theirs), at: n };
    }
  },
  ascending: (black, white) => {
    let at = 0;
    while (at < black.length && black[at] === white[at]) at += 1;
    const [ours, theirs] = [black[at] ?? 0, white[at] ?? 0];
    return { lead: ours - theirs, values: [ours, theirs], at };
  },
  stones: (black, white) => fewer(sum(black), sum(white)),
  odd: (black, white) => fewer(oddOnes(black), oddOnes(white)),
  black: (black, white) => ({
    lead: Math.abs(sum(black) - sum(white)) || 1,
    values: [sum(black), sum(white)],
  }),
  white: (black, white) => {
    const { lead, values } = TIES.black(black, white);
    return { lead: -lead, values };
  },
};

/** @param {number} ours @param {number} theirs @returns {{lead: number, values: [number, number]}} */
const fewer = (ours, theirs) => ({ lead: theirs - ours, values: [ours, theirs] });

/** The winner by the groups; null where nothing decides. @param {Group[]} groups @param {Facts} facts @returns {Verdict | null} */
export function judge(groups, facts) {
  const values = countsOf(groups, facts);
  const [black, white] = values;
  const { wins } = facts;
  const made = (/** @type {number} */ lead, /** @type {Partial<Verdict>} */ more) =>
    /** @type {Verdict} */ ({
      winner: lead > 0 ? 0 : 1,
      reason: 'groups',
      score: Math.abs(lead),
      by: 'count',
      values,
      at: 0,
      ...more,
    });
  if (wins === 'odd' || wins === 'even')
    return made(Math.abs(black + white) % 2 === Number(wins === 'odd') ? 1 : -1, {});
  const lead = wins === 'more' ? black - white : white - black;
  if (lead) return made(lead, {});
  const [blacks, whites] = sizesOf(groups);
  for (const by of facts.ties) {
    const { lead: decided, ...found } = TIES[by](blacks, whites);
    if (decided) return made(decided, { by, ...found });
  }
  return null;
}
