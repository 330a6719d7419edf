// The page of puzzles: that of the day, a run of them, or by game, grade and theme.
import { t, tOf } from '../base/texts.js';
import '../base/unfold.js';
import { keyAndRest } from '../server/connection.js';
import { withDiscs } from '../base/discs.js';
import { PASS, drop, formatTurn, isSameTurn, parseTurn, showTurn } from '../rules/notation.js';
import { fail } from './pages.js';
import { pause } from '../base/pause.js';
import { joinAccount, keepProgress, loadProgress } from './puzzleprogress.js';
import * as puzzleset from './puzzleset.js';
import { Prover } from '../server/prover.js';
import { Storm, stormParts } from './puzzlestorm.js';
import { TITLES, cardText, hintText, standingText } from './puzzletexts.js';
import { GAMES, capital, gameTitle, nameOf, other } from '../rules/rules.js';
import { wonText } from '../rules/standing.js';
import { loadSettings } from '../base/settings.js';
import { load } from '../base/data.js';
import { button, el, field, html, off } from '../base/svg.js';
import { entriesOf, isTimed, marksOf, readAnswer, withoutTurns } from '../analysis/solved.js';
import { TurnBoard } from '../board/turnboard.js';

/** @import { Choice, Progress, Puzzle } from './puzzleset.js' */
/** @import { Mode } from './puzzletexts.js' */
/** @import { Turn } from '../rules/rules.js' */

/** Milliseconds between two turns that are played out. */
const PACE = 900;

class PuzzlePage {
  /** @param {readonly Puzzle[]} puzzles */
  constructor(puzzles) {
    this.puzzles = puzzles;
    this.prover = new Prover();
    this.board = new TurnBoard({
      changed: () => this.drawControls(),
      coordinates: loadSettings().coordinates,
    });
    /** @type {Mode} */
    this.mode = 'day';
    /** @type {Choice} */
    this.choice = { game: puzzleset.FIRST, grade: '', theme: '' };
    /** @type {Storm | null} while it goes on */
    this.storm = null;
    /** Puzzles of the storm that has ended; null for none. @type {number | null} */
    this.ended = null;
    window.setInterval(() => this.tick(), 250);
    /** Puzzles solved in a row, in a run. */
    this.run = 0;
    /** @type {Puzzle | null} */
    this.puzzle = null;
    this.isDone = false;
    /** Whether nothing wrong was tried and no help taken. */
    this.isClean = true;
    this.hints = 0;
    this.areValuesShown = false;
    this.told = html('p.answer', { role: 'status' });
    this.head = html('div.task');
    this.controls = html('div.row.answers');
    this.actions = html('div.row.onward');
    this.tabs = html('nav.titles', { 'aria-label': t('nav.puzzles') });
    this.reply = html('div.reply', this.controls, this.told, this.actions);
    el('sheet').replaceChildren(
      html('h1', t('nav.puzzles')),
      this.tabs,
      html('div.lesson', this.head, html('div.place', this.board.root), this.reply),
    );
    this.board.root.addEventListener('keydown', (event) => {
      if (/** @type {KeyboardEvent} */ (event).key === 'Enter') this.play();
    });
  }

  get start() {
    return puzzleset.startOf(/** @type {Puzzle} */ (this.puzzle));
  }

  /** The turn that wins; the first of those that are alike. */
  get right() {
    return puzzleset.winningTurns(/** @type {Puzzle} */ (this.puzzle), this.start)[0];
  }

  /** The verdict of the solver on the position after a turn, by its words. @param {Turn} turn */
  async proofAfter(turn) {
    const { position } = /** @type {Puzzle} */ (this.puzzle);
    const token = formatTurn(turn, this.start.rules);
    const text = await this.prover.ask(`${position} moves ${token}`, 'solve 5');
    return new Map(text.split('\n').map((line) => keyAndRest(line.trim())));
  }

