// What the engine plays and reports: yoddd/engine/mcts.py over the kernel's search, in slices.
import { PASS, formatPosition, isSameTurn, parsePosition, parseTurn } from '../notation.js';
import { KernelBoard, movesOf, turnOf } from './board.js';
import { Endgame, winsByPassing } from './endgame.js';
import { drawTurn, logsOf } from './levels.js';
import { KernelError } from './module.js';
import { TreeSearch } from './search.js';
import { weightsFor } from './weights.js';

/** @typedef {import('../rules.js').Position} Position */
/** @typedef {import('../rules.js').Turn} Turn */
/** @typedef {import('./module.js').Kernel} Kernel */
/** @typedef {import('./levels.js').Level} Level */
/** @typedef {import('./search.js').HalfTurn} HalfTurn */
/** @typedef {import('./endgame.js').Proven} Proven */

/** A game up to now: a position as a line, and the turns since. @typedef {{start: string, turns: string[]}} SetUp */

/**
 * @typedef {object} Budget the limits of a search; the first that is reached ends it
 * @property {number} [level] 1 to 10; without one full strength
 * @property {number} [playouts]
 * @property {number} [visits] of the position, those kept from earlier searches included
 * @property {number} [seconds]
 * @property {bigint | number} [seed] 0 if it is not given
 * @property {number} [memory] bytes for the tree
 */

/**
 * @typedef {object} Candidate
 * @property {Turn} turn
 * @property {number} visits
 * @property {number} winrate 0 to 1 for the player
 * @property {number} margin the expected difference in groups, for the player
 * @property {number} spread its standard deviation
 * @property {Turn[]} line the turn and those expected after it
 * @property {number | null} distance if the result is proven, turns to the end of the game, this one included; null if it is not proven or not known
 */

/**
 * @typedef {object} Insight what a search has found
 * @property {Candidate[]} candidates best first
 * @property {number} visits
 * @property {number} winrate 0 to 1 for the player
 * @property {number} margin
 * @property {number} spread
 * @property {number[]} ownership for each cell what is expected there in the end: 1 a stone of the colour on turn, -1 one of the other
 * @property {number[]} policy how likely each half turn is before any search, -1 where it is not legal: black stones by cell, white stones by cell, the pass, the swap
 * @property {0 | 1 | null} proven the colour that wins for certain
 */

/** @typedef {{turn: Turn, winrate: number | null, margin: number | null, visits: number}} Found winrate and margin are null where nothing was searched */

/** Called between slices; gives way to messages. @callback Pause @returns {Promise<boolean>} whether the search is to end */

/** Seconds to the next look for messages. */
const SLICE = 0.02;
/** Seconds to the next report. */
const REPORT_EVERY = 0.2;
/** The playouts of a search without any limit. */
const PLAYOUTS = 50_000;
/** The visits of a search even without time. */
const FEWEST = 32;
/** The greatest forecast of visits, and that of an analysis, which may always go on. */
const MOST_FORECAST = 60_000;
const GOES_ON = 20_000;
/** Visits a second times the cells of the board, before anything was measured. */
const FIRST_SPEED = 4e6;
/** Bytes of the tree: memory of the module never shrinks, and is given out in powers of two. */
const MEMORY = (64 << 20) - 4096;
/** Bytes of a sweep: 19 empty cells for the winner, 17 with distances. */
const SWEEP_MEMORY = 144 << 20;
/** The part of the time for the tree if its best turns are then proven to win or to lose. */
const TREE_SHARE = 0.3;
const FIRST_STONES = 20;
const SECOND_STONES = 5;
const DEPTH = 16;

/** @typedef {{search: TreeSearch, setUp: SetUp, memory: number}} Kept */

export class Player {
  /** @type {Kept | null} the tree of the latest search */
  #kept = null;
  #speed = FIRST_SPEED;

  /**
   * @param {Kernel} kernel
   * @param {{knots: import('./weights.js').Knots, levels: Level[]}} data
   * @param {() => number} now seconds
   */
  constructor(kernel, data, now = () => performance.now() / 1000) {
    this.kernel = kernel;
    this.data = data;
    this.now = now;
    this.endgame = new Endgame(kernel, now);
  }

