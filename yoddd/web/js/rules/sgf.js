// SGF FF[4] as protocol/ describes it: the property is the colour to move, YGAME names the game.
import { t } from '../base/catalogue.js';
import { NotationError } from '../base/errors.js';
import { readGame } from './description.js';
import { rulesHash } from './hash.js';
import { formatTurn, parseTurn } from './notation.js';
import { GAMES } from './rules.js';
import {
  OURS,
  SET_UP,
  describeText,
  goSize,
  readAsXodd,
  readRules,
  readStart,
  startProperties,
} from './sgfstart.js';
import { GameTree, NO_EXTRA, makeNode } from './tree.js';

/** @import { Position } from './rules.js' */
/** @import { Node } from './tree.js' */
/** @typedef {ReadonlyMap<Position, number>} Winrates of Black */
/** @typedef {{properties: Map<string, string[]>, children: Raw[]}} Raw */

/** The glyphs as properties of a turn; SGF allows one of them in a node. @type {[import('./tree.js').Glyph, string, string][]} */
const GLYPHS = [
  ['!', 'TE', '1'],
  ['!!', 'TE', '2'],
  ['?', 'BM', '1'],
  ['??', 'BM', '2'],
  ['!?', 'IT', ''],
  ['?!', 'DO', ''],
];
const TURN = new Set(['B', 'W', 'C', 'YEVAL']);
const ROOT = new Set([
  ...SET_UP,
  ...'FF GM CA AP YGAME YHASH YRULES YBOARD YOPTION YSTART SZ PB PW C YEVAL'.split(' '),
]);

/** @param {string} text */
const escape = (text) => text.replace(/[\\\]]/g, '\\$&');
/** The plain text of a value: escapes resolved, every kind of line end as LF. @param {string} raw */
const unescape = (raw) =>
  raw.replace(
    /\\(?:\r\n|\n\r|[\r\n])|(\r\n|\n\r|[\r\n])|\\?([\t\v\f])|\\([^])/g,
    (_, end, space, kept) => (end ? '\n' : space ? ' ' : (kept ?? '')),
  );

/** A sentence on one line, without most of a long value. @param {string} text */
const brief = (text) =>
  text.replace(/\p{Cc}+/gu, ' ').replace(/(?<=^[^]{100})[^]+(?=[^]{100}$)/, '…');

/** @param {GameTree} tree @param {{black?: string, white?: string}} [names] @param {Winrates} [winrates] */
export function writeSgf(tree, names = {}, winrates = new Map()) {
  const parts = [`(;${rootOf(tree, names)}${notes(tree.root, null, winrates)}`];
  /** @type {({node: Node, before: Node} | string)[]} what is to be written, the last one first */
  const todo = [')\n'];
  /** @param {Node} node */
  const branch = (node) => {
    const forks = node.children.length > 1;
    for (const child of [...node.children].reverse()) {
      if (forks) todo.push(')');
      todo.push({ node: child, before: node });
      if (forks) todo.push('\n(');
    }
  };
  branch(tree.root);
  for (let item = todo.pop(); item !== undefined; item = todo.pop()) {
    if (typeof item === 'string') {
      parts.push(item);
      continue;
    }
    const { node, before } = item;
    const player = 'BW'[before.position.player];
    const turn = node.turn ? `${player}[${formatTurn(node.turn, tree.rules)}]` : '';
    // A variation begins on the line of its bracket.
    parts.push(`${before.children.length > 1 ? '' : '\n'};${turn}${notes(node, before, winrates)}`);
    branch(node);
  }
  return parts.join('');
}

