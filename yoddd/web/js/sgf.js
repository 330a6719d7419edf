// SGF FF[4] as protocol/ describes it: the property is the colour on turn, YGAME names the game.
import { formatPosition, formatTurn, parsePosition, parseTurn } from './notation.js';
import { Position, makeRules } from './rules.js';
import { GameTree, makeNode } from './tree.js';

/** @typedef {import('./tree.js').Node} Node */
/** @typedef {ReadonlyMap<Position, number>} Winrates of Black */
/** @typedef {{name: string, values: string[]}} Property */
/** @typedef {{properties: Map<string, string[]>, children: Raw[]}} Raw */

const OWN = new Set(['B', 'W', 'C', 'YEVAL']);
const ROOT = new Set([
  'FF',
  'GM',
  'CA',
  'AP',
  'YGAME',
  'YBOARD',
  'YOPTION',
  'YSTART',
  'RE',
  'PB',
  'PW',
]);

/** @param {string} text */
const escape = (text) => text.replace(/[\\\]]/g, '\\$&');
/** @param {string} raw */
const unescape = (raw) =>
  raw.replace(/\\(\r\n|\n|[^])/g, (_, next) => (/^\r?\n$/.test(next) ? '' : next));

/** @param {GameTree} tree @param {{black?: string, white?: string}} [names] @param {Winrates} [winrates] */
export function writeSgf(tree, names = {}, winrates = new Map()) {
  const { rules } = tree;
  const start = tree.root.position;
  const outcome = tree.line().at(-1)?.position.outcome();
  const root = [
    'FF[4]GM[9633]CA[UTF-8]AP[yoddd:board]',
    ...['PB', 'PW'].map((name, seat) => {
      const who = seat ? names.white : names.black;
      return who ? `${name}[${escape(who)}]` : '';
    }),
    outcome ? `RE[${resultOf(tree, outcome)}]` : '',
    `YGAME[${rules.game}]YBOARD[${rules.board.name}]`,
    Object.entries(rules.options)
      .map(([name, value]) => `[${name}:${value}]`)
      .join('')
      .replace(/^(?=.)/, 'YOPTION'),
    start.number > 1 || start.census().total ? `YSTART[${formatPosition(start)}]` : '',
  ];
  return `(;${root.join('')}${notes(tree.root, null, winrates)}${branches(tree.root, tree, winrates)})\n`;
}

/** RE names the seat that wins: participants change colours with a swap. @param {GameTree} tree @param {import('./rules.js').Outcome} outcome */
function resultOf(tree, outcome) {
  const swapped = tree.line().some((node) => node.turn?.kind === 'swap');
  const winner = 'BW'[swapped ? 1 - outcome.winner : outcome.winner];
  return `${winner}+${outcome.reason === 'resign' ? 'R' : outcome.score}`;
}

/** @param {Node} node @param {GameTree} tree @param {Winrates} winrates @returns {string} */
function branches(node, tree, winrates) {
  const texts = node.children.map((child) => {
    const who = 'BW'[node.position.player];
    const token = child.turn ? formatTurn(child.turn, tree.rules) : '';
    return `\n;${who}[${token}]${notes(child, node, winrates)}${branches(child, tree, winrates)}`;
  });
  return texts.length > 1 ? texts.map((text) => `\n(${text.slice(1)})`).join('') : texts.join('');
}

/** Black's winrate as that of the turn's player, and the reverse. @param {Position | undefined} before @param {number} winrate */
const ofMover = (before, winrate) => (before?.player === 1 ? 1 - winrate : winrate);

/** @param {Node} node @param {Node | null} parent @param {Winrates} winrates */
function notes(node, parent, winrates) {
  const comment = node.comment ? `C[${escape(node.comment)}]` : '';
  const known = winrates.get(node.position);
  const winrate =
    known === undefined ? '' : `YEVAL[${ofMover(parent?.position, known).toFixed(4)}]`;
  return (
    [...node.extra]
      .map(([name, values]) => name + values.map((value) => `[${value}]`).join(''))
      .join('') +
    winrate +
    comment
  );
}

