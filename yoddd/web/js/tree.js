// A game with its variations and comments, and where in it one looks.
import { Position } from './rules.js';
import { formatTurn } from './notation.js';

/** @typedef {import('./rules.js').Turn} Turn */

/**
 * @typedef {object} Node
 * @property {Turn | null} turn null at the root
 * @property {Node | null} parent
 * @property {Node[]} children the first is the main line
 * @property {Position} position after the turn
 * @property {string} comment
 * @property {number | null} winrate of Black, where it is known
 * @property {Map<string, string[]>} extra SGF properties that are kept as they are
 */

/** @param {Node | null} parent @param {Turn | null} turn @param {Position} position @returns {Node} */
const makeNode = (parent, turn, position) => ({
  turn, parent, children: [], position, comment: '', winrate: null, extra: new Map(),
});

export class GameTree {
  /** @param {Position} start */
  constructor(start) {
    this.root = makeNode(null, null, start);
    this.current = this.root;
  }

  get rules() { return this.root.position.rules; }

  get position() { return this.current.position; }

  /** From the root to the current node and on along first children. @returns {Node[]} */
  line() {
    const nodes = this.path();
    for (let node = this.current; node.children.length;) {
      [node] = node.children;
      nodes.push(node);
    }
    return nodes;
  }

  /** From the root to `node`. @param {Node} [node] */
  path(node = this.current) {
    /** @type {Node[]} */
    const nodes = [];
    for (let at = /** @type {Node | null} */ (node); at; at = at.parent) nodes.unshift(at);
    return nodes;
  }

  /** Goes to the turn, adding it if it is new here; throws if it is illegal. @param {Turn} turn */
  play(turn) {
    const token = formatTurn(turn, this.rules);
    const known = this.current.children.find(
      (child) => child.turn && formatTurn(child.turn, this.rules) === token,
    );
    this.current = known ?? this.add(this.current, turn);
    return this.current;
  }

  /** @param {Node} parent @param {Turn} turn */
  add(parent, turn) {
    const node = makeNode(parent, turn, parent.position.play(turn));
    parent.children.push(node);
    return node;
  }

  /** @param {number} index in `line()` */
  goTo(index) {
    const line = this.line();
    this.current = line[Math.max(0, Math.min(index, line.length - 1))];
  }

  get index() { return this.path().length - 1; }

  /** Another turn in place of the current one. @param {number} step */
  sibling(step) {
    const { parent } = this.current;
    if (!parent) return;
    const index = parent.children.indexOf(this.current) + step;
    this.current = parent.children[index] ?? this.current;
  }

  /** Makes the current line the main line. */
  promote() {
    for (let node = this.current; node.parent; node = node.parent) {
      const { children } = node.parent;
      children.splice(children.indexOf(node), 1);
      children.unshift(node);
    }
  }

  /** Takes the current turn and what follows it out of the tree. */
  remove() {
    const { parent } = this.current;
    if (!parent) return;
    parent.children.splice(parent.children.indexOf(this.current), 1);
    this.current = parent;
  }

  /** The turns from the root to `node` as tokens. @param {Node} [node] */
  tokens(node = this.current) {
    return this.path(node).flatMap(({ turn }) => (turn ? [formatTurn(turn, this.rules)] : []));
  }
}
