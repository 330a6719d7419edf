// The parity helper: the effect of a stone before it is placed.
import { memo } from '../base/memo.js';
import { parityName, stoneName } from './rules.js';
import { changeText } from './standing.js';
import { t, tOf } from '../base/texts.js';

/** @import { Colour, Position, Stone } from './rules.js' */

/**
 * The effect of one more stone.
 * @typedef {object} Effect
 * @property {Stone} stone
 * @property {number[]} merges numbers of the groups it joins
 * @property {string} change what it changes by the rule of the game, for the panel
 * @property {string} result the same for a sentence
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
  const after = now.withStones([stone]);
  const { total } = after.census();
  const change = changeText(now, after, stone.colour);
  const legal = position.dropProblem([...pending, stone]) === null;
  return {
    stone,
    merges: now.joins(stone),
    change,
    result:
      position.facts.parity !== null
        ? `${t('standing.total', { n: total })}, ${parityName(total)}`
        : change,
    legal,
    completable: legal || (pending.length === 0 && position.completable(stone)),
  };
}

/**
 * A sentence for the live region: "black on c3 joins two groups, total 6, even".
 * @param {Effect} effect
 * @param {string} label
 * @param {boolean} counts whether parity rules the game
 */
export function effectSentence(effect, label, counts) {
  const { merges, result, legal, completable } = effect;
  const joined = merges.length === 0 ? t('effect.new') : tOf(`effect.joins-${merges.length}`);
  const rest = `, ${t(completable ? 'effect.needs' : 'effect.hopeless')}`;
  const name = stoneName(effect.stone.colour);
  return (
    t('effect.sentence', { name, cell: label, joined, result }) + (counts && !legal ? rest : '')
  );
}

/**
 * For every cell which colours fit: as a second stone after an even first one they complete the
 * turn, as a first stone they leave a way to complete it.
 * @typedef {object} Options
 * @property {boolean} completing whether they complete a turn rather than begin one
 * @property {[boolean, boolean][]} fits by cell: black, white
 * @property {number} count how many stones fit
 * @property {number} misfits how many do not
 * @property {boolean} excluding whether those that do not complete the turn are marked, since they are fewer
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
  const free = position.withStones(pending).candidates().length;
  if (pending.length < position.maxStones && !position.isOver) {
    const stones = completing
      ? position.completions(pending[0])
      : position.candidates().filter((stone) => position.completable(stone));
    for (const { cell, colour } of stones) fits[cell][colour] = true;
    found = stones.length;
  }
  const misfits = free - found;
  return { completing, fits, count: found, misfits, excluding: completing && misfits < found };
}

/**
 * The stone under the pointer; null if none can be dropped there.
 * @param {Position} position @param {readonly Stone[]} pending @param {number | null} cell @param {Colour} colour
 * @returns {import('../board/board.js').Ghost | null}
 */
export function ghostOf(position, pending, cell, colour) {
  if (cell === null || !position.isEmpty(cell) || pending.some((stone) => stone.cell === cell))
    return null;
  const held = pending.length < position.maxStones ? pending : pending.slice(0, -1);
  const stone = { cell, colour };
  const { merges, legal, completable } = effectOf(position, held, stone);
  return { stone, position: position.withStones(held), merges, fits: legal || completable };
}

/** Rhombi of four cells: the two ends touch both cells of the waist, but not each other. */
const diamondsOf = memo((/** @type {number[][]} */ neighbours) => {
  /** @type {{ends: [number, number], waist: [number, number]}[]} */
  const found = [];
  neighbours.forEach((around, one) => {
    for (const two of around) {
      if (two > one) {
        const ends = around.filter((cell) => neighbours[two].includes(cell));
        if (ends.length === 2) found.push({ ends: [ends[0], ends[1]], waist: [one, two] });
      }
    }
  });
  return found;
});

/**
 * A link between two groups over a diamond's empty waist.
 * @typedef {{ends: [number, number], waist: [number, number], colour: Colour, safe: boolean}} Link
 */

/** Whether the rule on diamonds holds: the turns are Yodd's. @param {Position} position */
export const hasLinks = ({ facts, rules }) =>
  rules.board.shape === 'hex' && !facts.own && facts.parity === 1 && facts.stones.join() === '1,2';

/**
 * The diamonds whose ends belong to different groups of one colour, by the designer's rule: safe if
 * the opponent has none or two groups next to the cells between (or four, which come out even too).
 * @param {Position} position
 * @returns {Link[]}
 */
export function diamondLinks(position) {
  if (!hasLinks(position)) return [];
  const { cells } = position;
  const { owner } = position.census();
  const { neighbours } = position.rules.board;
  /** @type {Link[]} */
  const links = [];
  for (const { ends, waist } of diamondsOf(neighbours)) {
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
