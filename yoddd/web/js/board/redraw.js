// Changes of a large board, a region with each frame, of its heat map, and of the page beside it: the
// browser paints what a frame changes before the next one can come, and without a graphics card it
// paints slowly.

/** @import { Point } from './layout.js' */
/** @typedef {Pick<Window, 'requestAnimationFrame' | 'cancelAnimationFrame'>} Frames */

/** The cells that change with one frame: all of a board of so many, squares of so many steps of a larger one. */
const [AT_ONCE, SIDE] = [220, 7];
/** The regions with new stones that are drawn without waiting for a frame. */
const PROMPT = 2;

/**
 * The cells in squares of neighbours, from the top to the bottom: all of them for a small board.
 * @param {readonly Point[]} at the centre of each cell @param {number} step from a cell to its neighbour
 * @returns {number[][]}
 */
export function regionsOf(at, step) {
  if (at.length <= AT_ONCE) return [at.map((_, cell) => cell)];
  const rows = partsOf(
    at.map(({ y }) => y),
    step,
  );
  const columns = partsOf(
    at.map(({ x }) => x),
    step,
  );
  /** @type {number[][]} */
  const regions = [];
  const across = Math.max(...columns) + 1;
  at.forEach((_, cell) => {
    (regions[rows[cell] * across + columns[cell]] ??= []).push(cell);
  });
  return regions.filter((region) => region.length);
}

/** Which of equal parts of their extent each value is in. @param {readonly number[]} values @param {number} step */
function partsOf(values, step) {
  const least = Math.min(...values);
  const extent = Math.max(...values) - least;
  const parts = Math.max(1, Math.ceil(extent / (step * SIDE)));
  return values.map((value) => Math.min(parts - 1, Math.floor(((value - least) / extent) * parts)));
}

export class Redraw {
  /** @param {(region: number) => void} draw @param {Frames} [frames] */
  constructor(draw, frames = window) {
    this.draw = draw;
    this.frames = frames;
    /** The regions that are to be drawn, in their order. @type {number[]} */
    this.waiting = [];
    /** Other things that are to be drawn, each in a frame of its own before the regions. @type {Set<() => boolean | void>} */
    this.deferred = new Set();
    /** The frame that draws the next region; 0 if none waits. */
    this.frame = 0;
    /** Whether what waits has been put off for a change since the last of it was drawn. */
    this.isPutOff = false;
  }

  /**
   * Draws so many regions, those whose stones have changed first. A region that waits already stays
   * before the others, so that each is drawn in the end.
   * @param {number} count @param {readonly number[]} changed
   */
  start(count, changed) {
    const now = changed.slice(0, PROMPT);
    const all = Array.from({ length: count }, (_, region) => region);
    for (const region of now) this.draw(region);
    this.waiting = [...new Set([...changed, ...this.waiting, ...all])].slice(now.length);
    if (now.length && this.frame && !this.isPutOff) {
      this.isPutOff = true;
      this.frames.cancelAnimationFrame(this.frame);
      this.frame = 0;
    }
    this.rest();
  }

  /**
   * Draws something in a frame of its own, once if it is wanted again before.
   * @param {() => boolean | void} draw whether there is more of it, for another frame
   */
  defer(draw) {
    this.deferred.add(draw);
    this.rest();
  }

  stop() {
    this.frames.cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.waiting = [];
    this.deferred.clear();
  }

  /** Leaves the coming frame to what has been drawn at once. */
  rest() {
    this.frame ||= this.frames.requestAnimationFrame(() => this.next());
  }

  next() {
    this.frame = 0;
    if (!this.waiting.length && !this.deferred.size) return;
    this.frame = this.frames.requestAnimationFrame(() => {
      const [deferred] = this.deferred;
      this.isPutOff = false;
      this.deferred.delete(deferred);
      if (!deferred) this.draw(/** @type {number} */ (this.waiting.shift()));
      else if (deferred()) this.deferred.add(deferred);
      this.next();
    });
  }
}
