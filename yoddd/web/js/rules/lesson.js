// Lessons: positions with a task each. What is right follows from the rules, never from a list of
// cells; no DOM.
import {
  PASS,
  SWAP,
  drop,
  formatTurn,
  hasStone,
  parsePosition,
  parseStone,
  parseTurn,
} from './notation.js';
import { capital, groupsText, parity } from './rules.js';
import { factorsOf, sizesOf } from './scoring.js';
import { courseOf } from './standing.js';
import { hasText, t, tOf } from '../base/texts.js';

/** @import { Position, Stone, Turn } from './rules.js' */
/** @typedef {string | number | boolean} Fact */
/** @typedef {Record<string, Fact>} Facts */
/**
 * What a turn has to bring about, by the name of a fact: a value, a change, or the most that any
 * legal turn makes of it.
 * @typedef {Record<string, Fact | {by: number} | {best: 'most'}>} Conditions
 */

/**
 * A task: a turn, the value of a fact, whether something is possible, or the groups of some kind,
 * each to be pointed at once.
 * @typedef {object} Ask
 * @property {Conditions} [turn]
 * @property {string} [fact]
 * @property {Fact[]} [choices] for the value of a fact
 * @property {'pass' | 'end' | 'cut'} [may]
 * @property {'all' | 'large'} [groups]
 */

/**
 * @typedef {object} Step
 * @property {string} title
 * @property {string} text what is shown and what is to be done; facts stand in braces
 * @property {string} position
 * @property {string} [begun] the first stone of the turn, on the board already
 * @property {Ask} ask
 * @property {string} right the answer to a right turn, with facts of the position after it
 * @property {string} wrong the answer to anything else
 */

/** @typedef {{game: string, intro: string, steps: Step[]}} Lesson */

/** @param {Step} step */
export const positionOf = (step) => parsePosition(step.position);

/** The stones of the turn that are on the board before the user does anything. @param {Step} step @returns {Stone[]} */
export function begunOf(step) {
  const { rules, player } = positionOf(step);
  return step.begun ? [parseStone(step.begun, rules, player)] : [];
}

/** The value of the fact `leader`. */
const LEADERS = ['Black', 'White'];

/** The facts that texts and conditions may name. @param {Position} position @returns {Facts} */
export function factsOf(position) {
  const { black, white, total } = position.census();
  const verdict = position.verdict();
  return {
    black,
    white,
    total,
    parity: parity(total),
    leader: verdict ? LEADERS[verdict.winner] : 'neither',
    score: verdict?.score ?? 0,
    empty: position.cells.filter((content) => content < 0).length,
    over: position.isOver,
    links: linksOf(position).length,
    ...countedFacts(position, verdict),
  };
}

/**
 * The facts of what is counted, of which each game has some.
 * @param {Position} position @param {import('./scoring.js').Verdict | null} verdict
 * @returns {Facts}
 */
function countedFacts(position, verdict) {
  const { facts } = position;
  const sizes = sizesOf(position.census().groups);
  const counts = courseOf(position);
  const [blackLarger, whiteLarger] = verdict?.values ?? counts;
  const [blackFactors, whiteFactors] = sizes.map((one) => factorsOf(one, facts).join(' × '));
  const [blackStones, whiteStones] = sizes.map((one) => one.reduce((sum, size) => sum + size, 0));
  const large = counts[0] + counts[1];
  return {
    ...{ large, largeParity: parity(large), minGroup: facts.k },
    ...{ least: 1 + (verdict?.at ?? 0), blackLarger, whiteLarger },
    ...{ blackProduct: counts[0], whiteProduct: counts[1], blackFactors, whiteFactors },
    ...{ blackStones, whiteStones },
  };
}

/**
 * The links of the other player that a turn could cut: pairs of its stones, in different groups,
 * with exactly two common neighbours, both empty. They are diamonds on a hexhex board and diagonals
 * on a square one; the two cells between are returned.
 * @param {Position} position
 * @returns {number[][]}
 */
export function linksOf(position) {
  const { cells, player } = position;
  const { neighbours } = position.rules.board;
  const { owner } = position.census();
  const theirs = [...cells.keys()].filter((cell) => cells[cell] === 1 - player);
  const pairs = theirs.flatMap((one) =>
    theirs.filter((two) => two > one && owner[two] !== owner[one]).map((two) => [one, two]),
  );
  return pairs
    .map(([one, two]) => neighbours[one].filter((cell) => neighbours[two].includes(cell)))
    .filter((waist) => waist.length === 2 && waist.every((cell) => cells[cell] < 0));
}

/** The turns of a position that are legal. @param {Position} position @returns {Turn[]} */
export function legalTurns(position) {
  const singles = position.candidates().map((stone) => [stone]);
  const pairs =
    position.maxStones < 2
      ? []
      : singles.flatMap(([first], index) =>
          singles.slice(index + 1).map(([second]) => [first, second]),
        );
  const drops = [...singles, ...pairs].map((stones) => drop(...stones));
  return [...drops, PASS, SWAP].filter((turn) => position.illegality(turn) === null);
}

/**
 * Facts of a turn, and of the position after it.
 * @param {Position} position @param {Turn} turn @returns {Facts}
 */
export function factsAfter(position, turn) {
  const after = position.play(turn);
  const verdict = after.verdict();
  const own = turn.stones.filter(({ colour }) => colour === position.player);
  const cells = own.map(({ cell }) => cell);
  return {
    ...factsOf(after),
    kind: turn.kind,
    stones: turn.stones.length,
    lead: verdict ? (verdict.winner === position.player ? 1 : -1) * verdict.score : 0,
    cuts: linksOf(position).filter((waist) => waist.every((cell) => cells.includes(cell))).length,
  };
}

