// Ties the state of the page to the world: draws each state, and asks the server, the speakers, the
// storage and the address bar for what follows from it.
import { clockTime } from '../rules/clock.js';
import { Address } from './address.js';
import * as analysing from './analysing.js';
import { finish, showRecord } from './archived.js';
import { Analysis } from '../analysis/analysis.js';
import { confirmed } from '../base/confirm.js';
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
  mayHint,
  mayResign,
  mayUndo,
  opponentOf,
  playsAtOnce,
  riskOfPass,
  turnsFrom,
} from './state.js';
import { errorBeside, placeOf } from '../analysis/judgements.js';
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
import { Keeper } from './kept.js';
import { notifyTurn } from './presence.js';
import { RefereedGames } from './refereed.js';
import { reasonOf } from '../base/errortext.js';
import { Reviewer } from '../server/reviewer.js';
import * as reviewing from './reviewing.js';
import { Position, makeRules } from '../rules/rules.js';
import { Server } from '../server/server.js';
import { loadSettings, saveSettings } from '../base/settings.js';
import { play as playSound } from '../base/sound.js';
import { probeOf } from '../analysis/solved.js';
import { t } from '../base/texts.js';
import { GameTree } from '../rules/tree.js';

/** @import { Ticket } from '../server/tickets.js' */
/** @import { State } from './state.js' */
/** @import { Stone, Turn } from '../rules/rules.js' */

/** The level that gives hints. */
const ADVISER = 'level-9';

export class Controller {
  /** @param {ReturnType<typeof import('./render.js').makeRender>} render */
  constructor(render) {
    this.render = render;
    this.state = makeState(new Position(makeRules('yodd')), loadSettings());
    this.address = new Address(() => this.state);
    this.refereed = new RefereedGames(this);
    this.keeper = new Keeper();
    /** The position in which the engine has failed and was asked again. @type {Position | null} */
    this.retried = null;
    /** Whether the state is to be drawn with the next frame. */
    this.isDue = false;
    this.server = new Server();
    this.place = new EnginePlace(
      this.server,
      () => this.state.settings.engine,
      () => this.state.tree.root.position,
    );
    this.server.connection.watch(() => this.meetEngine());
    this.engine = new Engine(this.place);
    this.reviewer = new Reviewer(this.place);
    this.analysis = new Analysis(
      this.place,
      (report) => this.stream(analysing.setReport(this.state, report)),
      (table) => this.apply(analysing.setTable, table),
      (policy) => this.stream(analysing.setPolicy(this.state, policy)),
      (kind, reason) => this.apply(analysing.setWatch, kind, reason),
    );
  }

  /** Learns what the engine can do where it is now, and lets it go on. */
  meetEngine() {
    const { place, server } = this;
    const [advises, reviews] = [place.can('analyze'), place.can('review')];
    this.apply(game.setConnection, server.isConnected, advises, reviews, place.isReady);
    if (!server.isConnected) this.apply(game.stopClocks, clockTime());
    if (!place.isReady) return;
    this.letEnginePlay();
    if (this.state.question.key && this.state.watch.kind === 'lost') this.resume();
  }

  /** Ends the session with the engine where it is. */
  leaveEngine() {
    this.engine.cancel();
    this.engine.close();
    this.analysis.stop();
  }

  /** The engine is to run elsewhere. @param {import('../server/engineplace.js').Place} engine */
  moveEngine(engine) {
    this.leaveEngine();
    this.place.hasFailed = false;
    this.apply(game.changeSettings, { engine });
    this.meetEngine();
    if (this.state.question.key) this.resume();
  }

  /** Makes `state` the state of the page, with what follows from it. @param {State} state */
  change(state) {
    const before = this.state;
    const wasBound = this.place.isBound;
    this.state = state;
    // The server's engine refuses some that the browser's takes.
    const isMoved = this.place.isBound !== wasBound;
    if (isMoved) this.leaveEngine();
    if (state.settings !== before.settings) saveSettings(state.settings);
    if (state.cue && state.cue !== before.cue && state.settings.sound) playSound(state.cue.sound);
    notifyTurn(before, state, clockTime());
    if (state.live !== before.live || state.flagged !== before.flagged) this.keep();
    if (state.question.key !== before.question.key) this.analyseQuestion(state);
    this.draw();
    if (
      state.tree !== before.tree ||
      state.seats !== before.seats ||
      state.refereed !== before.refereed
    )
      this.address.update();
    if (isMoved) this.meetEngine();
  }

  /**
   * Changes the state by an intent.
   * @template {unknown[]} Values
   * @param {(state: State, ...values: Values) => State} intent
   * @param {Values} values
   */
  apply(intent, ...values) {
    this.change(intent(this.state, ...values));
  }

