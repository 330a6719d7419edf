// Who plays: participants keep their seat when colours are swapped.
import { t, tOf } from '../base/texts.js';

/** @import { Colour } from './rules.js' */
/** @import { GameTree } from './tree.js' */

/**
 * @typedef {object} Seats
 * @property {readonly [string, string]} players by the colour they began with: `HUMAN` or the id of a level
 * @property {string} clock such as 600+5, or empty
 * @property {readonly [string, string]} [names] of a game that others play or have played
 * @property {boolean} [watched] whether they play it now
 */

/** A seat of the user, as links spell it. */
export const HUMAN = 'person';

/** @type {Seats} */
export const HUMANS = { players: [HUMAN, HUMAN], clock: '' };

/** The seats of a new page. @type {Seats} */
export const FIRST_SEATS = { players: [HUMAN, 'level-4'], clock: '' };

/** The engine's levels. @type {{id: string, level: number, name: string}[]} */
export const LEVELS = Array.from({ length: 10 }, (_, index) => {
  const level = index + 1;
  const name = t('level.name', { n: level, text: tOf(`level.${level}`) });
  return { id: `level-${level}`, level, name };
});

/** @param {string} player */
export const levelOf = (player) => LEVELS.find(({ id }) => id === player) ?? null;

/** @param {string} player */
export const playerName = (player) => levelOf(player)?.name.replace(/,.*/, '') ?? t('seat.you');

/** Whether a game goes on while the user looks at other turns: others or an engine play, or a clock runs. @param {Seats} seats */
export const goesOn = ({ players, clock, watched = false }) =>
  watched || clock !== '' || players.some((player) => player !== HUMAN);

/** The seat whose turn it is after the turns up to the current one. @param {GameTree} tree */
export const seatOnTurn = (tree) => seatOf(tree, tree.position.player);

/** The seat that has a colour now. @param {GameTree} tree @param {Colour} colour @returns {Colour} */
export function seatOf(tree, colour) {
  const swaps = tree.nodes().filter(({ turn }) => turn?.kind === 'swap').length;
  return /** @type {Colour} */ (swaps % 2 ? 1 - colour : colour);
}

/** The names of the two seats. @param {Seats} seats @returns {readonly [string, string]} */
export function seatNames({ players, names }) {
  if (names) return names;
  const [black, white] = players.map(playerName);
  return players.every((player) => player === HUMAN) ? [t('black'), t('white')] : [black, white];
}
