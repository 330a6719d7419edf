// Replays games in the page's rules: a line of JSON in, what differs from it out. Run by games.py.
import { createInterface } from 'node:readline';
import '../web/js/page.mjs';
import '../../yoddd/web/js/base/texts.js';
import { makeRules, Position } from '../../yoddd/web/js/rules/rules.js';
import { formatPosition, formatTurn, parsePosition, parseTurn } from '../../yoddd/web/js/rules/notation.js';

const COLOURS = ['b', 'w'];

/** What the game says of itself. */
function describe(position) {
  const { black, white, total } = position.census();
  const outcome = position.outcome();
  return {
    line: formatPosition(position),
    groups: [black, white, total],
    outcome: outcome && [COLOURS[outcome.winner], outcome.score],
    over: position.isOver,
    full: position.isFull,
  };
}

function* differences({ game, board, options, steps }) {
  let position = new Position(makeRules(game, board, options));
  for (const { facts, tries, turn } of steps) {
    const found = describe(position);
    if (JSON.stringify(found) !== JSON.stringify(facts)) yield { facts, found };
    if (!facts.over && formatPosition(parsePosition(facts.line)) !== facts.line) yield { line: facts.line };
    for (const [token, reason] of tries) {
      const read = parseTurn(token, position.rules, position.player);
      const said = position.illegality(read);
      if (said !== reason) yield { at: facts.line, token, reason, said };
      if (formatTurn(read, position.rules) !== token) yield { at: facts.line, token };
    }
    if (turn !== null) position = position.play(parseTurn(turn, position.rules, position.player));
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  let found;
  try {
    [found = null] = differences(JSON.parse(line));
  } catch (error) {
    found = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(found)}\n`);
}
