// Plays games of drawn descriptions as the other program did, and tells what the rules and the kernel
// find at each turn: a list of games as JSON in, a list of what was found out.
import { readFileSync } from 'node:fs';
import './page.mjs';
import { withBoard } from '../../../yoddd/web/js/kernel/board.js';
import { compile, instantiate } from '../../../yoddd/web/js/kernel/module.js';
import { readGame } from '../../../yoddd/web/js/rules/description.js';
import { legalTurns } from '../../../yoddd/web/js/rules/lesson.js';
import { readLink, writeLink } from '../../../yoddd/web/js/rules/link.js';
import { formatTurn, parseTurn, PASS, SWAP } from '../../../yoddd/web/js/rules/notation.js';
import { effectOf, optionsOf } from '../../../yoddd/web/js/rules/parity.js';
import { rulesHash } from '../../../yoddd/web/js/rules/hash.js';
import { Position, makeRules } from '../../../yoddd/web/js/rules/rules.js';
import { readSgf, writeSgf } from '../../../yoddd/web/js/rules/sgf.js';
import {
  aimOf,
  changeText,
  figuresOf,
  summaryText,
  verdictText,
} from '../../../yoddd/web/js/rules/standing.js';
import { playedTree } from '../../../yoddd/web/js/rules/tree.js';

const [kernelPath] = process.argv.slice(2);
const kernel = kernelPath ? await instantiate(await compile(kernelPath)) : null;

/** @param {Position} position */
function listed(position) {
  if (position.isOver) return [];
  return withBoard(kernel, position, (board) => [
    ...board.drops(),
    ...[PASS, SWAP].filter((turn) => board.isLegal(turn)),
  ]);
}

/** What is said of a position has to be text without holes. */
function words(position) {
  const { title, values, captions } = figuresOf(position);
  const [stone] = position.candidates();
  const change = stone ? changeText(position, position.withStones([stone]), stone.colour) : '';
  if (stone) effectOf(position, [], stone);
  optionsOf(position, []);
  return [verdictText(position), summaryText(position), title, ...values, ...captions, change];
}

async function play({ description, game, board, options, turns, tried }) {
  const read = description ? readGame(description) : game;
  const rules = makeRules(read, board, options);
  let position = new Position(rules);
  const found = [];
  for (let index = 0; index <= turns.length; index += 1) {
    const show = (turn) => formatTurn(turn, rules);
    const parse = (token) => parseTurn(token, rules, position.player);
    const outcome = position.outcome();
    const score =
      kernel && position.isOver ? withBoard(kernel, position, (one) => one.score()) : null;
    found.push({
      legal: position.isOver ? [] : legalTurns(position).map(show),
      firsts: position
        .candidates()
        .filter((one) => position.completable(one))
        .map((one) => show({ kind: 'drop', stones: [one] })),
      kernel: kernel && listed(position).map(show),
      refused: position.illegality(parse(tried[index])),
      outcome: outcome && [outcome.winner, outcome.score],
      score: score && [score.winner, score.score],
      words: words(position),
    });
    if (index < turns.length) position = position.play(parse(turns[index]));
  }
  const tree = playedTree(new Position(rules), turns);
  const hash = rulesHash(rules.facts);
  const again = [(await readLink(writeLink(tree, null))).tree, readSgf(writeSgf(tree)).tree];
  return {
    found,
    again: again.map((one) => one.goTo(Infinity).tokens()),
    facts: again.every((one) => JSON.stringify(one.rules.facts) === JSON.stringify(rules.facts)),
    aim: Object.values(aimOf(rules)),
    hash,
    foreign: refusal(() => readSgf(writeSgf(tree).replace(hash, '0'.repeat(64)))),
  };
}

/** @param {() => unknown} work */
function refusal(work) {
  try {
    work();
    return '';
  } catch (error) {
    return error.message;
  }
}

const { games = [], texts = [] } = JSON.parse(readFileSync(0, 'utf8'));
const answer = JSON.stringify({
  games: await Promise.all(games.map(play)),
  texts: texts.map((text) => refusal(() => readGame(text))),
});
process.stdout.write(answer);
