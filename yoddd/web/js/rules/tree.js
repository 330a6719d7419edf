// A game with its variations and comments, and the place in it that is shown. Trees and nodes never
// change: every method that alters something returns another tree.
import { formatTurn, parseTurn } from './notation.js';

/** @import { Position, Rules, Turn } from './rules.js' */
/** @typedef {'' | '!' | '?' | '!!' | '??' | '!?' | '?!'} Glyph */

/** A turn with what follows it, taken out of a tree. @typedef {{node: Node, parent: Position, index: number}} Removed */

/**
 * @typedef {object} Node
 * @property {Turn | null} turn null at the root, and where a file has a node without one
 * @property {Position} position after the turn; each node has its own, which identifies it
 * @property {readonly Node[]} children the first is the main line
 * @property {string} comment
 * @property {Glyph} glyph a judgement of the turn
 * @property {ReadonlyMap<string, string[]>} extra SGF properties that are kept as they are
 */

/** The properties of a node without any. @type {ReadonlyMap<string, string[]>} */
export const NO_EXTRA = new Map();

/** @param {Turn | null} turn @param {Position} position @param {Partial<Node>} [rest] @returns {Node} */
export const makeNode = (turn, position, rest = {}) => ({
  turn,
  position,
  children: [],
  comment: '',
  glyph: '',
  extra: NO_EXTRA,
  ...rest,
});

/**
 * The tree below `node` with `change` made at the end of `path`.
 * @param {Node} node
 * @param {readonly number[]} path
 * @param {(node: Node) => Partial<Node>} change
 * @returns {Node}
 */
function replaced(node, path, change) {
  if (!path.length) return { ...node, ...change(node) };
  const [taken, ...rest] = path;
  const children = node.children.map((child, index) =>
    index === taken ? replaced(child, rest, change) : child,
  );
  return { ...node, children };
}

/** @typedef {{node: Node, index: number, before: Step | null}} Step a node, and which child it is of the one before */

/** @param {Step} end */
export function pathOf(end) {
  const path = [];
  for (let { index, before } = end; before; { index, before } = before) path.push(index);
  return path.reverse();
}

/** @type {WeakMap<Node, number>} */
const sizes = new WeakMap();

/** The number of nodes from `node` on, itself included. @param {Node} node */
export function sizeOf(node) {
  const known = sizes.get(node);
  if (known !== undefined) return known;
  // Children come after their parents: the way back has their sizes.
  const found = [node];
  for (const one of found) if (!sizes.has(one)) for (const child of one.children) found.push(child);
  for (const one of found.reverse()) {
    if (sizes.has(one)) continue;
    sizes.set(
      one,
      one.children.reduce((sum, child) => sum + /** @type {number} */ (sizes.get(child)), 1),
    );
  }
  return /** @type {number} */ (sizes.get(node));
}

/**
 * `nodes` with a further one, which is joined to one with the same turn.
 * @param {readonly Node[]} nodes
 * @param {Node} more
 * @param {number} index where it comes
 * @param {Rules} rules
 * @returns {readonly Node[]}
 */
function withNode(nodes, more, index, rules) {
  const twin = nodes.find((node) => sameTurn(node, more, rules));
  if (!twin) return nodes.toSpliced(index, 0, more);
  const joined = {
    ...twin,
    comment: twin.comment || more.comment,
    glyph: twin.glyph || more.glyph,
    extra: new Map([...more.extra, ...twin.extra]),
    children: more.children.reduce(
      (all, child) => withNode(all, child, all.length, rules),
      twin.children,
    ),
  };
  return nodes.filter((node) => node !== twin).toSpliced(index, 0, joined);
}

/** @param {Node} one @param {Node} other @param {Rules} rules */
const sameTurn = (one, other, rules) =>
  one.turn && other.turn && formatTurn(one.turn, rules) === formatTurn(other.turn, rules);

export class GameTree {
  /** @type {Node[] | null} those of `nodes()`, which is asked for many times */
  #nodes = null;

  /**
   * @param {Node} root
   * @param {readonly number[]} [path] the children taken from the root to the current node
   */
  constructor(root, path = []) {
    this.root = root;
    this.path = path;
  }

  /** @param {Position} position */
  static from(position) {
    return new GameTree(makeNode(null, position));
  }

  get rules() {
    return this.root.position.rules;
  }

  get current() {
    return this.nodes()[this.path.length];
  }

  get position() {
    return this.current.position;
  }

  get index() {
    return this.path.length;
  }

  /** From the root to the current node. */
  nodes() {
    if (!this.#nodes) {
      this.#nodes = [this.root];
      for (const taken of this.path)
        this.#nodes.push(/** @type {Node} */ (this.#nodes.at(-1)).children[taken]);
    }
    return this.#nodes;
  }

  /** From the root to the current node and on along first children. */
  line() {
    const nodes = [...this.nodes()];
    while (nodes[nodes.length - 1].children.length) nodes.push(nodes[nodes.length - 1].children[0]);
    return nodes;
  }

