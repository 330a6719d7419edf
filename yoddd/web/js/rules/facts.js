// The facts of a game, of which all follows that is played and said of it: yoddd/rules/facts.py does the same.
import { FACTS } from '../base/facts.js';

/** @import { Ends } from '../base/facts.js' */
/** The values of some facts, by key. @typedef {Record<string, any>} Given */
/** The word by which each colour is counted. @typedef {'points' | 'largest' | 'smallest' | 'product' | 'area'} Count */
/** @typedef {'one' | 'size' | 'less' | 'square' | 'odd' | 'large'} Value */
/** @typedef {'size' | 'ascending' | 'stones' | 'odd' | 'black' | 'white'} Tie */

/**
 * All facts of a game, its options applied; those without a meaning have one fixed value.
 * @typedef {object} Facts
 * @property {boolean} pie whether White may swap sides instead of turn 2
 * @property {number} first the stones of the first turn
 * @property {boolean} firstOwn whether these are of the player's colour
 * @property {Ends} stones the fewest and the most of each later turn
 * @property {boolean} own whether these are of the player's colour
 * @property {0 | 1 | null} parity of the number of groups when a turn ends; null where it may be any
 * @property {'none' | 'free' | 'forced'} pass there is a pass where there is a parity, and only there
 * @property {boolean} fullEnds whether a full board ends a game with passes at once
 * @property {Count} count
 * @property {Value} value of a group, where its points are counted
 * @property {number} k the size that `value` refers to
 * @property {number} lone the size of a group that is missing
 * @property {'more' | 'fewer' | 'odd' | 'even'} wins which count wins, or the parity of both counts with which Black does
 * @property {Tie[]} ties what decides between equal counts, in order
 * @property {Given} values all of them as a description has them
 */

/** The facts of which some are given, where `check.js` finds no fault with these. @param {Given} given @returns {Facts} */
export function settle(given) {
  /** @type {Given} */
  const values = { 'score.k': 0, ...FACTS.facts.defaults, ...given };
  values['turn.first_colour'] ??= values['turn.colour'];
  const groups = values['turn.groups'];
  return {
    values,
    pie: values.pie,
    first: values['turn.first'],
    firstOwn: values['turn.first_colour'] === 'own',
    stones: values['turn.stones'],
    own: values['turn.colour'] === 'own',
    parity: groups === 'any' ? null : groups === 'odd' ? 1 : 0,
    pass: values['turn.pass'],
    fullEnds: values['turn.full_ends'],
    count: values['score.count'],
    value: values['score.value'],
    k: values['score.k'],
    lone: values['score.lone'],
    wins: values['score.wins'],
    ties: values['score.ties'],
  };
}
