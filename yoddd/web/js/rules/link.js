// A game as the fragment of a URL, so that a link or a reload opens it again. A single line of turns
// is spelled out; a study, with variations and comments, is compressed SGF.
import { formatPosition, parsePosition, parseShown, parseTurn } from './notation.js';
import { describeResult } from './result.js';
import { GAMES, Position, chosenOptions, gameOf, makeRules } from './rules.js';
import { HUMAN, HUMANS } from './seats.js';
import { NotationError, RulesError } from '../base/errors.js';
import { t } from '../base/texts.js';
import { playedTree, sizeOf } from './tree.js';

/** @import { Seats } from './seats.js' */
/** @import { GameTree } from './tree.js' */

/**
 * @param {GameTree} tree
 * @param {Seats | null} seats who plays; left out of links that are shared
 */
export function writeLink(tree, seats) {
  const { rules, root } = tree;
  const parts = new URLSearchParams(packRules(rules));
  const isBegun = root.position.number > 1 || root.position.census().total > 0;
  // An option of the user's may have the name of a part.
  if (isBegun || rules.definition.description) {
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
  return fragmentOf(parts, seats);
}

/** The part of a link that describes a game of the user's; none of another one. @param {import('./rules.js').Rules} rules @returns {Record<string, string>} */
export function packRules({ definition: { description } }) {
  if (!description) return {};
  return { rules: encode(new TextEncoder().encode(JSON.stringify(description))) };
}

/** The game that a link describes; throws a `RulesError`. @param {URLSearchParams} parts */
export async function ownIn(parts) {
  const data = parts.get('rules');
  if (!data) return undefined;
  const { readGame } = await import('./description.js');
  try {
    return readGame(new TextDecoder().decode(decode(data)));
  } catch (error) {
    if (error instanceof RulesError) throw error;
    throw new Error(t('share.damaged'), { cause: error });
  }
}

/** Bytes in the letters of a link. @param {Uint8Array} bytes */
function encode(bytes) {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

/** @param {string} data */
const decode = (data) =>
  Uint8Array.from(atob(data.replace(/-/g, '+').replace(/_/g, '/')), (byte) => byte.charCodeAt(0));

/** @param {URLSearchParams} parts @param {Seats | null} seats */
function fragmentOf(parts, seats) {
  if (seats) {
    parts.set('black', seats.players[0]);
    parts.set('white', seats.players[1]);
    if (seats.clock) parts.set('clock', seats.clock);
    if (seats.names) seats.names.forEach((name, index) => parts.set(['pb', 'pw'][index], name));
  }
  // Commas and slashes may stand in a fragment, and read better so.
  return `#${parts.toString().replace(/%2C/g, ',').replace(/%2F/g, '/')}`;
}

/** Turns of a study that a link is tried for, characters of its data, and characters of its SGF. */
const [MOST_TURNS, LONGEST, LARGEST] = [20_000, 30_000, 4_000_000];

/** Whether a link that spells the turns out would lose something of the tree. @param {GameTree} tree */
export const isStudy = (tree) =>
  tree
    .line()
    .some(
      ({ children, comment, glyph, extra }) =>
        children.length > 1 || comment !== '' || glyph !== '' || extra.size > 0,
    );

/** A tree as data for a link; null if it is too long for one. @param {GameTree} tree @param {Seats | null} seats @returns {Promise<string | null>} */
export async function packStudy(tree, seats) {
  if (sizeOf(tree.root) > MOST_TURNS || !('CompressionStream' in globalThis)) return null;
  const { writeSgf } = await import('./sgf.js');
  const [black, white] = seats?.names ?? [];
  const source = new Blob([writeSgf(tree, { black, white })]).stream();
  const packed = await new Response(
    source.pipeThrough(new CompressionStream('deflate-raw')),
  ).arrayBuffer();
  const data = encode(new Uint8Array(packed));
  return data.length > LONGEST ? null : data;
}

/** The link of a study. @param {string} data of `packStudy` @param {GameTree} tree @param {Seats | null} seats */
export const studyLink = (data, tree, seats) =>
  fragmentOf(new URLSearchParams({ study: data, at: formatPath(tree.path) }), seats);

/** A path as turns along first children and the child taken then, by turns: 3.1.2. @param {readonly number[]} path */
export function formatPath(path) {
  const parts = [0];
  for (const taken of path) {
    if (taken) parts.push(taken, 0);
    else parts[parts.length - 1] += 1;
  }
  return parts.join('.').replace(/(\.[^.]+)\.0$/, '$1');
}

/** The tree at a path of `formatPath`, or as near to it as there are turns. @param {GameTree} tree @param {string} text */
function atPath(tree, text) {
  return text.split('.').reduce((at, part, index) => {
    const number = Number(part);
    if (index % 2 === 0) return at.goTo(at.index + (number || 0));
    return at.current.children[number] ? at.visit([...at.path, number]) : at;
  }, tree.visit([]));
}

/** Characters of a fragment that may stand in the query of a link. */
const LONGEST_QUERY = 6000;

/** The link to what a fragment names: in the query if it is not too long, for a preview. @param {string} fragment */
export function publicLink(fragment) {
  const url = new URL('./', location.href);
  if (fragment.length > LONGEST_QUERY) url.hash = fragment;
  else url.search = fragment.slice(1);
  return url.href;
}

/** Whether an address asks for the engine's view. @param {string} hash */
export const wantsAnalysis = (hash) => new URLSearchParams(hash.slice(1)).get('analyse') === 'on';

/** Whether an address names a study. @param {string} hash */
export const hasStudy = (hash) => new URLSearchParams(hash.slice(1)).has('study');

/**
 * The game of the address of a study; an Error if it cannot be read.
 * @param {string} hash
 * @returns {ReturnType<typeof readLink>}
 */
export async function readStudy(hash) {
  const parts = new URLSearchParams(hash.slice(1));
  const { readSgf } = await import('./sgf.js');
  const { tree, names, problems } = readSgf(await unpack(parts.get('study') ?? ''));
  const seats = seatsIn(parts);
  const named = names.black && names.white ? [names.black, names.white] : null;
  return {
    tree: atPath(tree, parts.get('at') ?? ''),
    seats: named ? { ...seats, names: /** @type {[string, string]} */ (named) } : seats,
    problem: problems[0],
  };
}

/** The text of the data of a link. @param {string} data */
async function unpack(data) {
  try {
    const reader = new Blob([decode(data)])
      .stream()
      .pipeThrough(new DecompressionStream('deflate-raw'))
      .pipeThrough(new TextDecoderStream())
      .getReader();
    let text = '';
    // A few bytes may stand for gigabytes.
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      text += value;
      if (text.length > LARGEST) throw new Error('too large');
    }
    return text;
  } catch {
    throw new Error(t('share.damaged'));
  }
}

/**
 * The game of a record, the JSON of one game in an archive.
 * @param {Record<string, any>} record
 * @returns {Promise<{tree: GameTree, seats: Seats}>}
 */
export async function readRecord(record) {
  const game = record.description
    ? (await import('./description.js')).readGame(record.description)
    : record.game;
  const start = record.position
    ? parsePosition(record.position, record.description && game)
    : new Position(makeRules(game, record.board, record.options));
  const tree = playedTree(start, record.turns)
    .comment([describeResult(record), record.detail].filter(Boolean).join(': '))
    .goTo(0);
  return { tree, seats: { ...HUMANS, names: [record.black, record.white] } };
}

/** The path under `api/` of the archived game that an address names; null if it names none. @param {string} hash */
export function readRun(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const [run, game, archived] = [parts.get('run'), parts.get('game'), parts.get('archive')];
  if (archived) return `game/${encodeURIComponent(archived)}`;
  return run && game ? `runs/${encodeURIComponent(run)}/games/${encodeURIComponent(game)}` : null;
}

/** The game that turns lead to as far as they are legal, and what is wrong with the next one. @param {Position} start @param {readonly string[]} tokens */
function playedSoFar(start, tokens) {
  let tree = playedTree(start, []);
  for (const token of tokens) {
    const { player, number } = tree.position;
    try {
      tree = tree.play(parseTurn(token, tree.rules, player));
    } catch (error) {
      if (!(error instanceof RulesError || error instanceof NotationError)) throw error;
      const values = { n: number, turn: token, reason: error.reason };
      return { tree, problem: t('share.illegal', values) };
    }
  }
  return { tree, problem: '' };
}

/**
 * The game of an address, with the reason if it has only the first of the turns; null if the address
 * names none, an Error if it cannot be read.
 * @param {string} hash
 * @returns {Promise<{tree: GameTree, seats: Seats, problem?: string} | null>}
 */
export async function readLink(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const line = parts.get('position');
  const own = await ownIn(parts);
  const game = parts.get('game') ?? own?.name;
  if (!line && !game) return null;
  const found = gameOf(game ?? '', own);
  const { options: known = {} } = (found === own ? own : GAMES[game ?? '']) ?? {};
  /** @type {Record<string, string>} */
  const options = {};
  for (const name of Object.keys(known)) {
    const value = parts.get(name);
    if (value !== null) options[name] = value;
  }
  const start = line
    ? parseShown(line, own)
    : new Position(makeRules(found, parts.get('board') ?? undefined, options));
  const tokens = (parts.get('turns') ?? '').split('.').filter(Boolean);
  const { tree: end, problem } = playedSoFar(start, tokens);
  const at = parts.get('at') ?? '';
  const tree = /^\d+$/.test(at) ? end.goTo(Number(at)) : end;
  return { tree, seats: seatsIn(parts), problem };
}

/**
 * The game that the text of a link to the page spells out; null if it is no such link.
 * @param {string} text
 */
export async function readPasted(text) {
  const [, query = '', fragment = ''] =
    /^\s*https?:\/\/[^\s?#]*(?:\?([^\s#]*))?(?:#(\S*))?\s*$/.exec(text) ?? [];
  for (const spelled of [`#${fragment}`, `#${query}`]) {
    if (hasStudy(spelled)) return readStudy(spelled);
    const found = readRun(spelled) ? null : await readLink(spelled);
    if (found) return found;
  }
  return null;
}

/** @param {URLSearchParams} parts @returns {Seats} */
function seatsIn(parts) {
  const [pb, pw] = [parts.get('pb'), parts.get('pw')];
  return {
    players: [parts.get('black') ?? HUMAN, parts.get('white') ?? HUMAN],
    clock: parts.get('clock') ?? '',
    ...(pb && pw ? { names: [pb, pw] } : {}),
  };
}