  /** Opens the mode, or the puzzle, that the address names. */
  open() {
    const [mode, id] = location.hash.slice(1).split('=');
    this.mode = mode === 'run' || mode === 'free' || mode === 'storm' ? mode : 'day';
    this.storm = this.ended = null;
    const named = this.puzzles.find((one) => one.id === id);
    this.run = 0;
    const isNew = !mode && !Object.keys(loadProgress().solved).length;
    if (named || isNew) this.mode = 'free';
    if (isNew) this.choice = { ...this.choice, grade: 'easy' };
    this.show(named ?? (isNew ? puzzleset.PRIMER : this.next()));
  }

  /** @returns {Puzzle | null} */
  next() {
    if (this.mode === 'day')
      return puzzleset.puzzleOfDay(this.puzzles, puzzleset.dayOf(new Date()));
    if (this.mode === 'storm' && !this.storm) return null;
    if (this.mode === 'run' || this.storm)
      return puzzleset.puzzleOfRun(
        this.puzzles,
        this.storm?.score ?? this.run,
        loadProgress(),
        Math.random(),
      );
    const fit = puzzleset.chosen(this.puzzles, this.choice);
    const { solved } = loadProgress();
    const fresh = fit.filter(({ id }) => !(id in solved) && id !== this.puzzle?.id);
    const drawn = fresh.length ? fresh : fit;
    return drawn[Math.floor(Math.random() * drawn.length)] ?? null;
  }

  /** @param {Puzzle | null} puzzle */
  show(puzzle) {
    this.puzzle = puzzle;
    this.isDone = false;
    this.isClean = true;
    this.hints = 0;
    this.areValuesShown = false;
    this.tell('');
    if (puzzle) {
      this.board.show(this.start);
      this.board.view.showValues(new Map());
    }
    this.draw();
  }

  draw() {
    this.drawTabs();
    this.head.replaceChildren(...this.headParts());
    this.reply.hidden = !this.puzzle;
    this.board.root.toggleAttribute('hidden', !this.puzzle);
    this.drawControls();
  }

  drawTabs() {
    const links = Object.entries(TITLES).map(([mode, title]) =>
      html('a', { href: `#${mode}`, 'aria-current': mode === this.mode ? 'page' : null }, title),
    );
    this.tabs.replaceChildren(...links);
  }

  headParts() {
    const { puzzle } = this;
    const progress = loadProgress();
    const isFirst = puzzle === puzzleset.PRIMER;
    const choice = this.mode === 'free' && !isFirst ? [this.choiceFields()] : [];
    if (!puzzle && this.mode === 'storm')
      return stormParts(
        progress.mostStorm,
        this.ended,
        () => this.startStorm(),
        (text) => this.shareButton(text),
      );
    if (!puzzle) return [...choice, html('p.text', t('puzzle.none'))];
    const { player, facts: rules } = this.start;
    // Without the passes at the end.
    const turns = Math.ceil(puzzle.distance / 2) - Number(rules.parity !== null);
    const facts = `${gameTitle(puzzleset.gameOf(puzzle), this.start.rules.board.name)}; ${tOf(`puzzle.grade-${puzzleset.gradeOf(puzzle)}`).toLowerCase()}`;
    const past = puzzle.id in progress.solved ? t('puzzle.past') : '';
    return [
      ...choice,
      html('p.quiet', this.standing(progress)),
      html('h2', t('puzzle.task', { name: nameOf(player) })),
      html('p.text', t('puzzle.text', { n: turns })),
      html(
        'p.quiet',
        `${facts}${past}. `,
        ...(isFirst ? [] : [html('a', { href: `?puzzle=${puzzle.id}` }, puzzle.id), ' · ']),
        html('a', { href: `rules.html#${puzzleset.gameOf(puzzle)}` }, t('learn.rules')),
      ),
    ];
  }

  /** @param {Progress} progress */
  standing(progress) {
    if (this.storm) return this.storm.text(Date.now());
    return standingText(this.mode, progress, this.run, this.puzzles.length);
  }

