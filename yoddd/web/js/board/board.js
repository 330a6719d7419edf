// The board on the page: an SVG grid that shows a model and reports taps, hovers and keys.
import { Layer } from '../base/layer.js';
import { fit, ROUND, rounded, STEP, STONE } from './layout.js';
import { squares, ties } from './outlook.js';
import { boardText, stoneName } from '../rules/rules.js';
import { paints } from './paints.js';
import { StoneLayers, diamonds, disc, fitSigns, halos, kind, line } from './stones.js';
import { Redraw, regionsOf } from './redraw.js';
import { svg } from '../base/svg.js';
import { t } from '../base/texts.js';
import { Zoom } from './zoom.js';

/** @import { Geometry } from '../rules/geometry.js' */
/** @import { Layout, Point } from './layout.js' */
/** @import { Position, Stone } from '../rules/rules.js' */
/** @import { Value } from '../analysis/solved.js' */
/** @typedef {Pick<import('../analysis/candidates.js').Spot, 'share' | 'text' | 'colour'>} Heat */

/**
 * What is to be seen.
 * @typedef {object} Model
 * @property {Position} position with the pending stones on it
 * @property {readonly Stone[]} pending
 * @property {readonly Stone[]} last the stones of the last turn
 * @property {import('../rules/tree.js').Glyph} [glyph] a judgement of it
 * @property {import('../rules/parity.js').Options | null} options
 * @property {import('../rules/parity.js').Link[]} links
 * @property {boolean} numbered whether groups are tinted and numbered
 * @property {Map<number, string>} steps what is written on stones: their place in a line of turns
 * @property {boolean} active whether stones can be placed now
 */

/** @typedef {{stone: Stone, position: Position, fits: boolean, merges: number[]}} Ghost a stone under the pointer */

/**
 * @typedef {object} Handlers
 * @property {(cell: number, side: 'main' | 'other') => void} tap
 * @property {(cell: number | null) => void} hover
 * @property {(event: KeyboardEvent, cell: number) => boolean} key whether it was used
 */

/** Milliseconds. */
const LONG_PRESS = 420;
/** Pixels: the type of coordinates, and the side of the board. */
const [SMALLEST, LARGEST] = [11, 13];
const THICK = 5;
/** Pixels from cell to cell below which a finger needs the zoom, and with it. */
const [TINY, TOUCHABLE] = [18, 44];
/** Spots of the heat map that are drawn with one frame. */
const SPOTS = 25;
/** The radius of a disc of the table, and how far two of them are from the centre of a cell. */
const [DISC, ASIDE] = [8.6, 9];

export class BoardView {
  /** @param {SVGSVGElement} root @param {Handlers} handlers */
  constructor(root, handlers) {
    this.root = root;
    this.handlers = handlers;
    /** The cell that the keyboard reaches. */
    this.cursor = 0;
    /** @type {SVGElement[]} */
    this.cells = [];
    /** @type {Geometry | null} */
    this.board = null;
    /** @type {Layout | null} */
    this.layout = null;
    /** @type {number | undefined} the timer of a long press */
    this.press = undefined;
    /** The labels of the cells for a screen reader. @type {string[]} */
    this.said = [];
    /** The heat map as it is drawn, by cell. @type {Map<number, SVGElement>} */
    this.spots = new Map();
    /** The heat map as it is wanted. @type {Map<number, Heat>} */
    this.heat = new Map();
    /** The cells whose spots differ from that, those first that have waited longest. @type {Set<number>} */
    this.stale = new Set();
    this.drawSpots = this.drawSpots.bind(this);
    /** The stones of the last turn. @type {readonly Stone[]} */
    this.last = [];
    /** The model that is shown. @type {Model | null} */
    this.model = null;
    /** The cells whose shading changes together, and their marks. @type {{cells: number[], marks: Layer}[]} */
    this.regions = [];
    this.shading = new Redraw((region) => this.shade(region));
    root.classList.add('board');
    this.zoom = new Zoom(root, () => window.clearTimeout(this.press));
    new ResizeObserver(() => this.fit()).observe(root);
    this.listen();
  }

