// Settings, files, help: the dialogs around the board.
import { boardPng, boardSvg, download } from './export.js';
import { writeLink } from './link.js';
import { formatPosition } from './notation.js';
import { saveSettings, settings } from './settings.js';
import { readSgf, writeSgf } from './sgf.js';
import { el } from './svg.js';

/** @typedef {import('./app.js').App} App */

/** @param {App} app */
export function wireDialogs(app) {
  for (const name of ['settings', 'help', 'files']) {
    el(`${name}-open`).addEventListener('click', () => {
      if (name === 'files') fillFiles(app);
      /** @type {HTMLDialogElement} */ (el(`${name}-dialog`)).showModal();
    });
  }
  for (const button of document.querySelectorAll('[data-close]')) {
    button.addEventListener('click', () => button.closest('dialog')?.close());
  }
  wireSettings(app);
  wireFiles(app);
}

/** @param {App} app */
function wireSettings(app) {
  const applyTheme = () => { document.documentElement.dataset.theme = settings.theme; };
  applyTheme();
  for (const name of /** @type {const} */ (['theme', 'coordinates', 'confirm'])) {
    const select = /** @type {HTMLSelectElement} */ (el(name));
    select.value = settings[name];
    select.addEventListener('change', () => {
      Object.assign(settings, { [name]: select.value });
      saveSettings();
      applyTheme();
      app.layOut();
      app.refresh();
    });
  }
  const sound = /** @type {HTMLInputElement} */ (el('sound'));
  sound.checked = settings.sound;
  sound.addEventListener('change', () => { settings.sound = sound.checked; saveSettings(); });
  el('rotate').addEventListener('click', () => turn(app, () => { settings.turns = (settings.turns + 1) % 12; }));
  el('flip').addEventListener('click', () => turn(app, () => { settings.mirrored = !settings.mirrored; }));
}

/** @param {App} app @param {() => void} change */
function turn(app, change) {
  change();
  saveSettings();
  app.layOut();
  app.refresh();
}

/** @param {App} app */
function fillFiles(app) {
  const url = new URL(location.href);
  url.hash = writeLink(app.tree, null);
  /** @type {HTMLInputElement} */ (el('link')).value = url.href;
  /** @type {HTMLInputElement} */ (el('position-line')).value = formatPosition(app.position);
}

/** @param {App} app */
function wireFiles(app) {
  const board = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (el('board')));
  const file = /** @type {HTMLInputElement} */ (el('file'));
  const name = () => `${app.tree.rules.game}-${app.tree.rules.board.name}`;
  el('save-sgf').addEventListener('click', () => {
    const [black, white] = app.names();
    const text = writeSgf(app.tree, { black, white });
    download(`${name()}.sgf`, new Blob([text], { type: 'application/x-go-sgf' }));
  });
  el('open-sgf').addEventListener('click', () => file.click());
  file.addEventListener('change', async () => {
    const [chosen] = file.files ?? [];
    if (!chosen) return;
    /** @type {HTMLDialogElement} */ (el('files-dialog')).close();
    openSgf(app, await chosen.text());
    file.value = '';
  });
  el('save-svg').addEventListener('click', () => {
    download(`${name()}.svg`, new Blob([boardSvg(board)], { type: 'image/svg+xml' }));
  });
  el('save-png').addEventListener('click', async () => download(`${name()}.png`, await boardPng(board)));
  el('copy').addEventListener('click', async () => {
    const link = /** @type {HTMLInputElement} */ (el('link'));
    link.select();
    // Only pages over HTTPS or of this machine have a clipboard; the other way is old and works.
    const copied = await (navigator.clipboard?.writeText(link.value) ?? Promise.reject())
      .then(() => true, () => document.execCommand('copy'));
    el('copy').textContent = copied ? 'Copied' : 'Copy it yourself';
    window.setTimeout(() => { el('copy').textContent = 'Copy the link'; }, 1500);
  });
}

/** @param {App} app @param {string} text */
function openSgf(app, text) {
  try {
    const { tree, people, problems } = readSgf(text);
    app.leaveTable();
    const names = /** @type {[string, string]} */ ([people.black || 'Black', people.white || 'White']);
    app.show(tree, { players: ['person', 'person'], clock: '', names });
    if (problems.length) app.refuse(problems[0]);
  } catch (error) {
    app.refuse(error instanceof Error ? error.message : String(error));
  }
}
