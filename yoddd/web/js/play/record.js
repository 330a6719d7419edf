// The tree of turns: the main line, and each variation indented below the turn that it replaces. Only
// the rows that can be seen are elements of the page, as a file may have some hundred thousand turns.
import { withDiscs } from '../base/discs.js';
import { gradeIcon } from '../board/grades.js';
import { showTurn } from '../rules/notation.js';
import { GLYPH_KINDS } from '../board/stones.js';
import { html } from '../base/svg.js';
import { t, tOf } from '../base/texts.js';
import { pathOf } from '../rules/tree.js';

/** @import { GameTree, Node, Step } from '../rules/tree.js' */
/** @typedef {ReadonlyMap<import('../rules/rules.js').Position, import('../analysis/judgements.js').Judgement>} Judged */

/**
 * @typedef {object} Row
 * @property {number} depth 0 for the main line
 * @property {readonly Step[]} steps up to two turns, or the one that is commented on
 * @property {boolean} isComment
 */

/** Turns in a row. */
const ACROSS = 2;
/** Rows that are drawn above and below those that can be seen. */
const BEYOND = 8;
/** Indents that still leave space for the turns. */
const DEEPEST = 6;

/** The rows of a tree, and the row of each node. @param {Node} root */
export function rowsOf(root) {
  /** @type {{depth: number, steps: Step[], isComment: boolean}[]} */
  const rows = [];
  /** @type {Map<Node, number>} */
  const places = new Map();
  /** @type {{step: Step, depth: number, begins: boolean}[]} what comes next, the last one first */
  const todo = [{ step: { node: root, index: 0, before: null }, depth: 0, begins: true }];
  for (let item = todo.pop(); item; item = todo.pop()) {
    const { step, depth } = item;
    const last = rows.at(-1);
    const joins = !item.begins && last && !last.isComment && last.depth === depth;
    if (step.before) {
      if (joins && last.steps.length < ACROSS) last.steps.push(step);
      else rows.push({ depth, steps: [step], isComment: false });
    }
    if (step.node.comment) rows.push({ depth, steps: [step], isComment: true });
    places.set(
      step.node,
      rows.length - 1 - Number(step.node.comment !== '' && step.before !== null),
    );
    const [next] = step.node.children;
    if (next)
      todo.push({ step: { node: next, index: 0, before: step }, depth, begins: !step.before });
    if (!step.before || step.index > 0) continue;
    const beside = step.before.node.children;
    for (let index = beside.length - 1; index > 0; index -= 1)
      todo.push({
        step: { node: beside[index], index, before: step.before },
        depth: depth + 1,
        begins: true,
      });
  }
  return { rows, places };
}

/** The rows in a list that scrolls. Each turn is a button with its path in the tree as data. */
class RecordView {
  /** @param {HTMLElement} list */
  constructor(list) {
    this.list = list;
    /** @type {Row[]} */
    this.rows = [];
    /** @type {Map<Node, number>} */
    this.places = new Map();
    /** @type {GameTree | null} */
    this.tree = null;
    /** @type {Judged | null} */
    this.judged = null;
    /** @type {Map<number, HTMLElement>} the rows that are drawn */
    this.drawn = new Map();
    /** Pixels of the list and of a row, which are measured once: asking each time costs a layout. */
    this.height = 0;
    this.step = 24;
    /** Pixels that the list is scrolled by, or will be with the next frame. */
    this.top = 0;
    /** Opens the menu of the current turn. */
    this.more = html('button', { class: 'more', 'aria-haspopup': 'dialog' }, '…');
    list.addEventListener(
      'scroll',
      () => {
        this.top = list.scrollTop;
        this.draw();
      },
      { passive: true },
    );
    new ResizeObserver(() => {
      this.measure();
      this.follow();
      this.draw();
    }).observe(list);
    this.measure();
  }

  measure() {
    this.height = this.list.clientHeight;
    this.step = parseFloat(getComputedStyle(this.list).lineHeight) || this.step;
  }

  /** @param {GameTree} tree @param {Judged} judged */
  show(tree, judged) {
    const before = this.tree;
    const isJudged = judged === this.judged;
    const hasFocus = this.list.contains(document.activeElement);
    this.tree = tree;
    this.judged = judged;
    if (tree.root !== before?.root || !isJudged) {
      ({ rows: this.rows, places: this.places } = rowsOf(tree.root));
      this.list.style.setProperty('--count', String(Math.max(1, this.rows.length)));
      for (const row of this.drawn.values()) row.remove();
      this.drawn.clear();
    }
    this.follow();
    this.draw();
    // The rows are others after a change of the tree; the keys of the record go on.
    if (hasFocus && !this.list.contains(document.activeElement))
      this.list.focus({ preventScroll: true });
  }