  /** @param {Geometry} board @param {Layout} layout */
  setBoard(board, layout) {
    const middle = board.rows[board.rows.length >> 1];
    if (this.board !== board) this.cursor = middle[middle.length >> 1];
    this.board = board;
    this.said = [];
    this.layout = layout;
    for (const one of [this.root, this.root.parentElement])
      one?.style.setProperty('--shape', layout.shape.toFixed(4));
    this.root.setAttribute('aria-label', t('board.label', { board: boardText(board.name) }));
    this.root.setAttribute('aria-rowcount', String(board.rows.length));
    this.halo = new Layer('halo');
    this.links = new Layer('links');
    this.stones = new StoneLayers();
    this.model = null;
    this.shading.stop();
    this.regions = regionsOf(layout.at, STEP).map((cells) => ({
      cells,
      marks: new Layer('marks'),
    }));
    this.ties = new Layer('ties');
    this.squares = new Layer('squares');
    this.layers = {
      halo: this.halo.root,
      links: this.links.root,
      stones: this.stones.root,
      marks: svg('g', {}, ...this.regions.map(({ marks }) => marks.root)),
      heat: svg('g', { class: 'heat' }),
      outlook: svg('g', { class: 'outlook' }, this.ties.root, this.squares.root),
      values: svg('g', { class: 'values' }),
      missed: svg('g', { class: 'missed' }),
      ghost: svg('g', { class: 'ghost' }),
    };
    this.spots = new Map();
    this.stale.clear();
    this.ground = svg('g', { class: 'ground-plate', 'aria-hidden': 'true' });
    this.edge = svg('g', { class: 'edge', 'aria-hidden': 'true' });
    const { halo, links, stones, ...signs } = this.layers;
    const over = svg(
      'g',
      { class: 'over', 'aria-hidden': 'true' },
      ...[halo, links],
      svg('g', { class: 'plane' }, extent(layout), stones),
      svg('g', { class: 'plane' }, extent(layout), ...Object.values(signs)),
    );
    const isFocused = this.root.contains(document.activeElement);
    this.root.classList.toggle('large', this.regions.length > 1);
    this.root.replaceChildren(
      paints(),
      this.ground,
      this.edge,
      this.drawCells(board, layout),
      over,
    );
    // Once all is drawn: what has the focus is described, and so the page is drawn again.
    if (isFocused) queueMicrotask(() => this.focus(this.cursor));
    this.fit();
  }

  /** Draws what depends on the size of the board on the page: its edge and the coordinates. */
  fit() {
    const { clientWidth: width, clientHeight: height } = this.root;
    if (!this.layout || !this.board || !width || !height) return;
    const { px, box, slab, edge, named } = fit(this.layout, width, height);
    const ink = Math.min(LARGEST, Math.max(SMALLEST, (0.28 * STEP) / px));
    this.root.style.setProperty('--ink', ink.toFixed(2));
    this.ground?.replaceChildren(...groundPlate(slab, px));
    this.edge?.replaceChildren(...edge.map(({ x, y, text }) => svg('text', { x, y }, text)));
    const { labels } = this.board;
    this.cells.forEach((cell, index) => {
      const { x, y } = /** @type {Layout} */ (this.layout).at[index];
      const name = named ? [svg('text', { x, y, class: 'name' }, labels[index])] : [];
      cell.replaceChildren(/** @type {Element} */ (cell.firstElementChild), ...name);
    });
    this.zoom.fit(box, px);
  }

  /** @param {Geometry} board @param {Layout} layout */
  drawCells(board, layout) {
    this.cells = [];
    // Rows from top to bottom, as a reader meets them.
    const rows = [...board.rows].reverse().map((row, index) => {
      const cells = row.map((cell) => {
        this.cells[cell] = svg(
          'g',
          {
            role: 'gridcell',
            class: 'cell',
            tabindex: cell === this.cursor ? 0 : -1,
            'data-cell': cell,
          },
          svg('polygon', { class: 'tile', points: layout.outline[cell] }),
        );
        return this.cells[cell];
      });
      return svg('g', { role: 'row', 'aria-rowindex': index + 1 }, ...cells);
    });
    return svg('g', { class: 'cells' }, ...rows);
  }

  /** @param {Model} model */
  show(model) {
    if (!this.layout) return;
    if (model.last !== this.last) this.zoom.release();
    this.last = model.last;
    this.halo?.show(model.numbered ? halos(model, this.layout) : []);
    this.links?.show(diamonds(model.links, this.layout));
    this.stones?.show(model, this.layout);
    this.root.classList.toggle('active', model.active);
    const changed = this.changedFrom(this.model, model);
    this.model = model;
    this.shading.start(this.regions.length, changed);
  }

  /**
   * Draws something beside the board, a frame after the board if that is a large one.
   * @param {() => void} draw @param {boolean} canWait whether it is to come after any board
   */
  defer(draw, canWait) {
    // A page out of sight has no frames, and its title calls the user.
    if ((this.regions.length > 1 || canWait) && !document.hidden) this.shading.defer(draw);
    else draw();
  }

