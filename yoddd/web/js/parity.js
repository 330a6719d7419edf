// The parity helper: the effect of a stone before it is dropped.
import { nameOf, parity } from './rules.js';

/** @typedef {import('./rules.js').Position} Position */
/** @typedef {import('./rules.js').Stone} Stone */
/** @typedef {import('./rules.js').Colour} Colour */

/**
 * The effect of one more stone.
 * @typedef {object} Effect
 * @property {Stone} stone
 * @property {number[]} merges numbers of the groups it joins
 * @property {number} before groups of its colour before
 * @property {number} after and after
 * @property {number} total groups of both colours after
 * @property {boolean} legal whether the turn may end with it
 * @property {boolean} completable whether some legal turn goes on from here
 */

/**
 * The effect of `stone` as the next stone of a turn begun with `pending`.
 * @param {Position} position where the turn began
 * @param {readonly Stone[]} pending
 * @param {Stone} stone
 * @returns {Effect}
 */
export function effectOf(position, pending, stone) {
  const now = position.withStones(pending);
  const { black, white } = now.census();
  const before = stone.colour ? white : black;
  const merges = now.joins(stone);
  const total = black + white + 1 - merges.length;
  const legal = position.dropProblem([...pending, stone]) === null;
  const completable = legal || (pending.length === 0 && position.completable(stone));
  return { stone, merges, before, after: before + 1 - merges.length, total, legal, completable };
}

/**
 * A line for the panel, such as "black 7→6, total 12 even".
 * @param {Effect} effect
 * @param {boolean} counts whether parity rules the game
 */
export function effectText(effect, counts) {
  const { before, after, total } = effect;
  const change = before === after ? `stays ${after}` : `${before} → ${after}`;
  const name = nameOf(effect.stone.colour).toLowerCase();
  return `${name} ${change}, total ${total}${counts ? ` ${parity(total)}` : ''}`;
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four'];

/**
 * A sentence for the live region: "black on c3 joins two groups, total six, even".
 * @param {Effect} effect
 * @param {string} label
 * @param {boolean} counts
 */
export function effectSentence(effect, label, counts) {
  const { merges, total } = effect;
  const joined =
    merges.length === 0
      ? 'makes a new group'
      : merges.length === 1
        ? 'joins a group'
        : `joins ${NUMBERS[merges.length]} groups`;
  const ending = counts
    ? `, ${parity(total)}${
        effect.legal ? '' : effect.completable ? ', needs a second stone' : ', no turn completes it'
      }`
    : '';
  return `${nameOf(effect.stone.colour).toLowerCase()} on ${label} ${joined}, total ${total}${ending}`;
}

/**
 * For every cell which colours fit: as a second stone after an even first one they complete the
 * turn, as a first stone they leave a way to complete it.
 * @typedef {object} Options
 * @property {boolean} completing whether they complete a turn rather than begin one
 * @property {[boolean, boolean][]} fits by cell: black, white
 * @property {number} count how many stones fit
 */

/**
 * @param {Position} position
 * @param {readonly Stone[]} pending
 * @returns {Options}
 */
export function optionsOf(position, pending) {
  /** @type {[boolean, boolean][]} */
  const fits = Array.from(position.cells, () => [false, false]);
  const completing = pending.length === 1 && position.maxStones === 2;
  let found = 0;
  if (pending.length < position.maxStones && !position.isOver) {
    const stones = completing
      ? position.completions(pending[0])
      : position.candidates().filter((stone) => position.completable(stone));
    for (const { cell, colour } of stones) fits[cell][colour] = true;
    found = stones.length;
  }
  return { completing, fits, count: found };
}

/**
 * A link between two groups over a diamond's empty waist.
 * @typedef {{ends: [number, number], waist: [number, number], colour: Colour, safe: boolean}} Link
 */

/**
 * The diamonds whose ends belong to different groups of one colour, by the designer's rule: safe if
 * the opponent has none or two groups next to the cells between (or four, which come out even too).
 * @param {Position} position
 * @returns {Link[]}
 */
export function diamondLinks(position) {
  if (position.rules.game !== 'yodd') return [];
  const { cells } = position;
  const { owner } = position.census();
  const { diamonds, neighbours } = position.rules.board;
  /** @type {Link[]} */
  const links = [];
  for (const { ends, waist } of diamonds) {
    const [one, two] = ends;
    const colour = cells[one];
    const open = cells[waist[0]] < 0 && cells[waist[1]] < 0;
    if (!open || colour < 0 || cells[two] !== colour || owner[one] === owner[two]) continue;
    const rivals = new Set();
    for (const cell of waist) {
      for (const next of neighbours[cell]) {
        if (cells[next] === 1 - colour) rivals.add(owner[next]);
      }
    }
    const safe = rivals.size % 2 === 0;
    links.push({ ends, waist, colour: /** @type {Colour} */ (colour), safe });
  }
  return links;
}

/** The result of two passes now, in words. @param {Position} position */
export function verdictText(position) {
  const verdict = position.verdict();
  const { black, white, total } = position.census();
  if (total === 0) return 'The board is empty';
  if (position.facts.odd && total % 2 === 0) return 'Even: no turn ends so';
  if (!verdict) return 'Level as it stands';
  const winner = nameOf(verdict.winner);
  if (!position.facts.odd) {
    const score = position.rules.game === 'odd' ? '' : ` by ${verdict.score}`;
    return `As it stands: ${winner} wins${score}`;
  }
  const [own, rival] = verdict.winner ? [white, black] : [black, white];
  return `If both pass now: ${winner} wins ${own}–${rival}`;
}
