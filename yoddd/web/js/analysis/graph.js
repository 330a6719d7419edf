// The course of a game in one small picture: what counts for both colours, and winrates where known.
import { gradeSign } from '../board/grades.js';
import { courseOf } from '../rules/standing.js';
import { el, svg } from '../base/svg.js';

const [WIDTH, HEIGHT, PAD] = [300, 64, 5];

/**
 * @param {readonly import('../rules/tree.js').Node[]} line
 * @param {number} index
 * @param {ReadonlyMap<import('../rules/rules.js').Position, number>} winrates
 * @param {ReadonlyMap<import('../rules/rules.js').Position, import('./judgements.js').Judgement>} judged
 */
export function drawGraph(line, index, winrates, judged) {
  const root = el('graph');
  const counts = line.map(({ position }) => courseOf(position));
  const most = Math.max(4, ...counts.flat());
  const last = Math.max(1, line.length - 1);
  /** @param {number} turn */
  const x = (turn) => PAD + (turn / last) * (WIDTH - 2 * PAD);
  /** @param {number} part */
  const y = (part) => HEIGHT - PAD - part * (HEIGHT - 2 * PAD);
  /** @param {(number | null)[]} values */
  const path = (values) => {
    let open = false;
    return values
      .map((value, turn) => {
        if (value === null) {
          open = false;
          return '';
        }
        const step = `${open ? 'L' : 'M'}${x(turn).toFixed(1)} ${y(value).toFixed(1)}`;
        open = true;
        return step;
      })
      .join('');
  };
  const chances = line.map(({ position }) => winrates.get(position) ?? null);
  const known = chances.some((chance) => chance !== null);
  root.parentElement?.classList.toggle('chances', known);
  const signs = line.flatMap(({ position }, turn) => {
    const grade = judged.get(position)?.grade ?? 'sound';
    const chance = chances[turn];
    return grade === 'sound' || chance === null ? [] : [gradeSign(grade, x(turn), y(chance), 0.7)];
  });
  root.replaceChildren(
    ...(known ? [svg('path', { class: 'half', d: `M${PAD} ${y(0.5)}H${WIDTH - PAD}` })] : []),
    svg('path', { class: 'black', d: path(counts.map(([black]) => black / most)) }),
    svg('path', { class: 'white', d: path(counts.map(([, white]) => white / most)) }),
    svg('path', { class: 'win', d: path(chances) }),
    svg('path', { class: 'now', d: `M${x(index)} 0V${HEIGHT}` }),
    ...signs,
  );
}