  /** The regions whose stones differ; the only one of a small board. @param {Model | null} before @param {Model} model */
  changedFrom(before, { position }) {
    return [...this.regions.keys()].filter(
      (region, _, all) =>
        all.length === 1 ||
        this.regions[region].cells.some(
          (cell) => before?.position.cells[cell] !== position.cells[cell],
        ),
    );
  }

  /** The cells of a region by what fits on them. @param {number} region */
  shade(region) {
    if (!this.layout || !this.model) return;
    const { options, active } = this.model;
    const { cells, marks } = this.regions[region];
    const fitting = Boolean(options?.completing && !options.excluding);
    this.showCells(this.model, fitting, cells);
    this.removeSpots(cells);
    marks.show(options && active ? fitSigns(this.model, fitting, this.layout, cells) : []);
  }

  /** @param {Model} model @param {boolean} fitting @param {readonly number[]} cells */
  showCells(model, fitting, cells) {
    const { position, options, active } = model;
    const excluding = Boolean(options?.excluding);
    for (const cell of cells) {
      const element = this.cells[cell];
      const fits = options?.fits[cell];
      const open = position.isEmpty(cell);
      const any = Boolean(fits && (fits[0] || fits[1]));
      const all = Boolean(fits && position.colours.every((colour) => fits[colour]));
      element.classList.toggle('fits', open && fitting && any);
      const isMisfit = open && Boolean(options) && !(excluding ? all : any) && active;
      element.classList.toggle('misfit', isMisfit && excluding);
      element.classList.toggle('dim', isMisfit && fitting);
      const says = describe(model, cell);
      // An attribute that is set is a change to the browser, even if its value is the same.
      if (this.said[cell] !== says) element.setAttribute('aria-label', says);
      this.said[cell] = says;
    }
  }

  /**
   * Called several times a second during analysis: changes only what is different.
   * @param {Map<number, Heat> | null} heat @param {Position} position
   */
  showHeat(heat, position) {
    if (!this.layers) return;
    this.heat = new Map([...(heat ?? [])].filter(([cell]) => position.isEmpty(cell)));
    // A region that waits for its frame loses its spots then.
    const waiting = new Set(this.shading.waiting.flatMap((region) => this.regions[region].cells));
    const drawn = [...this.spots.keys()];
    this.removeSpots(drawn.filter((cell) => !waiting.has(cell) || !position.isEmpty(cell)));
    for (const [cell, worth] of this.heat)
      if (this.spots.get(cell)?.dataset.seen !== seenOf(worth)) this.stale.add(cell);
    if (this.drawSpots()) this.shading.defer(this.drawSpots);
  }

  /** Draws some of the spots; whether others are left. */
  drawSpots() {
    for (const cell of [...this.stale].slice(0, SPOTS)) {
      const worth = this.heat.get(cell);
      if (worth) drawSpot(this.spots.get(cell) ?? this.newSpot(cell), worth);
      this.stale.delete(cell);
    }
    return this.stale.size > 0;
  }

  /** Removes what is no longer wanted. @param {readonly number[]} cells */
  removeSpots(cells) {
    for (const cell of cells) {
      const spot = this.spots.get(cell);
      if (!spot || this.heat.has(cell)) continue;
      spot.remove();
      this.spots.delete(cell);
    }
  }

  /** Shows what is expected of the empty cells. @param {readonly import('./outlook.js').Expected[]} expected */
  showExpected(expected) {
    if (!this.layout) return;
    this.ties?.show(ties(expected, this.layout));
    this.squares?.show(squares(expected, this.layout));
  }

  /**
   * What a black and a white stone on each cell is worth by the table: ringed if it wins.
   * @param {Map<number, [Value | null, Value | null]>} marks
   */
  showValues(marks) {
    const { at } = /** @type {Layout} */ (this.layout);
    const discs = [...marks].flatMap(([cell, values]) => {
      const both = values[0] && values[1];
      return values.flatMap((value, colour) =>
        value ? [valueDisc(value, colour, at[cell], both ? (colour ? ASIDE : -ASIDE) : 0)] : [],
      );
    });
    this.layers?.values.replaceChildren(...discs);
  }

  /** The stones of a better turn that was not played. @param {readonly Stone[]} stones */
  showMissed(stones) {
    const { at } = /** @type {Layout} */ (this.layout);
    const marks = stones.flatMap(({ cell, colour }) => [
      disc('missed-ring', at[cell], STONE + 1),
      disc(`stone ${kind(colour)}`, at[cell], STONE * 0.5),
    ]);
    this.layers?.missed.replaceChildren(...marks);
  }

