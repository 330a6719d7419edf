// The engine as a program that a referee asks over its standard input:
//   yoddd match "node engine.mjs" builtin:mcts --clock move=0.25
// An argument is its level.
import { createInterface } from 'node:readline';
import { GameTree, Position, formatTurn, makeRules, parseTurn, startEngine } from '../index.js';

/** The part of a turn's time that is kept for the answer, with its bounds in seconds. */
const [RESERVE, LEAST, MOST] = [0.1, 0.02, 0.05];
/** Turns among which the main time is shared. */
const TURNS = 20;

const level = Number(process.argv[2] ?? 10);
const engine = await startEngine();
let game = newGame('yodd', []);
/** Seconds for the next turn, if it has a limit. */
let seconds;

/** @param {string} title @param {string[]} words a board and options */
function newGame(title, words) {
  const board = words.find((word) => !word.includes('='));
  const options = words.filter((word) => word.includes('=')).map((word) => word.split('='));
  return GameTree.from(new Position(makeRules(title, board, Object.fromEntries(options))));
}

/**
 * What `work` returns, or an error with the contract's word for it.
 * @template T
 * @param {string} word
 * @param {() => T} work
 */
function orSay(word, work) {
  try {
    return work();
  } catch (error) {
    throw new Error(`${word}: ${error.message}`);
  }
}

/** @param {string | undefined} colour */
function checkColour(colour) {
  if (!/^(b|w|black|white)$/i.test(colour)) throw new Error('syntax error: b or w expected');
}

const COMMANDS = {
  boardsize: (size) => {
    const { game: title, board } = game.rules;
    game = orSay('unacceptable size', () => newGame(title, [board.shape + size]));
  },
  clear_board: () => {
    game = GameTree.from(new Position(game.rules));
    seconds = undefined;
  },
  game: (title, ...words) => {
    game = orSay('unacceptable size', () => newGame(title, words));
  },
  genmove: async (colour) => {
    checkColour(colour);
    const { turn } = await engine.genmove(game, { level, seconds });
    game = game.play(turn);
    return formatTurn(turn, game.rules);
  },
  known_command: (command) => String(command in COMMANDS),
  'kata-time_settings': () => void (seconds = undefined),
  list_commands: () => Object.keys(COMMANDS).join('\n'),
  name: () => 'yoddd.js',
  play: (colour, token) => {
    checkColour(colour);
    const { player } = game.position;
    const turn = orSay('syntax error', () => parseTurn(token ?? '', game.rules, player));
    game = orSay('illegal move', () => game.play(turn));
  },
  protocol_version: () => '2',
  quit: () => '',
  time_left: (_, left, stones) => {
    const share = Number(left) / (Number(stones) || TURNS);
    seconds = Math.max(0.01, share - Math.min(Math.max(RESERVE * share, LEAST), MOST));
  },
  version: () => '1.0',
};

for await (const line of createInterface({ input: process.stdin })) {
  const [, id, word, words] = /^\s*(\d*)\s*(\S*)\s*(.*?)\s*$/.exec(line.replace(/#.*/, ''));
  const command = word.toLowerCase();
  if (!command) continue;
  try {
    if (!Object.hasOwn(COMMANDS, command)) throw new Error('unknown command');
    process.stdout.write(`=${id} ${(await COMMANDS[command](...words.split(/ +/))) ?? ''}\n\n`);
  } catch (error) {
    process.stdout.write(`?${id} ${error.message}\n\n`);
  }
  if (command === 'quit') break;
}
process.exit();
