// Attaches an engine to a daemon, where it plays when it is asked:
//   node bot.mjs ws://127.0.0.1:8080/ws NAME [LEVEL]
// WebSocket is built into Node.js 22; Node.js 20 has it with --experimental-websocket.
import { GameTree, Position, formatTurn, makeRules, parseTurn, startEngine } from '../index.js';

const [url, name, level = '5'] = process.argv.slice(2);
const engine = await startEngine();
let game = newGame('yodd', []);

/** @param {string} title @param {string[]} words a board and options */
function newGame(title, words) {
  const board = words.find((word) => !word.includes('='));
  const options = words.filter((word) => word.includes('=')).map((word) => word.split('='));
  return GameTree.from(new Position(makeRules(title, board, Object.fromEntries(options))));
}

const COMMANDS = {
  boardsize: (size) => {
    const { game: title, board } = game.rules;
    game = newGame(title, [board.shape + size]);
  },
  clear_board: () => void (game = GameTree.from(new Position(game.rules))),
  game: (title, ...words) => void (game = newGame(title, words)),
  genmove: async () => {
    const { turn } = await engine.genmove(game, { level: Number(level) });
    game = game.play(turn);
    return formatTurn(turn, game.rules);
  },
  known_command: (command) => String(command in COMMANDS),
  list_commands: () => Object.keys(COMMANDS).join('\n'),
  name: () => name,
  play: (_, token) => void (game = game.play(parseTurn(token, game.rules, game.position.player))),
  protocol_version: () => '2',
  quit: () => '',
  version: () => '1.0',
};

const socket = new WebSocket(url);
socket.onopen = () => socket.send(`attach ${name}`);
socket.onclose = () => process.exit();
socket.onmessage = async ({ data }) => {
  const [, id, command, words] = /^(\d*) *(\S*) *(.*?)\s*$/.exec(data);
  try {
    if (!(command in COMMANDS)) throw new Error('unknown command');
    socket.send(`=${id} ${(await COMMANDS[command](...words.split(/ +/))) ?? ''}\n\n`);
  } catch (error) {
    socket.send(`?${id} ${error.message}\n\n`);
  }
};
