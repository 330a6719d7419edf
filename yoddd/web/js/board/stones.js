// The stones of a board and what is drawn with them, in pieces that stay while they look the same.
import { Layer } from '../base/layer.js';
import { STEP, STONE } from './layout.js';
import { hasNumbers } from '../rules/scoring.js';
import { svg } from '../base/svg.js';

/** @import { Model } from './board.js' */
/** @import { Piece } from '../base/layer.js' */
/** @import { Layout, Point } from './layout.js' */

const GOLDEN_ANGLE = 137.508;
/** From a stone to its shadow. */
const DROP = { x: 1, y: 2.2 };
/** From the centre of a cell to the signs of two colours on it. */
const ASIDE = 7;
/** The size of a glyph, and how far aside of its stone it is. */
const BADGE = { radius: 8.5, aside: 12 };

/** @param {number} colour */
export const kind = (colour) => (colour ? 'white' : 'black');

/** The layers of the stones, from the lowest to the highest. */
export class StoneLayers {
  constructor() {
    this.layers = {
      shadows: new Layer('shadows'),
      rims: new Layer('rims'),
      necks: new Layer('necks'),
      discs: new Layer('discs'),
      lasts: new Layer('lasts'),
      numbers: new Layer('numbers'),
      badges: new Layer('badges'),
    };
    const parts = Object.values(this.layers).map(({ root }) => root);
    this.root = svg('g', { class: 'stones' }, ...parts);
    /** Cells of the pending stones that have been drawn: a stone fades in once. @type {ReadonlySet<number>} */
    this.settled = new Set();
  }

  /** @param {Model} model @param {Layout} layout */
  show(model, layout) {
    const { layers } = this;
    const numbers = numbersOf(model);
    layers.shadows.show(shadows(model, layout));
    layers.rims.show(joints('rim', model, layout));
    layers.necks.show(joints('neck', model, layout));
    layers.discs.show(discs(model, layout, this.settled));
    layers.lasts.show(lastMarks(model, layout, numbers));
    layers.numbers.show(figures(model, layout, numbers));
    layers.badges.show(badges(model, layout));
    this.settled = new Set(model.pending.map(({ cell }) => cell));
  }
}

/** The results of `tell` for each stone. @template T @param {Model} model @param {(cell: number, colour: number) => T} tell */
const perStone = ({ position }, tell) =>
  [...position.cells].flatMap((colour, cell) => (colour < 0 ? [] : [tell(cell, colour)]));

/** @param {Model} model @param {Layout} layout @returns {Piece[]} */
export const shadows = (model, { at }) =>
  perStone(model, (cell) => [
    String(cell),
    () => disc('drop', { x: at[cell].x + DROP.x, y: at[cell].y + DROP.y }),
  ]);

/** The joints between neighbours of one colour. @param {string} name @param {Model} model @param {Layout} layout @returns {Piece[]} */
export const joints = (name, model, layout) => {
  const { cells, rules } = model.position;
  return perStone(model, (cell, colour) =>
    rules.board.neighbours[cell]
      .filter((next) => next > cell && cells[next] === colour)
      .map((next) => {
        const style = `${name} ${kind(colour)}`;
        return /** @type {Piece} */ ([
          `${cell} ${next} ${style}`,
          () => line(layout, cell, next, style),
        ]);
      }),
  ).flat();
};

/** @param {Model} model @param {Layout} layout @param {ReadonlySet<number>} settled @returns {Piece[]} */
export function discs(model, { at }, settled) {
  const open = new Set(model.pending.map(({ cell }) => cell));
  return perStone(model, (cell, colour) => {
    const style = `stone ${kind(colour)}${open.has(cell) ? ' pending' : ''}`;
    const make = () => {
      // The style sheet fades it in: to ask for that here would have the page styled at once.
      const isFresh = open.has(cell) && !settled.has(cell);
      return disc(isFresh ? `${style} fresh` : style, at[cell]);
    };
    return [`${cell} ${style}`, make];
  });
}

/** The mark of the last turn on its stones. @param {Model} model @param {Layout} layout @param {ReadonlyMap<number, string>} numbers @returns {Piece[]} */
export const lastMarks = ({ position, last }, { at }, numbers) =>
  last
    .filter(({ cell }) => position.cells[cell] >= 0 && !numbers.has(cell))
    .map(({ cell }) => {
      const style = `last ${kind(position.cells[cell])}`;
      return [`${cell} ${style}`, () => disc(style, at[cell], STONE * 0.42)];
    });

/** @param {Model} model @param {Layout} layout @param {ReadonlyMap<number, string>} numbers @returns {Piece[]} */
export const figures = ({ position }, { at }, numbers) =>
  [...numbers].map(([cell, number]) => {
    const style = `number ${kind(position.cells[cell])}`;
    return [`${cell} ${style} ${number}`, () => svg('text', { class: style, ...at[cell] }, number)];
  });