  /** The turn to play. @param {SetUp} setUp @param {Budget} budget @param {Pause} pause @returns {Promise<Found>} */
  async genmove(setUp, budget, pause) {
    const position = positionOf(setUp);
    if (position.isOver) throw new KernelError('the game is over');
    const level = this.#level(budget.level);
    if (winsByPassing(position)) return { turn: PASS, winrate: 1, margin: null, visits: 0 };
    if (level?.spread) return this.#draw(setUp, position, level, budget, pause);
    const limits = level?.playouts ? { ...budget, playouts: least(level, budget) } : budget;
    const resumes = false;
    // Levels begin each turn without a tree, so that a turn depends on nothing but the position and the seed.
    const search = this.#plant(setUp, position, limits, {
      isFresh: Boolean(level?.playouts),
      resumes,
    });
    const { turn, figures } = await this.#search(search, position, limits, pause);
    return { turn, ...figures };
  }

  /**
   * Searches until a limit or `pause` says that it is to end, and reports on the way and at the end.
   * @param {SetUp} setUp
   * @param {Budget} budget without any limit it goes on
   * @param {Pause} pause
   * @param {(insight: Insight) => void} report
   */
  async analyze(setUp, budget, pause, report) {
    const position = positionOf(setUp);
    if (position.isOver) throw new KernelError('the game is over');
    const search = this.#plant(setUp, position, budget, { isFresh: false, resumes: true });
    const policy = this.#policy(position);
    const limits = { ...budget, playouts: budget.playouts ?? Infinity };
    /** @type {Proven[]} */
    let known = [];
    let due = this.now() + REPORT_EVERY;
    let nodes = 0;
    const look = (/** @type {Proven[]} */ proven) => {
      known = proven;
      if (this.now() < due) return;
      report(insightOf(search, position, policy, known));
      due = this.now() + REPORT_EVERY;
      // A full tree grows no more: what was visited least makes room.
      const grown = search.stats().nodes;
      if (grown === nodes) search.advance([]);
      nodes = grown;
    };
    const { proven } = await this.#search(search, position, limits, pause, look);
    report(insightOf(search, position, policy, proven));
  }

  /**
   * What a search from scratch makes of a position: its best turn, and the lines that it considered.
   * @param {Position} position @param {Budget} budget @param {Pause} pause
   * @returns {Promise<Found & {winrate: number, lines: Turn[][]}>}
   */
  async estimate(position, budget, pause) {
    this.endgame.drop();
    const setUp = { start: formatPosition(position), turns: [] };
    const search = this.#plant(setUp, position, budget, { isFresh: true, resumes: false });
    const { turn, proven, figures } = await this.#search(search, position, budget, pause);
    const { candidates } = insightOf(search, position, [], proven);
    return { ...figures, turn, lines: candidates.map(({ line }) => line) };
  }

  /** Frees the tree. */
  #release() {
    this.#kept?.search.free();
    this.#kept = null;
  }

  /** @param {number | undefined} number @returns {Level | null} */
  #level(number) {
    if (number === undefined) return null;
    const level = this.data.levels[number - 1];
    if (!level) throw new KernelError(`level ${number}: expected 1 to ${this.data.levels.length}`);
    return level;
  }

  /** A turn of a level that draws it. @param {SetUp} setUp @param {Position} position @param {Level} level @param {Budget} budget @param {Pause} pause @returns {Promise<Found>} */
  async #draw(setUp, position, level, budget, pause) {
    const weights = weightsFor(this.data.knots, position.rules);
    const board = new KernelBoard(this.kernel, position);
    const how = { level, seed: BigInt(budget.seed ?? 0), hasTwo: position.facts.stones[1] > 1 };
    try {
      if (weights.length) {
        const turn = drawTurn(board, how, () => board.policy(weights));
        return { turn, winrate: null, margin: null, visits: 0 };
      }
      const limits = { ...budget, playouts: least(level, budget) };
      const search = this.#plant(setUp, position, limits, { isFresh: true, resumes: false });
      const { figures } = await this.#search(search, position, limits, pause);
      const { winrate } = figures;
      const lent = lentOf(search);
      const turn = lent.size
        ? drawTurn(board, how, (first) => logsOf(board, { lent, winrate }, first))
        : search.bestTurn();
      return { turn, ...figures };
    } finally {
      board.free();
    }
  }

  /**
   * The tree kept from before, if it leads to the position, else a new one.
   * @param {SetUp} setUp
   * @param {Position} position
   * @param {Budget} budget
   * @param {{isFresh: boolean, resumes: boolean}} how
   */
  #plant(setUp, position, budget, { isFresh, resumes }) {
    const memory = budget.memory ?? MEMORY;
    const kept = !isFresh && this.#follow(setUp, memory, resumes);
    if (!kept) {
      this.#release();
      const board = new KernelBoard(this.kernel, position);
      try {
        const weights = weightsFor(this.data.knots, position.rules);
        const seed = BigInt.asUintN(64, BigInt(budget.seed ?? 0));
        const search = new TreeSearch(this.kernel, board, { weights, memory, seed });
        this.#kept = { search, setUp, memory };
      } finally {
        board.free();
      }
    }
    const { search } = /** @type {Kept} */ (this.#kept);
    // A search that goes on values what it sees as before.
    if (!(kept && resumes)) search.expect(resumes ? GOES_ON : this.#forecast(position, budget));
    return search;
  }

  /** Moves the kept tree along; whether it leads to the position. @param {SetUp} setUp @param {number} memory @param {boolean} resumes */
  #follow(setUp, memory, resumes) {
    const kept = this.#kept;
    const before = kept?.setUp.turns ?? [];
    const more = setUp.turns.slice(before.length);
    if (!kept || kept.memory !== memory || kept.setUp.start !== setUp.start) return false;
    if (setUp.turns.length < before.length || !(more.length || resumes)) return false;
    if (before.some((turn, i) => turn !== setUp.turns[i])) return false;
    let position = positionOf(kept.setUp);
    for (const token of more) {
      const turn = parseTurn(token, position.rules, position.player);
      kept.search.advance(movesOf(turn, position.rules.board.cells));
      position = position.play(turn);
    }
    kept.setUp = setUp;
    return true;
  }

  /** The visits that a search is going to have. @param {Position} position @param {Budget} budget */
  #forecast(position, { playouts, visits, seconds }) {
    const known = [MOST_FORECAST, playouts ?? (seconds || visits ? MOST_FORECAST : PLAYOUTS)];
    if (visits) known.push(visits);
    if (seconds) known.push(Math.floor((this.#speed * seconds) / position.rules.board.cells));
    return Math.min(...known);
  }

  /**
   * Proves what it can and searches until a limit.
   * @param {TreeSearch} search
   * @param {Position} position
   * @param {Budget} budget
   * @param {Pause} pause
   * @param {(proven: Proven[]) => void} [look] called after each slice
   */
  async #search(search, position, { playouts, visits, seconds }, pause, look = () => undefined) {
    const end = seconds ? this.now() + seconds : Infinity;
    let left = playouts ?? (seconds || visits ? Infinity : PLAYOUTS);
    // What is counted beside the time; where nothing is, an analysis may prove as much as a turn.
    const counted = Math.min(left, visits ?? Infinity);
    const limits = () => ({
      playouts: Number.isFinite(counted) || seconds ? counted : PLAYOUTS,
      seconds: end - this.now(),
      memory: SWEEP_MEMORY,
    });
    let proven = this.endgame.look(position, limits());
    if (proven.length) left = 1;
    const begun = this.now();
    const settles = !proven.length && this.endgame.settles(position, limits());
    const treeEnd = settles ? begun + TREE_SHARE * (end - begun) : end;
    let run = 0;
    let isProven = false;
    const isDone = () =>
      isProven ||
      left <= 0 ||
      this.now() >= treeEnd ||
      search.stats().visits >= (visits ?? Infinity);
    while (!isDone()) {
      isProven = search.run({
        playouts: Number.isFinite(left) ? left : 0,
        visits,
        seconds: Math.max(1e-4, Math.min(SLICE, treeEnd - this.now())),
      });
      const { playouts: more } = search.stats();
      left -= more;
      run += more;
      if (isDone()) break;
      if (await pause()) break;
      look(proven);
    }
    if (seconds && run > 1) this.#speed = (run / (this.now() - begun)) * position.rules.board.cells;
    const fewest = proven.length ? 0 : Math.min(FEWEST, playouts ?? FEWEST, visits ?? FEWEST);
    const missing = fewest - search.stats().visits;
    if (missing > 0 && !isProven) search.run({ playouts: missing });
    let turn = proven[0]?.turn ?? search.bestTurn();
    if (settles && !isProven) {
      const ranked = rankedTurns(search, position.facts.stones[1] > 1);
      const { best, lost } = await this.endgame.settle(position, ranked, limits, pause);
      if (best) proven = [{ turn: best, wins: true, distance: null, line: [best] }];
      turn = best ?? ranked.find((one) => !lost.includes(one)) ?? turn;
    }
    const stats = search.stats();
    const winrate = proven.length ? Number(proven[0].wins) : stats.winrate;
    return { turn, proven, figures: { winrate, margin: stats.margin, visits: stats.visits } };
  }

  /** @param {Position} position */
  #policy(position) {
    const { cells } = position.rules.board;
    const board = new KernelBoard(this.kernel, position);
    try {
      const weights = weightsFor(this.data.knots, position.rules);
      const logs = weights.length
        ? board.policy(weights)
        : new Map(board.moves().map((move) => [move, 0]));
      return policyOf(logs, cells);
    } finally {
      board.free();
    }
  }
}

