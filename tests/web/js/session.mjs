// A session like the server's, as far as the board's own rules go.
import './page.mjs';
import {
  formatPosition,
  formatStone,
  formatTurn,
  drop,
  parsePosition,
  parseStone,
  parseTurn,
  PASS,
} from '../../../yoddd/web/js/rules/notation.js';
import { effectOf } from '../../../yoddd/web/js/rules/parity.js';
import { Position, makeRules, parity } from '../../../yoddd/web/js/rules/rules.js';

class Refused extends Error {}

/** Requests that change the game in ways that the reply does not contain. */
export const LOSES_TRACK = new Set([
  'loadsgf',
  'gogui-play_sequence',
  'set_param',
  'genmove_analyze',
  'kata-genmove_analyze',
]);

export class Session {
  constructor() {
    this.begin(new Position(makeRules('yodd')));
  }

  begin(position) {
    this.positions = [position];
    this.turns = [];
    return '';
  }

  get position() {
    return this.positions.at(-1);
  }

  play(turn) {
    const problem = this.position.illegality(turn);
    if (problem) throw new Refused(`illegal move: ${problem}`);
    this.positions.push(this.position.play(turn));
    this.turns.push(formatTurn(turn, this.position.rules));
    return '';
  }

  stones(words) {
    return words.map((word) => parseStone(word, this.position.rules, this.position.player));
  }

  /** The reply's text; null where the board has nothing to say to it. */
  answer(command, args, reply) {
    const handler = this[`do_${command.replace('-', '_')}`];
    return handler ? handler.call(this, args, reply) : null;
  }

  do_game([name, ...words]) {
    const board = words[0] && !words[0].includes('=') ? words.shift() : undefined;
    const options = Object.fromEntries(words.map((word) => word.toLowerCase().split('=')));
    return this.begin(new Position(makeRules(name.toLowerCase(), board, options)));
  }

  do_boardsize([size]) {
    const { game, board, options } = this.position.rules;
    return this.begin(new Position(makeRules(game, board.shape + Number(size), options)));
  }

  do_clear_board() {
    return this.begin(new Position(this.position.rules));
  }

  do_position(args) {
    if (!args.length) return formatPosition(this.position);
    const at = args.findIndex((word) => word.toLowerCase() === 'moves');
    const words = at < 0 ? args : args.slice(0, at);
    const start =
      words.join(' ').toLowerCase() === 'startpos'
        ? new Position(this.position.rules)
        : parsePosition(words.join(' '));
    const kept = [this.positions, this.turns];
    this.begin(start);
    try {
      for (const token of at < 0 ? [] : args.slice(at + 1))
        this.play(parseTurn(token, this.position.rules, this.position.player));
    } catch (error) {
      [this.positions, this.turns] = kept;
      throw error;
    }
    return '';
  }

  do_drop(args) {
    return this.play(drop(...this.stones(args)));
  }

  do_pass() {
    return this.play(PASS);
  }

  do_play([player, token]) {
    const turn = parseTurn(token, this.position.rules, this.position.player);
    if ('bw'.indexOf(player[0].toLowerCase()) !== this.position.player) {
      throw new Refused(`illegal move: ${this.position.player ? 'white' : 'black'} to move`);
    }
    return this.play(turn);
  }

  do_genmove(_, reply) {
    this.play(parseTurn(reply, this.position.rules, this.position.player));
    return reply;
  }

  do_undo([count = '1']) {
    if (Number(count) > this.turns.length) throw new Refused('cannot undo');
    for (let left = Number(count); left > 0; left -= 1) {
      this.positions.pop();
      this.turns.pop();
    }
    return '';
  }

  do_history() {
    return this.turns.join(' ');
  }

  do_legal([what]) {
    if (what.toLowerCase() !== 'drops') return null;
    const { position } = this;
    const stones = position.candidates().filter((stone) => position.completable(stone));
    return stones.map((stone) => formatStone(stone, position.rules)).join(' ');
  }

  do_try(args) {
    const stones = this.stones(args).sort((a, b) => a.colour - b.colour || a.cell - b.cell);
    for (const { cell } of stones)
      if (!this.position.isEmpty(cell)) throw new Refused('illegal move');
    const after = this.position.withStones(stones).census();
    const { legal, completable } = effectOf(this.position, stones.slice(0, -1), stones.at(-1));
    const merges = this.position.census().total + stones.length - after.total;
    const word = (yes) => (yes ? 'yes' : 'no');
    return `${this.counts(after)} legal ${word(legal)} completable ${word(completable)} merges ${merges}`;
  }

  counts({ black, white, total }) {
    return `black ${black} white ${white} total ${total} ${parity(total)}`;
  }

  do_groups([list]) {
    const { labels } = this.position.rules.board;
    const census = this.position.census();
    const lines = list
      ? census.groups.map(
          ({ colour, cells }) =>
            `${colour ? 'white' : 'black'} ${cells.length} ${cells.map((cell) => labels[cell]).join(' ')}`,
        )
      : [];
    return [this.counts(census), ...lines].join('\n');
  }

  do_status() {
    const { position } = this;
    const { rules } = position;
    const outcome = position.outcome();
    return [
      `game ${rules.game}`,
      `board ${rules.board.name}`,
      ['options', ...Object.entries(rules.options).map(([name, value]) => `${name}=${value}`)].join(
        ' ',
      ),
      `player ${'bw'[position.player]}`,
      `turn ${position.number}`,
      `passes ${position.passes}`,
      `over ${position.isOver ? 'yes' : 'no'}`,
      `winner ${outcome ? 'bw'[outcome.winner] : 'none'}`,
      `reason ${outcome?.reason ?? 'none'}`,
    ].join('\n');
  }

  do_final_score() {
    const outcome = this.position.outcome();
    if (!outcome) throw new Refused('cannot score');
    return `${'BW'[outcome.winner]}+${outcome.reason === 'resign' ? 'R' : outcome.score}`;
  }
}