/** The glyph of the last turn, beside its last stone. @param {Model} model @param {Layout} layout @returns {Piece[]} */
export function badges({ last, glyph, steps }, { at }) {
  const stone = last.at(-1);
  if (!glyph || !stone || steps.size) return [];
  const place = { x: at[stone.cell].x + BADGE.aside, y: at[stone.cell].y - BADGE.aside };
  const style = `badge ${GLYPH_KINDS[glyph]}`;
  const make = () =>
    svg('g', { class: style }, disc('', place, BADGE.radius), svg('text', { ...place }, glyph));
  return [[`${stone.cell} ${glyph}`, make]];
}

/** Which colour a glyph has. @type {Record<string, string>} */
export const GLYPH_KINDS = {
  '!': 'good',
  '!!': 'good',
  '!?': 'open',
  '?!': 'open',
  '?': 'bad',
  '??': 'bad',
};

/** The text on stones: their place in a line of turns, or the numbers or sizes of the groups. @param {Model} model @returns {Map<number, string>} */
export function numbersOf({ position, numbered, steps }) {
  if (steps.size || !numbered) return steps;
  return new Map(
    position
      .census()
      .groups.map(({ cells }, index) => [
        cells[0],
        String(hasNumbers(position.facts) ? index + 1 : cells.length),
      ]),
  );
}

/** Each group on a ground of its own tint. @param {Model} model @param {Layout} layout @returns {Piece[]} */
export function halos({ position }, layout) {
  const { neighbours } = position.rules.board;
  return position.census().groups.map(({ cells }, index) => {
    const inside = new Set(cells);
    const make = () => {
      const parts = cells.flatMap((cell) => [
        disc('', layout.at[cell], STEP * 0.47),
        ...neighbours[cell]
          .filter((next) => next > cell && inside.has(next))
          .map((next) => line(layout, cell, next, '')),
      ]);
      const group = svg('g', { class: 'tint' }, ...parts);
      group.style.setProperty('--tint', `hsl(${Math.round(index * GOLDEN_ANGLE) % 360} 70% 55%)`);
      return group;
    };
    return [`${index} ${cells.join(' ')}`, make];
  });
}

/** @param {readonly import('../rules/parity.js').Link[]} links @param {Layout} layout @returns {Piece[]} */
export const diamonds = (links, { at }) =>
  links.map(({ ends, waist, safe }) => {
    const [a, b] = ends.map((cell) => at[cell]);
    const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    const sign = safe
      ? `M${middle.x - 4} ${middle.y}l3 3.5 5-7`
      : `M${middle.x - 3.5} ${middle.y - 3.5}l7 7m0-7l-7 7`;
    const style = `link ${safe ? 'safe' : 'unsafe'}`;
    const make = () =>
      svg(
        'g',
        { class: style, 'data-waist': waist.join(' ') },
        svg('line', { x1: a.x, y1: a.y, x2: b.x, y2: b.y }),
        disc('', middle, 7.5),
        svg('path', { class: 'sign', d: sign }),
      );
    return [`${ends} ${style}`, make];
  });

/**
 * Which colours fit on some of the cells, or which do not.
 * @param {Model} model @param {boolean} fitting @param {Layout} layout
 * @param {readonly number[]} cells @returns {Piece[]}
 */
export function fitSigns({ position, options }, fitting, { at }, cells) {
  const { colours } = position;
  const misfit = options?.excluding ? 'bar on-misfit' : 'bar';
  const sign = fitting ? 'pip' : misfit;
  return cells.flatMap((cell) => {
    const fits = options?.fits[cell];
    return fits && position.isEmpty(cell)
      ? colours
          .filter((colour) => fits[colour] === fitting)
          .map((colour) => {
            const shift = colours.length > 1 ? (colour ? ASIDE : -ASIDE) : 0;
            const place = { x: at[cell].x + shift, y: at[cell].y };
            const style = `${sign} ${kind(colour)}`;
            const make = () =>
              fitting
                ? disc(style, place, 5)
                : svg('path', { class: style, d: `M${place.x - 4} ${place.y - 4}l8 8m0-8l-8 8` });
            return /** @type {Piece} */ ([`${cell} ${style}`, make]);
          })
      : [];
  });
}

/** @param {string} style @param {Point} centre */
export const disc = (style, { x, y }, r = STONE) =>
  svg('circle', { class: style || null, cx: x, cy: y, r });

/** @param {Layout} layout @param {number} from @param {number} to @param {string} style */
export const line = ({ at }, from, to, style) =>
  svg('line', { class: style || null, x1: at[from].x, y1: at[from].y, x2: at[to].x, y2: at[to].y });