/** @param {SetUp} setUp @returns {Position} */
export function positionOf({ start, turns }) {
  return turns.reduce(
    (position, token) => position.play(parseTurn(token, position.rules, position.player)),
    parsePosition(start),
  );
}

/** The playouts that a level leaves of a budget. @param {Level} level @param {Budget} budget */
const least = ({ playouts }, budget) =>
  Math.min(playouts ?? Infinity, budget.playouts ?? playouts ?? Infinity);

/** Probabilities of which the logarithms, but for a constant, are known. @param {ReadonlyMap<number, number>} logs @param {number} cells */
function policyOf(logs, cells) {
  const found = Array(2 * cells + 2).fill(-1);
  let sum = 0;
  for (const log of logs.values()) sum += Math.exp(log);
  // The end of a turn, which has no place, is no half turn of a turn's beginning.
  for (const [move, log] of logs) found[move < 2 * cells ? move : move - 1] = Math.exp(log) / sum;
  return found;
}

/** The values by the stones' statistics, by move. @param {TreeSearch} search */
const lentOf = (search) =>
  new Map(
    search
      .halfTurns()
      .sort((a, b) => a.move - b.move)
      .map(({ move, lent }) => [move, lent]),
  );

/** The turns that were visited, the most visited first. @param {TreeSearch} search @param {boolean} hasTwo @returns {Candidate[]} */
function candidatesOf(search, hasTwo) {
  const { cells } = search;
  const visited = (/** @type {HalfTurn[]} */ halves) => halves.filter((half) => half.visits);
  const candidates = visited(search.halfTurns([], FIRST_STONES)).flatMap((first) =>
    first.move < 2 * cells && hasTwo
      ? visited(search.halfTurns([first.move], SECOND_STONES)).map((second) =>
          candidateOf(search, [first.move, second.move], second, hasTwo),
        )
      : [candidateOf(search, [first.move], first, hasTwo)],
  );
  return candidates.sort((a, b) => b.visits - a.visits);
}

