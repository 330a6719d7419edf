// The refereed games of the page: they change its state, and what the user does in them is sent.
import { seek } from '../lobby/engines.js';
import { readGames, savedName } from '../lobby/mygames.js';
import { termsText } from '../lobby/terms.js';
import * as game from './game.js';
import { awayAt } from './presence.js';
import { liveTree, opponentOf } from './state.js';
import { reasonOf } from '../base/errortext.js';
import { t } from '../base/texts.js';
import { clockTime } from '../rules/clock.js';
import { formatTurn } from '../rules/notation.js';
import { capital } from '../rules/rules.js';
import { FIRST_SEATS } from '../rules/seats.js';
import { GameTree } from '../rules/tree.js';
import { Observer } from '../server/observer.js';
import { dropTicket, keepTicket, spectator } from '../server/tickets.js';

/** @import { Turn } from '../rules/rules.js' */
/** @import { Ticket } from '../server/tickets.js' */
/** @import { State } from './state.js' */

/** The refereed game that the page shows, and the user's offer that waits. */
export class RefereedGames {
  /** @param {import('./controller.js').Controller} page */
  constructor(page) {
    this.page = page;
    /** @type {Observer | null} of the refereed game that is shown */
    this.observer = null;
    /** @type {Observer | null} of the user's offer, while the engine is played */
    this.waiting = null;
    /** Is called when the offer begins to wait. */
    this.onWait = () => {};
  }

  /**
   * Joins or watches a refereed game.
   * @param {Ticket} ticket
   * @param {{former?: Ticket | null, rival?: string, answer?: string, hasCome?: boolean, joined?: () => void}} [more]
   *   the game that this is to be a rematch of, and with whom; what came of a request there; whether
   *   the opponent has come meanwhile; what follows once the game is shown
   */
  enter(
    ticket,
    { former = null, rival = '', answer = '', hasCome = false, joined = () => {} } = {},
  ) {
    this.page.address.hold(`#table=${ticket.id}`);
    this.waiting?.leave(this.waiting.ticket.id === ticket.id);
    this.waiting = null;
    /** @param {string} text @param {State['message']['kind']} [kind] */
    const say = (text, kind) => {
      // The game shown meanwhile has the status line.
      if (this.waiting !== observer && (!this.observer || this.observer === observer))
        this.page.apply(game.showMessage, text, kind);
    };
    // The announcement of a restart, until the server is back.
    let restart = '';
    const observer = new Observer(
      this.page.server,
      ticket,
      {
        position: (start) => {
          restart = '';
          if (this.waiting === observer) return;
          if (this.observer === observer) {
            say('');
          } else {
            this.leave();
            this.page.engine.cancel();
            this.observer = observer;
            this.page.apply(game.joinGame, ticket, start, former);
            joined();
            if (ticket.key) this.describe(ticket.id).catch(() => {}); // it waits without, too
          }
        },
        begun: (names, control) => {
          if (this.waiting === observer) {
            this.page.turnPage();
            this.enter(ticket, { hasCome: true });
            return;
          }
          const { refereed } = this.page.state;
          const isNew = hasCome || (refereed?.terms && !refereed.begun);
          this.page.apply(game.beginGame, names, control, clockTime());
          if (isNew) this.page.apply(game.announceOpponent);
          hasCome = false;
          this.page.letEnginePlay();
        },
        turn: (turn) => {
          if (ticket.engine) this.page.engine.cancel();
          this.page.apply(game.receiveTurn, turn, clockTime());
          this.page.letEnginePlay();
        },
        clock: (seat, seconds) => {
          this.page.apply(game.setTurnTime, seat, seconds, clockTime());
          this.page.letEnginePlay();
        },
        pause: (seconds) => this.page.apply(game.pauseGame, seconds, clockTime()),
        rewind: (length) => this.page.apply(game.rewindGame, length, clockTime()),
        request: (request) => this.page.apply(game.receiveRequest, request),
        refused: (seat, what) => this.page.apply(game.declineRequest, seat, what),
        over: (termination, winner) => {
          this.page.apply(game.endGame, termination, winner, clockTime());
          if (answer) this.page.apply(game.answerRequest, answer);
        },
        withdrawn: () => {
          if (this.waiting === observer) this.waiting = null;
          else if (former)
            this.enter(former, { answer: t('game.declines-rematch', { name: rival }) });
          else this.replace(capital(t('error.taken')));
        },
        presence: (seat, away) =>
          this.page.apply(game.setAway, seat, away && awayAt(away, clockTime())),
        notice: (text) => say(text),
        restarts: (seconds) => {
          restart = seconds ? t('game.restarts-within', { seconds }) : t('game.restarts');
          say(restart);
        },
        rematched: (next) => {
          if (ticket.key === null && this.observer === observer) this.followRematch(next);
        },
        stranger: () => {
          dropTicket(ticket.id);
          this.enter(spectator(ticket.id));
        },
        disconnected: () => say(restart || t('game.lost'), 'lost'),
        lost: (error) => say(t('game.unshown', { reason: reasonOf(error) }), 'lost'),
      },
      former,
    );
  }

