// The review of a game, every turn judged against the best one: yoddd/library/review/game.py with the
// kernel of this browser.
import { formatTurn, isSameTurn } from '../notation.js';
import { ExactValues, earlier } from './exact.js';
import { accuracyOf, gameAccuracy, gradeOf, lossOf, opponents, proven } from './judgement.js';

/** @typedef {import('../rules.js').Position} Position */
/** @typedef {import('../rules.js').Turn} Turn */
/** @typedef {import('./judgement.js').Chance} Chance */
/** @typedef {import('./player.js').Player} Player */
/** @typedef {import('./player.js').Pause} Pause */
/** The result of a search: the chance of the player, and the lines that it considers, best first. @typedef {{chance: Chance, lines: Turn[][]}} Estimate */
/** The chances after the best turn and after the one that was played, the best line, and that after the one played. @typedef {{best: Chance, played: Chance, better: () => Turn[], reply: () => Turn[]}} Judged */
/** A turn as protocol/schemas/review.schema.json has it. @typedef {Record<string, any> & {grade: string, loss: number, accuracy: number, seat: 'b' | 'w'}} TurnReview */

/** The visits of the searches that decide on an error, as a multiple of the others'. */
const AGAIN = 4;
const OTHER_SEED = 1 << 20;
/** The most turns of a line. */
const LINE = 12;
/** The most turns that are solved to find one that wins where only the end of the game is solved. */
const CHECKED = 4;
/** The percentages at which the rounds of searches begin, and at which the last ends. */
const STAGES = [0, 50, 70, 85, 100];
/** Bytes of a tree. */
const MEMORY = 32 << 20;

const none = () => /** @type {Turn[]} */ ([]);

/** @param {number} value @param {number} digits */
const rounded = (value, digits) => Number(value.toFixed(digits));

/** @param {Chance} chance */
const written = (chance) => ({ ...chance, value: rounded(chance.value, 4) });

/** The review was told to stop. */
export class Interrupted extends Error {}

export class GameReview {
  /** Percent. */
  #done = -1;
  #stage = 0;
  /** The estimates of the positions that are not known, from the first one on. @type {Estimate[]} */
  #estimates = [];
  /** The estimates after the best turn and after another one that was played. @type {Map<number, [Estimate, Estimate]>} */
  #compared = new Map();

  /**
   * @param {Player} player
   * @param {Position} start
   * @param {readonly Turn[]} turns a resignation ends them
   * @param {{visits: number, seed: number, pause: Pause, progress: (percent: number) => void}} how
   */
  constructor(player, start, turns, { visits, seed, pause, progress }) {
    const end = turns.findIndex(({ kind }) => kind === 'resign');
    this.player = player;
    this.turns = end < 0 ? turns : turns.slice(0, end);
    this.positions = [start];
    for (const turn of this.turns)
      this.positions.push(this.positions[this.positions.length - 1].play(turn));
    this.visits = visits;
    this.seed = seed;
    this.pause = pause;
    this.progress = progress;
    this.exact = new ExactValues(player.kernel, this.positions);
  }