  /** Keeps the game for later, with what the clocks have left now. */
  keep() {
    this.keeper.keep(this.state, clockTime());
  }

  /** Makes `state`, which nothing follows from but what is drawn, the state of the page; one frame draws many. @param {State} state */
  stream(state) {
    this.state = state;
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.draw(true);
    });
  }

  draw(canWait = false) {
    this.render(this.state, clockTime(), canWait);
  }

  /** Begins the analysis of the question, or ends the one before. @param {State} state */
  analyseQuestion({ question: { key, line, first }, tree }) {
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
    this.apply(analysing.setWatch, 'searching');
    this.analyseQuestion(this.state);
  }

  /** @param {string} reason */
  refuse(reason) {
    this.apply(game.refuseTurn, reason);
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
    const state = game.showGame(this.state, tree, seats, winrates);
    const purses = this.keeper.purses(state);
    this.change(purses ? game.resumeClocks(state, purses, clockTime()) : state);
  }

  /** Another game is about to be shown. */
  leave() {
    this.refereed.leave();
    this.engine.cancel();
    this.keeper.leave();
  }

  /** Shows what the address names. @param {(hash: string) => Ticket | null} ticketOf for a refereed game */
  async open(ticketOf) {
    const { hash } = location;
    const { tree, seats, winrates } = this.state;
    this.address.forget();
    // Until the game is there, so that a reload meanwhile asks for it again.
    if (readRun(hash)) this.address.hold(hash);
    try {
      const found = await (hasStudy(hash) ? readStudy : readLink)(hash);
      if (location.hash !== hash) return;
      if (found) this.show(found.tree, found.seats);
      else this.show(tree, seats, winrates);
      if (found?.problem) this.apply(game.showMessage, found.problem, 'refused');
    } catch (error) {
      this.show(tree, seats, winrates);
      this.refuse(reasonOf(error));
    }
    this.address.flush();
    if (wantsAnalysis(hash)) this.apply(analysing.setAnalysing, true);
    this.openRecord(hash);
    const ticket = ticketOf(hash);
    if (ticket) this.refereed.enter(ticket);
    else this.letEnginePlay();
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
      const { tree } = await readRecord(record);
      this.leave();
      this.apply(showRecord, tree, record, hash);
    } catch (error) {
      this.refuse(reasonOf(error));
    }
  }

  /** Follows a game of a tournament until it is over, or the user goes elsewhere. @param {{run: string, game: string}} live */
  followLive(live) {
    /** @type {import('../rules/seats.js').Seats | null} those of the game that is followed */
    let followed = null;
    return followLive(live, async (record) => {
      if (followed && this.state.seats !== followed) return false;
      const { tree, seats } = await readRecord(record);
      if (followed) this.apply(game.appendTurns, tree);
      else this.show(tree.goTo(Infinity), { ...seats, watched: true });
      const address = liveLink(live.run, live.game);
      if (record.reason) this.apply(finish, tree, record, address);
      followed = this.state.seats;
      this.address.hold(address);
      return true;
    });
  }

  // -- turns --------------------------------------------------------------------------------

  /** Another turn in the making, which is played at once if the settings say so. @param {State} state */
  changePending(state) {
    if (state === this.state) return;
    const isOther = state.pending !== this.state.pending;
    this.change(state);
    if (isOther && playsAtOnce(state)) this.commit();
  }

  /** @param {readonly Stone[]} pending */
  setPending(pending) {
    this.changePending(game.setPending(this.state, pending));
  }

  /** Takes up a stone of the table's list, or plays what is left of the turn. @param {import('../analysis/solved.js').Entry} entry */
  playListed({ stone, turn }) {
    if (stone) this.changePending(game.placeStone(this.state, stone.cell, stone.colour));
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
    else if (this.refereed.observer && !isFree(state)) this.refereed.submit(turn);
    else this.accept(turn);
  }

  /** Resigns: in a refereed game at any time. */
  resign() {
    if (!mayResign(this.state)) return;
    if (this.refereed.observer) this.refereed.submit(RESIGN);
    else this.play(RESIGN);
  }

  /** Passes; asks first if that could lose the game. */
  async pass() {
    const { position } = this.state.tree;
    const risk = isMine(this.state) ? riskOfPass(this.state) : '';
    if (risk && !(await confirmed(t('game.pass-anyway', { risk }), t('turn.pass-button')))) return;
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
    return confirmed(text, t('game.leave-yes'));
  }

  /** @param {Turn} turn */
  accept(turn) {
    if (this.state.thinking) this.engine.cancel();
    this.apply(game.playTurn, turn, clockTime());
    const { tree } = this.state;
    this.engine.check(tree).catch((error) => {
      if (error instanceof Refusal && ['illegal move', 'syntax error'].includes(error.code))
        this.apply(game.removeRefusedTurn, tree.position, reasonOf(error));
    });
    this.letEnginePlay();
  }

  /** Lets the engine play if it is to move. */
  letEnginePlay() {
    const level = engineOnTurn(this.state);
    if (!level) return;
    if (this.state.refereed) {
      this.think(level, liveTree, (turn) => {
        if (this.state.refereed?.termination === null) this.refereed.submit(turn);
        return this.state;
      });
      return;
    }
    this.apply(game.startClock, clockTime());
    this.think(level, liveTree, (turn) => game.playLiveTurn(this.state, turn, clockTime()));
  }

  hint() {
    if (!mayHint(this.state)) return;
    this.think(
      ADVISER,
      ({ tree }) => tree,
      (turn) => game.suggestTurn(this.state, turn),
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
    this.apply(game.setThinking, true);
    try {
      const token = await this.engine.choose(tree, level);
      if (token && isHere()) this.change(use(parseTurn(token, tree.rules, tree.position.player)));
    } catch (error) {
      if (!(error instanceof Disconnected))
        this.apply(game.showMessage, reasonOf(error), 'refused');
    }
    this.apply(game.setThinking, false);
    // The engine may be to move now, or in the position that has taken the place of this one.
    if (!isHere()) this.letEnginePlay();
    else if (wasInBrowser && this.place.hasFailed) this.replaceEngine();
  }

  /** The engine of this browser has failed: the server's takes its place; without one it is tried once more. */
  replaceEngine() {
    const { position } = liveTree(this.state);
    if (!this.place.isHere) {
      this.meetEngine();
    } else if (this.retried !== position) {
      this.retried = position;
      this.letEnginePlay();
    }
  }

  /** Changes the game; the engine does not go on with its turn. @param {State} state */
  interrupt(state) {
    this.engine.cancel();
    this.change(state);
  }

  undo() {
    if (!mayUndo(this.state)) return;
    if (this.state.refereed) this.refereed.agree('takeback', '');
    else this.interrupt(game.takeBack(this.state, clockTime()));
  }

  /** Keeps the clocks up to date. */
  tick() {
    const state = game.passTime(this.state, clockTime());
    if (state !== this.state) this.interrupt(state);
    else this.stream(state);
  }

  /** Plays the game on this page again, with the seats exchanged. */
  playAgain() {
    const { tree, seats } = this.state;
    const [black, white] = seats.players;
    this.turnPage();
    this.show(GameTree.from(tree.root.position), { ...seats, players: [white, black] });
    this.letEnginePlay();
  }

  /** Looks at the game with the engine, from the last turn on that has another one in its place. */
  analyse() {
    const { state } = this;
    this.change(
      analysing.setAnalysing(state.tree.position.isOver ? game.stepTurns(state, -1) : state, true),
    );
  }

  // -- reviews ------------------------------------------------------------------------------

  /** Lets the server judge every turn of the game. */
  async review() {
    const line = positionLine(this.state.tree.goTo(Infinity));
    this.apply(reviewing.beginReview);
    const { review } = this.state;
    const isWanted = () => this.state.review?.line === review?.line;
    try {
      const { summary, turns } = await this.reviewer.review(line, (percent) => {
        if (isWanted()) this.apply(reviewing.advanceReview, percent);
        else this.reviewer.cancel();
      });
      if (isWanted()) this.apply(reviewing.finishReview, summary, turns);
    } catch (error) {
      if (isWanted()) this.apply(reviewing.failReview, reasonOf(error));
    }
  }

  stopReview() {
    this.reviewer.cancel();
    this.apply(reviewing.dropReview);
  }

  /** Goes to the next error, or the one before. @param {number} way */
  goToError(way) {
    const at = errorBeside(this.state, way);
    if (at !== null) this.apply(game.goToTurn, at);
  }

  /** A turn in the lesson; the server judges one that is not the better one. @param {Turn} turn */
  async tryTurn(turn) {
    const place = placeOf(this.state);
    this.apply(reviewing.attempt, turn);
    const { lesson } = this.state;
    if (!place || lesson?.stage !== 'judging') return;
    const { before } = place;
    const line = `position ${formatPosition(before)} moves ${formatTurn(turn, before.rules)}`;
    const isWanted = () => this.state.lesson === lesson;
    try {
      const { turns } = await this.reviewer.review(line);
      if (isWanted()) this.apply(reviewing.judgeAttempt, turns[0]);
    } catch (error) {
      if (isWanted()) this.apply(reviewing.failAttempt, reasonOf(error));
    }
  }
}
