// The policy of the engine: how likely each stone is to come next, before any search.
import { lineOf, readLine } from './candidates.js';
import { formatStone, parseStone, parseTurn, showTurn } from '../rules/notation.js';
import { decimal, t } from '../base/texts.js';

/** @import { Row, Spot, Weighed } from './candidates.js' */
/** @import { Position, Stone } from '../rules/rules.js' */

/** A half turn and its probability: a stone, `pass`, `swap`, or the `end` of the turn. @typedef {{token: string, share: number}} Likely */

/** Reads the reply to `policy`. @param {string} text @returns {Likely[]} the likeliest first */
export const readPolicy = (text) =>
  text
    .split('\n')
    .map((line) => line.trim().split(' '))
    .filter(([, share]) => share)
    .map(([token, share]) => ({ token, share: Number(share) }));

/** Whether the policy prefers nothing, as that of a game without a learned value. @param {readonly Likely[]} policy */
export const isUniform = (policy) => policy[0].share - policy[policy.length - 1].share < 1e-6;

const WORDS = /^(pass|swap|end)$/;

/** The darkness of all cells where none is likelier. */
const EVEN = 0.15;
/** Below this a stone is not drawn: there would be nothing to write on it. */
const LEAST = 0.0005;

/** Per cent in two characters. @param {number} share */
const shortText = (share) =>
  share < 0.0095 ? decimal(100 * share, 1).slice(1) : String(Math.round(100 * share));

/**
 * For each stone the best candidate that has it besides the pending ones.
 * @param {readonly Weighed[]} candidates best first @param {Position} position @param {readonly Stone[]} pending
 */
function bestWith(candidates, position, pending) {
  const { rules, player } = position;
  const held = pending.map((stone) => formatStone(stone, rules));
  /** @type {Map<string, Weighed>} */
  const best = new Map();
  for (const candidate of candidates) {
    const tokens = parseTurn(candidate.token, rules, player).stones.map((stone) =>
      formatStone(stone, rules),
    );
    if (!held.every((token) => tokens.includes(token))) continue;
    const rest = tokens.filter((token) => !held.includes(token));
    for (const token of rest.length ? rest : [held.length ? 'end' : candidate.token])
      if (!best.has(token)) best.set(token, candidate);
  }
  return best;
}

/**
 * The likelier stone of each cell; the likeliest of all is the darkest.
 * @param {readonly Likely[]} policy @param {readonly Weighed[]} candidates @param {Position} position
 * @param {readonly Stone[]} pending
 * @returns {Map<number, Spot>}
 */
export function policySpots(policy, candidates, position, pending) {
  /** @type {Map<number, Spot>} */
  const spots = new Map();
  if (pending.length >= position.maxStones) return spots;
  const best = bestWith(candidates, position, pending);
  const stones = policy.filter(({ token }) => !WORDS.test(token));
  const isEven = isUniform(policy);
  for (const { token, share } of stones) {
    const { cell, colour } = parseStone(token, position.rules, position.player);
    if (spots.has(cell) || share < LEAST) continue;
    const part = isEven ? EVEN : share / stones[0].share;
    spots.set(cell, { share: part, text: shortText(share), colour, candidate: best.get(token) });
  }
  return spots;
}

/**
 * The likeliest half turns with the engine's line that begins with each, if it has looked at one.
 * @param {readonly Likely[]} policy @param {readonly Weighed[]} candidates @param {Position} position
 * @param {readonly Stone[]} pending @param {number} most
 * @returns {Row[]}
 */
export function policyRows(policy, candidates, position, pending, most) {
  // Behind a whole turn in the making those that its last stone was chosen from.
  const best = bestWith(candidates, position, pending.slice(0, position.maxStones - 1));
  return policy.slice(0, most).map(({ token, share }) => {
    const candidate = best.get(token);
    const { rules, player } = position;
    return {
      chance: share,
      played: token === 'end' ? t('policy.end') : showTurn(parseTurn(token, rules, player), rules),
      expected: candidate
        ? readLine(lineOf(candidate), position).map((turn) => showTurn(turn, rules))
        : [],
      visits: candidate?.visits ?? 0,
      candidate,
    };
  });
}
