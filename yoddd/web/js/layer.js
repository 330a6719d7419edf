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

  /** @param {readonly Piece[]} pieces in any order: those of a layer do not overlap, or look the same where they do */
  show(pieces) {
    const { gone, fresh } = difference(this.shown, new Map(pieces));
    for (const seen of gone) {
      this.shown.get(seen)?.remove();
      this.shown.delete(seen);
    }
    const made = fresh.map(([seen, make]) => {
      const element = make();
      this.shown.set(seen, element);
      return element;
    });
    this.root.append(...made);
  }
}

/**
 * What has to go and what has to come for `wanted` to be shown.
 * @template A
 * @template B
 * @param {ReadonlyMap<string, A>} shown
 * @param {ReadonlyMap<string, B>} wanted
 * @returns {{gone: string[], fresh: [string, B][]}}
 */
export function difference(shown, wanted) {
  return {
    gone: [...shown.keys()].filter((seen) => !wanted.has(seen)),
    fresh: [...wanted].filter(([seen]) => !shown.has(seen)),
  };
}
