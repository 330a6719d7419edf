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
    if (seats.names) seats.names.forEach((name, index) => parts.set(['pb', 'pw'][index], name));
  }
  // Commas and slashes may stand in a fragment, and read better so.
  return `#${parts.toString().replace(/%2C/g, ',').replace(/%2F/g, '/')}`;
}

/**
 * The game of a record, the JSON of one game in an archive.
 * @param {Record<string, any>} record
 * @returns {{tree: GameTree, seats: Seats}}
 */
export function readRecord(record) {
  const start = record.position ? parsePosition(record.position)
    : new Position(makeRules(record.game, record.board, record.options));
  const tree = new GameTree(start);
  for (const token of record.turns) tree.play(parseTurn(token, tree.rules, tree.position.player));
  const winner = { b: record.black, w: record.white }[/** @type {string} */ (record.winner)] ?? 'nobody';
  tree.current.comment = [`${winner} wins by ${record.reason}`, record.detail].filter(Boolean).join(': ');
  tree.goTo(0);
  return { tree, seats: { players: ['person', 'person'], clock: '', names: [record.black, record.white] } };
}

/** Which game of which run an address names. @param {string} hash */
export function readRun(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const [run, game] = [parts.get('run'), parts.get('game')];
  return run && game ? `runs/${encodeURIComponent(run)}/games/${encodeURIComponent(game)}` : null;
}

/**
 * @param {string} hash
 * @returns {{tree: GameTree, seats: Partial<{black: string, white: string, clock: string, names: [string, string]}>} | null}
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
  const at = parts.get('at') ?? '';
  if (/^\d+$/.test(at)) tree.goTo(Number(at));
  const [pb, pw] = [parts.get('pb'), parts.get('pw')];
  const names = /** @type {[string, string] | undefined} */ (pb && pw ? [pb, pw] : undefined);
  const seats = { names, black: parts.get('black') ?? undefined, white: parts.get('white') ?? undefined, clock: parts.get('clock') ?? undefined };
  return { tree, seats };
}