/** The turns that answer a step, as tokens; empty if it asks for none. @param {Step} step @returns {string[]} */
export function rightTurns(step) {
  const { turn: conditions } = step.ask;
  if (!conditions) return [];
  const position = positionOf(step);
  const before = factsOf(position);
  const begun = begunOf(step);
  const turns = legalTurns(position)
    .filter(({ stones }) => begun.every((one) => hasStone(stones, one)))
    .map((turn) => ({
      token: formatTurn(turn, position.rules),
      facts: factsAfter(position, turn),
    }));
  return Object.entries(conditions)
    .reduce((left, [name, wanted]) => left.filter(meeting(name, wanted, before, left)), turns)
    .map(({ token }) => token);
}

/**
 * Whether a turn meets one condition. Conditions apply in their order: the most is that of the turns
 * that meet the ones before.
 * @param {string} name @param {Conditions[string]} wanted @param {Facts} before @param {{facts: Facts}[]} turns
 * @returns {(turn: {facts: Facts}) => boolean}
 */
function meeting(name, wanted, before, turns) {
  if (typeof wanted !== 'object') return ({ facts }) => facts[name] === wanted;
  if ('by' in wanted)
    return ({ facts }) => Number(facts[name]) - Number(before[name]) === wanted.by;
  const most = Math.max(...turns.map(({ facts }) => Number(facts[name])));
  return ({ facts }) => facts[name] === most;
}

/**
 * The answer to a turn in the making.
 * @typedef {object} Judgement
 * @property {'right' | 'wrong' | 'open'} verdict open if a right turn goes on from here
 * @property {string} text
 * @property {Position} position after the turn, or with its stones
 */

/**
 * @param {Step} step @param {readonly string[]} right the tokens of `rightTurns` @param {Turn} turn
 * @returns {Judgement}
 */
export function judgeTurn(step, right, turn) {
  const position = positionOf(step);
  if (right.includes(formatTurn(turn, position.rules))) {
    const after = position.play(turn);
    return {
      verdict: 'right',
      text: fill(step.right, factsOf(after)),
      position: after,
    };
  }
  const tried = position.withStones(turn.stones);
  const facts = factsOf(tried);
  if (turn.kind === 'drop' && mayGoOn(position, right, turn)) {
    const text =
      position.facts.parity !== null ? fill(t('lesson.go-on'), facts) : t('lesson.other');
    return { verdict: 'open', text, position: tried };
  }
  const problem = position.illegality(turn);
  const isWhole = turn.stones.length === position.maxStones;
  const text =
    isWhole && !position.fits(tried.census().total)
      ? fill(t('lesson.even'), facts)
      : fill(step.wrong, problem ? facts : factsAfter(position, turn));
  return { verdict: 'wrong', text, position: tried };
}

/** Whether some right turn has these stones and more. @param {Position} position @param {readonly string[]} right @param {Turn} turn */
function mayGoOn({ rules, player }, right, turn) {
  return right.some((token) => {
    const { stones } = parseTurn(token, rules, player);
    return (
      stones.length > turn.stones.length && turn.stones.every((stone) => hasStone(stones, stone))
    );
  });
}

/** The right answer of a step that asks for a fact or a possibility. @param {Step} step @returns {Fact} */
export function rightAnswer(step) {
  const position = positionOf(step);
  const { fact, may } = step.ask;
  if (fact) return factsOf(position)[fact];
  if (may === 'pass') return position.illegality(PASS) === null;
  if (may === 'end') return position.illegality(drop(...begunOf(step))) === null;
  return legalTurns(position).some((one) => factsAfter(position, one).cuts);
}

/** The answers to choose from. @param {Step} step @returns {Fact[]} */
export function choicesOf(step) {
  const answer = rightAnswer(step);
  if (step.ask.choices) return step.ask.choices;
  if (typeof answer === 'boolean') return [true, false];
  if (typeof answer === 'number') {
    const first = Math.max(0, answer - (answer % 2) - 1);
    return [first, first + 1, first + 2, first + 3];
  }
  return (
    /** @type {Record<string, Fact[]>} */ ({ leader: LEADERS })[step.ask.fact ?? ''] ?? [
      'odd',
      'even',
    ]
  );
}

/** @param {Fact} choice */
export const choiceText = (choice) =>
  typeof choice === 'boolean' ? t(choice ? 'lesson.yes' : 'lesson.no') : capital(factText(choice));

/** A fact in words. @param {Fact} fact */
function factText(fact) {
  const key = [`fact.${fact}`, String(fact).toLowerCase()].find(hasText);
  return key ? tOf(key) : String(fact);
}

/** The groups that a step asks to point at, by their numbers in the census. @param {Step} step @returns {number[]} */
export function askedGroups(step) {
  const position = positionOf(step);
  const least = step.ask.groups === 'large' ? position.facts.k : 1;
  return position
    .census()
    .groups.flatMap(({ cells }, index) => (cells.length >= least ? [index] : []));
}

/**
 * Text with its facts: "{black}" is a number, "{black group}" a number with its word.
 * @param {string} text @param {Facts} facts
 */
export const fill = (text, facts) =>
  text.replace(/\{(\w+)(?: ([a-z ]+))?\}/g, (_, name, word) =>
    word ? groupsText(Number(facts[name])) : factText(facts[name]),
  );

/** The text of a step before anything is done. @param {Step} step */
export const promptOf = (step) =>
  fill(step.text, factsOf(positionOf(step).withStones(begunOf(step))));

/** The reply to an answer that is no turn. @param {Step} step @param {boolean} right */
export const answerText = (step, right) =>
  fill(right ? step.right : step.wrong, factsOf(positionOf(step).withStones(begunOf(step))));
