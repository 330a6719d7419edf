// The boards, games, options, reasons, errors, names and clocks of the server, as its
// /api/facts.json has them. Every page holds them, so that its first paint waits for no further request.
import { el } from './svg.js';

/** The name of a game. @typedef {string} Game */
/** @typedef {'hex' | 'square'} Shape */
/** The least and the greatest number. @typedef {[number, number]} Ends */
/** The value of a fact. @typedef {boolean | number | string | number[] | string[]} Fact */

/**
 * @typedef {object} OptionFacts a value is one of the words, or a number
 * @property {string} default
 * @property {string} [help] not in `yoddd/rules`
 * @property {string[]} sets the facts that it sets
 * @property {string[]} [words]
 * @property {Record<string, Fact[]>} [values] what each word sets them to
 * @property {Ends} [range]
 */

/**
 * @typedef {object} GameFacts
 * @property {string} [name] only of a game with a description
 * @property {import('../rules/description.js').Description} [description] of a game that not every server has
 * @property {string} title
 * @property {string} designer
 * @property {string} board the default one
 * @property {Partial<Record<Shape, Ends>>} boards the suggested sizes
 * @property {boolean} own_colour whether stones are written without their colour, which is the player's
 * @property {Record<string, Fact>} given the facts that are not left to their defaults
 * @property {Record<string, OptionFacts>} options
 */

/**
 * @typedef {object} Facts
 * @property {string} protocol
 * @property {Record<Shape, Ends>} boards the sizes that there are
 * @property {Record<Game, GameFacts>} games
 * @property {{keys: string[], defaults: Record<string, Fact>, words: Record<string, Fact[]>}} facts
 *   their keys, defaults and values
 * @property {Record<string, {deed?: string, cause?: string}>} reasons the end of the sentence
 *   "WINNER wins: LOSER ..." or "WINNER wins by ..."
 * @property {Record<string, Record<string, string>>} errors the meanings of subcodes, by code
 * @property {{longest: number, form: string}} names of engines and accounts
 * @property {Record<string, string>} clocks the meaning of each part of a time control
 */

/** @type {Facts} */
export const FACTS = JSON.parse(el('facts').textContent ?? '');
/** The keys of the facts of games in the kernel's order, and the values of each. @type {Pick<Facts['facts'], 'keys' | 'words'>} */
export const FACT_VALUES = FACTS.facts;
