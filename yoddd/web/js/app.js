// The page: one game tree, one board, one server.
import { Analysis, drawLines, heatOf, readLine } from './analysis.js';
import { BoardView } from './board.js';
import { Clocks } from './clock.js';
import { wire } from './controls.js';
import { Engine, positionLine } from './engine.js';
import { tap } from './input.js';
import { cellKey } from './keys.js';
import { readLink, readRecord, readRun } from './link.js';
import { Lobby } from './lobby.js';
import { rulesTitle } from './newgame.js';
import { drop, formatTurn, parseTurn, showTurn } from './notation.js';
import { drawCounts, drawHover } from './panel.js';
import { diamondLinks, effectOf, effectSentence, optionsOf } from './parity.js';
import { Position, makeRules, nameOf, parityText } from './rules.js';
import { drawClocks, drawCurves, drawGame, drawTurn } from './screen.js';
import { levelOf, seatNames, seatOnTurn } from './seats.js';
import { settings } from './settings.js';
import { play as sound } from './sound.js';
import { el } from './svg.js';
import { GameTree } from './tree.js';

/** @typedef {import('./rules.js').Stone} Stone */
/** @typedef {import('./rules.js').Turn} Turn */
/** @typedef {import('./rules.js').Colour} Colour */
/** @typedef {import('./seats.js').Seats} Seats */
/** @typedef {import('./table.js').Table} Table */

const NOBODY = /** @type {Seats} */ ({ players: ['person', 'person'], clock: '' });

export class App {
  constructor() {
    this.tree = new GameTree(new Position(makeRules('yodd')));
    this.seats = /** @type {Seats} */ ({ players: ['person', 'level-4'], clock: '' });
    /** @type {Table | null} a game that the server referees */
    this.table = null;
    /** @type {Stone[]} */
    this.pending = [];
    this.colour = /** @type {Colour} */ (0);
    /** @type {number | null} */
    this.hovered = null;
    /** @type {number | null} a seat whose time is up */
    this.flagged = null;
    this.thinking = false;
    this.message = { text: '', kind: '' };
    /** @type {import('./analysis.js').Candidate[]} */
    this.candidates = [];
    /** @type {string[] | null} */
    this.preview = null;
    this.sweeping = false;
    this.due = false;
    this.clocks = new Clocks('', () => {});
    this.engine = new Engine((connected) => this.connected(connected));
    this.lobby = new Lobby(this);
    this.analysis = new Analysis((candidates) => this.looked(candidates));
    this.view = new BoardView(/** @type {SVGSVGElement} */ (/** @type {unknown} */ (el('board'))), {
      tap: (cell, side) => this.tapped(cell, side),
      hover: (cell) => this.hover(cell),
      key: (event) => cellKey(this, event),
      describe: (cell) => this.describe(cell),
    });
  }

  get position() { return this.tree.position; }

  get seat() { return seatOnTurn(this.tree); }

  /** Whether somebody at this board is to move. */
  get mine() {
    if (this.position.isOver || this.flagged !== null) return false;
    if (this.table) return this.table.mayMove(this.tree);
    return this.seats.players[this.seat] === 'person';
  }

  // -- beginning ----------------------------------------------------------------------------

  /** @param {Position} start @param {Seats} seats */
  begin(start, seats) {
    this.leaveTable();
    this.show(new GameTree(start), seats);
    this.moveOn();
  }

  /** @param {GameTree} tree @param {Seats} seats */
  show(tree, seats) {
    this.engine.cancel();
    this.tree = tree;
    this.seats = seats;
    this.pending = [];
    this.flagged = null;
    this.message = { text: '', kind: '' };
    this.clocks = new Clocks(this.table ? '' : seats.clock, (seat) => this.flag(seat));
    this.layOut();
    this.refresh();
  }

  layOut() {
    this.view.setBoard(this.tree.rules.board, {
      turns: settings.turns, mirrored: settings.mirrored, coordinates: settings.coordinates,
    });
    const title = rulesTitle(this.tree.rules);
    el('title').textContent = title;
    document.title = `${title} – yoddd`;
  }

  /** @param {Table} table a game refereed elsewhere, to be played or watched here */
  join(table) {
    this.leaveTable();
    this.table = table;
    this.show(table.tree, NOBODY);
  }

