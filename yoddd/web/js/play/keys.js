// What the keys do, on the board and elsewhere.
import { editComment } from '../base/comment.js';
import * as game from './game.js';
import { takeBack } from '../board/input.js';
import { other } from '../rules/rules.js';

/** @import { Colour } from '../rules/rules.js' */
/** @import { State } from './state.js' */
/** @typedef {Pick<import('./controller.js').Controller,
 *   'state' | 'apply' | 'change' | 'changePending' | 'setPending' | 'commit' | 'play' | 'pass' | 'undo' | 'hint'>} Player what the keys act on */

/** @type {Record<string, Colour | undefined>} the chosen colour if undefined */
const DROPS = { b: 0, 1: 0, w: 1, 2: 1, ' ': undefined };

/** @param {KeyboardEvent} event */
const isShortcut = ({ ctrlKey, metaKey, altKey }) => ctrlKey || metaKey || altKey;

/** A key while a cell has the focus; whether it was used. @param {Player} player @param {KeyboardEvent} event @param {number} cell */
export function cellKey(player, event, cell) {
  if (isShortcut(event)) return false;
  const key = event.key.toLowerCase();
  if (!(key in DROPS)) return command(player, event);
  player.changePending(game.placeStone(player.state, cell, DROPS[key]));
  return true;
}

/** A key that plays; whether it was used. @param {Player} player @param {KeyboardEvent} event */
function command(player, event) {
  const back = () => player.setPending(takeBack(player.state.pending));
  const actions = /** @type {Record<string, () => void>} */ ({
    enter: () => player.commit(),
    backspace: back,
    delete: back,
    escape: () => player.setPending([]),
    x: () => player.apply(game.chooseColour, other(player.state.colour)),
    p: () => player.pass(),
    u: () => player.undo(),
    h: () => player.hint(),
  });
  const action = actions[event.key.toLowerCase()];
  action?.();
  return action !== undefined;
}

/** A glyph after another sign of it was typed: `!` and `?` make `!?`. @param {string} before @param {string} sign */
export function typedGlyph(before, sign) {
  const typed = before.length === 1 ? before + sign : before.length ? '' : sign;
  return /** @type {import('../rules/tree.js').Glyph} */ (typed);
}

/** A key that the board does not use goes through the record or annotates it, and never plays. @param {Player} player @param {KeyboardEvent} event */
export function pageKey(player, event) {
  const { target, key } = event;
  // A menu that was just closed may keep the focus until the next frame.
  if (
    document.querySelector('dialog[open]') ||
    !(target instanceof Element) ||
    target.closest('input, textarea, select, :popover-open')
  )
    return;
  const action = isShortcut(event)
    ? shortcut(player, event)
    : event.shiftKey && key in FORKS
      ? () => player.change(FORKS[key](player.state))
      : recordKey(player, key, target.closest('#moves') !== null);
  if (!action) return;
  action();
  event.preventDefault();
}

/** Into a variation and out of it, with Shift. @type {Record<string, (state: State) => State>} */
const FORKS = { ArrowLeft: game.goToFork, ArrowRight: game.goToNextFork };

/** @param {Player} player @param {KeyboardEvent} event */
const shortcut = (player, { key, ctrlKey, metaKey, altKey }) =>
  key === 'z' && (ctrlKey || metaKey) && !altKey && player.state.removed.length
    ? () => player.apply(game.restoreDeleted)
    : undefined;

/** @param {Player} player @param {string} key @param {boolean} isInRecord @returns {(() => void) | undefined} */
function recordKey(player, key, isInRecord) {
  const annotate = () => {
    const { glyph } = player.state.tree.current;
    player.apply(game.annotateTurn, typedGlyph(glyph, key));
  };
  const actions = /** @type {Record<string, (() => void) | undefined>} */ ({
    ArrowLeft: () => player.apply(game.stepTurns, -1),
    ArrowRight: () => player.apply(game.stepTurns, 1),
    ArrowUp: () => player.apply(game.goToSibling, -1),
    ArrowDown: () => player.apply(game.goToSibling, 1),
    Home: () => player.apply(game.goToTurn, 0),
    End: () => player.apply(game.goToTurn, Infinity),
    '!': annotate,
    '?': annotate,
    c: editComment,
    Delete: isInRecord ? () => player.apply(game.deleteTurn) : undefined,
  });
  return actions[key];
}
