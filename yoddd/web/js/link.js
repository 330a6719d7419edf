// A game as the fragment of a URL, so that a link or a reload opens it again.
import { formatPosition, parsePosition, parseTurn } from './notation.js';
import { Position, chosenOptions, makeRules } from './rules.js';
import { HUMAN, HUMANS } from './seats.js';
import { GameTree } from './tree.js';

/** @typedef {import('./seats.js').Seats} Seats */

/**
 * @param {GameTree} tree
 * @param {Seats | null} seats who plays; left out of links that are shared
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
  const end = tree.goTo(Infinity);
  const turns = end.tokens().join('.');
  if (turns) parts.set('turns', turns);
  if (tree.index < end.index) parts.set('at', String(tree.index));
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
  const start = record.position
    ? parsePosition(record.position)
    : new Position(makeRules(record.game, record.board, record.options));
  const tree = playAll(start, record.turns)
    .comment([describeResult(record), record.detail].filter(Boolean).join(': '))
    .goTo(0);
  return { tree, seats: { ...HUMANS, names: [record.black, record.white] } };
}

/** Predicates of the loser, by the reason of a record. @type {Record<string, string>} */
const DEEDS = {
  resign: 'resigned',
  time: 'ran out of time',
  illegal: 'played an illegal turn',
  protocol: 'broke the protocol',
  crash: 'crashed',
  disconnect: 'disconnected',
  stall: 'did not answer',
};

/** Returns the winner of a recorded game and the cause, without the detail. @param {Record<string, any>} record */
function describeResult({ black, white, winner, reason }) {
  if (!reason) return ''; // in play
  if (winner !== 'b' && winner !== 'w') return `No winner: ${reason}`;
  const [name, loser] = winner === 'b' ? [black, white] : [white, black];
  if (DEEDS[reason]) return `${name} wins: ${loser} ${DEEDS[reason]}`;
  return `${name} wins by ${reason === 'adjudicated' ? 'adjudication' : reason}`;
}

/** @param {Position} start @param {string[]} tokens */
const playAll = (start, tokens) =>
  tokens.reduce(
    (tree, token) => tree.play(parseTurn(token, tree.rules, tree.position.player)),
    GameTree.from(start),
  );

/** The path under `api/` of the archived game that an address names; null if it names none. @param {string} hash */
export function readRun(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const [run, game, archived] = [parts.get('run'), parts.get('game'), parts.get('archive')];
  if (archived) return `game/${encodeURIComponent(archived)}`;
  return run && game ? `runs/${encodeURIComponent(run)}/games/${encodeURIComponent(game)}` : null;
}

/**
 * The game of an address; null if it names none, an Error if it cannot be read.
 * @param {string} hash
 * @returns {{tree: GameTree, seats: Seats} | null}
 */
export function readLink(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const line = parts.get('position');
  const game = parts.get('game');
  if (!line && !game) return null;
  /** @type {Record<string, string>} */
  const options = {};
  for (const name of ['end_on_full', 'own_colour', 'min_group', 'pie', 'one_group', 'tie']) {
    const value = parts.get(name);
    if (value !== null) options[name] = value;
  }
  const start = line
    ? parsePosition(line)
    : new Position(makeRules(game ?? '', parts.get('board') ?? undefined, options));
  const end = playAll(start, (parts.get('turns') ?? '').split('.').filter(Boolean));
  const at = parts.get('at') ?? '';
  const tree = /^\d+$/.test(at) ? end.goTo(Number(at)) : end;
  const [pb, pw] = [parts.get('pb'), parts.get('pw')];
  return {
    tree,
    seats: {
      players: [parts.get('black') ?? HUMAN, parts.get('white') ?? HUMAN],
      clock: parts.get('clock') ?? '',
      ...(pb && pw ? { names: [pb, pw] } : {}),
    },
  };
}
