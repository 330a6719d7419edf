// What the keys do, on the board and elsewhere.
import { takeBack } from './input.js';
import { opposite, placeStone, setColour } from './game.js';

/** @typedef {import('./rules.js').Colour} Colour */
/** @typedef {Pick<import('./controller.js').Controller,
 *   'state' | 'change' | 'pend' | 'setPending' | 'commit' | 'play' | 'pass' | 'undo' | 'hint' | 'goTo' | 'step' | 'sibling'>} Player what the keys act on */

/** @type {Record<string, Colour | undefined>} the chosen colour if undefined */
const DROPS = { b: 0, 1: 0, w: 1, 2: 1, ' ': undefined };

/** @param {KeyboardEvent} event */
const isShortcut = ({ ctrlKey, metaKey, altKey }) => ctrlKey || metaKey || altKey;

/** A key while a cell has the focus; whether it was used. @param {Player} player @param {KeyboardEvent} event @param {number} cell */
export function cellKey(player, event, cell) {
  if (isShortcut(event)) return false;
  const key = event.key.toLowerCase();
  if (!(key in DROPS)) return command(player, event);
  player.pend(placeStone(player.state, cell, DROPS[key]));
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
    x: () => player.change(setColour(player.state, opposite(player.state.colour))),
    p: () => player.pass(),
    u: () => player.undo(),
    h: () => player.hint(),
  });
  const action = actions[event.key.toLowerCase()];
  action?.();
  return action !== undefined;
}

/** A key outside the board goes through the record, and never plays. @param {Player} player @param {KeyboardEvent} event */
export function pageKey(player, event) {
  const { target } = event;
  if (
    isShortcut(event) ||
    document.querySelector('dialog[open]') ||
    !(target instanceof Element) ||
    target.closest('input, textarea, select, [role=grid]')
  )
    return;
  const steps = /** @type {Record<string, (() => void) | undefined>} */ ({
    ArrowLeft: () => player.step(-1),
    ArrowRight: () => player.step(1),
    ArrowUp: () => player.sibling(-1),
    ArrowDown: () => player.sibling(1),
    Home: () => player.goTo(0),
    End: () => player.goTo(Infinity),
  });
  const step = steps[event.key];
  if (!step) return;
  step();
  event.preventDefault();
}
