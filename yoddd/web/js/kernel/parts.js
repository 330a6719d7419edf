// What the engine is made of besides its code. The server writes it into the joined worker.

/**
 * @typedef {{
 *   knots: import('./weights.js').Knots,
 *   levels: import('./player.js').Level[],
 *   module: string,
 *   square5: string,
 * }} Parts weights, levels, where the module and the table of square5 lie beside the worker
 */

/** @type {Parts} */
export const PARTS = { knots: {}, levels: [], module: 'yoddd.wasm', square5: 'square5.table' };
