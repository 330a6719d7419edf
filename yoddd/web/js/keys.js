// What the keys do, on the board and elsewhere.
import { takeBack } from './input.js';
import { opposite, placeStone, setColour } from './game.js';
import { PASS } from './notation.js';

/** @typedef {import('./rules.js').Colour} Colour */
/** @typedef {Pick<import('./controller.js').Controller,
 *   'state' | 'change' | 'pend' | 'setPending' | 'commit' | 'play' | 'undo' | 'hint' | 'goTo' | 'step' | 'sibling'>} Player what the keys act on */

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

/** A key that means the same wherever the focus is; whether it was used. @param {Player} player @param {KeyboardEvent} event */
function command(player, event) {
  if (isShortcut(event)) return false;
  const back = () => player.setPending(takeBack(player.state.pending));
  const actions = /** @type {Record<string, () => void>} */ ({
    enter: () => player.commit(),
    backspace: back,
    delete: back,
    escape: () => player.setPending([]),
    x: () => player.change(setColour(player.state, opposite(player.state.colour))),
    p: () => player.play(PASS),
    u: () => player.undo(),
    h: () => player.hint(),
  });
  const action = actions[event.key.toLowerCase()];
  action?.();
  return action !== undefined;
}

/** A key outside the board. @param {Player} player @param {KeyboardEvent} event */
export function pageKey(player, event) {
  const { target } = event;
  if (
    !(target instanceof Element) ||
    target.closest('dialog, input, textarea, select, [role=grid]')
  )
    return;
  if (event.key === 'Enter' && target.closest('button, a')) return;
  const steps = /** @type {Record<string, () => void>} */ ({
    ArrowLeft: () => player.step(-1),
    ArrowRight: () => player.step(1),
    ArrowUp: () => player.sibling(-1),
    ArrowDown: () => player.sibling(1),
    Home: () => player.goTo(0),
    End: () => player.goTo(Infinity),
  });
  const step = steps[event.key];
  step?.();
  if (Boolean(step) || command(player, event)) event.preventDefault();
}