  /** Shows the names and the terms of the user's offer. @param {string} id */
  async describe(id) {
    const [entry] = readGames(await this.page.server.ask(`games ${id}`));
    if (entry?.state !== 'open') return;
    const [black, white] = [entry.black, entry.white].map((name) => (name === '-' ? '…' : name));
    this.page.apply(game.showOffer, id, [black, white], termsText({ ...entry, state: '' }));
  }

  /** Plays the engine while the user's offer waits; that game is shown once someone has accepted it. */
  playMeanwhile() {
    const { observer } = this;
    this.observer = null; // the next game does not leave it
    this.page.turnPage();
    this.page.show(GameTree.from(this.page.state.tree.root.position), FIRST_SEATS);
    this.waiting = observer;
    this.page.apply(game.showMessage, t('offer.kept'));
    this.page.letEnginePlay();
    this.onWait();
  }

  /** Leads a spectator from a game that is over to its rematch, or names it to one who looks back. @param {string} next its id */
  followRematch(next) {
    const { state } = this.page;
    if (state.tree.position === liveTree(state).position && !state.review)
      this.enter(spectator(next));
    else this.page.apply(game.announceRematch, next);
  }

  /** Shows an empty board instead of an offer, and why. @param {string} reason */
  replace(reason) {
    this.page.show(liveTree(this.page.state), FIRST_SEATS);
    this.page.apply(game.showMessage, reason, 'lost');
  }

  /** Takes the user's offer back; one of a rematch leads back to the game before. */
  async cancelOffer() {
    const { observer } = this;
    const former = this.page.state.refereed?.former;
    try {
      await observer?.cancel();
    } catch (error) {
      this.page.refuse(reasonOf(error));
      return;
    }
    if (this.observer !== observer) return;
    if (former) this.enter(former);
    else this.replace(t('offer.taken-back'));
  }

  leave() {
    this.observer?.leave();
    this.observer = null;
  }

  /** Claims the game that the other participant has left. */
  claim() {
    const key = this.observer?.ticket.key;
    if (key)
      this.page.server.ask(`claim ${key}`).catch((error) => this.page.refuse(reasonOf(error)));
  }

  /** Sends a turn of the user, which is on the board once the referee accepts it. @param {Turn} turn */
  submit(turn) {
    const { observer } = this;
    const { rules, position } = liveTree(this.page.state);
    const number = turn.kind === 'resign' ? '' : ` ${position.number}`;
    const isWanted = () =>
      this.observer === observer && liveTree(this.page.state).position === position;
    observer?.submit(`${formatTurn(turn, rules)}${number}`, isWanted).catch((error) => {
      if (!observer.isOver) this.page.refuse(reasonOf(error)); // else the end says more
    });
    this.page.apply(game.submitTurn);
  }

  /** Asks the other for something, or answers the one who asks. @param {string} what @param {string} detail as of `Observer.agree` */
  agree(what, detail) {
    this.observer?.agree(what, detail).catch((error) => this.page.refuse(reasonOf(error)));
  }

  /** Offers the same game to an engine, with the seats exchanged. @param {Ticket} former */
  challenge({ seat, against, engine }) {
    const { server, state } = this.page;
    const { refereed, tree } = state;
    const name = server.user ?? engine ?? savedName(server);
    const clock = `clock=${refereed?.control || 'none'}`;
    return seek(server, name, tree.rules, seat ? 'b' : 'w', [clock], { against, engine });
  }

  /** Offers or accepts a rematch, which is entered, or declines it. @param {boolean} agrees */
  async rematch(agrees) {
    const former = this.observer?.ticket ?? null;
    const rival = opponentOf(this.page.state);
    try {
      if (former?.against) {
        this.enter(await this.challenge(former));
        return;
      }
      const ticket = await this.observer?.rematch(agrees);
      if (ticket) this.enter(keepTicket(ticket), { former, rival });
    } catch (error) {
      this.page.refuse(reasonOf(error));
    }
  }
}
