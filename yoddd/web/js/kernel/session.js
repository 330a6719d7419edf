// The engine in this browser: a worker that answers lines of the protocol as the server does, so
// that the page asks both in the same way. See protocol/.
import { addTexts } from '../base/catalogue.js';
import { EN } from '../base/en.js';
import { PASS, formatTurn, parseStone, parseTurn } from '../rules/notation.js';
import { withBoard } from './board.js';
import { KernelEnd, NO_MEMORY, compile, instantiate, read } from './module.js';
import { PARTS } from './parts.js';
import { MOST_SEED, Player, positionOf, winsByPassing } from './player.js';
import { giveWay } from './port.js';
import { reviewGame } from './review.js';
import { isHeld, Square5 } from './square5.js';
import { solve } from './sweep.js';
import { valuesOf } from './values.js';
import { weightsFor } from './weights.js';

/** @import { Position, Turn } from '../rules/rules.js' */
/** @import { Insight } from './player.js' */

/** Bytes of a proof by search, whose sweeps are of 18 empty cells at the most. */
const PROOF_MEMORY = 64 << 20;
/** Seconds of a proof, and for the values of all turns, where a request names none. */
const [SOLVING, PROBING] = [5, 2];

/** The visits of each search of a review; as the server's. */
const REVIEWED = 1000;

/** @type {Player | null} */
let player = null;
/** @type {import('./player.js').SetUp} the game up to now */
let setUp = { start: '', turns: [] };
/** The user's game, which the page describes before a position of it. @type {import('../rules/rules.js').OwnGame | undefined} */
let own;
let level = 10;
/** Null for another one each time. @type {bigint | null} */
let seed = null;

/** The numbers of the latest request, and of the latest one that is to end. */
let [last, stopped] = [0, 0];
/** Done when all requests before have been answered. @type {Promise<void>} */
let queue = Promise.resolve();

addTexts(EN); // its answers are English, as the server's

const post = (/** @type {string | {end: string}} a line, or why there are no more */ message) =>
  self.postMessage(message);

/** Whether nothing more can be asked of this worker. */
let isBroken = false;

/** Loads the kernel with the first request that needs it. */
async function engine() {
  try {
    const { href } = new URL(PARTS.module, self.location.href);
    player ??= new Player(await instantiate(await compile(href)), PARTS);
    return player;
  } catch (error) {
    isBroken = true;
    throw error;
  }
}

// -- commands -----------------------------------------------------------------------------------

/** @typedef {(words: string[], number: number) => Promise<string | void>} Command its reply; none for a stream */

