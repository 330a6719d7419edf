// What the page makes of its lessons, for the comparison with the reference rules: a JSON object
// with a list of steps for each game. Run: node tests/web/lessons.mjs
import { readFileSync } from 'node:fs';
import {
  answerText,
  askedGroups,
  choicesOf,
  judgeTurn,
  positionOf,
  promptOf,
  rightAnswer,
  rightTurns,
} from '../../yoddd/web/js/lesson.js';
import { parseTurn } from '../../yoddd/web/js/notation.js';
import { GAMES } from '../../yoddd/web/js/rules.js';

const FOLDER = new URL('../../yoddd/web/lessons/', import.meta.url);

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
  };
}

const lessons = Object.keys(GAMES).map((game) => {
  const { steps } = JSON.parse(readFileSync(new URL(`${game}.json`, FOLDER), 'utf8'));
  return [game, steps.map(seen)];
});
console.log(JSON.stringify(Object.fromEntries(lessons)));
