// The buttons, boxes and sliders of the page.
import { confirmed } from '../base/confirm.js';
import { wireComment } from '../base/comment.js';
import { isChoice } from '../server/engineplace.js';
import * as analysing from './analysing.js';
import * as game from './game.js';
import { takeBack } from '../board/input.js';
import { pageKey } from './keys.js';
import { watchRoom } from '../analysis/lines.js';
import { SWAP } from '../rules/notation.js';
import { wireReview } from './reviewview.js';
import { hasEnded } from '../base/settings.js';
import { el } from '../base/svg.js';
import { entriesOf } from '../analysis/solved.js';
import { wireTabs } from '../base/tabs.js';
import { t } from '../base/texts.js';
import { answerTip } from './tips.js';
import { pathIn, wireTurnMenu } from './turnmenu.js';

/** @import { Colour } from '../rules/rules.js' */
/**
 * @typedef {import('./keys.js').Player & import('./reviewview.js').Page & Pick<
 *   import('./controller.js').Controller, 'resume' | 'playListed' | 'resign' | 'moveEngine' | 'stream'
 * >} Page what the controls act on
 */

/** @param {string} id */
const input = (id) => /** @type {HTMLInputElement} */ (el(id));

/** Ties the controls to what they do. @param {Page} page */
export function wireControls(page) {
  wireTurnBar(page);
  wireRecord(page);
  wireAnalysis(page);
  wireReview(page);
  wireSettings(page);
  wireTabs();
  wireFold();
  document.addEventListener('keydown', (event) => pageKey(page, event));
}

/** The rules beside the board are folded after the first game, and where there is little space. */
function wireFold() {
  const small = window.matchMedia('(max-width: 45rem), (max-height: 34rem)');
  const fold = () => el('aim').toggleAttribute('open', !small.matches && !hasEnded());
  small.addEventListener('change', fold);
  fold();
}

/** @param {Record<string, () => void>} actions by the id of the button */
function wireButtons(actions) {
  for (const [id, action] of Object.entries(actions)) el(id).addEventListener('click', action);
}

/** @param {Page} page */
function wireTurnBar(page) {
  wireButtons({
    autoplay: () => page.apply(game.toggleReplay),
    play: () => page.commit(),
    back: () => page.setPending(takeBack(page.state.pending)),
    pass: () => page.pass(),
    swap: () => page.play(SWAP),
    resign: async () => {
      if (await confirmed(t('resign.ask'), t('resign.yes'))) page.resign();
    },
    undo: () => page.undo(),
    hint: () => page.hint(),
  });
  el('tip').addEventListener('click', ({ target }) => {
    if (target instanceof HTMLButtonElement) page.apply(answerTip, target.value === 'yes');
  });
  for (const choice of document.querySelectorAll('input[name=colour]')) {
    choice.addEventListener('change', () => {
      const colour = /** @type {Colour} */ (Number(/** @type {HTMLInputElement} */ (choice).value));
      page.apply(game.chooseColour, colour);
    });
  }
}

/** @param {Page} page */
function wireRecord(page) {
  wireTurnMenu(page);
  const goTo = (/** @type {number} */ index) => page.apply(game.goToTurn, index);
  const step = (/** @type {number} */ count) => page.apply(game.stepTurns, count);
  wireButtons({
    first: () => goTo(0),
    prev: () => step(-1),
    next: () => step(1),
    end: () => goTo(Infinity),
  });
  for (const button of document.querySelectorAll('[data-step]'))
    button.addEventListener('click', () => step(Number(button.getAttribute('data-step'))));
  el('slider').addEventListener('input', () => goTo(Number(input('slider').value)));
  el('moves').addEventListener('click', (event) => {
    const turn = event.target instanceof Element ? event.target.closest('[data-path]') : null;
    const path = pathIn(turn);
    if (path) page.apply(game.goToPath, path);
  });
  el('comment').addEventListener('input', () =>
    page.apply(game.commentTurn, input('comment').value),
  );
  wireComment();
}

/** @param {Page} page */
function wireAnalysis(page) {
  el('analysis-resume').addEventListener('click', () => page.resume());
  /** @type {HTMLElement} */ (el('engine-place').parentElement).hidden = !isChoice;
  el('engine-place').addEventListener('change', () =>
    page.moveEngine(
      /** @type {import('../server/engineplace.js').Place} */ (input('engine-place').value),
    ),
  );
  for (const choice of document.querySelectorAll('input[name=view]')) {
    const { value } = /** @type {HTMLInputElement} */ (choice);
    choice.addEventListener('change', () => {
      const view = /** @type {import('../analysis/candidates.js').View} */ (value);
      page.apply(game.changeSettings, { view });
    });
  }
  const analyse = () => page.apply(analysing.setAnalysing, input('analyse').checked);
  el('analyse').addEventListener('change', analyse);
  // A browser may restore the box with the page.
  if (input('analyse').checked) analyse();
  document.addEventListener('visibilitychange', () => page.apply(game.setHidden, document.hidden));
  el('table').addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('[data-entry]') : null;
    if (!(button instanceof HTMLElement)) return;
    const { table, tree, pending } = page.state;
    const entry = table && entriesOf(table, tree.position, pending)[Number(button.dataset.entry)];
    if (entry) page.playListed(entry);
  });
  const list = el('lines');
  watchRoom(list);
  /** @param {Event} event */
  const point = (event) => {
    const item = event.target instanceof Element ? event.target.closest('li') : null;
    page.stream(analysing.pointAtLine(page.state, item ? [...list.children].indexOf(item) : null));
  };
  for (const type of ['pointerover', 'focusin']) list.addEventListener(type, point);
  for (const type of ['pointerleave', 'focusout'])
    list.addEventListener(type, () => page.stream(analysing.pointAtLine(page.state, null)));
}

/** @param {Page} page */
function wireSettings(page) {
  /** @param {Partial<import('../base/settings.js').Settings>} settings */
  const set = (settings) => page.apply(game.changeSettings, settings);
  for (const id of /** @type {const} */ (['theme', 'coordinates', 'confirm'])) {
    el(id).addEventListener('change', () => set({ [id]: input(id).value }));
  }
  for (const id of /** @type {const} */ (['shade', 'number', 'links', 'sound'])) {
    el(id).addEventListener('change', () => set({ [id]: input(id).checked }));
  }
  wireButtons({
    rotate: () => set({ turns: (page.state.settings.turns + 1) % 12 }),
    flip: () => set({ mirrored: !page.state.settings.mirrored }),
  });
}
