// A game with its variations and comments, and the place in it that is shown. Trees and nodes never
// change: every method that alters something returns another tree.
import { formatTurn } from './notation.js';

/** @typedef {import('./rules.js').Turn} Turn */
/** @typedef {import('./rules.js').Position} Position */

/**
 * @typedef {object} Node
 * @property {Turn | null} turn null at the root
 * @property {Position} position after the turn; each node has its own, which identifies it
 * @property {readonly Node[]} children the first is the main line
 * @property {string} comment
 * @property {ReadonlyMap<string, string[]>} extra SGF properties that are kept as they are
 */

/** @param {Turn | null} turn @param {Position} position @param {Partial<Node>} [rest] @returns {Node} */
export const makeNode = (turn, position, rest = {}) => ({
  turn,
  position,
  children: [],
  comment: '',
  extra: new Map(),
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

export class GameTree {
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
    const nodes = [this.root];
    for (const taken of this.path) nodes.push(nodes[nodes.length - 1].children[taken]);
    return nodes;
  }

  /** From the root to the current node and on along first children. */
  line() {
    const nodes = this.nodes();
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

  /** @param {readonly number[]} path */
  visit(path) {
    return new GameTree(this.root, path);
  }

  /** The path to a position; null if it is in no line. @param {Position} position */
  pathTo(position) {
    /** @param {Node} node @param {number[]} path @returns {number[] | null} */
    const search = (node, path) => {
      if (node.position === position) return path;
      for (const [index, child] of node.children.entries()) {
        const found = search(child, [...path, index]);
        if (found) return found;
      }
      return null;
    };
    return search(this.root, []);
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

  /** Without the current turn and what follows it. */
  remove() {
    const { current } = this;
    return this.visit(this.path.slice(0, -1)).changed(({ children }) => ({
      children: children.filter((child) => child !== current),
    }));
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