  /** @returns {Promise<{summary: Record<string, any>, turns: TurnReview[]}>} */
  async make() {
    try {
      await this.#search();
      /** @type {TurnReview[]} */
      const turns = [];
      for (const at of this.turns.keys()) turns.push(await this.#judge(at));
      const chances = this.positions.map((_, at) => this.#chance(at));
      const { first } = this.exact;
      const players = {
        b: summaryOf(turns, chances, 'b'),
        w: summaryOf(turns, chances, 'w'),
      };
      const exact_from = first < this.positions.length ? first : null;
      const rough = chances.map((one) => rounded(one, 4));
      const summary = { players, chances: rough, exact_from, visits: this.visits };
      const brief = (/** @type {TurnReview} */ { loss, accuracy, ...turn }) => ({
        ...turn,
        loss: rounded(loss, 4),
        accuracy: rounded(accuracy, 1),
      });
      return { summary, turns: turns.map(brief) };
    } finally {
      this.exact.free();
    }
  }

  // -- estimates ----------------------------------------------------------------------------

  /** Estimates what is not known, and what looks like an error once more. */
  async #search() {
    const { exact, positions, turns, visits, seed } = this;
    const { first } = exact;
    this.#estimates = await this.#estimateAll(positions.slice(0, first), visits, seed);
    const searched = [...turns.keys()].slice(0, Math.max(0, first - 1));
    const missed = searched.filter((at) => !isSameTurn(this.#bestTurn(at), turns[at]));
    const afterBest = (/** @type {number} */ at) => positions[at].play(this.#bestTurn(at));
    const best = await this.#estimateAll(missed.map(afterBest), visits, seed);
    missed.forEach((at, i) => this.#compared.set(at, [best[i], this.#estimates[at + 1]]));
    const flawed = missed.filter((at) => {
      const [good, played] = this.#pair(at);
      return gradeOf(opponents(good.chance), opponents(played.chance)) !== 'sound';
    });
    const longer = AGAIN * visits;
    const other = seed + OTHER_SEED;
    const goods = await this.#estimateAll(flawed.map(afterBest), longer, other);
    const after = flawed.map((at) => positions[at + 1]);
    const bads = await this.#estimateAll(after, longer, other);
    flawed.forEach((at, i) => this.#compared.set(at, [goods[i], bads[i]]));
  }

  /** @param {readonly Position[]} positions @param {number} visits @param {number} seed @returns {Promise<Estimate[]>} */
  async #estimateAll(positions, visits, seed) {
    const [begin, end] = STAGES.slice(this.#stage, this.#stage + 2);
    this.#stage += 1;
    const found = [];
    for (const [count, position] of positions.entries()) {
      this.#tell(begin + Math.floor(((end - begin) * count) / positions.length));
      found.push(await this.#estimate(position, visits, seed));
    }
    return found;
  }

  /** @param {number} percent */
  #tell(percent) {
    if (percent <= this.#done) return;
    this.#done = percent;
    this.progress(percent);
  }

  /** @param {Position} position @param {number} visits @param {number} seed @returns {Promise<Estimate>} */
  async #estimate(position, visits, seed) {
    const outcome = position.outcome();
    if (outcome) return { chance: proven(outcome.winner === position.player, 0), lines: [] };
    const budget = { visits, memory: MEMORY, seed: seed + position.number };
    let isStopped = false;
    const found = await this.player.estimate(position, budget, async () => {
      isStopped = isStopped || (await this.pause());
      return isStopped;
    });
    if (isStopped || (await this.pause())) throw new Interrupted('interrupted');
    const begins = (/** @type {Turn[]} */ line) => isSameTurn(line[0], found.turn);
    const first = found.lines.find(begins) ?? [found.turn];
    const others = found.lines.filter((line) => !begins(line));
    const seen = Math.max(found.visits, 1);
    const chance = { value: found.winrate, visits: seen, exact: false, distance: null };
    return { chance, lines: [first, ...others] };
  }

  /** @param {number} at */
  #bestTurn(at) {
    return this.#estimates[at].lines[0][0];
  }

  /** @param {number} at @returns {[Estimate, Estimate]} */
  #pair(at) {
    const reply = this.#estimates[at + 1];
    return this.#compared.get(at) ?? [reply, reply];
  }

  // -- judgements ---------------------------------------------------------------------------

  /** The participant on turn, by the colour that they began with. @param {number} at */
  #seat(at) {
    const swaps = this.turns.slice(0, at).filter(({ kind }) => kind === 'swap').length;
    return (this.positions[at].player + swaps) % 2 ? 'w' : 'b';
  }

  /** The chance of the participant who began as Black, in a position. @param {number} at */
  #chance(at) {
    const { value } = this.#value(at);
    return this.#seat(at) === 'b' ? value : 1 - value;
  }

  /** The chance of the player on turn. @param {number} at */
  #value(at) {
    if (at >= this.exact.first) return this.exact.known(at).chance;
    return (this.#compared.get(at - 1)?.[1] ?? this.#estimates[at]).chance;
  }

  /** @param {number} at @returns {Promise<TurnReview>} */
  async #judge(at) {
    const { best, played, better, reply } = await this.#judged(at);
    const position = this.positions[at];
    const { rules } = position;
    const grade = gradeOf(best, played);
    const loss = lossOf(best, played);
    const isFlawed = grade !== 'sound';
    const spell = (/** @type {() => Turn[]} */ find) =>
      (isFlawed ? find() : []).slice(0, LINE).map((turn) => formatTurn(turn, rules));
    const isSole = at >= this.exact.first && this.exact.known(at).isSole;
    return {
      number: position.number,
      player: position.player ? 'w' : 'b',
      seat: this.#seat(at),
      turn: formatTurn(this.turns[at], rules),
      best: written(best),
      played: written(played),
      loss,
      accuracy: accuracyOf(loss),
      grade,
      better: spell(better),
      refutation: spell(reply),
      only: isSole && played.value === 1,
      turning: isFlawed && best.value >= 0.5 && played.value < 0.5,
    };
  }

  /** @param {number} at @returns {Promise<Judged>} */
  async #judged(at) {
    const { first } = this.exact;
    if (at >= first) return this.#byValues(at);
    if (at === first - 1) return this.#beforeValues(at);
    const [after, reply] = this.#pair(at);
    const played = opponents(reply.chance);
    const best = opponents(after.chance);
    return {
      best: best.value > played.value ? best : played,
      played,
      better: () => [this.#bestTurn(at), ...(after.lines[0] ?? [])],
      reply: () => reply.lines[0] ?? [],
    };
  }

  /** Both positions are known. @param {number} at @returns {Judged} */
  #byValues(at) {
    const [known, after] = [this.exact.known(at), this.exact.known(at + 1)];
    const played = earlier(after.chance);
    const best = known.chance.value > played.value ? known.chance : played;
    return { best, played, better: known.findLine, reply: after.findLine };
  }

