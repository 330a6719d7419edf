// Ties the state of the page to the world: draws each state, and asks the server, the speakers, the
// storage and the address bar for what follows from it.
import { Address } from './address.js';
import { Analysis } from '../analysis/analysis.js';
import { ask } from '../base/ask.js';
import { Disconnected, Refusal } from '../server/connection.js';
import { Engine } from '../server/engine.js';
import { EnginePlace } from '../server/engineplace.js';
import * as game from './game.js';
import {
  engineOnTurn,
  isFree,
  isMine,
  isRunning,
  liveTree,
  makeState,
  mayAskBack,
  mayHint,
  mayResign,
  opponentOf,
  playsAtOnce,
  riskOfPass,
  turnsFrom,
} from './state.js';
import { errorBeside, placeOf } from '../analysis/judgements.js';
import { readGames } from '../lobby/lobby.js';
import {
  hasStudy,
  readLink,
  readRecord,
  readRun,
  readStudy,
  wantsAnalysis,
} from '../rules/link.js';
import { followLive, liveLink, readLive } from '../server/live.js';
import {
  PASS,
  RESIGN,
  drop,
  formatPosition,
  formatStone,
  formatTurn,
  parseTurn,
  positionLine,
} from '../rules/notation.js';
import { Observer } from '../server/observer.js';
import { awayAt, notifyTurn } from './presence.js';
import { reasonOf } from '../base/reason.js';
import { Reviewer } from '../server/reviewer.js';
import * as reviewing from './reviewing.js';
import { Position, capital, makeRules } from '../rules/rules.js';
import { FIRST_SEATS } from '../rules/seats.js';
import { Server } from '../server/server.js';
import { loadSettings, saveSettings } from '../base/settings.js';
import { play as playSound } from '../base/sound.js';
import { probeOf } from '../analysis/table.js';
import { termsText } from '../lobby/terms.js';
import { t } from '../base/texts.js';
import { dropTicket, spectator } from '../server/tickets.js';
import { GameTree } from '../rules/tree.js';

/** @import { Ticket } from '../server/tickets.js' */
/** @import { State } from './state.js' */
/** @import { Stone, Turn } from '../rules/rules.js' */

/** The level that gives hints. */
const ADVISER = 'level-9';

/** Seconds. */
export const clockTime = () => performance.now() / 1000;

export class Controller {
  /** @param {(state: State, now: number) => void} render */
  constructor(render) {
    this.render = render;
    this.state = makeState(new Position(makeRules('yodd')), loadSettings());
    this.address = new Address(() => this.state);
    /** @type {Observer | null} of the refereed game that is shown */
    this.observer = null;
    /** @type {Observer | null} of the user's offer, while the engine is played */
    this.waiting = null;
    /** The position in which the engine has failed and was asked again. @type {Position | null} */
    this.retried = null;
    /** Whether the state is to be drawn with the next frame. */
    this.isDue = false;
    this.server = new Server();
    this.place = new EnginePlace(this.server, () => this.state.settings.engine);
    this.server.connection.watch(() => this.meetEngine());
    this.engine = new Engine(this.place);
    this.reviewer = new Reviewer(this.place);
    this.analysis = new Analysis(
      this.place,
      (report) => this.stream(game.answer(this.state, report)),
      (table) => this.change(game.tell(this.state, table)),
      (policy) => this.stream(game.setPolicy(this.state, policy)),
      (kind, reason) => this.change(game.follow(this.state, kind, reason)),
    );
  }

  /** Learns what the engine can do where it is now, and lets it go on. */
  meetEngine() {
    const { place, server } = this;
    const [advises, reviews] = [place.can('analyze'), place.can('review')];
    this.change(game.connect(this.state, server.isConnected, advises, reviews, place.isReady));
    if (!server.isConnected) this.change(game.freeze(this.state, clockTime()));
    if (!place.isReady) return;
    this.moveOn();
    if (this.state.question.key && this.state.watch.kind === 'lost') this.resume();
  }

  /** The engine is to run elsewhere. @param {import('../server/engineplace.js').Place} engine */
  moveEngine(engine) {
    this.engine.cancel();
    this.engine.close();
    this.place.hasFailed = false;
    this.change(game.set(this.state, { engine }));
    this.meetEngine();
    if (this.state.question.key) {
      this.analysis.stop();
      this.resume();
    }
  }

