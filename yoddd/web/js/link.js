// A game as the part of a URL behind the #, so that a link or a reload finds it again.
import { formatPosition, parsePosition, parseTurn } from './notation.js';
import { Position, chosenOptions, makeRules } from './rules.js';
import { GameTree } from './tree.js';

/** @typedef {import('./seats.js').Seats} Seats */

/**
 * @param {GameTree} tree
 * @param {Seats | null} seats who plays; left out of links for others
 */
export function writeLink(tree, seats) {
  const { rules, root } = tree;
  const parts = new URLSearchParams();
  if (root.position.number > 1 || root.position.census().total) {
    parts.set('position', formatPosition(root.position));
  } else {
    parts.set('game', rules.game);
    parts.set('board', rules.board.name);
    for (const [name, value] of chosenOptions(rules)) parts.set(name, value);
  }
  const line = tree.line();
  const turns = tree.tokens(line[line.length - 1]).join('.');
  if (turns) parts.set('turns', turns);
  if (tree.index < line.length - 1) parts.set('at', String(tree.index));
  if (seats) {
    parts.set('black', seats.players[0]);
    parts.set('white', seats.players[1]);
    if (seats.clock) parts.set('clock', seats.clock);
  }
  // Commas and slashes may stand in a fragment, and read better so.
  return `#${parts.toString().replace(/%2C/g, ',').replace(/%2F/g, '/')}`;
}

/**
 * @param {string} hash
 * @returns {{tree: GameTree, seats: Partial<{black: string, white: string, clock: string}>} | null}
 */
export function readLink(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const line = parts.get('position');
  const game = parts.get('game');
  if (!line && !game) return null;
  /** @type {Record<string, string>} */
  const options = {};
  for (const name of ['end_on_full', 'own_colour', 'min_group', 'pie']) {
    const value = parts.get(name);
    if (value !== null) options[name] = value;
  }
  const start = line ? parsePosition(line)
    : new Position(makeRules(game ?? '', parts.get('board') ?? undefined, options));
  const tree = new GameTree(start);
  for (const token of (parts.get('turns') ?? '').split('.').filter(Boolean)) {
    tree.play(parseTurn(token, tree.rules, tree.position.player));
  }
  const at = parts.get('at');
  if (at !== null) tree.goTo(Number(at));
  const seats = { black: parts.get('black') ?? undefined, white: parts.get('white') ?? undefined, clock: parts.get('clock') ?? undefined };
  return { tree, seats };
}
