// A board on which a turn can be tried, with the choice of the colour: for lessons and rules.
import { BoardView } from './board.js';
import { place, takeBack, tap } from './input.js';
import { layOut } from './layout.js';
import { ghostOf } from '../rules/parity.js';
import { nameOf, other } from '../rules/rules.js';
import { loadSettings } from '../base/settings.js';
import { figuresOf } from '../rules/standing.js';
import { html, svg } from '../base/svg.js';
import { t } from '../base/texts.js';

/** @import { Colour, Position, Stone } from '../rules/rules.js' */

/** @type {Record<string, Colour | undefined>} the chosen colour if undefined */
const DROPS = { b: 0, w: 1, ' ': undefined };

/** Numbers the groups of radio buttons, which have a name each. */
let boards = 0;

export class TurnBoard {
  /**
   * @param {object} handlers
   * @param {(pending: readonly Stone[], cell: number) => void} handlers.changed the stones of the turn are others
   * @param {(cell: number) => void} [handlers.picked] a cell where no turn is asked for
   * @param {import('./layout.js').View['coordinates']} [handlers.coordinates]
   */
  constructor({ changed, picked = () => {}, coordinates = 'none' }) {
    this.changed = changed;
    this.coordinates = coordinates;
    this.picked = picked;
    /** @type {Position | null} where the turn begins */
    this.position = null;
    /** @type {readonly Stone[]} stones of the turn that cannot be taken back */
    this.begun = [];
    /** @type {readonly Stone[]} stones of the turn, the begun ones first */
    this.pending = [];
    /** @type {readonly Stone[]} stones with the mark of the last turn */
    this.last = [];
    /** @type {'turn' | 'pick' | 'still'} what a tap does */
    this.mode = 'still';
    /** @type {Colour} of the next stone */
    this.colour = 0;
    /** @type {number | null} the cell under the pointer */
    this.hovered = null;
    const root = /** @type {SVGSVGElement} */ (svg('svg', { class: 'small-board', role: 'grid' }));
    this.view = new BoardView(root, {
      tap: (cell, side) => this.tap(cell, side === 'main' ? this.colour : other(this.colour)),
      hover: (cell) => {
        this.hovered = cell;
        this.drawGhost();
      },
      key: (event, cell) => this.key(event, cell),
    });
    this.switch = this.makeSwitch();
    this.figures = html('p.figures');
  }

  get root() {
    return this.view.root;
  }

  /**
   * @param {Position} position
   * @param {{begun?: readonly Stone[], last?: readonly Stone[], mode?: 'turn' | 'pick' | 'still'}} [options]
   */
  show(position, { begun = [], last = [], mode = 'turn' } = {}) {
    const { board } = position.rules;
    if (this.position?.rules.board !== board) {
      const layout = layOut(board, { turns: 0, mirrored: false, coordinates: this.coordinates });
      this.view.setBoard(board, layout);
    }
    Object.assign(this, { position, begun, last, mode, pending: begun });
    this.choose(position.colours.includes(this.colour) ? this.colour : position.colours[0]);
    this.draw();
  }

  /** @param {readonly Stone[]} pending */
  setPending(pending) {
    this.pending = pending;
    this.draw();
  }

  /** Whether a stone may be placed or changed on a cell. @param {number} cell */
  isOpen(cell) {
    return this.mode === 'turn' && !this.begun.some((stone) => stone.cell === cell);
  }

  /** @param {number} cell @param {Colour} colour */
  tap(cell, colour) {
    if (this.mode === 'pick') this.picked(cell);
    else if (this.position && this.isOpen(cell))
      this.take(tap(this.position, this.pending, cell, colour), cell);
  }

  /** @param {readonly Stone[]} pending @param {number} cell */
  take(pending, cell) {
    if (pending === this.pending) return;
    this.setPending(pending);
    this.changed(pending, cell);
  }

  /** A key on a cell; whether it was used. @param {KeyboardEvent} event @param {number} cell */
  key(event, cell) {
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (key === 'enter' && this.mode === 'pick') this.picked(cell);
    else if (key === 'x') this.choose(other(this.colour));
    else if (key === 'backspace') this.back();
    else if (!(key in DROPS)) return false;
    else if (this.mode === 'pick') this.picked(cell);
    else if (this.position && this.isOpen(cell))
      this.take(place(this.position, this.pending, cell, DROPS[key] ?? this.colour), cell);
    return true;
  }

  /** Takes the last stone back. */
  back() {
    if (this.pending.length <= this.begun.length) return;
    this.setPending(takeBack(this.pending));
    this.changed(this.pending, -1);
  }

  /** @param {Colour} colour */
  choose(colour) {
    if (!this.position?.colours.includes(colour)) return;
    this.colour = colour;
    for (const input of this.switch.querySelectorAll('input')) {
      input.checked = Number(input.value) === colour;
      input.disabled = !this.position.colours.includes(/** @type {Colour} */ (Number(input.value)));
    }
    this.drawGhost();
  }

  draw() {
    if (!this.position) return;
    const shown = this.position.withStones(this.pending);
    this.view.show({
      position: shown,
      pending: [...this.pending],
      last: this.last,
      options: null,
      links: [],
      numbered: loadSettings().number,
      steps: new Map(),
      active: this.mode !== 'still',
    });
    this.figures.replaceChildren(...figureParts(shown));
    this.drawGhost();
  }

  drawGhost() {
    if (!this.position) return;
    const { position, pending, hovered, colour } = this;
    this.view.ghost(this.mode === 'turn' ? ghostOf(position, pending, hovered, colour) : null);
  }

  makeSwitch() {
    boards += 1;
    const name = `colour-${boards}`;
    const choices = [0, 1].map((colour) => {
      const input = html('input', { type: 'radio', name, value: colour });
      input.addEventListener('change', () => this.choose(/** @type {Colour} */ (colour)));
      const text = nameOf(/** @type {Colour} */ (colour));
      return html('label', input, html('span', dot(colour), text));
    });
    const label = t('turn.colour');
    return html('div.switch', { role: 'radiogroup', 'aria-label': label }, ...choices);
  }
}

/** @param {number} colour */
export const dot = (colour) =>
  html('i', { class: `dot ${colour ? 'white' : 'black'}`, 'aria-hidden': 'true' });

/** The figures that decide the game, in one line. @param {Position} position */
function figureParts(position) {
  const { title, values, captions, tone } = figuresOf(position);
  const parts = [0, 1].map((colour) => {
    const name = nameOf(/** @type {Colour} */ (colour));
    const more = captions[colour] === name ? '' : ` (${captions[colour]})`;
    return html('span', dot(colour), ` ${name} `, html('b', values[colour]), more);
  });
  const both = html('span', { class: tone }, html('b', values[2]), ` ${captions[2]}`);
  return [html('span.what', title), ...parts, both];
}