  /** A turn at the table; `follow` says whether one looked at the end of the game. @param {Table} table @param {boolean} follow */
  tableTurn(table, follow) {
    if (this.table !== table) return;
    if (follow) this.pending = [];
    sound('turn');
    const turn = table.tree.line().at(-1)?.turn;
    if (turn) this.say(showTurn(turn, table.tree.rules));
    this.refresh();
  }

  leaveTable() {
    this.table?.leave();
    this.table = null;
  }

  /** @param {boolean} connected */
  connected(connected) {
    document.body.classList.toggle('offline', !connected);
    if (connected) this.moveOn();
    this.refresh();
  }

  // -- turns --------------------------------------------------------------------------------

  /** @param {number} cell @param {'main' | 'other'} side */
  tapped(cell, side) {
    if (!this.mine) return;
    const colour = /** @type {Colour} */ (side === 'main' ? this.colour : 1 - this.colour);
    this.setPending(tap(this.position, this.pending, cell, colour), cell);
  }

  /** @param {Stone[]} pending @param {number} [cell] the one that changed */
  setPending(pending, cell) {
    if (pending === this.pending) return;
    this.pending = pending;
    sound('stone');
    const full = pending.length === this.position.maxStones;
    const waits = settings.confirm === 'always' || (settings.confirm === 'two' && this.position.facts.stones > 1);
    if (full && !waits && this.position.dropProblem(pending) === null) {
      this.commit();
      return;
    }
    const stone = pending.find((one) => one.cell === cell);
    this.say(stone ? this.sentence(stone) : 'taken back');
    this.refresh();
  }

  /** @param {Stone} stone */
  sentence(stone) {
    const before = this.pending.filter((one) => one !== stone);
    const effect = effectOf(this.position, before, stone);
    return effectSentence(effect, this.tree.rules.board.labels[stone.cell], this.position.facts.odd);
  }

  commit() { if (this.pending.length) this.playTurn(drop(...this.pending)); }

  /** @param {Turn} turn */
  playTurn(turn) {
    if (!this.mine) return;
    const problem = this.position.illegality(turn);
    if (problem) {
      this.refuse(problem);
      return;
    }
    const token = formatTurn(turn, this.tree.rules);
    if (this.table) {
      this.table.put(token).catch((/** @type {Error} */ error) => this.refuse(error.message));
      this.pending = [];
      this.refresh();
      return;
    }
    if (this.thinking) this.engine.cancel();
    this.accept(turn);
    const node = this.tree.current;
    this.engine.check(this.tree).catch((error) => this.overruled(node, error));
    this.moveOn();
  }

  /** A turn that is legal is on the board. @param {Turn} turn */
  accept(turn) {
    const mover = nameOf(this.position.player);
    this.tree.play(turn);
    this.pending = [];
    this.candidates = [];
    const outcome = this.position.outcome();
    this.clocks.run(outcome ? null : this.seat, true);
    sound(outcome ? 'over' : 'turn');
    this.say(`${mover}: ${showTurn(turn, this.tree.rules)}. ${parityText(this.position.census().total)}`);
    this.refresh();
  }

  /** The server says no to what our rules allowed. @param {import('./tree.js').Node} node @param {Error} error */
  overruled(node, error) {
    if (error.name !== 'Refusal' && !/^(illegal|syntax)/.test(error.message)) return;
    if (this.tree.path().includes(node)) {
      this.tree.current = node;
      this.tree.remove();
    }
    this.refuse(error.message);
  }

  /** Lets the engine play if it is on turn. */
  async moveOn() {
    const level = this.seats.players[this.seat];
    if (this.table || this.thinking || this.position.isOver || this.flagged !== null) return;
    if (!levelOf(level) || !this.engine.isConnected || this.tree.current.children.length) return;
    const node = this.tree.current;
    this.thinking = true;
    this.clocks.run(this.seat);
    this.refresh();
    try {
      const token = await this.engine.choose(this.tree, level);
      if (token && this.tree.current === node) this.accept(parseTurn(token, this.tree.rules, this.position.player));
    } catch (error) {
      if (this.engine.isConnected) this.refuse(error instanceof Error ? error.message : String(error));
    }
    this.thinking = false;
    this.refresh();
    if (this.tree.current !== node) this.moveOn();
  }

  /** @param {number} seat */
  flag(seat) {
    this.flagged = seat;
    this.engine.cancel();
    sound('over');
    this.refresh();
  }