/** The best turn, and those that were visited behind it. @param {TreeSearch} search @param {boolean} hasTwo @returns {Turn[]} */
function rankedTurns(search, hasTwo) {
  const best = search.bestTurn();
  const others = candidatesOf(search, hasTwo).map(({ turn }) => turn);
  return [best, ...others.filter((turn) => !isSameTurn(turn, best))];
}

/** @param {TreeSearch} search @param {Position} position @param {number[]} policy @param {Proven[]} known @returns {Insight} */
function insightOf(search, position, policy, known) {
  const { visits, margin, spread, ...stats } = search.stats();
  const candidates = candidatesOf(search, position.facts.stones[1] > 1);
  if (!candidates.length) {
    const turn = search.bestTurn();
    const { winrate } = stats;
    candidates.push({ turn, visits, winrate, margin, spread, line: [turn], distance: null });
  }
  const open = candidates.filter(({ turn }) => !known.some((one) => isSameTurn(one.turn, turn)));
  const closed = known.map(({ turn, wins, distance, line }, i) => ({
    ...{ turn, visits: i ? 0 : visits, winrate: Number(wins), margin: i ? 0 : margin },
    ...{ spread: i ? 0 : spread, line, distance },
  }));
  const sign = position.player === 0 ? 1 : -1;
  const ownership = search.ownership().map((owned) => sign * owned);
  const winrate = closed[0]?.winrate ?? stats.winrate;
  const loser = /** @type {0 | 1} */ (1 - position.player);
  const proven = closed.length ? (winrate ? position.player : loser) : stats.proven;
  const all = { candidates: [...closed, ...open], visits, winrate, margin, spread };
  return { ...all, ownership, policy, proven };
}

/** @param {TreeSearch} search @param {number[]} moves @param {HalfTurn} half @param {boolean} hasTwo @returns {Candidate} */
function candidateOf(search, moves, { visits, value, margin, spread }, hasTwo) {
  const line = wholeTurns(search.line(moves, DEPTH), search.cells, hasTwo);
  return { turn: line[0], visits, winrate: value, margin, spread, line, distance: null };
}

/** The turns that half turns make; an incomplete one at the end is left out. @param {number[]} moves @param {number} cells @param {boolean} hasTwo */
function wholeTurns(moves, cells, hasTwo) {
  const turns = [];
  /** @type {number[]} */
  let begun = [];
  for (const move of moves) {
    begun.push(move);
    if (move < 2 * cells && begun.length < (hasTwo ? 2 : 1)) continue;
    turns.push(turnOf(begun, cells));
    begun = [];
  }
  return turns;
}
