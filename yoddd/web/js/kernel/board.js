// A board of the kernel with the content of a position: legal turns, counts, policy and playouts.
import { FACT_VALUES } from '../base/facts.js';
import { BLACK, Position, WHITE } from '../rules/rules.js';

/** @import { Kernel } from './module.js' */
/** @import { Facts } from '../rules/facts.js' */
/** @import { Colour, Stone, Turn } from '../rules/rules.js' */

const SHAPES = ['hex', 'square'];
const BLOCK = 256;

/** The numbers of a turn's half turns. @param {Turn} turn @param {number} cells of the board @returns {number[]} */
function movesOf(turn, cells) {
  if (turn.kind === 'pass') return [2 * cells + 1];
  if (turn.kind === 'swap') return [2 * cells + 2];
  return turn.stones.map(({ colour, cell }) => colour * cells + cell);
}

/** The same as two numbers, the second -1 in a turn of one. @param {Turn} turn @param {number} cells */
export function pairOf(turn, cells) {
  const [first, second = -1] = movesOf(turn, cells);
  return [first, second];
}

/** The turn of half turns. @param {readonly number[]} moves @param {number} cells of the board @returns {Turn} */
export function turnOf(moves, cells) {
  if (moves[0] === 2 * cells + 1) return { kind: 'pass', stones: [] };
  if (moves[0] === 2 * cells + 2) return { kind: 'swap', stones: [] };
  const stones = moves
    .filter((move) => move >= 0 && move < 2 * cells)
    .map((m) => stoneOf(m, cells));
  stones.sort((a, b) => a.colour - b.colour || a.cell - b.cell);
  return { kind: 'drop', stones };
}

/** @param {number} move @param {number} cells of the board @returns {Stone} */
const stoneOf = (move, cells) => ({
  colour: move < cells ? BLACK : WHITE,
  cell: move % cells,
});

/** Facts as numbers of the kernel. @param {Facts} facts @returns {number[]} */
function numbersOf({ values }) {
  const { keys, words } = FACT_VALUES;
  return keys.flatMap((key) => {
    const value = values[key];
    const placeOf = (/** @type {string} */ word) => words[key].indexOf(word);
    if (typeof value === 'string') return placeOf(value);
    if (key !== 'score.ties') return Array.isArray(value) ? value : Number(value);
    return [...new Set(value)].reduce(
      (sum, word, n) => sum + (placeOf(/** @type {string} */ (word)) + 1) * 8 ** n,
      0,
    );
  });
}

export class KernelBoard {
  /** @param {Kernel} kernel @param {Position} position between turns, not resigned */
  constructor(kernel, position) {
    if (!(position instanceof Position))
      throw new TypeError(`position ${String(position)}: expected a Position`);
    this.kernel = kernel;
    const { board, facts } = position.rules;
    this.cells = board.cells;
    const shape = SHAPES.indexOf(board.shape);
    this.at = kernel.withWords(numbersOf(facts), (at, count) =>
      kernel.made(kernel.call.yoddd_board_new(shape, board.size, at, count)),
    );
    const { player, passes, number } = position;
    kernel.borrow(this.cells, (at) => {
      kernel.bytes(at, this.cells).set(position.cells);
      return kernel.checked(kernel.call.yoddd_set_up(this.at, at, player, passes, number));
    });
  }

  free() {
    this.kernel.call.yoddd_board_free(this.at);
    this.at = 0;
  }

  /** Plays half a turn. @param {number} move */
  play(move) {
    this.kernel.checked(this.kernel.call.yoddd_play(this.at, move));
  }

  /** The number of legal turns. @returns {bigint} */
  countTurns() {
    return this.kernel.call.yoddd_count_turns(this.at);
  }

  /** The number of legal sequences of so many turns. @param {number} depth @returns {bigint} */
  perft(depth) {
    return this.kernel.call.yoddd_perft(this.at, depth);
  }

  /** The winner and the score if the game ends here; null for a tie. @returns {{winner: Colour, score: number} | null} */
  score() {
    const { kernel } = this;
    return kernel.borrow(4, (at) => {
      const winner = kernel.call.yoddd_score(this.at, at);
      const score = kernel.words(at, 1)[0];
      return winner < 0 ? null : { winner: /** @type {Colour} */ (winner), score };
    });
  }

  /** @param {Turn} turn */
  isLegal(turn) {
    const moves = movesOf(turn, this.cells);
    return this.kernel.withWords(
      moves,
      (at, count) => this.kernel.call.yoddd_is_legal(this.at, at, count) === 1,
    );
  }

  /** The legal half turns. @returns {number[]} */
  moves() {
    const { kernel } = this;
    const room = 2 * this.cells + 3;
    return kernel.borrow(4 * room, (at) => {
      const count = kernel.checked(kernel.call.yoddd_moves(this.at, at, room));
      return [...kernel.words(at, count)];
    });
  }

  /** The legal turns that place stones, in canonical order. @returns {Generator<Turn>} */
  *drops() {
    const { kernel } = this;
    const cursor = kernel.made(kernel.call.yoddd_drops_new(this.at));
    try {
      for (;;) {
        const moves = kernel.borrow(8 * BLOCK, (at) => {
          const count = kernel.call.yoddd_drops_next(cursor, at, BLOCK);
          return kernel.words(at, 2 * count).slice();
        });
        if (!moves.length) return;
        for (let i = 0; i < moves.length; i += 2)
          yield turnOf([moves[i], moves[i + 1]], this.cells);
      }
    } finally {
      kernel.call.yoddd_drops_free(cursor);
    }
  }

  /**
   * For each legal half turn the logarithm of its probability by the learned value.
   * @param {Float32Array} weights those of the board; without any all are as likely
   * @returns {Map<number, number>}
   */
  policy(weights) {
    const { kernel } = this;
    if (!weights.length) return new Map(this.moves().map((move) => [move, 0]));
    const room = 2 * this.cells + 3;
    return kernel.borrow(4 * weights.length + 8 * room, (at) => {
      const moves = at + 4 * weights.length;
      const logs = moves + 4 * room;
      kernel.floats(at, weights.length).set(weights);
      const count = kernel.checked(
        kernel.call.yoddd_policy(this.at, at, weights.length, moves, logs),
      );
      const found = kernel.floats(logs, count);
      return new Map([...kernel.words(moves, count)].map((move, i) => [move, found[i]]));
    });
  }

  /**
   * Random games to the end; the same seed plays the same ones on every machine.
   * @param {number} count
   * @param {bigint} seed
   */
  playouts(count, seed) {
    const { kernel } = this;
    return kernel.borrow(24, (at) => {
      kernel.checked(kernel.call.yoddd_playouts(this.at, BigInt(count), seed, 0n, at));
      const view = kernel.view(at);
      return {
        playouts: Number(view.getBigUint64(0, true)),
        blackWins: Number(view.getBigUint64(8, true)),
        stones: Number(view.getBigUint64(16, true)),
      };
    });
  }
}

/**
 * Calls `work` with the board of a position.
 * @template T
 * @param {Kernel} kernel
 * @param {Position} position
 * @param {(board: KernelBoard) => T} work
 * @returns {T}
 */
export function withBoard(kernel, position, work) {
  const board = new KernelBoard(kernel, position);
  try {
    return work(board);
  } finally {
    board.free();
  }
}
