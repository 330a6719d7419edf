// The review of a game: the kernel judges every turn, and this browser makes the searches that it wants.
import { formatTurn } from '../rules/notation.js';
import { pairOf, turnOf, withBoard } from './board.js';

/** @import { Position, Turn } from '../rules/rules.js' */
/** @import { Player, Pause } from './player.js' */
/** A turn as protocol/schemas/review.schema.json has it. @typedef {Record<string, any>} TurnReview */

/** Bytes of a sweep, bytes of a proof, the longest expected time of a sweep, and the nodes of a proof. */
const LIMITS = [BigInt(128 << 20), BigInt(16 << 20), 1, 10_000n];
/** Bytes of a tree. */
const MEMORY = 32 << 20;
/** The percentages at which the stages of searches begin, and at which the last ends. */
const STAGES = [0, 50, 70, 85, 100];
const GRADES = ['sound', 'inaccuracy', 'mistake', 'blunder'];

/**
 * @param {Player} player
 * @param {Position} start
 * @param {readonly Turn[]} turns a resignation ends them
 * @param {{visits: number, seed: number, pause: Pause, progress: (percent: number) => void}} how
 * @returns {Promise<{summary: Record<string, any>, turns: TurnReview[]}>}
 */
export async function reviewGame(player, start, turns, { visits, seed, pause, progress }) {
  const { kernel } = player;
  const { call } = kernel;
  const { cells } = start.rules.board;
  const end = turns.findIndex(({ kind }) => kind === 'resign');
  const played = end < 0 ? turns : turns.slice(0, end);
  const positions = [start];
  for (const turn of played) positions.push(positions[positions.length - 1].play(turn));
  const pairs = played.flatMap((turn) => pairOf(turn, cells));
  const at = withBoard(kernel, start, (board) =>
    kernel.withWords(pairs, (words) =>
      kernel.made(call.yoddd_review_new(board.at, words, played.length, ...LIMITS)),
    ),
  );
  let done = -1;
  try {
    for (;;) {
      const wanted = kernel.json(call.yoddd_review_wanted(at, BigInt(visits), BigInt(seed)));
      if (!wanted.length) break;
      const [from, to = from] = STAGES.slice(call.yoddd_review_stage(at));
      for (const [count, [place, moves, most, own]] of wanted.entries()) {
        const percent = from + Math.floor(((to - from) * count) / wanted.length);
        if (percent > done && percent < 100) progress((done = percent));
        const before = positions[place];
        const position = moves.length ? before.play(turnOf(moves, cells)) : before;
        const budget = { visits: most, seed: own, memory: MEMORY };
        if (await player.searchAfresh(position, budget, pause)) throw new Error('interrupted');
        call.yoddd_review_take(at, player.at);
      }
    }
    return written(kernel.json(call.yoddd_review_report(at)), positions, played, visits);
  } finally {
    call.yoddd_review_free(at);
  }
}

/** @param {number} value @param {number} digits */
const rounded = (value, digits) => Number(value.toFixed(digits));

/** @param {[number, number, number, number]} chance */
const chanceOf = ([value, visits, exact, distance]) => ({
  value: rounded(value, 4),
  visits,
  exact: exact === 1,
  distance: distance < 0 ? null : distance,
});

/**
 * A review of the kernel as the schema has it.
 * @param {any[]} report @param {readonly Position[]} positions @param {readonly Turn[]} played
 * @param {number} visits
 */
function written([turns, chances, first, players], positions, played, visits) {
  const { rules } = positions[0];
  const { cells } = rules.board;
  const spell = (/** @type {number[][]} */ line) =>
    line.map((moves) => formatTurn(turnOf(moves, cells), rules));
  const [b, w] = players.map((/** @type {any[]} */ [count, accuracy, loss, errors]) => ({
    turns: count,
    accuracy: count ? rounded(accuracy, 1) : null,
    average_loss: count ? rounded(loss, 4) : null,
    errors: Object.fromEntries(GRADES.slice(1).map((grade, i) => [grade, errors[i]])),
  }));
  const rough = chances.map((/** @type {number} */ one) => rounded(one, 4));
  const exact_from = first < 0 ? null : first;
  return {
    summary: { players: { b, w }, chances: rough, exact_from, visits },
    turns: turns.map((/** @type {any[]} */ [best, after, ...rest], /** @type {number} */ at) => {
      const [loss, accuracy, grade, better, refutation, only, turning, seat] = rest;
      return {
        number: positions[at].number,
        player: 'bw'[positions[at].player],
        seat: 'bw'[seat],
        turn: formatTurn(played[at], rules),
        best: chanceOf(best),
        played: chanceOf(after),
        loss: rounded(loss, 4),
        accuracy: rounded(accuracy, 1),
        grade: GRADES[grade],
        better: spell(better),
        refutation: spell(refutation),
        only: only === 1,
        turning: turning === 1,
      };
    }),
  };
}
