// A game that the server referees: followed from its start in a channel of its own, and played by a
// user with a key.
import { parsePosition } from './notation.js';

/** @typedef {import('./game.js').Ticket} Ticket */
/** @typedef {import('./rules.js').Colour} Colour */

/**
 * @typedef {object} Handlers
 * @property {(start: import('./rules.js').Position) => void} position the start; again after each reconnection
 * @property {(names: [string, string], control: string) => void} begun again after each reconnection
 * @property {(turn: {seat: Colour, seconds: number, token: string | null}) => void} turn no token: reported before
 * @property {(termination: string) => void} over
 * @property {(text: string) => void} notice of the server's administrator
 * @property {() => void} disconnected it reconnects by itself
 * @property {(error: Error) => void} lost the game no longer exists
 */

const REASONS = /** @type {Record<string, string>} */ ({
  groups: '',
  resign: 'by resignation',
  time: 'on time',
  illegal: 'by an illegal turn',
  crash: 'by a crash',
  disconnect: 'by a lost connection',
  stall: 'by a stall',
  protocol: 'by a protocol fault',
  tables: 'by the table',
});

/** The referee's error while it has not asked for the turn yet. */
const EARLY = /not your turn|has not begun/;
/** Milliseconds during which a turn that is early is sent again. */
const PATIENCE = 30_000;

/** @param {number} milliseconds */
const pause = (milliseconds) =>
  new Promise((resolve) => {
    window.setTimeout(resolve, milliseconds);
  });

export class Observer {
  /** @param {import('./server.js').Server} server @param {Ticket} ticket @param {Handlers} handlers */
  constructor(server, ticket, handlers) {
    this.server = server;
    this.ticket = ticket;
    this.handlers = handlers;
    /** @type {[string, string]} */
    this.names = ['–', '–'];
    this.hasBegun = false;
    this.isOver = false;
    this.isLeft = false;
    /** Turns reported so far. */
    this.turns = 0;
    /** Turns that the current connection will repeat. */
    this.repeated = 0;
    const { id, key } = ticket;
    this.subscription = server.connection.subscribe(() => `observe ${key ? `${id} ${key}` : id}`, {
      begun: () => {
        this.repeated = this.turns;
      },
      line: (line) => this.take(line),
      lost: () => handlers.disconnected(),
      ended: (error) => {
        if (error) handlers.lost(error);
      },
    });
  }

  /** @param {string} line */
  take(line) {
    if (this.isLeft) return;
    const [kind, ...words] = line.split(' ');
    const { handlers } = this;
    if (kind === 'position') {
      handlers.position(parsePosition(words.join(' ')));
    } else if (kind === 'game') {
      this.names = [words[1], words[2]];
      this.hasBegun = true;
      handlers.begun(this.names, words[3]);
    } else if (kind === 'turn') {
      const repeated = this.repeated > 0;
      if (repeated) this.repeated -= 1;
      else this.turns += 1;
      handlers.turn({
        seat: words[0] === 'w' ? 1 : 0,
        seconds: Number(words[2]),
        token: repeated ? null : words[1],
      });
    } else if (kind === 'notice') {
      handlers.notice(words.join(' '));
    } else if (kind === 'record') {
      const { winner, reason } = JSON.parse(words.join(' '));
      const name = this.names[winner === 'w' ? 1 : 0];
      this.isOver = true;
      handlers.over(
        winner ? `${name} wins ${REASONS[reason] ?? reason}`.trim() : 'The game is void',
      );
    }
  }

  /**
   * Sends a turn; rejects with the referee's reason. At the beginning of a game the referee may
   * still be waiting for the opponent's program to start, and asks for the turn a little later. A
   * turn without an answer, as the connection was lost, is sent again unless it was played.
   * @param {string} token
   * @param {() => boolean} isWanted whether the turn may still be sent again
   */
  async submit(token, isWanted) {
    const deadline = performance.now() + PATIENCE;
    for (;;) {
      try {
        await this.server.ask(`put ${this.ticket.key} ${token}`);
        return;
      } catch (error) {
        const early = error instanceof Error && EARLY.test(error.message);
        if (!early || !isWanted() || performance.now() > deadline) throw error;
      }
      await pause(250);
    }
  }

  /** Stops following; withdraws an offer that has not been accepted. */
  leave() {
    this.isLeft = true;
    const open = this.ticket.key !== null && !this.hasBegun;
    if (open) this.server.ask(`withdraw ${this.ticket.key}`).catch(() => {});
    this.subscription.close();
  }
}