/** The properties of the game. @param {GameTree} tree @param {{black?: string, white?: string}} names */
function rootOf(tree, names) {
  const { rules } = tree;
  const { description } = rules.definition;
  const start = tree.root.position;
  const end = tree.visit([]).goTo(Infinity);
  const outcome = end.position.outcome();
  const options = Object.entries(rules.options).map(([name, value]) => `[${name}:${value}]`);
  return [
    'FF[4]GM[9633]CA[UTF-8]AP[yoddd:board]',
    names.black ? `PB[${escape(names.black)}]` : '',
    names.white ? `PW[${escape(names.white)}]` : '',
    outcome ? `RE[${resultOf(end, outcome)}]` : '',
    `YGAME[${rules.game}]YBOARD[${rules.board.name}]SZ[${rules.board.size}]YHASH[${rulesHash(rules.facts)}]`,
    description ? `YRULES[${escape(JSON.stringify(description))}]` : '',
    options.length ? `YOPTION${options.join('')}` : '',
    startProperties(start),
  ].join('');
}

/** RE names the seat that wins: participants change colours with a swap. @param {GameTree} end @param {import('./rules.js').Outcome} outcome */
function resultOf(end, outcome) {
  const swapped = end.nodes().some((node) => node.turn?.kind === 'swap');
  const winner = 'BW'[swapped ? 1 - outcome.winner : outcome.winner];
  return `${winner}+${outcome.reason === 'resign' ? 'R' : outcome.score}`;
}

/** Black's winrate as that of the turn's player, and the reverse. @param {Position | undefined} before @param {number} winrate */
const ofMover = (before, winrate) => (before?.player === 1 ? 1 - winrate : winrate);

/** The properties of a node besides its turn. @param {Node} node @param {Node | null} before @param {Winrates} winrates */
function notes(node, before, winrates) {
  const known = winrates.get(node.position);
  const [, name, value] = GLYPHS.find(([glyph]) => glyph === node.glyph) ?? [];
  return [
    ...[...node.extra].map(([key, values]) => key + values.map((one) => `[${one}]`).join('')),
    name ? `${name}[${value}]` : '',
    known === undefined ? '' : `YEVAL[${ofMover(before?.position, known).toFixed(4)}]`,
    node.comment ? `C[${escape(node.comment)}]` : '',
  ].join('');
}

/**
 * The text of a file, in the encoding that its property CA names; UTF-8 where that is none.
 * @param {ArrayBuffer} bytes
 */