  startStorm() {
    this.storm = new Storm(performance.now());
    this.show(this.next());
  }

  /** A puzzle of a storm is answered. @param {boolean} isRight @param {string} text */
  goOn(isRight, text) {
    if (this.storm?.answer(isRight)) this.show(this.next());
    else this.endStorm();
    this.tell(text, isRight ? 'right' : 'wrong');
  }

  endStorm() {
    const { score } = /** @type {Storm} */ (this.storm);
    this.storm = null;
    this.ended = score;
    keepProgress(puzzleset.keepStorm(loadProgress(), score));
    this.show(null);
  }

  /** Draws the time of a storm, and ends it. */
  tick() {
    if (!this.storm) return;
    const now = performance.now();
    if (this.storm.isOver(now)) this.endStorm();
    else
      /** @type {Element} */ (this.head.querySelector('.quiet')).textContent = this.storm.text(now);
  }

  /** Shares a text with a link to the puzzle, or copies both. @param {string} text */
  shareButton(text) {
    const made = button(t('after.share'), async () => {
      const url = new URL(this.puzzle ? `?puzzle=${this.puzzle.id}` : '#storm', location.href).href;
      const { share } = /** @type {{share?: Navigator['share']}} */ (navigator);
      if (share)
        await share.call(navigator, { text, url }).catch(() => {}); // closed
      else await navigator.clipboard.writeText(`${text}\n${url}`);
      made.textContent = t('puzzle.shared');
    });
    return made;
  }

  choiceFields() {
    const games = Object.fromEntries(Object.entries(GAMES).map(([id, { title }]) => [id, title]));
    const named = (/** @type {string} */ kind, /** @type {readonly string[]} */ names) =>
      Object.fromEntries(names.map((name) => [name, tOf(`puzzle.${kind}-${name}`)]));
    return html(
      'div.search',
      this.choiceField('game', t('archive.game'), games),
      this.choiceField('grade', t('puzzle.grade'), named('grade', Object.keys(puzzleset.GRADES))),
      this.choiceField('theme', t('puzzle.theme'), named('theme', Object.keys(puzzleset.THEMES))),
    );
  }

  /** @param {keyof Choice} name @param {string} label @param {Record<string, string>} values */
  choiceField(name, label, values) {
    const options = Object.entries({ '': t('archive.any'), ...values }).map(([value, text]) =>
      html('option', { value, selected: value === this.choice[name] ? '' : null }, text),
    );
    const select = html('select', { name }, ...options);
    select.addEventListener('change', () => {
      this.choice = { ...this.choice, [name]: select.value };
      this.show(this.next());
      /** @type {HTMLElement | null} */ (this.head.querySelector(`select[name=${name}]`))?.focus();
    });
    return field(label, select);
  }

  drawControls() {
    if (!this.puzzle) return;
    const { position, pending } = this.board;
    const isIdle = this.isDone || !pending.length;
    const isOpen = !isIdle && position?.dropProblem(pending) === null;
    const play = button(t('turn.play'), () => this.play(), { class: 'solid', ...off(!isOpen) });
    const back = button(t('learn.take-back'), () => this.board.back(), off(isIdle));
    const passes = this.start.illegality(PASS) === null;
    const pass = button(t('turn.pass-button'), () => this.attempt(PASS), off(this.isDone));
    this.controls.replaceChildren(this.board.switch, back, ...(passes ? [pass] : []), play);
    this.actions.replaceChildren(...this.actionParts());
  }

