// The buttons, boxes and sliders of the page.
import { turnAt } from './graph.js';
import { takeBack } from './input.js';
import { pageKey } from './keys.js';
import { newGameDialog } from './newgame.js';
import { PASS, RESIGN, SWAP } from './notation.js';
import { saveSettings, settings } from './settings.js';
import { el } from './svg.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./rules.js').Colour} Colour */

/** Ties the page's controls to what they do. @param {App} app */
export function wire(app) {
  /** @type {Record<string, () => void>} */
  const clicks = {
    play: () => app.commit(),
    back: () => app.setPending(takeBack(app.pending)),
    pass: () => app.playTurn(PASS),
    swap: () => app.playTurn(SWAP),
    resign: () => { if (window.confirm('Resign this game?')) app.playTurn(RESIGN); },
    undo: () => app.undo(),
    hint: () => { app.hint(); },
    first: () => app.goTo(0),
    prev: () => app.goTo(app.tree.index - 1),
    next: () => app.goTo(app.tree.index + 1),
    end: () => app.goTo(Infinity),
  };
  for (const [id, action] of Object.entries(clicks)) el(id).addEventListener('click', action);
  for (const input of document.querySelectorAll('input[name=colour]')) {
    input.addEventListener('change', () => {
      app.setColour(/** @type {Colour} */ (Number(/** @type {HTMLInputElement} */ (input).value)));
    });
  }
  el('slider').addEventListener('input', () => app.goTo(Number(/** @type {HTMLInputElement} */ (el('slider')).value)));
  el('graph').addEventListener('click', (event) => {
    app.goTo(turnAt(/** @type {SVGElement} */ (/** @type {unknown} */ (el('graph'))), event.clientX, app.tree.line().length));
  });
  el('comment').addEventListener('input', () => {
    app.tree.current.comment = /** @type {HTMLTextAreaElement} */ (el('comment')).value;
  });
  for (const name of /** @type {const} */ (['shade', 'number', 'links'])) {
    const box = /** @type {HTMLInputElement} */ (el(name));
    box.checked = settings[name];
    box.addEventListener('change', () => { settings[name] = box.checked; saveSettings(); app.refresh(); });
  }
  el('sweep').addEventListener('click', () => { if (app.sweeping) app.sweeping = false; else app.sweep(); });
  el('analyse').addEventListener('change', () => app.refresh());
  document.addEventListener('keydown', (event) => pageKey(app, event));
  const dialog = newGameDialog((position, seats) => app.begin(position, seats));
  el('watch-open').addEventListener('click', () => app.lobby.open());
  el('new').addEventListener('click', () => dialog.open(app.tree.rules.game));
}
