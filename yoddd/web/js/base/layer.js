// A layer of a drawing whose elements stay while what they show stays: one stone more on a board of
// hundreds is one element more, and the browser paints nothing else.
import { svg } from './svg.js';

/** A text that says all that an element shows, and how to make it. @typedef {[string, () => SVGElement]} Piece */

export class Layer {
  /** @param {string} name its class */
  constructor(name) {
    this.root = svg('g', { class: name });
    /** By what they show. @type {Map<string, SVGElement>} */
    this.shown = new Map();
  }

  /** @param {readonly Piece[]} pieces from the lowest to the highest */
  show(pieces) {
    const wanted = new Map(pieces);
    for (const seen of difference(this.shown, wanted).gone) {
      this.shown.get(seen)?.remove();
      this.shown.delete(seen);
    }
    /** @type {ChildNode | null} what comes after the pieces so far */
    let next = this.root.firstChild;
    for (const [seen, make] of wanted) {
      const element = this.shown.get(seen) ?? make();
      this.shown.set(seen, element);
      if (element === next) next = element.nextSibling;
      else this.root.insertBefore(element, next);
    }
  }
}

/**
 * The keys that only one of two maps has: what goes and what comes.
 * @param {ReadonlyMap<string, unknown>} shown
 * @param {ReadonlyMap<string, unknown>} wanted
 */
export const difference = (shown, wanted) => ({
  gone: [...shown.keys()].filter((seen) => !wanted.has(seen)),
  fresh: [...wanted.keys()].filter((seen) => !shown.has(seen)),
});