  actionParts() {
    const again = button(t('puzzle.next'), () => this.show(this.next()), { class: 'solid' });
    const { puzzle } = this;
    if (!puzzle || this.storm) return [];
    if (!this.isDone)
      return [
        button(t('record.hint'), () => this.hint()),
        button(t('puzzle.solution'), () => this.giveUp()),
        ...(this.mode === 'free'
          ? [button(t('puzzle.another'), () => this.show(this.next()))]
          : []),
      ];
    return [
      ...(this.mode === 'day' ? [] : [again]),
      button(t('puzzle.play-out'), () => this.playOut()),
      ...(puzzle === puzzleset.PRIMER
        ? []
        : [this.shareButton(cardText(puzzle, this.mode, this.isClean, loadProgress().days))]),
      button(t(this.areValuesShown ? 'puzzle.hide' : 'puzzle.worth'), () => this.values()),
    ];
  }

  /** Plays the proven line to the end of the game. */
  async playOut() {
    const { puzzle, start, right } = this;
    const proof = await this.proofAfter(right).catch(() => null);
    const rest = proof?.get('line') ?? '';
    let position = start.play(right);
    for (const word of rest.split(' ').filter(Boolean)) {
      const turn = parseTurn(word, start.rules, position.player);
      this.tell(`${nameOf(position.player)}: ${showTurn(turn, start.rules)}.`);
      position = position.play(turn);
      this.board.show(position, { last: turn.stones, mode: 'still' });
      await pause(PACE);
      if (this.puzzle !== puzzle) return;
    }
    this.tell(position.isOver ? `${wonText(position)}.` : t('puzzle.no-prover'));
  }

  /** The rating follows the first try at a puzzle. @param {Progress} progress @param {Puzzle} puzzle @param {boolean} isSolved */
  rated(progress, puzzle, isSolved) {
    if (!this.isClean || puzzle === puzzleset.PRIMER || puzzle.id in progress.solved)
      return progress;
    return puzzleset.rate(progress, puzzle, isSolved);
  }

  /** @param {string} text @param {'' | 'right' | 'wrong'} [kind] */
  tell(text, kind = '') {
    this.told.replaceChildren(...withDiscs(text));
    this.told.className = `answer ${kind}`.trim();
    if (text) this.told.scrollIntoView({ block: 'nearest' });
  }

  play() {
    const { pending, position } = this.board;
    if (!this.isDone && pending.length && position?.dropProblem(pending) === null)
      this.attempt(drop(...pending));
  }

  /** @param {Turn} turn */
  attempt(turn) {
    const { puzzle, start } = this;
    if (!puzzle || this.isDone) return;
    const isRight = puzzleset.winningTurns(puzzle, start).some((one) => isSameTurn(one, turn));
    if (isRight) this.solved(puzzle, turn);
    else this.missed(turn);
  }

  /** @param {Puzzle} puzzle @param {Turn} turn */
  solved(puzzle, turn) {
    const before = loadProgress();
    if (puzzle === puzzleset.PRIMER) {
      this.finish(turn, t('puzzle.right', { turn: showTurn(turn, this.start.rules) }), 'right');
      return;
    }
    let progress = puzzleset.solve(this.rated(before, puzzle, true), puzzle, this.isClean);
    if (this.mode === 'day' && this.isClean)
      progress = puzzleset.solveDay(progress, puzzleset.dayOf(new Date()));
    if (this.mode === 'run' && this.isClean) {
      this.run += 1;
      progress = puzzleset.keepRun(progress, this.run);
    }
    keepProgress(progress);
    const motifs = puzzleset.motifsOf(puzzle).map((one) => tOf(`puzzle.theme-${one}`));
    const named = motifs.length ? ` ${t('puzzle.motif', { motifs: motifs.join(', ') })}` : '';
    const text = t('puzzle.right', { turn: showTurn(turn, this.start.rules) }) + named;
    if (this.storm) this.goOn(true, text);
    else this.finish(turn, text, 'right');
  }

  /** @param {Turn} turn */
  async missed(turn) {
    const { start, puzzle } = this;
    const name = capital(showTurn(turn, start.rules)); // a turn may be a word
    this.spoil();
    if (this.storm) {
      this.goOn(false, t('puzzle.wrong', { turn: name }));
      return;
    }
    if (this.mode === 'run') {
      this.endRun(t('puzzle.wrong', { turn: name }));
      return;
    }
    this.tell(t('puzzle.wrong-again', { turn: name }), 'wrong');
    this.head.replaceChildren(...this.headParts());
    const reply = await this.refutation(turn).catch(() => '');
    if (reply && this.puzzle === puzzle && !this.isDone)
      this.tell(t('puzzle.wrong-reply', { turn: name, reply }), 'wrong');
  }

