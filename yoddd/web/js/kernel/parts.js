// What the engine is made of besides its code. The server writes it into the joined worker.

/** @typedef {{knots: import('./weights.js').Knots, levels: import('./levels.js').Level[], module: string}} Parts weights, levels, and where the module lies beside the worker */

/** @type {Parts} */
export const PARTS = { knots: {}, levels: [], module: 'yoddd.wasm' };