  undo() {
    if (this.table) return;
    this.engine.cancel();
    this.flagged = null;
    if (this.pending.length) {
      this.pending = [];
    } else {
      // Against the engine, back to where a person was on turn.
      do this.tree.goTo(this.tree.index - 1);
      while (this.tree.index > 0 && this.seats.players[this.seat] !== 'person');
      this.clocks.run(null);
    }
    this.say('taken back');
    this.refresh();
  }

  async hint() {
    if (!this.mine || this.thinking || this.table || !this.engine.isConnected) return;
    const node = this.tree.current;
    this.thinking = true;
    this.refresh();
    try {
      const token = await this.engine.choose(this.tree, 'level-9');
      if (token && this.tree.current === node) {
        const turn = parseTurn(token, this.tree.rules, this.position.player);
        this.pending = turn.stones;
        this.say(`the engine would play ${showTurn(turn, this.tree.rules)}`);
      }
    } catch (error) {
      this.refuse(error instanceof Error ? error.message : String(error));
    }
    this.thinking = false;
    this.refresh();
    // Whoever did not wait for the hint may have left the engine on turn.
    if (this.tree.current !== node) this.moveOn();
  }

  /** @param {number} index */
  goTo(index) {
    this.engine.cancel();
    this.tree.goTo(index);
    this.pending = [];
    this.clocks.run(null);
    this.say(`turn ${this.position.number}, ${parityText(this.position.census().total)}`);
    this.refresh();
  }

  // -- what is said and shown -----------------------------------------------------------------

  /** @param {string} text @param {string} [kind] */
  say(text, kind = '') { this.message = { text, kind }; }

  /** @param {string} reason */
  refuse(reason) {
    sound('refused');
    this.say(`Not allowed: ${reason}`, 'refused');
    this.refresh();
  }

  /** @param {Colour} colour */
  setColour(colour) {
    this.colour = colour;
    this.hover(this.hovered);
    drawTurn(this);
  }

  refresh() {
    this.analyse();
    const { position, pending } = this;
    const shown = position.withStones(pending);
    const open = this.mine && pending.length < position.maxStones;
    const options = settings.shade && position.facts.odd && open ? optionsOf(position, pending) : null;
    this.options = options;
    if (!position.colours.includes(this.colour)) this.colour = position.colours[0];
    const preview = this.preview ? this.previewStones(this.preview) : [];
    this.view.show({
      position: shown.withStones(preview),
      pending: [...pending, ...preview],
      last: this.tree.current.turn?.stones ?? [],
      options,
      links: settings.links ? diamondLinks(shown) : [],
      numbered: settings.number,
      heat: this.heat,
      steps: new Map(preview.map(({ cell, step }) => [cell, String(step)])),
      active: this.mine,
    });
    el('analysis').hidden = !this.mayAnalyse;
    drawCounts(shown);
    this.hover(this.hovered);
    drawTurn(this);
    drawGame(this);
  }

  get heat() { return this.candidates.length ? heatOf(this.candidates, this.position, this.pending) : null; }

  names() { return this.table ? this.table.names : seatNames(this.seats); }

  /** @param {number | null} cell */
  hover(cell) {
    this.hovered = cell;
    const { position, pending } = this;
    drawHover(position, pending, cell, this.options ?? null);
    if (cell === null || !this.mine || !position.isEmpty(cell) || pending.some((stone) => stone.cell === cell)) {
      this.view.ghost(null);
      return;
    }
    const held = pending.length < position.maxStones ? pending : pending.slice(0, -1);
    const shown = position.withStones(held);
    const stone = { cell, colour: this.colour };
    const { merges, legal, completable } = effectOf(position, held, stone);
    this.view.ghost({ stone, position: shown, merges, fits: legal || completable });
  }

  /** @param {number} cell */
  describe(cell) {
    const label = this.tree.rules.board.labels[cell];
    const stone = this.pending.find((one) => one.cell === cell);
    if (stone) return `${label}, pending ${nameOf(stone.colour).toLowerCase()} stone`;
    const colour = this.position.cells[cell];
    return colour < 0 ? `${label}, empty` : `${label}, ${nameOf(/** @type {Colour} */ (colour)).toLowerCase()}`;
  }

  /** The stones of a line of turns that are not on the board yet. @param {string[]} line */
  previewStones(line) {
    const seen = new Set(this.pending.map(({ cell }) => cell));
    return readLine(line, this.position)
      .flatMap(({ stones }, index) => stones.map((stone) => ({ ...stone, step: index + 1 })))
      .filter(({ cell }) => this.position.isEmpty(cell) && !seen.has(cell) && seen.add(cell));
  }

