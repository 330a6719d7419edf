// The page on which a position is set up, and where a game, an analysis or a study begins from it.
import { AddressBar } from '../base/addressbar.js';
import { BoardView, cellOf } from '../board/board.js';
import { wireCopies } from '../base/copy.js';
import { wirePage } from '../server/header.js';
import { layOut } from '../board/layout.js';
import { boardChoices, drawOptions, playerChoices, readOptions } from '../lobby/newgame.js';
import { NotationError } from '../base/errors.js';
import { ownIn, packRules, publicLink } from '../rules/link.js';
import {
  formatPosition,
  isUnfit,
  parseShown,
  problemText,
  readPosition,
} from '../rules/notation.js';
import { reasonOf } from '../base/errortext.js';
import {
  GAMES,
  Position,
  gameOf,
  groupsText,
  makeRules,
  parityText,
  stoneName,
} from '../rules/rules.js';
import { HUMAN } from '../rules/seats.js';
import { loadSettings } from '../base/settings.js';
import * as setup from '../rules/setup.js';
import { el } from '../base/svg.js';
import { t } from '../base/texts.js';

/** @import { Colour } from '../rules/rules.js' */
/** @import { Draft } from '../rules/setup.js' */
/** @typedef {Colour | -1} Brush */

/** Drafts that can be brought back. */
const REMEMBERED = 500;

/** @param {string} id */
const field = (id) => /** @type {HTMLInputElement} */ (el(id));

