// The rules of the games, for instant answers; the server checks every turn.
import { FACTS } from '../base/facts.js';
import { geometry } from './geometry.js';
import { t } from '../base/catalogue.js';
import { RulesError } from '../base/errors.js';

/** @import { Game } from '../base/facts.js' */
/** @import { Geometry } from './geometry.js' */
/** @typedef {0 | 1} Colour 0 is black, 1 white */
/** @typedef {{colour: Colour, cell: number}} Stone */
/** @typedef {{kind: 'drop' | 'pass' | 'swap' | 'resign', stones: Stone[]}} Turn */
/** @typedef {{colour: Colour, cells: number[]}} Group */
/** @typedef {{groups: Group[], owner: Int16Array, black: number, white: number, total: number}} Census */
/** @typedef {{winner: Colour, reason: 'groups' | 'resign', score: number}} Outcome */

/**
 * @typedef {object} Rules
 * @property {Game} game
 * @property {Geometry} board
 * @property {Record<string, string>} options all of them
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

/** The facts by which these scripts play a kind of game: the stones of a turn, whether there is an odd total, whether each has a colour of their own. @type {Record<string, string>} */
const KINDS = {
  yodd: '1,2 true false',
  xodd: '1,2 true false',
  odd: '1,1 false false',
  yoin: '1,1 false true',
  product: '2,2 false false',
};
/** The games that can be played here. */
export const GAMES = /** @type {import('../base/facts.js').Facts['games']} */ (
  Object.fromEntries(
    Object.entries(FACTS.games).filter(
      ([, { kind, stones, odd_total, own_colour }]) =>
        KINDS[kind] === `${stones} ${odd_total} ${own_colour}`,
    ),
  )
);
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
 * @param {Game} game
 * @param {string} [board]
 * @param {Record<string, string>} [options]
 * @returns {Rules}
 */
export function makeRules(game, board, options = {}) {
  const facts = GAMES[game];
  if (!facts) {
    const known = Object.keys(GAMES).join(', ');
    throw new RulesError(t('rules.no-game', { game, known }), 'game');
  }
  const where = geometry(board ?? facts.board);
  if (!(where.shape in facts.boards)) {
    const shapes = Object.keys(facts.boards).join(` ${t('or')} `);
    throw new RulesError(
      t('rules.no-board', { title: facts.title, shapes, board: where.name }),
      'board',
    );
  }
  for (const [name, value] of Object.entries(options)) {
    if (!(name in facts.options)) {
      const offer = Object.keys(facts.options).join(', ');
      throw new RulesError(t('rules.no-option', { title: facts.title, name, offer }), name);
    }
    const expected = expectedOf(facts.options[name], value);
    if (expected)
      throw new RulesError(t('rules.expected', { what: `${name}=${value}`, expected }), name);
  }
  return { game, board: where, options: { ...defaultsOf(game), ...options } };
}

/** The options of a game with their defaults. @param {Game} game @returns {Record<string, string>} */
const defaultsOf = (game) =>
  Object.fromEntries(
    Object.entries(GAMES[game].options).map(([name, option]) => [name, option.default]),
  );

/** The values that an option may have, in words; empty if the given one is among them. @param {import('../base/facts.js').OptionFacts} option @param {string} value */
function expectedOf({ words, range }, value) {
  if (words) return words.includes(value) ? '' : wordsText(words);
  const [least, most] = range ?? [0, 0];
  const isNumber = /^[1-9]\d{0,5}$/.test(value) && Number(value) >= least && Number(value) <= most;
  return isNumber ? '' : t('rules.range', { least, most });
}

/** @param {string[]} words */
const wordsText = (words) =>
  `${words.slice(0, -1).join(', ')} ${t('or')} ${words[words.length - 1]}`;

