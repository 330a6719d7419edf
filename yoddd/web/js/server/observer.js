// A game that the server referees: followed from its start in a channel of its own, and played by a
// user with a key.
import { Disconnected, Refusal } from './connection.js';
import { parsePosition } from '../rules/notation.js';
import { pause } from '../base/pause.js';
import { terminationOf } from '../rules/result.js';
import { playerName } from '../rules/seats.js';
import { inviteOf } from './tickets.js';

/** @import { Colour } from '../rules/rules.js' */
/** @import { Ticket } from './tickets.js' */

/**
 * What one participant of a refereed game asks the other for.
 * @typedef {object} Request
 * @property {Colour} seat who asks
 * @property {'takeback' | 'pause' | 'rematch'} what
 * @property {string} detail how many turns would be left, the days, or the id of the other game
 */

/**
 * @typedef {object} Handlers
 * @property {(start: import('../rules/rules.js').Position) => void} position the start; again after each reconnection
 * @property {(names: [string, string], control: string) => void} begun again after each reconnection
 * @property {(turn: {seat: Colour, seconds: number, token: string | null}) => void} turn no token: reported before
 * @property {(seat: Colour | null, seconds: number) => void} clock how long the running turn has taken; null for no seat
 * @property {(seconds: number) => void} pause the clock stands still for so long
 * @property {(length: number) => void} rewind turns are taken back: the first `length` count
 * @property {(request: Request) => void} request of one participant to the other
 * @property {(seat: Colour, what: Request['what']) => void} refused a participant declines it, or asks no longer
 * @property {() => void} withdrawn the offer is no longer there
 * @property {(termination: string, winner: Colour | null) => void} over
 * @property {(seat: Colour, away: {seconds: number, claim: number} | null) => void} presence null for a participant who is back
 * @property {(text: string) => void} notice of the server's administrator
 * @property {(seconds: string) => void} restarts the server; in how many seconds the game has to be over, empty if it goes on
 * @property {(id: string) => void} rematched its rematch has begun; again after each reconnection
 * @property {() => void} stranger the key is not one of this game
 * @property {() => void} disconnected it reconnects by itself
 * @property {(error: Error) => void} lost the game no longer exists
 */

/** Milliseconds during which a turn that is early is sent again. */
const PATIENCE = 30_000;

/** @param {string} word @returns {Request['what']} */
const wishOf = (word) => (word === 'rematch' || word === 'pause' ? word : 'takeback');

/** @param {string} key @returns {Colour} */
const seatOf = (key) => (key === 'w' ? 1 : 0);

/** Milliseconds after which a game is looked for that waits for the store. */
const MOVING = 1000;

export class Observer {
  /**
   * @param {import('./server.js').Server} server @param {Ticket} ticket @param {Handlers} handlers
   * @param {Ticket | null} [former] of the game that this is a rematch of
   */
  constructor(server, ticket, handlers, former = null) {
    this.server = server;
    this.former = former;
    this.ticket = ticket;
    this.handlers = handlers;
    /** @type {[string, string]} */
    this.names = ['–', '–'];
    this.hasBegun = false;
    this.isOver = false;
    this.isLeft = false;
    /** Whether the user takes the offer back. */
    this.isCancelled = false;
    /** @type {string[]} the turns reported so far */
    this.turns = [];
    /** The number of them that the current connection has repeated; all, once it reports what is new. */
    this.repeated = 0;
    /** Whether the game waits for the store: it can be followed in a moment. */
    this.isMoving = false;
    this.subscription = this.follow();
  }

  /** Follows the game from its start, over lost connections too. */
  follow() {
    const { server, ticket, handlers } = this;
    const request = () => `observe ${ticket.id} ${this.ticket.key || '-'}`;
    return server.connection.subscribe(request, {
      begun: () => {
        this.repeated = 0;
      },
      line: (line) => this.take(line),
      lost: () => handlers.disconnected(),
      ended: (error) => {
        if (error) handlers.lost(error);
        else if (this.isMoving) this.followLater();
        else if (!this.hasBegun && !this.isLeft && !this.isCancelled) handlers.withdrawn();
      },
    });
  }

  /** The effect of each kind of report, which has its words. @type {Record<string, (...words: string[]) => void>} */
  reports = {
    position: (...words) => {
      this.verify();
      this.handlers.position(parsePosition(words.join(' ')));
    },
    game: (_id, black, white, control) => {
      this.names = this.named(black, white);
      this.hasBegun = true;
      this.handlers.begun(this.names, control);
    },
    turn: (seat, token, seconds) => this.takeTurn(seat, token, Number(seconds)),
    clock: (seat, seconds) => {
      this.rewindTo(this.repeated);
      this.handlers.clock(seat === '-' ? null : seatOf(seat), Number(seconds));
    },
    pause: (seconds) => this.handlers.pause(Number(seconds)),
    rewind: (length) => this.rewindTo(Number(length)),
    request: (seat, what, detail) =>
      this.handlers.request({ seat: seatOf(seat), what: wishOf(what), detail }),
    refuse: (seat, what) => this.handlers.refused(seatOf(seat), wishOf(what)),
    presence: (seat, state, seconds, claim) => {
      const away = { seconds: Number(seconds), claim: Number(claim) };
      this.handlers.presence(seatOf(seat), state === 'away' ? away : null);
    },
    error: (code) => {
      this.isMoving = code.startsWith('busy');
    },
    notice: (...words) => this.handlers.notice(words.join(' ')),
    restart: (seconds = '') => this.handlers.restarts(seconds),
    rematch: (id) => this.handlers.rematched(id),
    record: (...words) => {
      this.rewindTo(this.repeated);
      this.isOver = true;
      const record = JSON.parse(words.join(' '));
      const [black, white] = this.names;
      const termination = terminationOf({ ...record, black, white });
      this.handlers.over(termination, record.winner ? seatOf(record.winner) : null);
    },
  };

