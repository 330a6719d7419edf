// The rules of the games, for instant answers; the server checks every turn.
import { FACTS } from '../base/facts.js';
import { geometry } from './geometry.js';
import { t } from '../base/catalogue.js';
import { RulesError } from '../base/errors.js';
import { settle } from './facts.js';
import { judge } from './scoring.js';

/** @import { Game, GameFacts } from '../base/facts.js' */
/** @import { Facts, Given } from './facts.js' */
/** @import { Geometry } from './geometry.js' */
/** @typedef {0 | 1} Colour 0 is black, 1 white */
/** @typedef {{colour: Colour, cell: number}} Stone */
/** @typedef {{kind: 'drop' | 'pass' | 'swap' | 'resign', stones: Stone[]}} Turn */
/** @typedef {{colour: Colour, cells: number[]}} Group */
/** @typedef {{groups: Group[], owner: Int16Array, black: number, white: number, total: number}} Census */
/** @typedef {{winner: Colour, reason: 'groups' | 'resign', score: number}} Outcome */
/**
 * A game that a description gives, as `readGame` makes it.
 * @typedef {GameFacts & {name: string, description: import('./description.js').Description}} OwnGame
 */

/**
 * @typedef {object} Rules
 * @property {Game} game
 * @property {GameFacts} definition with a description where not every server has it
 * @property {Geometry} board
 * @property {Record<string, string>} options all of them
 * @property {Facts} facts with the options applied
 */

export const BLACK = 0;
export const WHITE = 1;
const EMPTY = -1;

/** @param {Colour} colour @returns {Colour} */
export const other = (colour) => (colour === BLACK ? WHITE : BLACK);
/** @param {Colour} colour */
export const nameOf = (colour) => t(colour === BLACK ? 'black' : 'white');
/** The name of a stone's colour. @param {Colour} colour */
export const stoneName = (colour) => t(colour === BLACK ? 'stone.black' : 'stone.white');
/** @param {number} total */
export const parity = (total) => (total % 2 ? 'odd' : 'even');
/** @param {number} total */
export const parityName = (total) => t(total % 2 ? 'fact.odd' : 'fact.even');
/** @param {number} n */
export const groupsText = (n) => t('groups', { n });
/** @param {number} total */
export const parityText = (total) => `${groupsText(total)}, ${parityName(total)}`;