  /** Only the position after the turn is known. @param {number} at @returns {Promise<Judged>} */
  async #beforeValues(at) {
    const after = this.exact.known(at + 1);
    const played = earlier(after.chance);
    const reply = after.findLine;
    if (played.value === 1) return { best: played, played, better: none, reply };
    const { best, better } = await this.#bestOf(at, played);
    return { best, played, better, reply };
  }

  /** The best of the turns that were considered, instead of one that loses for certain. @param {number} at @param {Chance} played @returns {Promise<{best: Chance, better: () => Turn[]}>} */
  async #bestOf(at, played) {
    const position = this.positions[at];
    const others = this.#estimates[at].lines.filter(([turn]) => !isSameTurn(turn, this.turns[at]));
    /** @type {Turn[]} */
    const unknown = [];
    for (const [turn] of others.slice(0, CHECKED)) {
      const known = this.exact.after(position, turn);
      if (!known) unknown.push(turn);
      else if (!known.chance.value)
        return { best: earlier(known.chance), better: () => [turn, ...known.findLine()] };
    }
    const [turn] = unknown;
    if (!turn) return { best: played, better: none };
    const found = await this.#estimate(position.play(turn), this.visits, this.seed);
    return { best: opponents(found.chance), better: () => [turn, ...(found.lines[0] ?? [])] };
  }
}

/** The turns of one participant together. @param {readonly TurnReview[]} turns @param {readonly number[]} chances @param {'b' | 'w'} seat */
function summaryOf(turns, chances, seat) {
  const places = [...turns.keys()].filter((at) => turns[at].seat === seat);
  const own = places.map((at) => turns[at]);
  const accuracy = gameAccuracy(
    turns.map((one) => one.accuracy),
    chances,
    places,
  );
  const loss = own.reduce((sum, one) => sum + one.loss, 0) / own.length;
  const errors = Object.fromEntries(
    ['inaccuracy', 'mistake', 'blunder'].map((grade) => [
      grade,
      own.filter((one) => one.grade === grade).length,
    ]),
  );
  return {
    turns: own.length,
    accuracy: accuracy === null ? null : rounded(accuracy, 1),
    average_loss: own.length ? rounded(loss, 4) : null,
    errors,
  };
}