/**
 * Reads the first game of a file. `problems` lists what cannot be read; the rest is kept.
 * @param {string} text
 * @returns {{tree: GameTree, names: {black: string, white: string}, winrates: Map<Position, number>, problems: string[]}}
 */
export function readSgf(text) {
  const raw = parse(text);
  /** @param {string} name */
  const value = (name) => unescape(raw.properties.get(name)?.[0] ?? '').trim();
  if (!value('YGAME')) throw new Error('this SGF file holds none of our games: it has no YGAME');
  const options = Object.fromEntries(
    (raw.properties.get('YOPTION') ?? []).map((pair) => pair.split(':')),
  );
  const rules = makeRules(value('YGAME').toLowerCase(), value('YBOARD') || undefined, options);
  const start = value('YSTART') ? parsePosition(value('YSTART')) : new Position(rules);
  const found = { winrates: new Map(), problems: [] };
  const tree = new GameTree(grow(null, start, raw, found));
  return { tree, names: { black: value('PB'), white: value('PW') }, ...found };
}

/**
 * The node of a turn, with those after it.
 * @param {import('./rules.js').Turn | null} turn
 * @param {Position} position
 * @param {Raw} raw
 * @param {{winrates: Map<Position, number>, problems: string[]}} found takes what is found on the way
 * @param {Position} [before]
 * @returns {Node}
 */
function grow(turn, position, raw, found, before) {
  const winrate = raw.properties.get('YEVAL')?.[0];
  if (winrate !== undefined) found.winrates.set(position, ofMover(before, Number(winrate)));
  const children = raw.children.flatMap((child) => {
    const who = 'BW'[position.player];
    const token = child.properties.get(who)?.[0];
    try {
      if (token === undefined) throw new Error(`${who} is on turn and does not move`);
      const next = parseTurn(unescape(token), position.rules, position.player);
      return [grow(next, position.play(next), child, found, position)];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      found.problems.push(`turn ${position.number}${token ? `, ${token}` : ''}: ${reason}`);
      return [];
    }
  });
  const known = turn ? OWN : ROOT;
  return makeNode(turn, position, {
    children,
    comment: unescape(raw.properties.get('C')?.[0] ?? ''),
    extra: new Map([...raw.properties].filter(([name]) => !known.has(name) && !OWN.has(name))),
  });
}

/** @param {string} text @returns {Raw} */
function parse(text) {
  let at = text.indexOf('(');
  if (at < 0) throw new Error('this is no SGF file: it has no (');
  /** @returns {Raw} the root of a subtree; `at` is behind its `(` */
  const subtree = () => {
    /** @type {Raw[]} */
    const chain = [];
    for (;;) {
      const match = /^\s*([;()]|$)/.exec(text.slice(at, at + 200)) ?? /^/.exec('');
      const sign = match?.[1];
      at += match?.[0].length ?? 0;
      if (sign === ';') {
        const node = { properties: properties(), children: [] };
        chain.at(-1)?.children.push(node);
        chain.push(node);
      } else if (sign === '(' && chain.length) {
        chain[chain.length - 1].children.push(subtree());
      } else {
        if (!chain.length) throw new Error('this SGF file has an empty game');
        return chain[0];
      }
    }
  };
  const properties = () => {
    /** @type {Map<string, string[]>} */
    const found = new Map();
    const name = /\s*([A-Za-z]+)\s*(?=\[)/y;
    const value = /\s*\[((?:\\[^]|[^\]\\])*)\]/y;
    for (;;) {
      name.lastIndex = at;
      const match = name.exec(text);
      if (!match) return found;
      at = name.lastIndex;
      const values = [];
      for (;;) {
        value.lastIndex = at;
        const one = value.exec(text);
        if (!one) break;
        values.push(one[1]);
        at = value.lastIndex;
      }
      if (!values.length) throw new Error('this SGF file breaks off inside a value');
      found.set(match[1], values);
    }
  };
  at += 1;
  return subtree();
}