class Editor {
  /** @param {Draft} draft */
  constructor(draft) {
    this.draft = draft;
    /** @type {Draft[]} those before, the latest last */
    this.past = [];
    /** @type {Brush} */
    this.brush = 0;
    this.address = new AddressBar(() => this.fragment);
    /** @type {import('../rules/geometry.js').Geometry | null} the board that is drawn */
    this.board = null;
    /** Whether the draft comes from the position line. */
    this.isTyped = false;
    /** The game that the address describes. @type {import('../rules/rules.js').OwnGame | undefined} */
    this.own = undefined;
    /** The game whose options are drawn. */
    this.game = '';
    const board = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (el('board')));
    this.view = new BoardView(board, {
      tap: (cell, side) => this.tap(cell, side),
      hover: () => {},
      key: (event, cell) => this.key(event, cell),
    });
    this.wireBrushes(board);
    this.wireFields();
    this.draw();
  }

  /** @param {Draft} draft @param {boolean} [isRemembered] whether it is a step of its own for Undo */
  change(draft, isRemembered = true) {
    if (draft === this.draft) return;
    if (isRemembered) this.past = [...this.past, this.draft].slice(-REMEMBERED);
    this.draft = draft;
    this.draw();
    this.address.update();
  }

  get line() {
    return formatPosition(setup.positionOf(this.draft));
  }

  get parts() {
    return { position: this.line, ...packRules(this.draft.rules) };
  }

  /** The position in the spelling of links. */
  get fragment() {
    return `#${new URLSearchParams(this.parts)}`.replace(/%2F/g, '/');
  }

  // -- stones -------------------------------------------------------------------------------

  /** The contents that the brush or the other button gives a cell. @param {'main' | 'other'} side @returns {Brush} */
  contents(side) {
    if (side === 'main') return this.brush;
    return this.brush === 0 ? 1 : 0;
  }

  /** @param {number} cell @param {'main' | 'other'} side */
  tap(cell, side) {
    this.change(setup.toggle(this.draft, cell, this.contents(side)));
    this.say(cell);
  }

  /** @param {number} cell */
  say(cell) {
    const { rules, cells } = this.draft;
    const content = cells[cell];
    const what = content < 0 ? t('editor.empty') : stoneName(/** @type {Colour} */ (content));
    const { total } = setup.positionOf(this.draft).census();
    el('status').textContent =
      `${rules.board.labels[cell]} ${what}, ${countText(this.draft, total)}`;
  }

  /** @param {KeyboardEvent} event @param {number} cell */
  key(event, cell) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const key = event.key.toLowerCase();
    if (key === ' ' || key === 'enter') this.tap(cell, event.shiftKey ? 'other' : 'main');
    else if (key === 'x')
      this.setBrush(this.brush === 0 ? 1 : this.brush === 1 ? setup.NOTHING : 0);
    else if (key in KEYS) {
      this.change(setup.paint(this.draft, cell, KEYS[key]));
      this.say(cell);
    } else return false;
    return true;
  }

  /** @param {Brush} brush */
  setBrush(brush) {
    this.brush = brush;
    for (const choice of document.querySelectorAll('input[name=brush]'))
      if (choice instanceof HTMLInputElement) choice.checked = Number(choice.value) === brush;
  }

  /** @param {SVGSVGElement} board */
  wireBrushes(board) {
    for (const choice of document.querySelectorAll('input[name=brush]'))
      choice.addEventListener('change', () =>
        this.setBrush(
          /** @type {Brush} */ (Number(/** @type {HTMLInputElement} */ (choice).value)),
        ),
      );
    /** @type {number | null} where the mouse button went down; no cell once stones are painted */
    let from = null;
    board.addEventListener('pointerdown', (event) => {
      from = event.pointerType === 'mouse' && event.button === 0 ? cellOf(event) : null;
    });
    board.addEventListener('pointermove', (event) => {
      const cell = cellOf(event);
      if (event.pointerType !== 'mouse' || event.buttons !== 1 || cell === null) return;
      if (from !== null && cell !== from) {
        this.change(setup.paint(this.draft, from, this.brush));
        from = null;
      }
      if (from === null) this.change(setup.paint(this.draft, cell, this.brush));
    });
  }

  // -- fields -------------------------------------------------------------------------------

  wireFields() {
    field('game-name').append(
      ...Object.entries(GAMES).map(([name, { title }]) => new Option(title, name)),
    );
    for (const id of ['black', 'white']) field(id).append(...playerChoices());
    const changes = /** @type {Record<string, () => Draft>} */ ({
      'game-name': () =>
        setup.changeRules(this.draft, makeRules(gameOf(field('game-name').value, this.own))),
      size: () => this.withRules(),
      options: () => this.withRules(),
      player: () => ({
        ...this.draft,
        player: /** @type {Colour} */ (Number(field('player').value)),
      }),
      passes: () => ({ ...this.draft, passes: Number(field('passes').value) }),
      number: () => ({ ...this.draft, number: Number(field('number').value) || null }),
    });
    for (const [id, draft] of Object.entries(changes))
      el(id).addEventListener('change', () => {
        try {
          this.change(draft());
        } catch (error) {
          el('problem').textContent = problemOf(error);
        }
      });
    el('line').addEventListener('input', () => this.read(field('line').value));
    el('line').addEventListener('blur', () => this.draw());
    el('undo').addEventListener('click', () => this.undo());
    el('clear').addEventListener('click', () => this.change(setup.clear(this.draft)));
    document.addEventListener('keydown', (event) => {
      const isUndo = event.key === 'z' && (event.ctrlKey || event.metaKey);
      if (!isUndo || event.target === el('line')) return;
      event.preventDefault();
      this.undo();
    });
    for (const id of ['play', 'analyse', 'study'])
      el(id).addEventListener('click', () => location.assign(this.goesOn(id)));
  }

  withRules() {
    const { game, definition } = this.draft.rules;
    return setup.changeRules(
      this.draft,
      makeRules(gameOf(game, definition), field('size').value, readOptions(el('options'))),
    );
  }

  undo() {
    const before = this.past.pop();
    if (before) this.change(before, false);
  }

  /** Takes up a position line. @param {string} text */
  read(text) {
    try {
      const draft = setup.draftOf(parseShown(text, this.own));
      this.isTyped = true;
      this.change(draft);
      el('line-problem').textContent = '';
    } catch (error) {
      el('line-problem').textContent = problemOf(error);
    }
  }

  /** Shows the position of an address, if it has one, which may be in the making. @param {string} hash */
  async open(hash) {
    const parts = new URLSearchParams(hash.slice(1));
    const text = parts.get('position');
    if (!text) return;
    try {
      this.own = await ownIn(parts);
      if (this.own) field('game-name').append(new Option(this.own.title, this.own.name));
      this.change(setup.draftOf(readPosition(text, this.own).position));
    } catch (error) {
      el('line-problem').textContent = problemOf(error);
    }
  }

  /** The address that a button leads to. @param {string} id */
  goesOn(id) {
    const isPlay = id === 'play';
    const parts = new URLSearchParams({
      ...this.parts,
      black: isPlay ? field('black').value : HUMAN,
      white: isPlay ? field('white').value : HUMAN,
      ...(id === 'analyse' ? { analyse: 'on' } : {}),
    });
    return `./#${parts}`;
  }

  // -- drawing ------------------------------------------------------------------------------

  draw() {
    const { draft } = this;
    const position = setup.positionOf(draft);
    this.drawBoard(position);
    this.drawFields(position);
    const problem = problemText(position);
    // A position that a teacher shows need not have come about by turns.
    const isShown = problem === '' || isUnfit(position);
    el('problem').textContent = problem;
    field('link').value = publicLink(this.fragment);
    /** @type {HTMLElement} */ (field('link').closest('.field')).hidden = !isShown;
    for (const id of ['analyse', 'study']) field(id).disabled = !isShown;
    field('play').disabled = problem !== '' || position.isOver;
    field('undo').disabled = this.past.length === 0;
    const { black, white, total } = position.census();
    el('groups').textContent = t('editor.groups', { black, white, total: countText(draft, total) });
  }

  /** @param {Position} position */
  drawBoard(position) {
    const { board } = position.rules;
    if (board !== this.board) {
      const { turns, mirrored, coordinates } = loadSettings();
      this.view.setBoard(board, layOut(board, { turns, mirrored, coordinates }));
      this.board = board;
    }
    this.view.show({
      position,
      pending: [],
      last: [],
      options: null,
      links: [],
      numbered: false,
      steps: new Map(),
      active: true,
    });
  }

  /** @param {Position} position */
  drawFields({ rules, player, passes, number }) {
    if (rules.game !== this.game) {
      field('size').replaceChildren(...boardChoices(rules));
      drawOptions(el('options'), rules);
      this.game = rules.game;
    }
    field('game-name').value = rules.game;
    field('size').value = rules.board.name;
    for (const [name, value] of Object.entries(rules.options)) {
      const input = el('options').querySelector(`[name=${name}]`);
      if (input instanceof HTMLInputElement && input.type === 'checkbox')
        input.checked = value === 'on';
      else if (input instanceof HTMLInputElement || input instanceof HTMLSelectElement)
        input.value = value;
    }
    field('player').value = String(player);
    field('passes').value = String(passes);
    el('passes-field').hidden = rules.facts.parity === null;
    field('number').value = String(number);
    const { isTyped } = this;
    this.isTyped = false;
    // A line in the making is left as it is typed.
    if (isTyped) return;
    field('line').value = this.line;
    el('line-problem').textContent = '';
  }
}

/** @type {Record<string, Brush>} */
const KEYS = { b: 0, 1: 0, w: 1, 2: 1, e: -1, 0: -1, backspace: -1, delete: -1 };

/** @param {Draft} draft @param {number} total */
const countText = ({ rules }, total) =>
  rules.facts.parity !== null ? parityText(total) : groupsText(total);

/** @param {unknown} error */
const problemOf = (error) =>
  error instanceof NotationError
    ? t('editor.column', { n: error.column, problem: error.message })
    : reasonOf(error);

wirePage();
wireCopies();
export const editor = new Editor(setup.draftOf(new Position(makeRules('yodd'))));
editor.open(location.hash);
window.addEventListener('hashchange', () => editor.open(location.hash));