/** The options that differ from their default. @param {Rules} rules */
export function chosenOptions(rules) {
  const defaults = defaultsOf(rules.game);
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
    return GAMES[this.rules.game];
  }

  get ownOnly() {
    return this.facts.own_colour || this.rules.options.own_colour === 'on';
  }

  get maxStones() {
    return this.number === 1 ? 1 : this.facts.stones[1];
  }

  get minStones() {
    return this.number === 1 ? 1 : this.facts.stones[0];
  }

  /** @returns {Colour[]} the colours that may be dropped now */
  get colours() {
    return this.ownOnly ? [this.player] : [BLACK, WHITE];
  }

  get isFull() {
    return !this.cells.includes(EMPTY);
  }

  get isOver() {
    if (this.resigned !== null) return true;
    if (!this.facts.odd_total) return this.isFull;
    return this.passes === 2 || (this.rules.options.end_on_full === 'on' && this.isFull);
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
      if (this.rules.options.pie !== 'on') return t('rules.no-pie');
      const due = this.number === 2 && this.player === WHITE;
      return due ? null : t('rules.swap');
    }
    return this.dropProblem(turn.stones);
  }

  passProblem() {
    if (!this.facts.odd_total) return t('rules.no-pass', { title: this.facts.title });
    const { total } = this.census();
    if (total % 2 === 0) return parityText(total);
    if (this.rules.options.own_colour === 'on' && this.someDrop()) return t('rules.droppable');
    return null;
  }

  /** Why these stones are no turn; null if they are one. @param {readonly Stone[]} stones */
  dropProblem(stones) {
    const { labels } = this.rules.board;
    if (stones.length < this.minStones || stones.length > this.maxStones) {
      const limit =
        this.maxStones === 1
          ? t('rules.one')
          : this.minStones === 2
            ? t('rules.two')
            : t('rules.one-or-two');
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
    if (!this.facts.odd_total) return null;
    const { total } = this.withStones(stones).census();
    return total % 2 ? null : parityText(total);
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
    return after
      .candidates()
      .filter((stone) => !this.facts.odd_total || after.totalWith(stone) % 2);
  }

  /** Whether some legal turn drops `stone`. @param {Stone} stone */
  completable(stone) {
    if (this.isOver || !this.isEmpty(stone.cell) || !this.colours.includes(stone.colour))
      return false;
    if (!this.facts.odd_total || this.totalWith(stone) % 2) return true;
    if (this.maxStones === 1) return false;
    // The total is even after it: a second stone that touches nothing makes it odd.
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
    // After a swap the participant who was Black is White, and White is on turn again.
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

  /** The winner if the board stayed as it is; null where that is a tie. @returns {Outcome | null} */
  verdict() {
    const { groups } = this.census();
    if (this.facts.kind === 'odd') {
      const large = groups.filter(
        ({ cells }) => cells.length >= Number(this.rules.options.min_group),
      );
      return { winner: large.length % 2 ? BLACK : WHITE, reason: 'groups', score: 1 };
    }
    if (this.facts.kind === 'product') return productVerdict(this);
    const largest = Math.max(0, ...groups.map(({ cells }) => cells.length));
    for (let size = 0; size < (this.facts.odd_total ? 1 : largest); size += 1) {
      const [black, white] = tally(groups, size);
      if (black !== white) {
        return {
          winner: black < white ? BLACK : WHITE,
          reason: 'groups',
          score: Math.abs(black - white),
        };
      }
    }
    return null;
  }
}

/** Groups of more than `size` stones. @param {Group[]} groups @param {number} size */
export function tally(groups, size = 0) {
  const counts = [0, 0];
  for (const { colour, cells } of groups) if (cells.length > size) counts[colour] += 1;
  return counts;
}

/**
 * Product: for each colour the sizes of its two largest groups, their product, and its stones.
 * @param {Position} position
 * @returns {{sizes: [number, number], product: number, stones: number}[]}
 */
export function productsOf(position) {
  const { groups } = position.census();
  const least = position.rules.options.one_group === 'on' ? 1 : 0;
  return [BLACK, WHITE].map((side) => {
    const sizes = groups.filter(({ colour }) => colour === side).map(({ cells }) => cells.length);
    const stones = sizes.reduce((sum, size) => sum + size, 0);
    const [largest = least, second = least] = sizes.sort((a, b) => b - a);
    return { sizes: [largest, second], product: largest * second, stones };
  });
}

/**
 * Product: two largest groups multiplied; at equal products fewer stones, or the colour of `tie`.
 * @param {Position} position
 * @returns {Outcome | null}
 */
function productVerdict(position) {
  const sides = productsOf(position);
  const { options } = position.rules;
  const lead = sides[0].product - sides[1].product;
  const margin = lead || sides[1].stones - sides[0].stones;
  if (margin === 0) return null;
  const blackWins = lead === 0 && options.tie !== 'stones' ? options.tie === 'black' : margin > 0;
  return { winner: blackWins ? BLACK : WHITE, reason: 'groups', score: Math.abs(margin) };
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
  const [black, white] = tally(groups);
  return { groups, owner, black, white, total: groups.length };
}