/** @type {Record<string, Command>} */
const COMMANDS = {
  async position(words) {
    const at = words.indexOf('moves');
    const start = words.slice(0, at < 0 ? words.length : at).join(' ');
    const given = { start, turns: at < 0 ? [] : words.slice(at + 1), game: own };
    positionOf(given); // throws if it is illegal
    setUp = given;
    return '';
  },

  async set_param([name, value]) {
    if (name === 'level') level = Number(value);
    if (name === 'seed') seed = value === 'random' ? null : BigInt(value);
    return '';
  },

  async reg_genmove(_words, number) {
    const position = positionOf(setUp);
    const drawn = () => crypto.getRandomValues(new BigUint64Array(1))[0] & MOST_SEED;
    const budget = { level, seed: seed ?? drawn() };
    const turn =
      (level === PARTS.levels.length && (await perfectTurn(position))) ||
      (await (await engine()).genmove(setUp, budget, pauseOf(number))).turn;
    return formatTurn(turn, position.rules);
  },

  async policy([token]) {
    const { kernel, data } = await engine();
    const position = positionOf(setUp);
    const { rules } = position;
    const first = token ? parseStone(token, rules, position.player) : null;
    return withBoard(kernel, position, (board) => {
      const { cells } = rules.board;
      if (first) board.play(first.colour * cells + first.cell);
      const logs = board.policy(weightsFor(data.knots, rules));
      const sum = [...logs.values()].reduce((all, log) => all + Math.exp(log), 0);
      return [...logs]
        .sort((a, b) => b[1] - a[1] || a[0] - b[0])
        .map(([move, log]) => `${halfToken(move, position)} ${(Math.exp(log) / sum).toFixed(6)}`)
        .join('\n');
    });
  },

  async probe([seconds]) {
    const position = positionOf(setUp);
    const values = await exactValues(position, Number(seconds ?? PROBING));
    if (!values?.length) throw new Error('no table');
    const lines = values.map((one) => `${formatTurn(one.turn, position.rules)} ${spell(one)}`);
    return [spell(values[0]), ...lines].join('\n');
  },

  async solve([given]) {
    const position = positionOf(setUp);
    const { rules } = position;
    const [held] = (await tabled(position)) ?? [];
    if (held) return proofOf('table', held, await tabledLine(position, held.turn), rules);
    const seconds = Number(given ?? SOLVING);
    const [best] = (await lookUp(position, { seconds, hasLine: true })) ?? [];
    if (best) return proofOf('sweep', best, best.line, rules);
    const { kernel } = await engine();
    const limits = { nodes: 0, seconds, memory: PROOF_MEMORY };
    const found = position.isOver ? null : solve(kernel, position, limits);
    if (!found) return 'value unknown\ndistance unknown\nby search\nline';
    const wins = found.winner === position.player;
    return proofOf('search', { wins, distance: null }, wins ? [found.turn] : [], rules);
  },

  async analyze(words, number) {
    const known = await engine();
    const most = words.find((word) => word.startsWith('maxvisits='));
    const budget = most ? { playouts: Number(most.slice(10)) } : {};
    const position = positionOf(setUp);
    if (position.isOver) throw new Error('the game is over');
    post('=');
    await known.analyze(setUp, budget, pauseOf(number), (insight) =>
      post(infoOf(insight, position)),
    );
    post('');
  },

  async review(words, number) {
    const given = new Map(words.map((word, at) => [word, Number(words[at + 1])]));
    const known = await engine();
    const start = positionOf({ ...setUp, turns: [] });
    const turns = turnsOf(start, setUp.turns);
    if (!turns.length) throw new Error('the game has no turn yet');
    post('=');
    try {
      const { summary, turns: judged } = await reviewGame(known, start, turns, {
        visits: given.get('visits') ?? REVIEWED,
        seed: given.get('seed') ?? 0,
        pause: pauseOf(number),
        progress: (percent) => post(`progress ${percent}`),
      });
      post(`review ${JSON.stringify(summary)}`);
      for (const turn of judged) post(`turn ${JSON.stringify(turn)}`);
    } catch (error) {
      if (error instanceof KernelEnd) throw error;
      post(`error ${/** @type {Error} */ (error).message}`);
    }
    post('');
  },
};

/** @param {Position} start @param {readonly string[]} tokens */
function turnsOf(start, tokens) {
  let position = start;
  return tokens.map((token) => {
    const turn = parseTurn(token, position.rules, position.player);
    position = position.play(turn);
    return turn;
  });
}

/** Gives way to messages; true if the request is to end. @param {number} number */
const pauseOf = (number) => async () => {
  await giveWay();
  return stopped >= number;
};

// -- perfect play -------------------------------------------------------------------------------

/** @param {Position} position @param {{seconds: number, hasLine?: boolean}} how */
async function lookUp(position, how) {
  const { kernel } = await engine();
  return valuesOf(kernel, position, how);
}

/** The values of all turns by a table or by a sweep, best first. @param {Position} position @param {number} seconds */
const exactValues = async (position, seconds) =>
  (await tabled(position)) ?? (await lookUp(position, { seconds }));

/** A turn of perfect play; null where none is known: which turn loses last takes distances. @param {Position} position */
async function perfectTurn(position) {
  if (winsByPassing(position)) return PASS;
  const best = (await exactValues(position, PROBING))?.[0];
  return best && (best.wins || best.distance !== null) ? best.turn : null;
}

/** The table of square5, once it has been asked for. @type {Promise<Square5> | null} */
let square5 = null;

