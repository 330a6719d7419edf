#!/usr/bin/env node
// Plays Yodd, Xodd, Odd, Yoin and Product, legally and at random. Node's own modules only.
"use strict";

const BOARDS = { yodd: "hex8", xodd: "square12", odd: "hex5", yoin: "hex8", product: "hex5" };

class Refused extends Error {}

// Every cell of a board, and for each the cells beside it.
function cellsOf(board) {
  const match = /^(hex|square)-?([0-9]{1,4})$/.exec(board);
  if (!match) throw new Refused("syntax error: no such board");
  const [hex, size] = [match[1] === "hex", Number(match[2])];
  if (size < 2 || size > (hex ? 13 : 25)) throw new Refused("unacceptable size");
  const points = [];
  const low = hex ? 1 - size : 0;
  for (let y = low; y < size; y++)
    for (let x = low, number = 0; x < size; x++)
      if (!hex || Math.abs(x + y) < size)
        points.push([x, y, `${String.fromCharCode(97 + y - low)}${++number}`]);
  const beside = new Map();
  for (const [x, y, name] of points) {
    const around = points.filter(([i, j]) => {
      const [dx, dy] = [x - i, y - j];
      return dx * dx + dy * dy + hex * dx * dy === 1;
    });
    beside.set(name, around.map((other) => other[2]));
  }
  return beside;
}

function colourOf(player) {
  const colour = { b: "1", black: "1", w: "2", white: "2" }[(player || "").toLowerCase()];
  if (!colour) throw new Refused("syntax error: expected b or w");
  return colour;
}

class Bot {
  constructor() {
    this.state = 1;
    this.game("yodd");
  }

  // mulberry32, since Math.random takes no seed.
  random() {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  game(name, ...rest) {
    const game = (name || "").toLowerCase();
    if (!Object.hasOwn(BOARDS, game)) throw new Refused("syntax error: no such game");
    const board = rest.length && !rest[0].includes("=") ? rest[0].toLowerCase() : BOARDS[game];
    this.beside = cellsOf(board);
    this.board = board;
    this.name = game;
    this.own = game === "yoin" || rest.includes("own_colour=on");
    this.clear();
  }

  boardsize(size) {
    if (!/^[0-9]+$/.test(size || "")) throw new Refused("syntax error");
    const board = this.board.replace(/[0-9]+$/, Number(size));
    if (size.length > 4) throw new Refused("unacceptable size");
    this.beside = cellsOf(board);
    this.board = board;
    this.clear();
  }

  clear() {
    this.stones = new Map();
    this.turns = 0;
  }

  play(colour, turn) {
    if (turn === undefined) throw new Refused("syntax error");
    if (!["pass", "swap", "resign"].includes(turn)) {
      const stones = turn.split(",").map((s) => (/^[12]/.test(s) ? s : colour + s));
      const wrong = stones.find((s) => !this.beside.has(s.slice(1)) || this.stones.has(s.slice(1)));
      if (wrong !== undefined) throw new Refused(`syntax error: ${wrong}`);
      for (const stone of stones) this.stones.set(stone.slice(1), stone[0]);
    }
    this.turns++;
  }

  // Whether the number of groups is odd with some stones added.
  isOddWith(...stones) {
    for (const stone of stones) this.stones.set(stone.slice(1), stone[0]);
    const seen = new Set();
    let odd = false;
    for (const [start, colour] of this.stones) {
      if (seen.has(start)) continue;
      odd = !odd;
      seen.add(start);
      const frontier = [start];
      while (frontier.length)
        for (const cell of this.beside.get(frontier.pop()))
          if (!seen.has(cell) && this.stones.get(cell) === colour) {
            seen.add(cell);
            frontier.push(cell);
          }
    }
    for (const stone of stones) this.stones.delete(stone.slice(1));
    return odd;
  }

  // A legal turn of `colour`, as a token.
  choose(colour) {
    const empty = [...this.beside.keys()].filter((cell) => !this.stones.has(cell));
    const colours = this.own ? [colour] : ["1", "2"];
    const stones = colours.flatMap((c) => empty.map((cell) => c + cell));
    for (let i = stones.length - 1; i > 0; i--) {
      const j = Math.floor(this.random() * (i + 1));
      [stones[i], stones[j]] = [stones[j], stones[i]];
    }
    const parity = this.name === "yodd" || this.name === "xodd";
    const seconds = this.turns && this.name !== "odd" && this.name !== "yoin" ? stones : [];
    const mayPass = parity && this.isOddWith();
    for (const first of stones) {
      if (mayPass && !this.own && this.random() < 0.1) break;
      const alone = this.name === "yoin" ? first.slice(1) : first;
      if (parity ? this.isOddWith(first) : !seconds.length) return alone;
      for (const second of seconds)
        if (first.slice(1) !== second.slice(1) && (!parity || this.isOddWith(first, second)))
          return `${first},${second}`;
      if (!parity) return alone;
    }
    return mayPass ? "pass" : "resign";
  }
}

const bot = new Bot();
const COMMANDS = {
  boardsize: (size) => bot.boardsize(size),
  clear_board: () => bot.clear(),
  game: (...args) => bot.game(...args),
  genmove: (player) => {
    const turn = bot.choose(colourOf(player));
    bot.play(colourOf(player), turn);
    return turn;
  },
  known_command: (name) => String(Object.hasOwn(COMMANDS, name || "")),
  list_commands: () => Object.keys(COMMANDS).join("\n"),
  name: () => "Node bot",
  play: (player, turn) => bot.play(colourOf(player), turn),
  protocol_version: () => "2",
  quit: () => "",
  set_param: (name, value) => {
    if (name !== "seed") throw new Refused("syntax error: no such parameter");
    bot.state = Number(BigInt(value) & 0xffffffffn) | 0;
  },
  version: () => "1.0",
};

// The reply to one line; undefined where there is none.
function answer(line) {
  const words = line.split("#")[0].replace(/\t/g, " ").replace(/[\x00-\x1f\x7f]/g, "").split(" ");
  const [first, ...others] = words.filter((word) => word).map((word) => word.toLowerCase());
  if (first === undefined) return undefined;
  const id = /^[0-9]+$/.test(first) ? first : "";
  const [command, ...args] = id ? others : [first, ...others];
  try {
    if (command === undefined) throw new Refused("syntax error: no command");
    if (!Object.hasOwn(COMMANDS, command)) throw new Refused("unknown command");
    return [command, `=${id} ${COMMANDS[command](...args) ?? ""}\n\n`];
  } catch (error) {
    return [command, `?${id} ${error instanceof Refused ? error.message : "syntax error"}\n\n`];
  }
}

// Written synchronously, since process.exit() discards what is still buffered.
const fs = require("fs");
let rest = "";
process.stdin.setEncoding("latin1");
process.stdin.on("data", (data) => {
  const lines = (rest + data).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const reply = answer(line);
    if (reply === undefined) continue;
    fs.writeSync(1, reply[1]);
    if (reply[0] === "quit") process.exit(0);
  }
});