  /** The path to the end of `line()`. */
  linePath() {
    return [...this.path, ...Array(this.line().length - 1 - this.index).fill(0)];
  }

  /** At the turn, which is added if it is new here; throws if it is illegal. @param {Turn} turn */
  play(turn) {
    const token = formatTurn(turn, this.rules);
    const { children, position } = this.current;
    const known = children.findIndex(
      (child) => child.turn && formatTurn(child.turn, this.rules) === token,
    );
    if (known >= 0) return this.visit([...this.path, known]);
    const node = makeNode(turn, position.play(turn));
    return this.changed(() => ({ children: [...children, node] })).visit([
      ...this.path,
      children.length,
    ]);
  }

  /** @param {string} comment */
  comment(comment) {
    return this.changed(() => ({ comment }));
  }

  /** @param {Glyph} glyph */
  annotate(glyph) {
    return this.changed(() => ({ glyph }));
  }

  /** @param {readonly number[]} path */
  visit(path) {
    return new GameTree(this.root, path);
  }

  /** The path to a position; null if it is in no line. @param {Position} position */
  pathTo(position) {
    const ends = [{ node: this.root, index: 0, before: /** @type {Step | null} */ (null) }];
    for (let end = ends.pop(); end; end = ends.pop()) {
      if (end.node.position === position) return pathOf(end);
      // The first child is taken up first: most positions that are looked for are on the main line.
      for (let index = end.node.children.length - 1; index >= 0; index -= 1)
        ends.push({ node: end.node.children[index], index, before: end });
    }
    return null;
  }

  /** @param {number} index in `line()` */
  goTo(index) {
    return this.visit(this.linePath().slice(0, Math.max(0, index)));
  }

  /** At another turn in place of the current one. @param {number} step */
  sibling(step) {
    const before = this.path.slice(0, -1);
    const taken = (this.path.at(-1) ?? 0) + step;
    return this.index && this.visit(before).current.children[taken]
      ? this.visit([...before, taken])
      : this;
  }

  /** Back to where the line of the current turn left another one, or to the start. */
  toFork() {
    const fork = this.path.findLastIndex((taken) => taken > 0);
    return this.visit(this.path.slice(0, Math.max(0, fork)));
  }

  /** On to the next position with several turns, or to the end of the line. */
  toNextFork() {
    const line = this.line();
    const next = line.findIndex(({ children }, index) => index > this.index && children.length > 1);
    return this.goTo(next < 0 ? Infinity : next);
  }

  /** With the variation of the current turn before those beside it; as the main line if `entirely`. */
  promote(entirely = false) {
    const path = [...this.path];
    /** @type {GameTree} */
    let tree = this;
    for (let fork = path.length - 1; fork >= 0; fork -= 1) {
      const taken = path[fork];
      if (taken === 0) continue;
      tree = tree.visit(path.slice(0, fork)).changed(({ children }) => ({
        children: [children[taken], ...children.toSpliced(taken, 1)],
      }));
      path[fork] = 0;
      if (!entirely) break;
    }
    return tree.visit(path);
  }

  /** Whether the current turn is on no variation. */
  get isMain() {
    return this.path.every((taken) => taken === 0);
  }

  /** Without the current turn and what follows it. */
  remove() {
    const { current } = this;
    return this.visit(this.path.slice(0, -1)).changed(({ children }) => ({
      children: children.filter((child) => child !== current),
    }));
  }

  /** The part that `remove()` takes out. @returns {Removed} */
  get removable() {
    const parent = this.nodes()[this.index - 1].position;
    return { node: this.current, parent, index: this.path[this.index - 1] };
  }

  /** With a turn in its place again, which becomes the current one; the same tree if its place is gone. @param {Removed} removed */
  restore({ node, parent, index }) {
    const path = this.pathTo(parent);
    if (!path) return this;
    const tree = this.visit(path).changed(({ children }) => ({
      children: withNode(children, node, index, this.rules),
    }));
    const taken = tree.current.children.findIndex(
      (child) => child === node || sameTurn(child, node, this.rules),
    );
    return tree.visit([...path, taken]);
  }

  /** Without the turns of `line()` after the first `length`. @param {number} length */
  truncate(length) {
    const { index } = this;
    return this.goTo(length)
      .changed(() => ({ children: [] }))
      .goTo(Math.min(index, length));
  }

  /** The turns from the root to the current node as tokens. */
  tokens() {
    return this.nodes().flatMap(({ turn }) => (turn ? [formatTurn(turn, this.rules)] : []));
  }

  /** @param {(node: Node) => Partial<Node>} change of the current node */
  changed(change) {
    return new GameTree(replaced(this.root, this.path, change), this.path);
  }
}

/** The game from a position, at its end. @param {Position} start @param {readonly string[]} tokens of its turns */
export const playedTree = (start, tokens) =>
  tokens.reduce(
    (tree, token) => tree.play(parseTurn(token, tree.rules, tree.position.player)),
    GameTree.from(start),
  );
