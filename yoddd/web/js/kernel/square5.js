// The values of Xodd's and Odd's positions of few stones on square5, from the file that docs/reference/tables.md describes.
import { PASS } from '../notation.js';
import { BLACK, WHITE, makeRules } from '../rules.js';
import { KernelBoard } from './board.js';
import { emptyCells, sorted } from './sweep.js';
import { symmetriesOf } from './symmetry.js';

/** @typedef {import('./module.js').Kernel} Kernel */
/** @typedef {import('./sweep.js').TurnValue} TurnValue */
/** @typedef {import('../rules.js').Position} Position */
/** @typedef {import('../rules.js').Colour} Colour */

const BOARD = 'square5';

/** In the order of the file: the most stones of a position that it holds, and the players on turn, each with a plane. Without a plane of Black's his values are White's, colours exchanged. @type {Record<string, {stones: number, players: Colour[]}>} */
const PLANES = {
  xodd: { stones: 7, players: [WHITE] },
  odd: { stones: 6, players: [WHITE, BLACK] },
};

/** @param {Record<string, string>} one @param {Record<string, string>} other */
const isSame = (one, other) => Object.keys(one).every((name) => one[name] === other[name]);

/** Whether all that the turns of a position lead to is held. @param {Position} position */
export function isHeld(position) {
  const { game, board, options } = position.rules;
  if (board.name !== BOARD || !(game in PLANES) || position.isOver) return false;
  const stones = position.cells.length - emptyCells(position) + position.facts.stones[1];
  return stones <= PLANES[game].stones && isSame(options, makeRules(game, BOARD).options);
}

/** The number of bits that are set. @param {number} set */
function sizeOf(set) {
  let size = 0;
  for (let left = set; left; left &= left - 1) size += 1;
  return size;
}

export class Square5 {
  /** The images of each cell as bits of a set. @type {number[][]} */
  #images;
  /** The sets that stand for their images, by size. @type {number[][]} */
  #sets = [[]];
  /** The place of the first filling by the number of its stones. @type {number[]} */
  #first = [0, 0];
  /** The bits of each game by the player on turn. @type {Record<string, Uint8Array[]>} */
  #won = {};

  /** @param {ArrayBuffer} data the file, unpacked */
  constructor(data) {
    const view = new DataView(data);
    const count = view.getUint32(0, true);
    const { board } = makeRules('xodd', BOARD);
    this.#images = symmetriesOf(board).map((images) =>
      images.map((cell) => 1 << (images.length - 1 - cell)),
    );
    let begin = 4;
    for (let set = 0; begin < 4 + 4 * count; begin += 4) {
      set += view.getInt32(begin, true);
      (this.#sets[sizeOf(set)] ??= []).push(set);
    }
    for (let size = 1; size < this.#sets.length; size += 1)
      this.#first.push(this.#first[size] + this.#sets[size].length * 2 ** size);
    for (const [game, { stones, players }] of Object.entries(PLANES)) {
      this.#won[game] = [];
      for (const player of players) {
        const size = Math.ceil(this.#first[stones + 1] / 8);
        this.#won[game][player] = new Uint8Array(data, begin, size);
        begin += size;
      }
    }
  }

  /** @param {ArrayBuffer} packed the file @returns {Promise<Square5>} */
  static async open(packed) {
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Square5(await new Response(stream).arrayBuffer());
  }

  /** The value of each legal turn of a position that is held, best first. @param {Kernel} kernel @param {Position} position @returns {TurnValue[]} */
  turns(kernel, position) {
    const { player, facts } = position;
    const opponent = /** @type {Colour} */ (1 - player);
    const distance = facts.odd_total ? null : emptyCells(position);
    const board = new KernelBoard(kernel, position);
    /** @type {TurnValue[]} */
    const values = [];
    try {
      for (const turn of board.drops()) {
        const cells = position.cells.slice();
        for (const { cell, colour } of turn.stones) cells[cell] = colour;
        values.push({ turn, wins: !this.#wins(position.rules.game, cells, opponent), distance });
      }
    } finally {
      board.free();
    }
    if (position.illegality(PASS) === null) {
      const after = position.play(PASS);
      const winner = after.outcome()?.winner ?? this.#winner(kernel, after);
      values.push({ turn: PASS, wins: winner === player, distance });
    }
    return sorted(values);
  }

  /** The winner of a position behind a pass, by its turns. @param {Kernel} kernel @param {Position} position */
  #winner(kernel, position) {
    const { player } = position;
    return this.turns(kernel, position)[0].wins ? player : 1 - player;
  }

  /** Whether the player on turn wins, with no pass pending. @param {string} game @param {Int8Array} cells @param {Colour} player */
  #wins(game, cells, player) {
    const bits = this.#won[game][player];
    const place = this.#place(cells, bits ? BLACK : WHITE);
    return (((bits ?? this.#won[game][WHITE])[place >> 3] >> (place & 7)) & 1) === 1;
  }

  /** @param {Int8Array} cells @param {number} black the colour that counts as Black */
  #place(cells, black) {
    let least = Infinity;
    let blacks = 0;
    for (const image of this.#images) {
      let set = 0;
      for (let cell = 0; cell < cells.length; cell += 1) if (cells[cell] >= 0) set |= image[cell];
      if (set >= least) continue;
      least = set;
      blacks = 0;
      for (let cell = 0; cell < cells.length; cell += 1)
        if (cells[cell] === black) blacks |= image[cell];
    }
    const size = sizeOf(least);
    const rank = rankIn(this.#sets[size], least);
    return this.#first[size] + rank * 2 ** size + indexIn(least, blacks);
  }
}

/** @param {number[]} ascending @param {number} value */
function rankIn(ascending, value) {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The number of which bit j says whether the j-th cell of a set, from the highest bit on, is black. @param {number} set @param {number} blacks */
function indexIn(set, blacks) {
  let index = 0;
  let at = 0;
  for (let left = set; left; at += 1) {
    const bit = 2 ** (31 - Math.clz32(left));
    if (blacks & bit) index |= 1 << at;
    left ^= bit;
  }
  return index;
}