export function decodeSgf(bytes) {
  const head = new TextDecoder('latin1').decode(bytes.slice(0, 2000));
  const name = /CA\s*\[\s*([\w.:-]+)\s*\]/.exec(head)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(name).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/**
 * Reads a game of a file. `problems` lists what cannot be read; the rest is kept. Throws a
 * `NotationError` where it is no game of ours.
 * @param {string} text
 * @param {number} [begin] where the game begins, as `gamesOf` has it; the first one otherwise
 * @returns {{tree: GameTree, names: {black: string, white: string}, winrates: Map<Position, number>, problems: string[], go: string}}
 *   `go` is the size of the board of a game of Go, which is read as Xodd; empty for a game of ours
 */
export function readSgf(text, begin = text.indexOf('(')) {
  const reader = new Reader(text, begin);
  const { root: raw, problems } = reader.read();
  /** @param {string} name */
  const value = (name) => unescape(raw.properties.get(name)?.[0] ?? '').trim();
  const { start, go } = reader.blaming(() => {
    if (!value('YGAME') && value('GM') === OURS) nameGame(raw, value);
    const size = value('YGAME') ? '' : goSize(value);
    if (size) readAsXodd(raw, size);
    return { start: startOf(raw, value), go: size };
  });
  const found = { winrates: new Map(), problems, turns: new Map() };
  const root = grow(start, raw, found);
  // The end of the main line says how the game has ended, and is asked again when it is written.
  const isOver = new GameTree(root).goTo(Infinity).position.isOver;
  const extra = isOver ? new Map([...root.extra].filter(([name]) => name !== 'RE')) : root.extra;
  const tree = new GameTree({ ...root, extra });
  const names = { black: value('PB'), white: value('PW') };
  return { tree, names, winrates: found.winrates, problems, go };
}

/** The start of a tree that names its game. @param {Raw} raw @param {(name: string) => string} value */
function startOf(raw, value) {
  const options = Object.fromEntries(
    (raw.properties.get('YOPTION') ?? []).map((pair) => pair.split(':')),
  );
  const own = value('YRULES') ? readGame(value('YRULES')) : undefined;
  return readStart(raw, readRules(value, options, own), value);
}

/** Names the one game that the turns and the result of a tree fit. @param {Raw} raw @param {(name: string) => string} value */
function nameGame(raw, value) {
  const fits = Object.entries(GAMES).filter(([game]) => {
    raw.properties.set('YGAME', [game]);
    try {
      return fitsGame(raw, value);
    } catch {
      return false;
    }
  });
  raw.properties.delete('YGAME');
  if (fits.length !== 1)
    throw new Error(
      t('sgf.which', { games: fits.map(([, { title }]) => title).join(', ') || '–' }),
    );
  raw.properties.set('YGAME', [fits[0][0]]);
}

/** Whether the main line of a tree can be played, and ends as its result says. @param {Raw} raw @param {(name: string) => string} value */
function fitsGame(raw, value) {
  const root = makeNode(null, startOf(raw, value));
  /** @type {Found} */
  const found = { winrates: new Map(), problems: [], turns: new Map() };
  let node = root;
  for (let [from] = raw.children; from; [from] = from.children) {
    const below = childOf(node.position, from, found);
    if (!below) return false;
    node.children = [below];
    node = below;
  }
  const tree = new GameTree(root).goTo(Infinity);
  const outcome = tree.position.outcome();
  const said = value('RE');
  if (!outcome || outcome.reason === 'resign') return !/^[BW]\+\d/.test(said);
  return !said || said === resultOf(tree, outcome);
}

/** @typedef {{winrates: Map<Position, number>, problems: string[], turns: Map<string, import('./rules.js').Turn>}} Found */

/** The nodes of a file, each with its position. @param {Position} start @param {Raw} raw @param {Found} found takes what is found on the way @returns {Node} */
function grow(start, raw, found) {
  const root = nodeOf(null, start, raw, found);
  const todo = [{ node: root, raw }];
  for (let one = todo.pop(); one; one = todo.pop()) {
    const { node, raw: from } = one;
    const made = [];
    for (const child of from.children) {
      const below = childOf(node.position, child, found);
      if (!below) continue;
      made.push(below);
      todo.push({ node: below, raw: child });
    }
    // An array that has grown one by one keeps room for many more; its copy does not.
    node.children = made.slice();
    from.children = [];
    node.position.release();
  }
  return root;
}

/** The node after a position; null if its turn cannot be read or played. @param {Position} position @param {Raw} raw @param {Found} found */
function childOf(position, raw, found) {
  const { properties } = raw;
  const player = 'BW'[position.player];
  const token = properties.get(player)?.[0];
  try {
    const setUp = SET_UP.find((name) => properties.has(name));
    if (setUp) throw new Error(t('sgf.set-up', { name: setUp }));
    const other = 'WB'[position.player];
    if (properties.has(other)) throw new Error(t('sgf.on-turn', { other, player }));
    // Some programs put comments into nodes of their own.
    if (token === undefined) return nodeOf(null, position.withStones([]), raw, found, position);
    const turn = turnOf(unescape(token), position, found);
    return nodeOf(turn, position.play(turn), raw, found, position);
  } catch (error) {
    const { message: reason } = /** @type {Error} */ (error);
    found.problems.push(
      brief(t('sgf.turn', { n: position.number, token: token ? `, ${token}` : '', reason })),
    );
    return null;
  }
}

/** A turn; the nodes with the same one share it. @param {string} token @param {Position} position @param {Found} found */
function turnOf(token, { rules, player }, { turns }) {
  const key = `${player} ${token}`;
  // An empty value is a pass in SGF, and a space may stand between two stones.
  const text = token.trim().replace(/\s*[,\s]\s*/g, ',') || 'pass';
  const turn = turns.get(key) ?? parseTurn(text, rules, player);
  turns.set(key, turn);
  return turn;
}

/**
 * A node without what follows it.
 * @param {import('./rules.js').Turn | null} turn
 * @param {Position} position
 * @param {Raw} raw
 * @param {Found} found
 * @param {Position} [before] none for the root
 * @returns {Node}
 */
function nodeOf(turn, position, { properties }, found, before) {
  const winrate = properties.get('YEVAL')?.[0];
  if (winrate !== undefined) found.winrates.set(position, ofMover(before, Number(winrate)));
  const [glyph, property] = (turn && glyphOf(properties)) ?? ['', ''];
  const known = before ? TURN : ROOT;
  const extra = [...properties].filter(([name]) => !known.has(name) && name !== property);
  return makeNode(turn, position, {
    comment: unescape(properties.get('C')?.[0] ?? ''),
    glyph,
    // A file may have some hundred thousand nodes: an empty map in each would cost as much as they do.
    extra: extra.length ? new Map(extra) : NO_EXTRA,
  });
}

/** The glyph of a turn and the property that stands for it. @param {Map<string, string[]>} properties @returns {[import('./tree.js').Glyph, string] | null} */
function glyphOf(properties) {
  const name = ['TE', 'BM', 'IT', 'DO'].find((one) => properties.has(one));
  if (!name) return null;
  const strong = properties.get(name)?.[0].trim() === '2';
  const fitting = GLYPHS.filter((glyph) => glyph[1] === name);
  return [fitting[strong ? fitting.length - 1 : 0][0], name];
}

/** Space, the name of a property, or what has no place in SGF. */
const WORD = /\s+|[A-Za-z]+|[^\s();[A-Za-z]+/y;

/** Reads the first tree of a text; collects what is wrong with it, and goes on. */
class Reader {
  /** @param {string} text @param {number} begin of the tree */
  constructor(text, begin) {
    this.text = text;
    this.at = begin;
    /** @type {string[]} */
    this.problems = [];
    /** @type {Raw | null} */
    this.root = null;
    /** The place of the root. */
    this.rootAt = 0;
    /** @type {Raw | null} the latest node of the innermost open tree */
    this.node = null;
    /** @type {(Raw | null)[]} for each open tree, the node it hangs from */
    this.parents = [];
    /** A property name that waits for its first value. */
    this.name = '';
    /** @type {string[] | null} the values of the latest property */
    this.values = null;
  }

  /** @returns {{root: Raw, problems: string[]}} */
  read() {
    const { text } = this;
    while (this.at >= 0 && this.at < text.length) {
      const sign = text[this.at];
      if (sign === '[') this.takeValue();
      else if (!'();'.includes(sign)) this.takeWord();
      else if (!this.takeMark(sign)) break;
    }
    if (!this.root) throw new NotationError(brief(describeText(text)));
    this.endProperty();
    if (this.parents.length) this.complain(t('sgf.open-game'));
    return { root: this.root, problems: this.problems };
  }

  /** A bracket or semicolon; whether the tree goes on. @param {string} sign */
  takeMark(sign) {
    this.endProperty();
    if (sign === '(') {
      this.parents.push(this.node);
    } else if (sign === ')') {
      this.node = this.parents.pop() ?? null;
    } else {
      const node = { properties: new Map(), children: [] };
      this.node?.children.push(node);
      if (!this.root) [this.root, this.rootAt] = [node, this.at];
      this.node = node;
    }
    this.at += 1;
    return this.parents.length > 0;
  }

  takeValue() {
    const end = valueEnd(this.text, this.at);
    if (this.name && this.node) {
      const { properties } = this.node;
      if (properties.has(this.name)) this.complain(t('sgf.twice', { name: this.name }));
      this.values = properties.get(this.name) ?? [];
      properties.set(this.name, this.values);
      this.name = '';
    }
    if (this.values) this.values.push(this.text.slice(this.at + 1, end - 1));
    else this.complain(t('sgf.no-property'));
    if (end > this.text.length) this.complain(t('sgf.open-value'));
    this.at = end;
  }

  /** Space, a name, or junk. */
  takeWord() {
    WORD.lastIndex = this.at;
    const [word] = /** @type {RegExpExecArray} */ (WORD.exec(this.text));
    if (word.trim()) {
      this.endProperty();
      // The older formats have lower-case letters in names.
      this.name = word.replace(/[^A-Z]/g, '');
      if (!this.name || !this.node) this.complain(t('sgf.unexpected', { word: word.slice(0, 20) }));
    }
    this.at += word.length;
  }

  endProperty() {
    if (this.name) this.complain(t('sgf.no-value', { name: this.name }));
    this.name = '';
    this.values = null;
  }

  /** @param {string} reason */
  complain(reason) {
    // Each place costs a look at the text before it, and the first ones are those that help.
    if (this.problems.length >= 20) return;
    const { line, column } = this.place(this.at);
    this.problems.push(t('sgf.place', { line, column, reason: brief(reason) }));
  }

  /** @param {number} at */
  place(at) {
    const lines = this.text.slice(0, at).split('\n');
    return { line: lines.length, column: lines[lines.length - 1].length + 1 };
  }

  /**
   * What `work` returns; its error has the place of the root.
   * @template T
   * @param {() => T} work
   */
  blaming(work) {
    try {
      return work();
    } catch (error) {
      const { line, column } = this.place(this.rootAt);
      const reason = brief(/** @type {Error} */ (error).message);
      throw new NotationError(reason, column, line, error);
    }
  }
}

/**
 * Where each game of a file begins, with the names of its players.
 * @param {string} text
 * @returns {{begin: number, black: string, white: string}[]}
 */
export function gamesOf(text) {
  const begins = [];
  let depth = 0;
  for (let end = Math.max(0, text.indexOf('(')); end < text.length; end += 1) {
    if (text[end] === '[') end = valueEnd(text, end) - 1;
    else if (text[end] === ')') depth = Math.max(0, depth - 1);
    else if (text[end] === '(') {
      if (depth === 0) begins.push(end);
      depth += 1;
    }
  }
  return begins.map((begin) => {
    const root = firstNode(text, begin);
    return { begin, black: nameIn(root, 'PB'), white: nameIn(root, 'PW') };
  });
}

/** The text of the first node of a tree. @param {string} text @param {number} begin */
function firstNode(text, begin) {
  let nodes = 0;
  for (let end = begin + 1; end < text.length; end += 1) {
    if (text[end] === '[') end = valueEnd(text, end) - 1;
    else if (text[end] === ';') nodes += 1;
    if ('()'.includes(text[end]) || nodes > 1) return text.slice(begin, end);
  }
  return text.slice(begin);
}

/** @param {string} root @param {'PB' | 'PW'} property */
const nameIn = (root, property) =>
  unescape(
    // The older formats have lower-case letters in names.
    new RegExp(
      `\\b[a-z]*${[...property].join('[a-z]*')}[a-z]*\\s*\\[((?:\\\\[^]|[^\\]\\\\])*)\\]`,
    ).exec(root)?.[1] ?? '',
  ).trim();

/** The index after a value that begins at `at`; past the end of the text if it is not closed. @param {string} text @param {number} at */
function valueEnd(text, at) {
  for (let end = at; ;) {
    end = text.indexOf(']', end + 1);
    if (end < 0) return text.length + 1;
    let before = end;
    while (text[before - 1] === '\\') before -= 1;
    if ((end - before) % 2 === 0) return end + 1;
  }
}