  /** Scrolls to the current turn, by whole rows. */
  follow() {
    const { height, step, tree } = this;
    if (!tree || !height) return;
    const row = Math.max(0, this.places.get(tree.current) ?? 0);
    const seen = Math.max(1, Math.floor(height / step));
    const first = Math.round(this.top / step);
    if (row < first) this.scrollTo(row * step);
    else if (row >= first + seen) this.scrollTo((row - seen + 1) * step);
  }

  /** @param {number} top reached with the next frame, which lays the page out anyway */
  scrollTo(top) {
    this.top = top;
    requestAnimationFrame(() => {
      this.list.scrollTop = this.top;
    });
  }

  /** Draws the rows that can be seen. */
  draw() {
    const { list, rows, step, tree } = this;
    if (!tree) return;
    const first = Math.max(0, Math.floor(this.top / step) - BEYOND);
    const last = Math.min(rows.length, first + Math.ceil(this.height / step) + 2 * BEYOND);
    for (const [index, row] of this.drawn) {
      if (index >= first && index < last) continue;
      row.remove();
      this.drawn.delete(index);
    }
    for (let index = first; index < last; index += 1) if (!this.drawn.has(index)) this.add(index);
    if (!rows.length && !list.firstChild) list.append(html('li.empty', t('record.empty')));
    if (rows.length) list.querySelector('.empty')?.remove();
    this.mark(tree.path.join('.'));
  }

  /** @param {number} index of a row, which comes before the one after it for who reads the page aloud */
  add(index) {
    const { tree, judged } = this;
    const row = drawRow(
      this.rows[index],
      /** @type {GameTree} */ (tree).rules,
      /** @type {Judged} */ (judged),
    );
    row.style.setProperty('--at', String(index));
    row.dataset.row = String(index);
    let after = index + 1;
    while (after < this.rows.length && !this.drawn.has(after) && after < index + 4 * BEYOND)
      after += 1;
    this.list.insertBefore(row, this.drawn.get(after) ?? null);
    this.drawn.set(index, row);
  }

  /** Marks the current turn, which has the button of its menu. @param {string} path */
  mark(path) {
    for (const button of this.list.querySelectorAll('.turn')) {
      const isCurrent = /** @type {HTMLElement} */ (button).dataset.path === path;
      if (isCurrent) button.setAttribute('aria-current', 'step');
      else button.removeAttribute('aria-current');
      if (isCurrent && this.more.previousElementSibling !== button) button.after(this.more);
    }
    if (!path) this.list.firstElementChild?.append(this.more);
    this.more.setAttribute('aria-label', t(path ? 'record.edit' : 'record.edit-start'));
  }
}

/** @type {WeakMap<HTMLElement, RecordView>} */
const views = new WeakMap();

/** Shows a tree in a list, with the errors of its review. @param {HTMLElement} list @param {GameTree} tree @param {Judged} judged */
export function drawRecord(list, tree, judged) {
  const view = views.get(list) ?? new RecordView(list);
  views.set(list, view);
  view.show(tree, judged);
}

/** @param {Row} row @param {import('../rules/rules.js').Rules} rules @param {Judged} judged */
function drawRow({ depth, steps, isComment }, rules, judged) {
  const [{ node }] = steps;
  const row = html('li', { class: depth ? 'variation' : null });
  row.style.setProperty('--depth', String(Math.min(depth, DEEPEST)));
  if (isComment) {
    row.append(commentButton(steps[0]));
    return row;
  }
  const unseen = depth ? [html('span.unseen', t('record.variation'))] : [];
  row.append(
    html('span.n', ...unseen, String(node.position.number - (node.turn ? 1 : 0))),
    ...steps.map((step) => turnButton(step, rules, judged)),
  );
  return row;
}

/** @param {Step} step */
const commentButton = (step) =>
  html(
    'button',
    { class: 'note', title: step.node.comment, 'data-path': pathOf(step).join('.') },
    step.node.comment,
  );

/** @param {Step} step @param {import('../rules/rules.js').Rules} rules @param {Judged} judged */
function turnButton(step, rules, judged) {
  const { turn, glyph, position } = step.node;
  const grade = judged.get(position)?.grade ?? 'sound';
  return html(
    'button',
    { class: 'turn', 'data-path': pathOf(step).join('.') },
    ...withDiscs(turn ? showTurn(turn, rules) : '…'),
    ...(glyph ? [html('b', { class: `glyph ${GLYPH_KINDS[glyph]}` }, glyph)] : []),
    ...(grade === 'sound' ? [] : [gradeIcon(grade), html('span.unseen', tOf(`grade.${grade}`))]),
  );
}
