// The engine as a program that a referee asks over its standard input, or that attaches to a daemon:
//   yoddd match "node engine.mjs 10" builtin:mcts --clock move=0.25
//   node engine.mjs 10 ws://127.0.0.1:8080/ws NAME
// The first argument is its level. WebSocket is built into Node.js 22; Node.js 20 has it with
// --experimental-websocket.
import { createInterface } from 'node:readline';
import { GameTree, Position, formatTurn, makeRules, parseTurn, startEngine } from '../index.js';

/** The part of a turn's time that is kept for the answer, with its bounds in seconds. */
const [RESERVE, LEAST, MOST] = [0.1, 0.02, 0.05];
/** Turns among which the main time is shared. */
const TURNS = 20;

const [level = '10', url, name = 'yoddd.js'] = process.argv.slice(2);
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
    const { turn } = await engine.genmove(game, { level: Number(level), seconds });
    game = game.play(turn);
    return formatTurn(turn, game.rules);
  },
  known_command: (command) => String(command in COMMANDS),
  'kata-time_settings': () => void (seconds = undefined),
  list_commands: () => Object.keys(COMMANDS).join('\n'),
  name: () => name,
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

/** The reply to a request; empty without one. @param {string} line */
async function answer(line) {
  const [, id, word, words] = /^\s*(\d*)\s*(\S*)\s*(.*?)\s*$/.exec(line.replace(/#.*/, ''));
  const command = word.toLowerCase();
  if (!command) return '';
  try {
    if (!Object.hasOwn(COMMANDS, command)) throw new Error('unknown command');
    return `=${id} ${(await COMMANDS[command](...words.split(/ +/))) ?? ''}\n\n`;
  } catch (error) {
    return `?${id} ${error.message}\n\n`;
  }
}

if (url) {
  const socket = new WebSocket(url);
  socket.onopen = () => socket.send(`attach ${name}`);
  socket.onclose = () => process.exit();
  socket.onmessage = async ({ data }) => socket.send(await answer(data));
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(await answer(line));
    if (/^[\s\d]*quit\b/i.test(line)) break;
  }
  process.exit();
}