  /** @param {number} cell */
  newSpot(cell) {
    const { x, y } = /** @type {Layout} */ (this.layout).at[cell];
    const spot = svg('g', {}, svg('circle', { cx: x, cy: y }), svg('text', { x, y }));
    this.spots.set(cell, spot);
    /** @type {NonNullable<typeof this.layers>} */ (this.layers).heat.append(spot);
    return spot;
  }

  /**
   * The stone under the pointer and the groups that it would join.
   * @param {Ghost | null} hover
   */
  ghost(hover) {
    if (!this.layers || !this.layout || !this.board) return;
    if (!hover) {
      this.layers.ghost.replaceChildren();
      return;
    }
    const { stone, position, merges } = hover;
    const { layout } = this;
    const groups = position.census().groups;
    const rings = merges.flatMap((group) =>
      groups[group].cells.map((cell) => disc('merging', layout.at[cell], STONE + 1.5)),
    );
    const necks = this.board.neighbours[stone.cell]
      .filter((next) => position.cells[next] === stone.colour)
      .map((next) => line(layout, stone.cell, next, `neck ${kind(stone.colour)}`));
    this.layers.ghost.replaceChildren(
      ...necks,
      ...rings,
      disc('veil', layout.at[stone.cell]),
      disc(`stone ${kind(stone.colour)}${hover.fits ? '' : ' unfit'}`, layout.at[stone.cell]),
    );
  }

  /** Makes a cell the one that the keyboard reaches. @param {number} cell */
  select(cell) {
    this.cells[this.cursor]?.setAttribute('tabindex', '-1');
    this.cursor = cell;
    this.cells[cell]?.setAttribute('tabindex', '0');
  }

  /** @param {number} cell */
  focus(cell) {
    this.select(cell);
    /** @type {SVGElement | undefined} */ (this.cells[cell])?.focus({ preventScroll: true });
  }

  /** The cell nearest to one in a direction on the page. @param {number} dx @param {number} dy */
  beside(dx, dy) {
    const { at } = /** @type {Layout} */ (this.layout);
    const from = at[this.cursor];
    let best = this.cursor;
    let least = Infinity;
    at.forEach(({ x, y }, cell) => {
      const along = (x - from.x) * dx + (y - from.y) * dy;
      const aside = Math.abs((x - from.x) * dy) + Math.abs((y - from.y) * dx);
      // On a hex board the rows above are half a cell aside: a small lean to the left settles it.
      const cost = along + aside * 1.5 + (dy && x > from.x ? 0.1 : 0);
      if (along > STEP * 0.4 && aside <= STEP * 0.9 && cost < least) [best, least] = [cell, cost];
    });
    return best;
  }

  listen() {
    const { root, handlers } = this;
    let handled = false;
    root.addEventListener('pointermove', (event) => {
      if (event.pointerType === 'mouse') handlers.hover(cellOf(event));
    });
    root.addEventListener('pointerleave', (event) => {
      if (event.pointerType === 'mouse') handlers.hover(null);
    });
    root.addEventListener('pointerdown', (event) => {
      const cell = cellOf(event);
      handled = false;
      window.clearTimeout(this.press);
      if (cell !== null && event.pointerType !== 'mouse') {
        handlers.hover(cell);
        if (this.zoom.step < TINY) return;
        this.press = window.setTimeout(() => {
          handled = true;
          handlers.tap(cell, 'other');
        }, LONG_PRESS);
      }
    });
    for (const end of ['pointerup', 'pointercancel']) {
      root.addEventListener(end, () => window.clearTimeout(this.press));
    }
    root.addEventListener('click', (event) => {
      const cell = cellOf(event);
      const isTouch = /** @type {PointerEvent} */ (event).pointerType === 'touch';
      if (cell !== null && !handled) {
        this.select(cell);
        if (isTouch && this.zoom.step < TINY) {
          this.zoom.open(/** @type {Layout} */ (this.layout).at[cell], TOUCHABLE);
          return;
        }
        handlers.tap(cell, event.shiftKey ? 'other' : 'main');
      }
      handled = false;
    });
    root.addEventListener('contextmenu', (event) => {
      const cell = cellOf(event);
      event.preventDefault();
      // A long press on a touch screen asks for a menu as well.
      if (cell !== null && /** @type {PointerEvent} */ (event).pointerType === 'mouse')
        handlers.tap(cell, 'other');
    });
    root.addEventListener('focusin', (event) => {
      const cell = cellOf(event);
      if (
        cell !== null &&
        root.matches(':focus-within') &&
        event.target instanceof Element &&
        event.target.matches(':focus-visible')
      )
        handlers.hover(cell);
    });
    root.addEventListener('keydown', (event) => {
      const cell = cellOf(event);
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
        event.key
      ];
      if (cell === null) return;
      if (way && !event.altKey && !event.ctrlKey && !event.metaKey) {
        this.focus(this.beside(way[0], way[1]));
        event.preventDefault();
        event.stopPropagation();
      } else if (handlers.key(event, cell)) {
        event.preventDefault();
        event.stopPropagation();
      }
    });
  }
}

