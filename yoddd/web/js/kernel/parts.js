// What the engine is made of besides its code. The server writes it into the joined worker.

/** A table: where it lies beside the worker, and the most stones of the positions that it holds. @typedef {{file: string, stones: number}} TablePart */
/** @typedef {{knots: import('./weights.js').Knots, levels: import('./levels.js').Level[], module: string, tables: Record<string, TablePart>}} Parts weights, levels, where the module lies beside the worker, and the tables by game and board, such as xodd@square5 */

/** @type {Parts} */
export const PARTS = { knots: {}, levels: [], module: 'yoddd.wasm', tables: {} };
