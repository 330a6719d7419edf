// What the keys do, on the board and elsewhere.
import { place, takeBack } from './input.js';
import { PASS } from './notation.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./rules.js').Colour} Colour */

/** A key while a cell has the focus; whether it meant something. @param {App} app @param {KeyboardEvent} event */
export function cellKey(app, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const cell = app.view.cursor;
  const key = event.key.toLowerCase();
  const drops = { b: 0, 1: 0, w: 1, 2: 1 };
  if (key in drops || key === ' ') {
    if (!app.mine) return true;
    const colour = /** @type {Colour} */ (key === ' ' ? app.colour : drops[/** @type {keyof typeof drops} */ (key)]);
    app.setPending(place(app.position, app.pending, cell, colour), cell);
    return true;
  }
  return command(app, event);
}

/** A key that means the same wherever the focus is. @param {App} app @param {KeyboardEvent} event */
function command(app, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const actions = /** @type {Record<string, () => void>} */ ({
    enter: () => app.commit(),
    backspace: () => app.setPending(takeBack(app.pending)),
    delete: () => app.setPending(takeBack(app.pending)),
    escape: () => app.setPending([]),
    x: () => app.setColour(/** @type {Colour} */ (1 - app.colour)),
    p: () => app.playTurn(PASS),
    u: () => app.undo(),
    h: () => { app.hint(); },
  });
  const action = actions[event.key.toLowerCase()];
  action?.();
  return action !== undefined;
}

/** A key outside the board. @param {App} app @param {KeyboardEvent} event */
export function pageKey(app, event) {
  const { target } = event;
  if (!(target instanceof Element) || target.closest('dialog, input, textarea, select, [role=grid]')) return;
  if (event.key === 'Enter' && target.closest('button, a')) return;
  const steps = /** @type {Record<string, () => void>} */ ({
    ArrowLeft: () => app.goTo(app.tree.index - 1),
    ArrowRight: () => app.goTo(app.tree.index + 1),
    ArrowUp: () => { app.tree.sibling(-1); app.goTo(app.tree.index); },
    ArrowDown: () => { app.tree.sibling(1); app.goTo(app.tree.index); },
    Home: () => app.goTo(0),
    End: () => app.goTo(Infinity),
  });
  const step = steps[event.key];
  step?.();
  if (Boolean(step) || command(app, event)) event.preventDefault();
}
