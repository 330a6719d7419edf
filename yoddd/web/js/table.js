// A game that the server referees: watched from its start over a connection of its own, and played
// by whoever has a key.
import { Connection, Refusal } from './connection.js';
import { socketUrl } from './engine.js';
import { parsePosition, parseTurn } from './notation.js';
import { seatOnTurn } from './seats.js';
import { GameTree } from './tree.js';

/** @typedef {{id: string, key: string, seat: 0 | 1} | {id: string, key: null, seat: null}} Ticket */

const REASONS = /** @type {Record<string, string>} */ ({
  groups: '', resign: 'by resignation', time: 'on time', illegal: 'by an illegal turn',
  crash: 'by a crash', disconnect: 'by a lost connection', stall: 'by a stall', protocol: 'by a protocol fault',
});

/**
 * @typedef {object} Hear what the page is told
 * @property {(table: Table) => void} shown the board, the people, or both once more
 * @property {(table: Table, follow: boolean) => void} turn
 * @property {(table: Table) => void} over
 * @property {(table: Table, text: string) => void} notice of the server's administrator
 * @property {(table: Table) => void} away the connection is lost; it is made anew
 * @property {(table: Table, error: Error) => void} lost the game is no longer there
 */

/** What the referee says where it has not asked for the turn yet. */
const EARLY = /not your turn|has not begun/;
const PATIENCE = 30_000;

/** Milliseconds before the first and before any further try to reach the server again. */
const [SOON, LATER] = [500, 8000];

export class Table {
  /**
   * @param {Ticket} ticket
   * @param {Hear} hear
   */
  constructor(ticket, hear) {
    this.ticket = ticket;
    this.hear = hear;
    /** @type {GameTree | null} */
    this.game = null;
    /** @type {[string, string]} */
    this.names = ['–', '–'];
    this.clock = '';
    this.begun = false;
    /** @type {string | null} how it ended */
    this.ending = null;
    /** @type {[number, number] | null} */
    this.left = null;
    this.since = 0;
    this.increment = 0;
    this.turns = 0;
    this.known = 0;
    this.isLeft = false;
    /** @type {Connection | undefined} */
    this.connection = undefined;
    this.watch().catch((error) => this.hear.lost(this, error));
  }

  get tree() {
    if (!this.game) throw new Error('the game has not been seen yet');
    return this.game;
  }

  /** Follows the game to its end, over a new connection whenever one is lost. */
  async watch() {
    const { id, key } = this.ticket;
    for (let wait = SOON; !this.isLeft && this.ending === null; wait = Math.min(2 * wait, LATER)) {
      this.connection = new Connection(socketUrl());
      this.known = this.turns;
      try {
        await this.connection.stream(`observe ${key ? `${id} ${key}` : id}`, (line) => { wait = SOON; this.take(line); });
      } catch (error) {
        if (error instanceof Refusal) throw error;
      }
      if (this.isLeft || this.ending !== null) return;
      this.hear.away(this);
      await new Promise((later) => { window.setTimeout(later, wait); });
    }
  }

  /** @param {string} line */
  take(line) {
    if (this.isLeft) return;
    const [kind, ...words] = line.split(' ');
    if (kind === 'position') {
      this.game ??= new GameTree(parsePosition(words.join(' ')));
      this.hear.shown(this);
    } else if (kind === 'game') {
      this.names = [words[1], words[2]];
      this.startClock(words[3]);
      this.begun = true;
      this.hear.shown(this);
    } else if (kind === 'turn') {
      this.charge(words[0] === 'w' ? 1 : 0, Number(words[2]));
      if (this.known > 0) this.known -= 1;
      else this.turn(words[1]);
    } else if (kind === 'notice') {
      this.hear.notice(this, words.join(' '));
    } else if (kind === 'record') {
      const { winner, reason } = JSON.parse(words.join(' '));
      const name = this.names[winner === 'w' ? 1 : 0];
      this.ending = winner ? `${name} wins ${REASONS[reason] ?? reason}`.trim() : 'The game is void';
      this.left = null;
      this.hear.over(this);
    }
  }

  /** Takes off the clock what a turn took. @param {0 | 1} seat @param {number} seconds */
  charge(seat, seconds) {
    if (this.left) this.left[seat] = Math.max(0, this.left[seat] - seconds) + this.increment;
    this.since = performance.now();
  }

  /** A turn that has not been seen before. @param {string} token */
  turn(token) {
    const { tree } = this;
    const shown = tree.current;
    const line = tree.line();
    // Whoever looks at an earlier turn is left there.
    const follow = shown === line[line.length - 1];
    tree.current = line[line.length - 1];
    this.turns += 1;
    tree.play(parseTurn(token, tree.rules, tree.position.player));
    if (!follow) tree.current = shown;
    this.hear.turn(this, follow);
  }

  /** @param {string} control */
  startClock(control) {
    const match = /^([\d.]+)(?:\+([\d.]+))?/.exec(control);
    this.increment = Number(match?.[2] ?? 0);
    this.left = match ? [Number(match[1]), Number(match[1])] : null;
    this.since = performance.now();
  }

  /** @param {number} seat */
  remaining(seat) {
    if (!this.left) return null;
    const { tree } = this;
    const line = tree.line();
    const last = line[line.length - 1];
    const swaps = line.filter(({ turn }) => turn?.kind === 'swap').length;
    const running = (swaps % 2 ? 1 - last.position.player : last.position.player) === seat;
    return Math.max(0, this.left[seat] - (running ? (performance.now() - this.since) / 1000 : 0));
  }

  /** Whether the person at this page is to move at the end of the game. @param {GameTree} tree */
  mayMove(tree) {
    return this.begun && this.ending === null && this.ticket.key !== null
      && tree.current.children.length === 0 && seatOnTurn(tree) === this.ticket.seat;
  }

  /**
   * Sends a turn; rejects with the referee's reason. At the beginning of a game the referee may
   * still be waiting for the opponent's program to start, and asks for the turn a little later.
   * @param {string} token
   */
  async put(token) {
    const line = new Connection(socketUrl());
    const patience = performance.now() + PATIENCE;
    try {
      for (;;) {
        try {
          await line.ask(`put ${this.ticket.key} ${token}`);
          return;
        } catch (error) {
          const early = error instanceof Error && EARLY.test(error.message);
          if (!early || !this.mayMove(this.tree) || performance.now() > patience) throw error;
        }
        await new Promise((later) => { window.setTimeout(later, 250); });
      }
    } finally {
      line.close();
    }
  }

  /** Looks no more; an offer that nobody took is taken back. */
  leave() {
    const { connection } = this;
    this.isLeft = true;
    const open = this.ticket.key !== null && !this.begun;
    if (open) connection?.ask(`withdraw ${this.ticket.key}`).catch(() => {});
    window.setTimeout(() => connection?.close(), open ? 200 : 0);
  }
}