  // -- the engine's view ----------------------------------------------------------------------

  /** Nobody may ask the engine for advice in a game that a referee counts. */
  get mayAnalyse() {
    const playing = this.table && this.table.ticket.key !== null && this.table.ending === null;
    return this.engine.features.has('analyze') && !playing;
  }

  analyse() {
    // The server may have one thread for searches: whoever thinks for a turn goes first.
    const wanted = /** @type {HTMLInputElement} */ (el('analyse')).checked && this.mayAnalyse
      && !this.position.isOver && !this.thinking && !this.sweeping && !document.hidden;
    const line = wanted ? positionLine(this.tree) : '';
    const [first] = this.pending;
    const halfway = wanted && this.position.maxStones === 2 && this.pending.length === 1;
    const key = halfway ? `${line} + ${formatTurn(drop(first), this.tree.rules)}` : line;
    // A full turn in the making is looked at together with all others.
    if (this.analysis.wanted === key || (wanted && this.pending.length === 2)) return;
    this.candidates = [];
    this.preview = null;
    drawLines(el('lines'), [], this.position, () => {});
    if (halfway) {
      const turns = this.position.completions(first).map((stone) => formatTurn(drop(first, stone), this.tree.rules));
      this.analysis.watchSeconds(key, line, turns);
    } else if (wanted) this.analysis.watch(line);
    else if (!this.sweeping) this.analysis.stop();
  }

  /** A short look at every turn of the game, for the graph. */
  async sweep() {
    if (this.sweeping || !this.mayAnalyse) return;
    this.sweeping = true;
    this.refresh();
    const { tree } = this;
    try {
      for (const node of tree.line()) {
        if (this.tree !== tree || !this.sweeping) break;
        if (node.position.isOver) continue;
        const best = await this.analysis.glance(positionLine(tree, node), 0.3);
        if (best) this.judge(node, best);
        drawGame(this);
      }
    } catch (error) {
      if (this.engine.isConnected) this.refuse(error instanceof Error ? error.message : String(error));
    }
    this.analysis.stop();
    this.sweeping = false;
    this.refresh();
  }

  /** @param {import('./tree.js').Node} node @param {import('./analysis.js').Candidate} best */
  judge(node, best) { node.winrate = node.position.player ? 1 - best.winrate : best.winrate; }

  /** Once before the next picture, however much has happened until then. */
  redrawSoon() {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => { this.due = false; this.refresh(); });
  }

  /** @param {import('./analysis.js').Candidate[]} candidates */
  looked(candidates) {
    this.candidates = candidates;
    const [best] = candidates;
    if (best && !best.flat) this.judge(this.tree.current, best);
    drawLines(el('lines'), candidates, this.position, (line) => {
      this.preview = line;
      this.redrawSoon();
    });
    // Not the whole page: that would cost pictures, several times a second.
    this.view.showHeat({ heat: this.heat, position: this.position.withStones(this.pending) });
    drawCurves(this);
  }

  // -- the page -------------------------------------------------------------------------------

  /** The game of a tournament that an address names, if it names one. @param {string} hash */
  async openRecord(hash) {
    const path = readRun(hash);
    if (!path) return;
    try {
      const reply = await fetch(`api/${path}`);
      const record = await reply.json();
      if (!reply.ok) throw new Error(record.error);
      const { tree, seats } = readRecord(record);
      this.leaveTable();
      this.show(tree, seats);
    } catch (error) {
      this.refuse(error instanceof Error ? error.message : String(error));
    }
  }

  start() {
    wire(this);
    document.addEventListener('visibilitychange', () => this.refresh());
    this.engine.connect();
    this.openAddress();
    // The page keeps its address up to date without a word: this is somebody who has changed it.
    window.addEventListener('hashchange', () => this.openAddress());
    window.setInterval(() => { this.clocks.tick(); drawClocks(this); }, 100);
  }

  /** Shows what the address names. */
  openAddress() {
    const { hash } = location;
    this.leaveTable();
    try {
      const found = readLink(hash);
      if (found) {
        const { black = 'person', white = 'person', clock = '', names } = found.seats;
        this.show(found.tree, { players: [black, white], clock, names });
      } else {
        this.show(this.tree, this.seats);
      }
    } catch (error) {
      this.show(this.tree, this.seats);
      this.refuse(error instanceof Error ? error.message : String(error));
    }
    this.openRecord(hash);
    if (!this.lobby.resume(hash)) this.moveOn();
  }
}