  /** @param {string} line */
  take(line) {
    const [kind, ...words] = line.split(' ');
    if (!this.isLeft && Object.hasOwn(this.reports, kind)) this.reports[kind](...words);
  }

  /** The names of the seats; a level that plays in the user's place has its own. @param {string} black @param {string} white @returns {[string, string]} */
  named(black, white) {
    const { engine, seat } = this.ticket;
    if (!engine) return [black, white];
    return seat ? [black, playerName(engine)] : [playerName(engine), white];
  }

  followLater() {
    this.isMoving = false;
    this.handlers.disconnected();
    window.setTimeout(() => {
      if (!this.isLeft) this.subscription = this.follow();
    }, MOVING);
  }

  /** Asks whether the key is still good: the browser may have kept it from another server's life. */
  async verify() {
    const { id, key } = this.ticket;
    if (key === null) return;
    try {
      await this.server.ask(`resume ${id} ${key}`);
    } catch (error) {
      const isUnknown = error instanceof Refusal && error.subcode === 'no-key';
      if (isUnknown && !this.isOver && !this.isLeft) this.handlers.stranger();
    }
  }

  /** @param {string} seat @param {string} token @param {number} seconds */
  takeTurn(seat, token, seconds) {
    const isKnown = this.turns[this.repeated] === token;
    // After a lost connection turns may have been taken back meanwhile.
    if (!isKnown) {
      this.rewindTo(this.repeated);
      this.turns.push(token);
    }
    this.repeated += 1;
    this.handlers.turn({ seat: seatOf(seat), seconds, token: isKnown ? null : token });
  }

  /** @param {number} length of the turns that count */
  rewindTo(length) {
    if (this.turns.length <= length) return;
    this.turns.length = length;
    this.repeated = Math.min(this.repeated, length);
    this.handlers.rewind(length);
  }

  /** Asks to take a turn back, or for a pause, or answers the one who asks: `no`, or the detail of the request. @param {string} what @param {string} detail */
  agree(what, detail) {
    return this.server.ask(`${what} ${this.ticket.key} ${detail}`);
  }

  /** Offers or accepts a rematch: the ticket of the other game. Or declines it. @param {boolean} agrees @returns {Promise<Ticket | null>} */
  async rematch(agrees) {
    const { key: old, seat } = this.ticket;
    const [id, key] = (await this.server.ask(`rematch ${old} ${agrees ? 'yes' : 'no'}`)).split(' ');
    return id && key && seat !== null ? { id, key, seat: seat ? 0 : 1 } : null;
  }

  /**
   * Sends a turn; rejects with the referee's reason. At the beginning of a game the referee may
   * still be waiting for the opponent's program to start, and asks for the turn a little later. A
   * turn without an answer, as the connection was lost, is sent again unless it was played.
   * @param {string} token the turn, and its number unless it may be played at any time
   * @param {() => boolean} isWanted whether the turn may still be sent again
   */
  async submit(token, isWanted) {
    const deadline = performance.now() + PATIENCE;
    let isUnanswered = false;
    for (;;) {
      try {
        await this.server.ask(`put ${this.ticket.key} ${token}`);
        return;
      } catch (error) {
        const subcode = error instanceof Refusal ? error.subcode : '';
        if (isUnanswered && subcode === 'number') return;
        if (error instanceof Disconnected) {
          isUnanswered = true;
          await this.server.connection.whenOnline();
          if (!isWanted()) return;
        } else if (subcode !== 'not-begun' || !isWanted() || performance.now() > deadline) {
          throw error;
        } else {
          await pause(250);
        }
      }
    }
  }

  /** Withdraws an offer; of a rematch by the game that it follows, whose other participant is told. */
  withdraw() {
    const { ticket, former } = this;
    return this.server.ask(former ? `rematch ${former.key} no` : `withdraw ${ticket.key}`);
  }

  /** Takes the offer back for the user; rejects if the game has begun. */
  async cancel() {
    this.isCancelled = true;
    try {
      await this.withdraw();
      this.isLeft = true;
      this.subscription.close();
    } finally {
      this.isCancelled = false;
    }
  }

  /** Stops following; withdraws an offer that has not been accepted, unless it is kept. @param {boolean} [isKept] */
  leave(isKept = false) {
    if (this.isLeft) return;
    this.isLeft = true;
    const open = !isKept && this.ticket.key && !this.hasBegun && !inviteOf(this.ticket.id);
    if (open) this.withdraw().catch(() => {});
    this.subscription.close();
  }
}
