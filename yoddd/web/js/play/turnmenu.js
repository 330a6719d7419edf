// The menu of a turn in the record: glyphs, comment, promotion, deletion. It opens by the button beside
// the current turn, by a right click or long press on any, and by the menu key.
import { editComment } from '../base/comment.js';
import { packRules } from '../rules/link.js';
import { formatPosition } from '../rules/notation.js';
import * as game from './game.js';
import { mayEdit } from './state.js';
import { capital } from '../rules/rules.js';
import { button, el, html } from '../base/svg.js';
import { t } from '../base/texts.js';

/** @import { State } from './state.js' */
/** @typedef {import('./keys.js').Player} Page what the menu acts on */
/** @import { Glyph } from '../rules/tree.js' */

/** The meanings of the glyphs. @type {[Glyph, string][]} */
export const GLYPHS = [
  ['!', t('glyph.good')],
  ['?', capital(t('grade.mistake'))],
  ['!!', t('glyph.brilliant')],
  ['??', capital(t('grade.blunder'))],
  ['!?', t('glyph.interesting')],
  ['?!', t('glyph.dubious')],
];

/** The path that a turn of the record has as data. @param {Element | null} element @returns {number[] | null} */
export function pathIn(element) {
  const path = element instanceof HTMLElement ? element.dataset.path : undefined;
  return path === undefined ? null : path.split('.').filter(Boolean).map(Number);
}

/** Makes the menu. @param {Page} page */
export function wireTurnMenu(page) {
  const menu = html('div', { id: 'turn-menu', popover: 'auto', role: 'dialog' });
  const list = el('moves');
  document.body.append(menu);
  let isDown = false;
  /** @type {(() => void) | null} opens the menu once the button or the finger is lifted */
  let waiting = null;
  list.addEventListener('pointerdown', () => {
    isDown = true;
  });
  for (const type of ['pointerup', 'pointercancel'])
    window.addEventListener(type, () => {
      isDown = false;
      // The menu would take the end of this event for a click outside.
      if (waiting) window.setTimeout(waiting);
      waiting = null;
    });
  list.addEventListener('contextmenu', (event) => {
    const turn = event.target instanceof Element ? event.target.closest('[data-path]') : null;
    const path = pathIn(turn);
    if (!path || !turn) return;
    event.preventDefault();
    page.apply(game.goToPath, path);
    const place = event.clientX ? event : turn.getBoundingClientRect();
    const show = () => open(page, menu, place);
    if (isDown) waiting = show;
    else show();
  });
  list.addEventListener('click', (event) => {
    const more = event.target instanceof Element ? event.target.closest('.more') : null;
    if (more) open(page, menu, more.getBoundingClientRect());
  });
  menu.addEventListener('click', (event) => {
    if (event.target instanceof Element && event.target.closest('button, a')) menu.hidePopover();
  });
}

/** Opens the menu of the current turn at a place. @param {Page} page @param {HTMLElement} menu @param {{x: number, y: number}} place */
function open(page, menu, { x, y }) {
  const { state } = page;
  menu.replaceChildren(...itemsOf(page));
  menu.setAttribute(
    'aria-label',
    state.tree.index
      ? t('turnmenu.turn', { n: state.tree.position.number - 1 })
      : t('turnmenu.start'),
  );
  menu.showPopover();
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(4, Math.min(x, window.innerWidth - width - 4))}px`;
  menu.style.top = `${Math.max(4, Math.min(y, window.innerHeight - height - 4))}px`;
  /** @type {HTMLElement | null} */ (menu.querySelector('button'))?.focus();
}

/** @param {Page} page @returns {Element[]} */
function itemsOf(page) {
  const { tree, removed } = page.state;
  const isEditable = mayEdit(page.state);
  /** @param {string} text @param {string} key @param {(state: State) => State} intent */
  const change = (text, key, intent) => item(text, key, () => page.apply(intent));
  const items = [item(t('turnmenu.comment'), 'C', () => editComment())];
  if (isEditable && !tree.isMain)
    items.push(
      change(t('turnmenu.promote'), '', (state) => game.promoteVariation(state)),
      change(t('turnmenu.main'), '', (state) => game.promoteVariation(state, true)),
    );
  if (isEditable && tree.index)
    items.push(change(t('turnmenu.delete'), t('key.delete'), game.deleteTurn));
  if (removed.length) items.push(change(t('turnmenu.restore'), t('key.undo'), game.restoreDeleted));
  const edit = html('a', { href: editorLink(tree.position) }, t('turnmenu.edit'));
  return [...(tree.current.turn ? [glyphs(page)] : []), ...items, edit];
}

/** @param {Page} page */
function glyphs(page) {
  const { glyph } = page.state.tree.current;
  const buttons = GLYPHS.map(([sign, name]) => {
    const act = () => page.apply(game.annotateTurn, sign === glyph ? '' : sign);
    const pressed = String(sign === glyph);
    return button(sign, act, { 'aria-pressed': pressed, 'aria-label': name, title: name });
  });
  return html('div.glyphs', { role: 'group', 'aria-label': t('turnmenu.judgement') }, ...buttons);
}

/** @param {string} text @param {string} key that does the same @param {() => void} action */
const item = (text, key, action) =>
  button([text, ...(key ? [html('kbd', { 'aria-hidden': 'true' }, key)] : [])], action);

/** The page on which a position is changed. @param {import('../rules/rules.js').Position} position */
export const editorLink = (position) =>
  `editor.html#${new URLSearchParams({ position: formatPosition(position), ...packRules(position.rules) })}`.replace(
    /%2F/g,
    '/',
  );
