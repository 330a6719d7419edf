// Who plays: people keep their seat when colours are swapped.

/** @typedef {import('./tree.js').GameTree} GameTree */
/** @typedef {import('./rules.js').Colour} Colour */

/**
 * @typedef {object} Seats
 * @property {[string, string]} players by the colour they began with: 'person' or 'level-N'
 * @property {string} clock such as 600+5, or empty
 * @property {[string, string]} [names] of a game from a file
 */

/**
 * The engine's levels: what each is called, and how many playouts an engine may run for it. The
 * first engine that the server has is taken.
 * @type {{id: string, name: string, engines: [string, number][]}[]}
 */
export const LEVELS = [
  { id: 'level-1', name: 'Engine 1, any legal turn', engines: [['random', 1]] },
  { id: 'level-2', name: 'Engine 2, quick', engines: [['mcts', 100], ['uct', 40]] },
  { id: 'level-3', name: 'Engine 3, careful', engines: [['mcts', 2000], ['uct', 250]] },
  { id: 'level-4', name: 'Engine 4, patient', engines: [['mcts', 20_000], ['uct', 1500]] },
  { id: 'level-5', name: 'Engine 5, as strong as it gets', engines: [['mcts', 150_000], ['uct', 6000]] },
];

/** @param {string} player */
export const levelOf = (player) => LEVELS.find(({ id }) => id === player) ?? null;

/** @param {string} player */
export const playerName = (player) => levelOf(player)?.name.replace(/,.*/, '') ?? 'You';

/** The seat whose turn it is after the turns up to the current one. @param {GameTree} tree */
export const seatOnTurn = (tree) => seatOf(tree, tree.position.player);

/** The seat that has a colour now. @param {GameTree} tree @param {Colour} colour @returns {Colour} */
export function seatOf(tree, colour) {
  const swaps = tree.path().filter(({ turn }) => turn?.kind === 'swap').length;
  return /** @type {Colour} */ (swaps % 2 ? 1 - colour : colour);
}

/** What the two are called. @param {Seats} seats @returns {[string, string]} */
export function seatNames({ players, names }) {
  if (names) return names;
  const [black, white] = players.map(playerName);
  return players[0] === 'person' && players[1] === 'person' ? ['Black', 'White'] : [black, white];
}