/** The values of all turns by a table, best first; null without one. @param {Position} position */
async function tabled(position) {
  const table = isHeld(position) ? await tableOf() : null;
  return table?.turns(position) ?? null;
}

/** A turn and best play after it, as far as a table reaches. @param {Position} position @param {Turn} turn @returns {Promise<Turn[]>} */
async function tabledLine(position, turn) {
  const after = position.play(turn);
  const [best] = (await tabled(after)) ?? [];
  return [turn, ...(best ? await tabledLine(after, best.turn) : [])];
}

/** The table of square5; null if it cannot be loaded. @returns {Promise<Square5 | null>} */
async function tableOf() {
  const { kernel } = await engine();
  square5 ??= read(new URL(PARTS.square5, self.location.href).href).then((packed) =>
    Square5.open(kernel, packed),
  );
  try {
    return await square5;
  } catch {
    square5 = null; // the next request asks for it again
    return null;
  }
}

/** @param {{wins: boolean, distance: number | null}} value */
const spell = ({ wins, distance }) =>
  `${wins ? 'won' : 'lost'}${distance === null ? '' : ` ${distance}`}`;

/** @param {string} method @param {{wins: boolean, distance: number | null}} value @param {Turn[]} line @param {import('../rules/rules.js').Rules} rules */
const proofOf = (method, { wins, distance }, line, rules) =>
  [
    `value ${wins ? 'won' : 'lost'}`,
    `distance ${distance ?? 'unknown'}`,
    `by ${method}`,
    ['line', ...line.map((turn) => formatTurn(turn, rules))].join(' '),
  ].join('\n');

// -- as the server writes it ----------------------------------------------------------------------

/** @param {number} move @param {Position} position */
function halfToken(move, { rules }) {
  const { cells } = rules.board;
  if (move >= 2 * cells) return ['end', 'pass', 'swap'][move - 2 * cells];
  const colour = /** @type {0 | 1} */ (move < cells ? 0 : 1);
  return formatTurn({ kind: 'drop', stones: [{ colour, cell: move % cells }] }, rules);
}

/** A line of an analysis. @param {Insight} insight @param {Position} position */
function infoOf({ candidates, visits, winrate, margin, spread, ownership }, { rules }) {
  const infos = candidates.map((one, order) => {
    const proven =
      one.distance === null
        ? ''
        : ` proven ${one.winrate ? 'won' : 'lost'} distance ${one.distance}`;
    const line = one.line.map((turn) => formatTurn(turn, rules)).join(' ');
    return (
      `info move ${formatTurn(one.turn, rules)} visits ${one.visits} ` +
      `winrate ${one.winrate.toFixed(6)} scoreLead ${one.margin.toFixed(3)} ` +
      `scoreStdev ${one.spread.toFixed(3)}${proven} order ${order} pv ${line}`
    );
  });
  const root = `rootInfo visits ${visits} winrate ${winrate.toFixed(6)}`;
  const score = `scoreLead ${margin.toFixed(3)} scoreStdev ${spread.toFixed(3)}`;
  const owned = ownership.map((one) => one.toFixed(3)).join(' ');
  return `${infos.join(' ')} ${root} ${score} ownership ${owned}`;
}

// -- the worker -----------------------------------------------------------------------------------

/** @param {number} number @param {string} line */
async function answer(number, line) {
  const [name, ...words] = line.split(' ').filter(Boolean);
  try {
    if (!Object.hasOwn(COMMANDS, name)) throw new Error(`unknown command: ${name}`);
    const text = await COMMANDS[name](words, number);
    if (text !== undefined) post(`= ${text}`);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    const hasEnded = isBroken || error instanceof KernelEnd || message === NO_MEMORY;
    post(hasEnded ? { end: message } : `? ${message}`);
  }
}

self.onmessage = ({ data: line }) => {
  if (line.game) {
    queue = queue.then(() => void (own = line.game));
    return;
  }
  if (line === '' || line === '# interrupt') {
    stopped = last;
    return;
  }
  last += 1;
  const number = last;
  queue = queue.then(() => answer(number, line));
};