  /** A run ends with the first wrong turn, or with help. @param {string} text */
  endRun(text) {
    const { right, run } = this;
    this.run = 0;
    const values = { text, turn: showTurn(right, this.start.rules), n: run };
    this.finish(right, t('puzzle.run-over', values), 'wrong');
  }

  /** The best answer to a wrong turn, in words. @param {Turn} turn */
  async refutation(turn) {
    const { rules, player } = this.start;
    const fields = await this.proofAfter(turn);
    const [first] = (fields.get('line') ?? '').split(' ').filter(Boolean);
    if (fields.get('value') !== 'won' || !first) return '';
    const enemy = other(player);
    const answer = showTurn(parseTurn(first, rules, enemy), rules);
    const distance = fields.get('distance');
    const after = distance && distance !== 'unknown' ? t('table.in', { n: distance }) : '';
    return t('puzzle.reply', { name: nameOf(enemy), turn: answer }) + after;
  }

  /** A wrong turn or help: the first try has failed. */
  spoil() {
    if (this.puzzle) keepProgress(this.rated(loadProgress(), this.puzzle, false));
    this.isClean = false;
  }

  /** Shows the winning turn, with the number 1. @param {Turn} turn @param {string} text @param {'' | 'right' | 'wrong'} kind */
  finish(turn, text, kind) {
    this.isDone = true;
    this.board.show(this.start, { mode: 'still' });
    this.board.setPending(turn.stones);
    this.tell(text, kind);
    this.draw();
  }

  hint() {
    if (this.mode === 'run') {
      this.endRun(t('puzzle.hint-ends'));
      return;
    }
    const { right, start } = this;
    this.spoil();
    this.hints += 1;
    const text = right.stones.length
      ? hintText(start, right.stones, this.hints)
      : t('puzzle.turn-is', { turn: showTurn(right, start.rules) });
    this.tell(text);
  }

  giveUp() {
    const { right, start } = this;
    this.spoil();
    if (this.mode === 'run') this.endRun(t('puzzle.solution-ends'));
    else this.finish(right, t('puzzle.turn-is', { turn: showTurn(right, start.rules) }), '');
  }

  /** Shows or hides the worth of every stone with the turns to the end. */
  async values() {
    const { puzzle, start } = this;
    if (!puzzle) return;
    this.areValuesShown = !this.areValuesShown;
    this.drawControls();
    if (!this.areValuesShown) {
      this.board.view.showValues(new Map());
      this.board.setPending(this.right.stones);
      return;
    }
    const text = await this.prover.ask(puzzle.position, 'probe 2').catch(() => '');
    if (this.puzzle !== puzzle || !this.areValuesShown) return;
    if (!text) {
      this.tell(t('puzzle.no-prover'), 'wrong');
      return;
    }
    this.board.setPending([]);
    const answer = readAnswer(puzzle.position, text);
    const entries = entriesOf(answer, start, []);
    this.board.view.showValues(marksOf(isTimed(entries) ? entries : entries.map(withoutTurns)));
    this.tell(t(isTimed(entries) ? 'puzzle.values-timed' : 'puzzle.values'));
  }
}

async function begin() {
  try {
    const reply = await load('puzzles.jsonl');
    const page = new PuzzlePage(puzzleset.readPuzzles(await reply.text()));
    page.open();
    window.addEventListener('hashchange', () => page.open());
    // Else the browser's own progress is shown.
    const isJoined = await joinAccount().catch(() => false);
    if (isJoined) page.draw();
  } catch (error) {
    fail(error);
  }
}

begin();