  /** Makes `state` the state of the page, with what follows from it. @param {State} state */
  change(state) {
    const before = this.state;
    this.state = state;
    if (state.settings !== before.settings) saveSettings(state.settings);
    if (state.cue && state.cue !== before.cue && state.settings.sound) playSound(state.cue.sound);
    notifyTurn(before, state);
    if (state.question.key !== before.question.key) this.ask(state);
    this.draw();
    if (
      state.tree !== before.tree ||
      state.seats !== before.seats ||
      state.refereed !== before.refereed
    )
      this.address.update();
  }

  /** Makes `state`, with other candidates only, the state of the page; one frame draws many. @param {State} state */
  stream(state) {
    this.state = state;
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.draw();
    });
  }

  draw() {
    this.render(this.state, clockTime());
  }

  /** Begins the analysis of the question, or ends the one before. @param {State} state */
  ask({ question: { key, line, first }, tree }) {
    if (first)
      this.analysis.watchSeconds(
        key,
        line,
        formatStone(first, tree.rules),
        turnsFrom(tree.position, first),
      );
    else if (key)
      this.analysis.watch(key, line, this.place.can('probe') ? probeOf(tree.position) : '');
    else this.analysis.stop();
  }

  /** Goes on with an analysis that has ended. */
  resume() {
    this.change(game.follow(this.state, 'searching'));
    this.ask(this.state);
  }

  /** @param {string} reason */
  refuse(reason) {
    this.change(game.refuse(this.state, reason));
  }

  // -- games --------------------------------------------------------------------------------

  /** Begins another entry in the history of the browser. */
  turnPage() {
    this.address.flush();
    history.pushState(null, '', location.href);
  }

  /** @param {GameTree} tree @param {import('../rules/seats.js').Seats} seats @param {State['winrates']} [winrates] */
  show(tree, seats, winrates) {
    this.leave();
    this.engine.cancel();
    this.change(game.show(this.state, tree, seats, winrates));
  }

  /**
   * Joins or watches a refereed game.
   * @param {Ticket} ticket
   * @param {{former?: Ticket | null, rival?: string, answer?: string}} [more] the game that this is
   *   to be a rematch of, and with whom; what came of a request there
   */
  enter(ticket, { former = null, rival = '', answer = '' } = {}) {
    this.address.hold(`#table=${ticket.id}`);
    this.waiting?.leave(this.waiting.ticket.id === ticket.id);
    this.waiting = null;
    /** @param {string} text @param {State['message']['kind']} [kind] */
    const say = (text, kind) => {
      // The game shown meanwhile has the status line.
      if (this.waiting !== observer && (!this.observer || this.observer === observer))
        this.change(game.say(this.state, text, kind));
    };
    // The announcement of a restart, until the server is back.
    let restart = '';
    const observer = new Observer(
      this.server,
      ticket,
      {
        position: (start) => {
          restart = '';
          if (this.waiting === observer) return;
          if (this.observer === observer) {
            say('');
          } else {
            this.leave();
            this.engine.cancel();
            this.observer = observer;
            this.change(game.join(this.state, ticket, start, former));
            if (ticket.key) this.describe(ticket.id).catch(() => {}); // it waits without, too
          }
        },
        begun: (names, control) => {
          if (this.waiting !== observer) {
            this.change(game.begin(this.state, names, control, clockTime()));
            return;
          }
          this.change({ ...this.state, cue: { sound: 'over' } });
          this.turnPage();
          this.enter(ticket);
        },
        turn: (turn) => this.change(game.receive(this.state, turn, clockTime())),
        clock: (seat, seconds) => this.change(game.running(this.state, seat, seconds, clockTime())),
        rewind: (length) => this.change(game.rewind(this.state, length, clockTime())),
        request: (request) => this.change(game.request(this.state, request)),
        refused: (seat, what) => this.change(game.refused(this.state, seat, what)),
        over: (termination, winner) => {
          this.change(game.end(this.state, termination, winner, clockTime()));
          if (answer) this.change(game.answered(this.state, answer));
        },
        withdrawn: () => {
          if (this.waiting === observer) this.waiting = null;
          else if (former)
            this.enter(former, { answer: t('game.declines-rematch', { name: rival }) });
          else this.replace(capital(t('error.taken')));
        },
        presence: (seat, away) =>
          this.change(game.attend(this.state, seat, away && awayAt(away, clockTime()))),
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
    const [entry] = readGames(await this.server.ask(`games ${id}`));
    if (entry?.state !== 'open') return;
    const [black, white] = [entry.black, entry.white].map((name) => (name === '-' ? '…' : name));
    this.change(game.offer(this.state, id, [black, white], termsText({ ...entry, state: '' })));
  }

  /** Plays the engine while the user's offer waits; that game is shown once someone has accepted it. */
  meanwhile() {
    const { observer, state } = this;
    this.observer = null; // the next game does not leave it
    this.turnPage();
    this.show(GameTree.from(state.tree.root.position), FIRST_SEATS);
    this.waiting = observer;
    this.change(game.say(this.state, t('offer.kept')));
    this.moveOn();
  }

  /** Leads a spectator from a game that is over to its rematch, or names it to one who looks back. @param {string} next its id */
  followRematch(next) {
    if (this.state.tree.position === liveTree(this.state).position && !this.state.review)
      this.enter(spectator(next));
    else this.change(game.rematched(this.state, next));
  }

  /** Shows an empty board instead of an offer, and why. @param {string} reason */
  replace(reason) {
    this.show(liveTree(this.state), FIRST_SEATS);
    this.change(game.say(this.state, reason, 'lost'));
  }

  /** Takes the user's offer back; one of a rematch leads back to the game before. */
  async cancelOffer() {
    const { observer } = this;
    const former = this.state.refereed?.former;
    try {
      await observer?.cancel();
    } catch (error) {
      this.refuse(reasonOf(error));
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

  /** Shows what the address names. @param {(hash: string) => Ticket | null} ticketOf for a refereed game */
  async open(ticketOf) {
    const { hash } = location;
    const { tree, seats, winrates } = this.state;
    this.address.forget();
    // Until the game is there, so that a reload meanwhile asks for it again.
    if (readRun(hash)) this.address.hold(hash);
    try {
      const found = hasStudy(hash) ? await readStudy(hash) : readLink(hash);
      if (location.hash !== hash) return;
      if (found) this.show(found.tree, found.seats);
      else this.show(tree, seats, winrates);
    } catch (error) {
      this.show(tree, seats, winrates);
      this.refuse(reasonOf(error));
    }
    this.address.flush();
    if (wantsAnalysis(hash)) this.change(game.analyse(this.state, true));
    this.openRecord(hash);
    const ticket = ticketOf(hash);
    if (ticket) this.enter(ticket);
    else this.moveOn();
  }

  /** Shows the archived game that an address names, if it names one. @param {string} hash */
  async openRecord(hash) {
    const path = readRun(hash);
    const live = readLive(hash);
    if (live) this.followLive(live).catch((error) => this.refuse(reasonOf(error)));
    if (!path) return;
    try {
      const reply = await fetch(`api/${path}`);
      const record = await reply.json();
      if (!reply.ok) throw new Error(record.error);
      const { tree, seats } = readRecord(record);
      this.show(tree, seats);
    } catch (error) {
      this.refuse(reasonOf(error));
    }
  }

  /** Follows a game of a tournament until it is over, or the user goes elsewhere. @param {{run: string, game: string}} live */
  followLive(live) {
    /** @type {import('../rules/seats.js').Seats | null} those of the game that is followed */
    let followed = null;
    return followLive(live, (record) => {
      if (followed && this.state.seats !== followed) return false;
      const { tree, seats } = readRecord(record);
      if (followed) this.change(game.catchUp(this.state, tree));
      else this.show(tree.goTo(Infinity), { ...seats, watched: true });
      if (record.reason) this.change(game.finish(this.state, tree));
      followed = this.state.seats;
      this.address.hold(liveLink(live.run, live.game));
      return true;
    });
  }

  // -- turns --------------------------------------------------------------------------------

  /** Another turn in the making, which is played at once if the settings say so. @param {State} state */
  pend(state) {
    if (state === this.state) return;
    const isOther = state.pending !== this.state.pending;
    this.change(state);
    if (isOther && playsAtOnce(state)) this.commit();
  }

  /** @param {readonly Stone[]} pending */
  setPending(pending) {
    this.pend(game.setPending(this.state, pending));
  }

  /** Takes up a stone of the table's list, or plays what is left of the turn. @param {import('../analysis/table.js').Entry} entry */
  take({ stone, turn }) {
    if (stone) this.pend(game.placeStone(this.state, stone.cell, stone.colour));
    else this.play(turn);
  }

  commit() {
    if (this.state.pending.length) this.play(drop(...this.state.pending));
  }

  /** @param {Turn} turn */
  play(turn) {
    const { state } = this;
    if (!isMine(state)) return;
    const problem = state.tree.position.illegality(turn);
    if (problem) this.refuse(problem);
    else if (state.lesson) this.tryTurn(turn);
    else if (this.observer && !isFree(state)) this.submit(this.observer, turn);
    else this.accept(turn);
  }

  /** Resigns: in a refereed game at any time. */
  resign() {
    if (!mayResign(this.state)) return;
    if (this.observer) this.submit(this.observer, RESIGN);
    else this.play(RESIGN);
  }

  /** Claims the game that the other participant has left. */
  claim() {
    const key = this.observer?.ticket.key;
    if (key) this.server.ask(`claim ${key}`).catch((error) => this.refuse(reasonOf(error)));
  }

  /** Passes; asks first if that could lose the game. */
  async pass() {
    const { position } = this.state.tree;
    const risk = isMine(this.state) ? riskOfPass(this.state) : '';
    if (risk && !(await ask(t('game.pass-anyway', { risk }), t('turn.pass-button')))) return;
    if (this.state.tree.position === position) this.play(PASS);
  }

  /** Whether the user agrees to leave the game, if one goes on. @returns {Promise<boolean>} */
  async mayLeave() {
    if (!isRunning(this.state)) return true;
    const { refereed } = this.state;
    const text = !refereed
      ? t('game.leave')
      : refereed.begun
        ? t('game.leave-running', { name: opponentOf(this.state) })
        : t('game.leave-offer');
    return ask(text, t('game.leave-yes'));
  }

  /** @param {Observer} observer @param {Turn} turn */
  submit(observer, turn) {
    const { rules, position } = liveTree(this.state);
    const number = turn.kind === 'resign' ? '' : ` ${position.number}`;
    const isWanted = () => this.observer === observer && liveTree(this.state).position === position;
    observer
      .submit(`${formatTurn(turn, rules)}${number}`, isWanted)
      .catch((error) => this.refuse(reasonOf(error)));
    this.change(game.submit(this.state));
  }

  /** @param {Turn} turn */
  accept(turn) {
    if (this.state.thinking) this.engine.cancel();
    this.change(game.accept(this.state, turn, clockTime()));
    const { tree } = this.state;
    this.engine.check(tree).catch((error) => {
      if (error instanceof Refusal && ['illegal move', 'syntax error'].includes(error.code))
        this.change(game.overrule(this.state, tree.position, reasonOf(error)));
    });
    this.moveOn();
  }

  /** Lets the engine play if it is on turn. */
  moveOn() {
    const level = engineOnTurn(this.state);
    if (!level) return;
    this.change(game.startClock(this.state, clockTime()));
    this.think(level, liveTree, (turn) => game.advance(this.state, turn, clockTime()));
  }

  hint() {
    if (!mayHint(this.state)) return;
    this.think(
      ADVISER,
      ({ tree }) => tree,
      (turn) => game.suggest(this.state, turn),
    );
  }

  /**
   * Asks the engine for a turn, which is used unless the position is another one by then.
   * @param {string} level
   * @param {(state: State) => GameTree} treeOf
   * @param {(turn: Turn) => State} use
   */
  async think(level, treeOf, use) {
    const tree = treeOf(this.state);
    const isHere = () => treeOf(this.state).position === tree.position;
    const wasInBrowser = this.place.isHere;
    this.change(game.think(this.state, true));
    try {
      const token = await this.engine.choose(tree, level);
      if (token && isHere()) this.change(use(parseTurn(token, tree.rules, tree.position.player)));
    } catch (error) {
      if (!(error instanceof Disconnected))
        this.change(game.say(this.state, reasonOf(error), 'refused'));
    }
    this.change(game.think(this.state, false));
    // The engine may be on turn now, or in the position that has taken the place of this one.
    if (!isHere()) this.moveOn();
    else if (wasInBrowser && this.place.hasFailed) this.replaceEngine();
  }

  /** The engine of this browser has failed: the server's takes its place; without one it is tried once more. */
  replaceEngine() {
    const { position } = liveTree(this.state);
    if (!this.place.isHere) {
      this.meetEngine();
    } else if (this.retried !== position) {
      this.retried = position;
      this.moveOn();
    }
  }

  /** Changes the game; the engine does not go on with its turn. @param {State} state */
  interrupt(state) {
    this.engine.cancel();
    this.change(state);
  }

  undo() {
    if (!this.state.refereed) this.interrupt(game.undo(this.state, clockTime()));
    else if (mayAskBack(this.state)) this.takeBack('');
  }

  /** Asks to take a turn back, or answers the one who asks. @param {string} answer as of `Observer.takeBack` */
  takeBack(answer) {
    this.observer?.takeBack(answer).catch((error) => this.refuse(reasonOf(error)));
  }

  /** Offers or accepts a rematch, which is entered, or declines it. @param {boolean} agrees @param {(ticket: Ticket) => Ticket} keep stores the ticket */
  async rematch(agrees, keep) {
    const former = this.observer?.ticket ?? null;
    const rival = opponentOf(this.state);
    try {
      const ticket = await this.observer?.rematch(agrees);
      if (ticket) this.enter(keep(ticket), { former, rival });
    } catch (error) {
      this.refuse(reasonOf(error));
    }
  }

  /** Keeps the clocks up to date. */
  tick() {
    const state = game.tick(this.state, clockTime());
    if (state !== this.state) this.interrupt(state);
    else this.draw();
  }

  /** Plays the game on this page again, with the seats exchanged. */
  again() {
    const { tree, seats } = this.state;
    const [black, white] = seats.players;
    this.turnPage();
    this.show(GameTree.from(tree.root.position), { ...seats, players: [white, black] });
    this.moveOn();
  }

  /** Looks at the game with the engine, from the last turn on that has another one in its place. */
  analyse() {
    const { state } = this;
    this.change(game.analyse(state.tree.position.isOver ? game.step(state, -1) : state, true));
  }

  // -- reviews ------------------------------------------------------------------------------

  /** Lets the server judge every turn of the game. */
  async review() {
    const line = positionLine(this.state.tree.goTo(Infinity));
    this.change(reviewing.beginReview(this.state));
    const { review } = this.state;
    const isWanted = () => this.state.review?.line === review?.line;
    try {
      const { summary, turns } = await this.reviewer.review(line, (percent) => {
        if (isWanted()) this.change(reviewing.advanceReview(this.state, percent));
        else this.reviewer.cancel();
      });
      if (isWanted()) this.change(reviewing.finishReview(this.state, summary, turns));
    } catch (error) {
      if (isWanted()) this.change(reviewing.failReview(this.state, reasonOf(error)));
    }
  }

  stopReview() {
    this.reviewer.cancel();
    this.change(reviewing.dropReview(this.state));
  }

  /** Goes to the next error, or the one before. @param {number} way */
  toError(way) {
    const at = errorBeside(this.state, way);
    if (at !== null) this.change(game.goTo(this.state, at));
  }

  /** A turn in the lesson; the server judges one that is not the better one. @param {Turn} turn */
  async tryTurn(turn) {
    const place = placeOf(this.state);
    this.change(reviewing.attempt(this.state, turn));
    const { lesson } = this.state;
    if (!place || lesson?.stage !== 'judging') return;
    const { before } = place;
    const line = `position ${formatPosition(before)} moves ${formatTurn(turn, before.rules)}`;
    const isWanted = () => this.state.lesson === lesson;
    try {
      const { turns } = await this.reviewer.review(line);
      if (isWanted()) this.change(reviewing.judgeAttempt(this.state, turns[0]));
    } catch (error) {
      if (isWanted()) this.change(reviewing.failAttempt(this.state, reasonOf(error)));
    }
  }
}