/** Words to choose from: a, b or c. @param {string[]} words */
export const anyOf = (words) =>
  [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(` ${t('or')} `);

/**
 * @typedef {(definition: GameFacts, board: Geometry, given: Given, chosen: Record<string, string>) => void} Check
 *   throws a `RulesError` where facts with these options are those of no game on the board
 */
/** Null where nothing reads descriptions. @type {Check | null} */
let check = null;
/** Sets what checks the facts of games with a description. @param {Check} one */
export const checkBy = (one) => {
  check = one;
};

/** The games that can be played without a description. */
export const GAMES = FACTS.games;
/** The game of a name: the user's, if it is that, or one of `GAMES`. @param {string} name @param {Partial<OwnGame>} [own] @returns {Game | OwnGame} */
export const gameOf = (name, own) =>
  /** @type {Game | OwnGame} */ (own?.name === name ? own : name);
/** @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
/** A board in words, such as "hexagon of 4". @param {string} name */
export const boardText = (name) =>
  name
    .replace(/^hex(\d+)$/, (_, n) => t('board.hexagon', { n }))
    .replace(/^square(\d+)$/, '$1 × $1');
/** A game on a board in words. @param {Game} game @param {string} board */
export const gameTitle = (game, board) => `${GAMES[game]?.title ?? game}, ${boardText(board)}`;

/** Whether an option is on or off. @param {import('../base/facts.js').OptionFacts} option */
export const isSwitch = ({ words }) => words?.join() === 'on,off';

/**
 * The rules of a game; throws a `RulesError` if there are none.
 * @param {Game | OwnGame} game
 * @param {string} [board]
 * @param {Record<string, string>} [options]
 * @returns {Rules}
 */
export function makeRules(game, board, options = {}) {
  const name = typeof game === 'string' ? game : game.name;
  const definition =
    typeof game !== 'string' ? game : Object.hasOwn(GAMES, game) ? GAMES[game] : null;
  if (!definition) {
    const known = Object.keys(GAMES).join(', ');
    throw new RulesError(t('rules.no-game', { game: name, known }), 'game');
  }
  const { title } = definition;
  const where = geometry(board ?? definition.board);
  if (!Object.hasOwn(definition.boards, where.shape)) {
    const shapes = anyOf(Object.keys(definition.boards));
    throw new RulesError(t('rules.no-board', { title, shapes, board: where.name }), 'board');
  }
  for (const [option, value] of Object.entries(options)) {
    if (!Object.hasOwn(definition.options, option)) {
      const offer = Object.keys(definition.options).join(', ');
      const text = offer ? t('rules.no-option', { title, name: option, offer }) : '';
      throw new RulesError(text || t('rules.no-options', { title, name: option }), option);
    }
    const expected = expectedOf(definition.options[option], value);
    if (expected)
      throw new RulesError(
        t('describe.expected', { what: `${option}=${value}`, expected }),
        option,
      );
  }
  const all = { ...defaultsOf(definition), ...options };
  const given = factsWith(definition, all);
  if (definition.description) check?.(definition, where, given, options);
  const facts = settle(given);
  return { game: /** @type {Game} */ (name), definition, board: where, options: all, facts };
}

/** The facts that are given, with options applied. @param {GameFacts} definition @param {Record<string, string>} options */
function factsWith({ given, options: known }, options) {
  /** @type {Given} */
  const values = { ...given };
  for (const [name, { sets, default: usual, values: words }] of Object.entries(known)) {
    const word = options[name];
    if (word === usual) continue;
    const set = words ? words[word] : [Number(word)];
    sets.forEach((key, n) => (values[key] = set[n]));
  }
  return values;
}

/** The options of a game with their defaults. @param {GameFacts} definition @returns {Record<string, string>} */
const defaultsOf = ({ options }) =>
  Object.fromEntries(Object.entries(options).map(([name, option]) => [name, option.default]));

/**
 * The values that an option may have, in words; empty if the given one is among them.
 * @param {import('../base/facts.js').OptionFacts} option @param {string} value
 */
function expectedOf({ words, range }, value) {
  if (words) return words.includes(value) ? '' : anyOf(words);
  const [least, most] = range ?? [0, 0];
  const isNumber =
    /^(0|[1-9]\d{0,2})$/.test(value) && Number(value) >= least && Number(value) <= most;
  return isNumber ? '' : t('rules.range', { least, most });
}

/** The options that differ from their default. @param {Rules} rules */
export function chosenOptions(rules) {
  const defaults = defaultsOf(rules.definition);
  return Object.entries(rules.options).filter(([name, value]) => defaults[name] !== value);
}

/** A position never changes: `play` makes a new one. */
export class Position {
  /** @type {Int8Array | null} null where they were released */
  #cells;
  /** @type {Position | null} the position that this one has more stones than */
  #before = null;
  /** @type {readonly Stone[]} those stones */
  #more = [];
  /** @type {Census | null} counted on the first request */
  #census = null;
  /** @type {Stone[] | null} found on the first request */
  #lone = null;

  /**
   * @param {Rules} rules
   * @param {Int8Array} [cells]
   * @param {Colour} [player]
   * @param {number} [passes]
   * @param {number} [number] of the turn about to be played
   * @param {Colour | null} [resigned]
   */
  constructor(rules, cells, player = BLACK, passes = 0, number = 1, resigned = null) {
    this.rules = rules;
    this.#cells = cells ?? new Int8Array(rules.board.cells).fill(EMPTY);
    this.player = player;
    this.passes = passes;
    this.number = number;
    this.resigned = resigned;
  }

  /** The colour of each cell, `EMPTY` for none. @returns {Int8Array} */
  get cells() {
    this.#cells ??= this.#restored();
    return this.#cells;
  }

  /** @returns {Int8Array} */
  #restored() {
    const added = [];
    /** @type {Position} */
    let at = this;
    for (; !at.#cells && at.#before; at = at.#before) added.push(at.#more);
    const cells = at.cells.slice();
    for (const stones of added.reverse())
      for (const { cell, colour } of stones) cells[cell] = colour;
    return cells;
  }

  /**
   * Drops what can be found again. The garbage collector looks at every board that a tree holds: with
   * those of a file of 8 MB a key waited for it for 0.1 s.
   */
  release() {
    if (!this.#before) return;
    this.#cells = null;
    this.#census = null;
    this.#lone = null;
  }

  get facts() {
    return this.rules.facts;
  }

  /** The fewest and the most stones of this turn. @returns {[number, number]} */
  get stones() {
    const { first, stones } = this.facts;
    return this.number === 1 ? [first, first] : stones;
  }

  get maxStones() {
    return this.stones[1];
  }

  /** @returns {Colour[]} the colours that may be placed now */
  get colours() {
    const isOwn = this.number === 1 ? this.facts.firstOwn : this.facts.own;
    return isOwn ? [this.player] : [BLACK, WHITE];
  }

  /** Whether a turn may end with so many groups. @param {number} total */
  fits(total) {
    return this.facts.parity === null || total % 2 === this.facts.parity;
  }

  get isFull() {
    return !this.cells.includes(EMPTY);
  }

  get isOver() {
    if (this.resigned !== null) return true;
    if (this.facts.parity === null) return this.isFull;
    return this.passes === 2 || (this.facts.fullEnds && this.isFull);
  }

  /** @param {number} cell */
  isEmpty(cell) {
    return this.cells[cell] === EMPTY;
  }

  /** @returns {Census} */
  census() {
    this.#census ??= count(this.rules.board, this.cells);
    return this.#census;
  }

  /** This position with more stones on the board and nothing else changed. @param {readonly Stone[]} stones */
  withStones(stones) {
    const cells = this.cells.slice();
    for (const { cell, colour } of stones) cells[cell] = colour;
    const { rules, player, passes, number, resigned } = this;
    const next = new Position(rules, cells, player, passes, number, resigned);
    next.#before = this;
    next.#more = stones;
    return next;
  }

  /** The groups that a stone would join. @param {Stone} stone @returns {number[]} their numbers */
  joins({ cell, colour }) {
    const { owner } = this.census();
    const found = new Set();
    for (const next of this.rules.board.neighbours[cell]) {
      if (this.cells[next] === colour) found.add(owner[next]);
    }
    return [...found];
  }

  /** The number of groups there would be. @param {Stone} stone */
  totalWith(stone) {
    return this.census().total + 1 - this.joins(stone).length;
  }

  /** Why a turn is refused; null if it is not. @param {Turn} turn @returns {string | null} */
  illegality(turn) {
    if (this.isOver) return t('error.over');
    if (turn.kind === 'resign') return null;
    if (turn.kind === 'pass') return this.passProblem();
    if (turn.kind === 'swap') {
      if (!this.facts.pie) return t('rules.no-pie');
      const due = this.number === 2 && this.player === WHITE;
      return due ? null : t('rules.swap');
    }
    return this.dropProblem(turn.stones);
  }

  passProblem() {
    const { facts, rules } = this;
    if (facts.parity === null) return t('rules.no-pass', { title: rules.definition.title });
    const { total } = this.census();
    if (!this.fits(total)) return parityText(total);
    if (this.number === 1) return t('rules.first-pass');
    return facts.pass === 'forced' && this.someDrop() ? t('rules.droppable') : null;
  }

  /** Why these stones are no turn; null if they are one. @param {readonly Stone[]} stones */
  dropProblem(stones) {
    const { labels } = this.rules.board;
    const [fewest, most] = this.stones;
    if (stones.length < fewest || stones.length > most) {
      const limit = t(most === 1 ? 'rules.one' : fewest === 2 ? 'rules.two' : 'rules.one-or-two');
      return t('rules.count', { n: stones.length, limit });
    }
    for (const { cell, colour } of stones) {
      if (!this.isEmpty(cell)) return t('rules.occupied', { cell: labels[cell] });
      if (!this.colours.includes(colour)) {
        return t(this.player === BLACK ? 'rules.only-black' : 'rules.only-white');
      }
    }
    if (new Set(stones.map(({ cell }) => cell)).size < stones.length) {
      return t('rules.twice', { cell: labels[stones[0].cell] });
    }
    if (this.facts.parity === null) return null;
    const { total } = this.withStones(stones).census();
    return this.fits(total) ? null : parityText(total);
  }

  /** @returns {Stone[]} */
  candidates() {
    /** @type {Stone[]} */
    const found = [];
    for (const colour of this.colours) {
      this.cells.forEach((content, cell) => {
        if (content === EMPTY) found.push({ colour, cell });
      });
    }
    return found;
  }

  /** The stones that make a turn begun with `first` legal. @param {Stone} first */
  completions(first) {
    if (this.maxStones === 1) return [];
    const after = this.withStones([first]);
    return after.candidates().filter((stone) => this.fits(after.totalWith(stone)));
  }

  /** Whether some legal turn places `stone`. @param {Stone} stone */
  completable(stone) {
    if (this.isOver || !this.isEmpty(stone.cell) || !this.colours.includes(stone.colour))
      return false;
    const [fewest, most] = this.stones;
    const mayEnd = this.fits(this.totalWith(stone));
    if (fewest === 1 && mayEnd) return true;
    if (most === 1) return false;
    // After a stone that does not fit, a second one that touches nothing does.
    if (mayEnd) return this.completions(stone).length > 0;
    const beside = this.rules.board.neighbours[stone.cell];
    const completes = (/** @type {Stone} */ { cell, colour }) =>
      cell !== stone.cell && (colour !== stone.colour || !beside.includes(cell));
    return this.loneStones().some(completes) || this.completions(stone).length > 0;
  }

  /** The stones that would touch none of their colour. */
  loneStones() {
    this.#lone ??= this.candidates().filter((stone) => !this.joins(stone).length);
    return this.#lone;
  }

  someDrop() {
    return this.candidates().some((stone) => this.completable(stone));
  }

  /** The position after a legal turn; throws a `RulesError` if it is illegal. @param {Turn} turn */
  play(turn) {
    const problem = this.illegality(turn);
    if (problem) throw new RulesError(problem, 'turn', this.#blamed(turn));
    const next = this.withStones(turn.stones);
    next.passes = turn.kind === 'pass' ? this.passes + 1 : 0;
    next.number = this.number + 1;
    if (turn.kind === 'resign') next.resigned = this.player;
    // After a swap the participant who was Black is White, and White is to move again.
    next.player = turn.kind === 'swap' ? this.player : other(this.player);
    return next;
  }

  /** The cell of a stone that no turn could drop here. @param {Turn} turn */
  #blamed({ stones }) {
    const { colours } = this;
    const found = stones.find(({ cell, colour }, at) => {
      const isTaken = stones.findIndex((one) => one.cell === cell) < at;
      return isTaken || !this.isEmpty(cell) || !colours.includes(colour);
    });
    return found?.cell ?? null;
  }

  /** @returns {Outcome | null} */
  outcome() {
    if (this.resigned !== null) return { winner: other(this.resigned), reason: 'resign', score: 0 };
    return this.isOver ? this.verdict() : null;
  }

  /** The winner if the board stayed as it is; null where that is a tie. */
  verdict() {
    return judge(this.census().groups, this.facts);
  }
}

/** @param {Geometry} board @param {Int8Array} cells @returns {Census} */
function count(board, cells) {
  const owner = new Int16Array(board.cells).fill(-1);
  /** @type {Group[]} */
  const groups = [];
  for (let start = 0; start < board.cells; start += 1) {
    if (cells[start] === EMPTY || owner[start] >= 0) continue;
    const colour = /** @type {Colour} */ (cells[start]);
    const members = [start];
    owner[start] = groups.length;
    for (const cell of members) {
      for (const next of board.neighbours[cell]) {
        if (cells[next] === colour && owner[next] < 0) {
          owner[next] = groups.length;
          members.push(next);
        }
      }
    }
    groups.push({ colour, cells: members.sort((a, b) => a - b) });
  }
  const white = groups.reduce((sum, { colour }) => sum + colour, 0);
  return { groups, owner, black: groups.length - white, white, total: groups.length };
}
