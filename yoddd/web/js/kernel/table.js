// Tables of small boards in files, which docs/reference/tables.md describes.
import { PASS } from '../notation.js';
import { WHITE } from '../rules.js';
import { KernelBoard } from './board.js';
import { emptyCells, sorted } from './sweep.js';

/** @typedef {import('./module.js').Kernel} Kernel */
/** @typedef {import('./sweep.js').TurnValue} TurnValue */
/** @typedef {import('../rules.js').Position} Position */
/** @typedef {import('../rules.js').Colour} Colour */
/** @typedef {{name: string, offset: number, size: number}} Section its place from the end of the header, in bytes */
/** @typedef {{game: string, stones: number, symmetries: number[][], sections: Section[]}} Header */

const MAGIC = 'YODDTAB2';
/** Bytes before the header. */
const PREFIX = 16;

/** @param {ArrayBuffer} packed by zlib @returns {Promise<ArrayBuffer>} */
const unpack = (packed) =>
  new Response(
    new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate')),
  ).arrayBuffer();

/** The bytes of a section, whose blocks are packed each by itself. @param {ArrayBuffer} packed @returns {Promise<ArrayBuffer>} */
async function joined(packed) {
  const view = new DataView(packed);
  const count = view.getUint32(0, true) / 4 - 1;
  const begins = Array.from({ length: count + 1 }, (_, i) => view.getUint32(4 * i, true));
  const blocks = await Promise.all(
    begins.slice(1).map((end, i) => unpack(packed.slice(begins[i], end))),
  );
  return new Blob(blocks).arrayBuffer();
}

/** The number of bits that are set. @param {number} set */
function sizeOf(set) {
  let size = 0;
  for (let left = set; left; left &= left - 1) size += 1;
  return size;
}

export class Table {
  /** The images of each cell as bits of a set. @type {number[][]} */
  #images;
  /** The sets that stand for their images, and the place of the first filling of each. @type {Uint32Array[]} */
  #sets;
  /** The place of the first filling by the number of its stones. @type {number[]} */
  #first = [0, 0];

  /**
   * @param {Header} header
   * @param {Uint32Array} sets
   * @param {Uint8Array[]} won with White on turn and, in Odd, with Black: a bit for each place
   */
  constructor(header, sets, won) {
    this.isOdd = header.game === 'odd';
    this.won = won;
    this.#images = header.symmetries.map((images) =>
      images.map((cell) => 1 << (images.length - 1 - cell)),
    );
    this.#sets = [new Uint32Array()];
    let begin = 0;
    for (let size = 1; size <= header.stones; size += 1) {
      let end = begin;
      while (end < sets.length && sizeOf(sets[end]) === size) end += 1;
      this.#sets.push(sets.subarray(begin, end));
      this.#first.push(this.#first[size] + (end - begin) * 2 ** size);
      begin = end;
    }
  }

  /** Opens a file, all of which is unpacked. @param {ArrayBuffer} data @returns {Promise<Table>} */
  static async open(data) {
    const text = (/** @type {number} */ begin, /** @type {number} */ size) =>
      new TextDecoder().decode(new Uint8Array(data, begin, size));
    if (text(0, MAGIC.length) !== MAGIC) throw new Error('no table');
    const length = new DataView(data).getUint32(MAGIC.length, true);
    /** @type {Header} */
    const header = JSON.parse(text(PREFIX, length));
    const sections = await Promise.all(
      header.sections.map(({ offset, size }) => {
        const begin = PREFIX + length + offset;
        return joined(data.slice(begin, begin + size));
      }),
    );
    const [sets, ...won] = sections;
    return new Table(
      header,
      new Uint32Array(sets),
      won.map((bits) => new Uint8Array(bits)),
    );
  }

  /** The value of each legal turn of a position, best first; what it leads to has to be held. @param {Kernel} kernel @param {Position} position @returns {TurnValue[]} */
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
        values.push({ turn, wins: !this.#wins(cells, opponent), distance });
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

  /** Whether the player on turn wins, with no pass pending. @param {Int8Array} cells @param {Colour} player */
  #wins(cells, player) {
    // Only the stones of Odd have no owners: elsewhere White is the player on turn.
    const isExchanged = !this.isOdd && player !== WHITE;
    const place = this.#place(cells, isExchanged ? WHITE : 1 - WHITE);
    const bits = this.won[this.isOdd && player !== WHITE ? 1 : 0];
    return ((bits[place >> 3] >> (place & 7)) & 1) === 1;
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

/** @param {Uint32Array} ascending @param {number} value */
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
