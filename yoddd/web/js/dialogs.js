// Settings, files, help: the dialogs around the board.
import { boardPng, boardSvg, download } from './export.js';
import { namesOf } from './game.js';
import { writeLink } from './link.js';
import { formatPosition } from './notation.js';
import { HUMANS } from './seats.js';
import { readSgf, writeSgf } from './sgf.js';
import { el } from './svg.js';

/** @typedef {Pick<import('./controller.js').Controller, 'state' | 'show' | 'turnPage' | 'refuse'>} Page what files are saved from and opened in */

/** @param {string} id */
const dialog = (id) => /** @type {HTMLDialogElement} */ (el(id));

/** @param {Page} page */
export function wireDialogs(page) {
  for (const name of ['settings', 'help', 'files']) {
    el(`${name}-open`).addEventListener('click', () => {
      if (name === 'files') fillFiles(page);
      dialog(`${name}-dialog`).showModal();
    });
  }
  for (const button of document.querySelectorAll('[data-close]')) {
    button.addEventListener('click', () => button.closest('dialog')?.close());
  }
  wireFiles(page);
}

/** @param {Page} page */
function fillFiles({ state: { tree } }) {
  const url = new URL(location.href);
  url.hash = writeLink(tree, null);
  /** @type {HTMLInputElement} */ (el('link')).value = url.href;
  /** @type {HTMLInputElement} */ (el('position-line')).value = formatPosition(tree.position);
}

/** @param {Page} page */
function wireFiles(page) {
  const board = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (el('board')));
  const file = /** @type {HTMLInputElement} */ (el('file'));
  const name = () => `${page.state.tree.rules.game}-${page.state.tree.rules.board.name}`;
  el('save-sgf').addEventListener('click', () => {
    const { state } = page;
    const [black, white] = namesOf(state);
    const text = writeSgf(state.tree, { black, white }, state.winrates);
    download(`${name()}.sgf`, new Blob([text], { type: 'application/x-go-sgf' }));
  });
  el('open-sgf').addEventListener('click', () => file.click());
  file.addEventListener('change', async () => {
    const [chosen] = file.files ?? [];
    if (!chosen) return;
    dialog('files-dialog').close();
    openSgf(page, await chosen.text());
    file.value = '';
  });
  el('save-svg').addEventListener('click', () => {
    download(`${name()}.svg`, new Blob([boardSvg(board)], { type: 'image/svg+xml' }));
  });
  el('save-png').addEventListener('click', async () =>
    download(`${name()}.png`, await boardPng(board)),
  );
  el('copy').addEventListener('click', copyLink);
}

async function copyLink() {
  const link = /** @type {HTMLInputElement} */ (el('link'));
  link.select();
  // Only pages over HTTPS or from this machine have a clipboard; elsewhere the old command works.
  const copied = await (navigator.clipboard?.writeText(link.value) ?? Promise.reject()).then(
    () => true,
    () => document.execCommand('copy'),
  );
  el('copy').textContent = copied ? 'Copied' : 'Copy it yourself';
  window.setTimeout(() => {
    el('copy').textContent = 'Copy the link';
  }, 1500);
}

/** @param {Page} page @param {string} text */
function openSgf(page, text) {
  try {
    const { tree, names, winrates, problems } = readSgf(text);
    page.turnPage();
    page.show(
      tree,
      { ...HUMANS, names: [names.black || 'Black', names.white || 'White'] },
      winrates,
    );
    if (problems.length) page.refuse(problems[0]);
  } catch (error) {
    page.refuse(error instanceof Error ? error.message : String(error));
  }
}
