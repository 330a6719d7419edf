// The values of Xodd's and Odd's positions of few stones on square5, from the file that docs/lab/tables.md describes.
import { chosenOptions } from '../rules/rules.js';
import { withBoard } from './board.js';
import { emptyCells, readValues } from './sweep.js';

/** @import { Kernel } from './module.js' */
/** @import { TurnValue } from './sweep.js' */
/** @import { Position } from '../rules/rules.js' */

const BOARD = 'square5';

/** The most stones of a position that is held, by game. @type {Record<string, number>} */
const STONES = { xodd: 7, odd: 6 };

/** Whether all that the turns of a position lead to is held. @param {Position} position */
export function isHeld(position) {
  const { game, board } = position.rules;
  if (board.name !== BOARD || !Object.hasOwn(STONES, game) || position.isOver) return false;
  const stones = position.cells.length - emptyCells(position) + position.facts.stones[1];
  return stones <= STONES[game] && !chosenOptions(position.rules).length;
}

export class Square5 {
  /** @param {Kernel} kernel @param {Uint8Array} data the file, unpacked */
  constructor(kernel, data) {
    this.kernel = kernel;
    this.at = kernel.borrow(data.length, (at) => {
      kernel.bytes(at, data.length).set(data);
      return kernel.call.yoddd_square5_new(at, data.length);
    });
  }

  /** @param {Kernel} kernel @param {ArrayBuffer} packed the file @returns {Promise<Square5>} */
  static async open(kernel, packed) {
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Square5(kernel, new Uint8Array(await new Response(stream).arrayBuffer()));
  }

  /** The value of each legal turn of a position that is held, best first. @param {Position} position @returns {TurnValue[]} */
  turns(position) {
    const { kernel, at } = this;
    return withBoard(kernel, position, (board) =>
      readValues(kernel.json(kernel.call.yoddd_square5_turns(at, board.at)), board.cells),
    );
  }
}