/** The cell that an event is on; null for none. @param {Event} event */
export function cellOf({ target }) {
  const cell = target instanceof Element ? target.closest('[data-cell]') : null;
  return cell ? Number(cell.getAttribute('data-cell')) : null;
}

/** Keeps the size of what it is part of, whatever else is drawn there. @param {Layout} layout */
function extent({ at }) {
  const [xs, ys] = [at.map(({ x }) => x), at.map(({ y }) => y)];
  const [x, y] = [Math.min(...xs) - STEP, Math.min(...ys) - STEP];
  const [width, height] = [Math.max(...xs) + STEP - x, Math.max(...ys) + STEP - y];
  return svg('rect', { class: 'extent', x, y, width, height });
}

/** The board itself, on the page: its shadow, its side, its face. @param {Point[]} slab @param {number} px */
function groundPlate(slab, px) {
  const points = (/** @type {number} */ below) =>
    slab.map(({ x, y }) => `${x.toFixed(2)},${(y + below * px).toFixed(2)}`).join(' ');
  const plate = (
    /** @type {string} */ name,
    /** @type {number} */ below,
    /** @type {number} */ wide,
  ) => svg('polygon', { class: name, points: points(below), 'stroke-width': wide * px });
  return [
    ...[8, 5, 2].map((wide) => plate('cast', THICK, ROUND + wide)),
    plate('slab-side', THICK, ROUND),
    // One shape without a stroke of its own: the grain is dear to paint.
    svg('path', { class: 'slab', d: rounded(slab, (ROUND / 2) * px) }),
  ];
}

/** @param {Value} value @param {number} colour @param {Point} at @param {number} shift */
function valueDisc({ won, turns }, colour, { x, y }, shift) {
  const place = { x: x + shift, y };
  return svg(
    'g',
    { class: `value ${kind(colour)} ${won ? 'won' : 'lost'}` },
    disc('', place, won ? DISC : DISC - 1),
    svg('text', place, String(turns ?? (won ? '+' : '–'))),
  );
}

/** The cell for a screen reader. @param {Model} model @param {number} cell */
function describe({ position, pending, steps, options }, cell) {
  const label = position.rules.board.labels[cell];
  const colour = position.cells[cell];
  if (colour < 0 || steps.has(cell)) {
    const fits = options?.completing ? options.fits[cell] : undefined;
    const names = position.colours.filter((one) => fits?.[one]).map(stoneName);
    const either = ` ${t('or')} `;
    const empty = t('board.empty', { cell: label });
    if (!names.length) return empty;
    return `${empty}, ${t('board.completes', { names: names.join(either) })}`;
  }
  const name = stoneName(/** @type {import('../rules/rules.js').Colour} */ (colour));
  return pending.some((stone) => stone.cell === cell)
    ? t('board.pending', { cell: label, name })
    : `${label}, ${name}`;
}

/** The darkness of a spot, in steps that can be told apart. @param {Heat} worth */
const partOf = ({ share }) => Math.round(share * 50) / 50;

/** All that a spot shows. @param {Heat} worth */
const seenOf = (worth) => `${partOf(worth)} ${worth.text} ${worth.colour}`;

/** @param {SVGElement} spot @param {Heat} worth */
function drawSpot(spot, worth) {
  const { text, colour } = worth;
  const part = partOf(worth);
  spot.dataset.seen = seenOf(worth);
  const [circle, figure] = /** @type {SVGElement[]} */ ([...spot.children]);
  circle.setAttribute('class', `spot ${kind(colour)}`);
  circle.setAttribute('r', String(STEP * (0.32 + 0.11 * Math.sqrt(part))));
  circle.style.setProperty('--share', String(Math.round(12 + 88 * part)));
  const size = text.length > 2 ? ' long' : '';
  figure.setAttribute('class', `figure${part > 0.55 ? '' : ' faint'}${size}`);
  figure.textContent = text;
}
