// Prints what the page makes of the lesson of a game, for the comparison with the reference rules:
// a JSON list with an object for each step. Run: node tests/web/lessons.mjs yodd
import { readFileSync } from 'node:fs';
import './js/page.mjs';
import {
  answerText,
  askedGroups,
  choicesOf,
  judgeTurn,
  legalTurns,
  positionOf,
  promptOf,
  rightAnswer,
  rightTurns,
} from '../../yoddd/web/js/rules/lesson.js';
import { formatTurn, parseTurn } from '../../yoddd/web/js/rules/notation.js';

const FOLDER = new URL('../../yoddd/web/lessons/', import.meta.url);

/** The number of wrong turns of a step that are judged. */
const SAMPLE = 30;

/** What a step shows, and what it takes for right. */
function seen(step) {
  const position = positionOf(step);
  const said = { prompt: promptOf(step), right: answerText(step, true) };
  if (step.ask.groups) {
    const { groups } = position.census();
    return { ...said, groups: askedGroups(step).map((index) => groups[index].cells) };
  }
  if (!step.ask.turn) return { ...said, answer: rightAnswer(step), choices: choicesOf(step) };
  const turns = rightTurns(step);
  const answers = turns.map((token) =>
    judgeTurn(step, turns, parseTurn(token, position.rules, position.player)),
  );
  return {
    prompt: said.prompt,
    turns,
    texts: answers.map(({ text }) => text),
    verdicts: [...new Set(answers.map(({ verdict }) => verdict))],
    others: legalTurns(position)
      .map((turn) => [formatTurn(turn, position.rules), turn])
      .filter(([token]) => !turns.includes(token))
      .slice(0, SAMPLE)
      .map(([token, turn]) => [token, judgeTurn(step, turns, turn)])
      .map(([token, { verdict, text }]) => [token, verdict, text]),
  };
}

const { steps } = JSON.parse(readFileSync(new URL(`${process.argv[2]}.json`, FOLDER), 'utf8'));
console.log(JSON.stringify(steps.map(seen)));
