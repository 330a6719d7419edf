// Files and links: the dialog around the board.
import { confirmed } from '../base/confirm.js';
import { wireCopies } from '../base/copy.js';
import { showMessage } from './game.js';
import { isRunning, namesOf } from './state.js';
import { expiryText } from '../lobby/terms.js';
import { isStudy, packStudy, publicLink, readPasted, studyLink, writeLink } from '../rules/link.js';
import { formatPosition } from '../rules/notation.js';
import { reasonOf } from '../base/errortext.js';
import { HUMANS, levelOf } from '../rules/seats.js';
import { el, hrefOf } from '../base/svg.js';
import { t } from '../base/texts.js';
import { editorLink } from './turnmenu.js';
import { inviteLink, inviteOf, returnLink, watchLink } from '../server/tickets.js';

/**
 * @typedef {Pick<import('./controller.js').Controller,
 *   'state' | 'show' | 'turnPage' | 'apply' | 'refuse' | 'mayLeave'>} Page what files are saved from and opened in
 */

/** Texts that are opened, or refused by what they are: SGF, a link, a trial of Ludii. */
const PASTED = /^(\(\s*;|https?:\/\/\S+$|game=\S+\.lud\b)/;

/** @import { Ticket } from '../server/tickets.js' */

/** The text of the latest file, if it holds several games. */
let collection = '';

/** @param {string} id */
const dialog = (id) => /** @type {HTMLDialogElement} */ (el(id));

/** @param {Page} page */
export function wireDialogs(page) {
  el('files-open').addEventListener('click', () => openShare(page));
  for (const button of document.querySelectorAll('[data-close]')) {
    button.addEventListener('click', () => button.closest('dialog')?.close());
  }
  wireFiles(page);
}

/** Opens the dialog of links and files, for the refereed game that is shown or for another one. @param {Page} page @param {Ticket | null} [ticket] */
export function openShare({ state }, ticket = state.refereed?.ticket ?? null) {
  const { tree, refereed, seats } = state;
  const id = ticket?.id ?? '';
  const shown = refereed?.ticket.id === ticket?.id ? refereed : null;
  const isOffer = Boolean(ticket?.key) && !shown?.begun && !shown?.former;
  const invite = ticket && isOffer ? inviteOf(ticket.id) : null;
  const mayReturn = ticket?.key && !shown?.termination;
  fillLink('invite-link', ticket && isOffer ? inviteLink(ticket.id, invite) : '');
  el('invite-expiry').textContent = invite
    ? t('share.valid', { until: expiryText(invite.expires) })
    : '';
  fillLink('watch-link', id && !isOffer ? watchLink(id) : '');
  fillLink('return-link', ticket && mayReturn ? returnLink(ticket) : '');
  // The names of a game between others or of two users; a game against the engine goes on against it.
  const named = refereed?.begun || seats.names;
  const own = isRunning(state) && seats.players.some(levelOf) ? seats : null;
  // Where a game is played by the server's rules, its own board would give the user an engine.
  const isPlayed = refereed?.begun && isRunning(state);
  if (isPlayed) fillLink('link', '');
  else fillGameLink(tree, named ? { ...HUMANS, names: namesOf(state) } : own);
  fillLink('position-line', formatPosition(tree.position));
  el('position-edit').setAttribute('href', hrefOf(editorLink(tree.position)));
  dialog('files-dialog').showModal();
}

/**
 * The link of the game, with all of its study if there is one.
 * @param {import('../rules/tree.js').GameTree} tree
 * @param {import('../rules/seats.js').Seats | null} seats
 */
async function fillGameLink(tree, seats) {
  fillLink('link', publicLink(writeLink(tree, seats)));
  el('link-note').textContent = '';
  if (!isStudy(tree)) return;
  const data = await packStudy(tree, seats).catch(() => null);
  const link = publicLink(data === null ? writeLink(tree, seats) : studyLink(data, tree, seats));
  fillLink('link', link);
  el('link-note').textContent =
    data === null ? t('share.line-only') : t('share.study', { n: link.length });
}

/** @param {string} id @param {string} text empty to hide the field */
function fillLink(id, text) {
  const input = /** @type {HTMLInputElement} */ (el(id));
  input.value = text;
  const field = input.closest('.field');
  if (field instanceof HTMLElement) field.hidden = !text;
}

/** @param {Page} page */
function wireFiles(page) {
  const board = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (el('board')));
  const file = /** @type {HTMLInputElement} */ (el('file'));
  const name = () => `${page.state.tree.rules.game}-${page.state.tree.rules.board.name}`;
  /** @param {string} suffix @param {(pictures: typeof import('../board/export.js')) => Blob | Promise<Blob>} make */
  const save = (suffix, make) =>
    el(`save-${suffix}`).addEventListener('click', async () => {
      try {
        const pictures = await import('../board/export.js');
        pictures.download(`${name()}.${suffix}`, await make(pictures));
      } catch (error) {
        page.refuse(reasonOf(error));
      }
    });
  save('sgf', async () => {
    const { state } = page;
    const [black, white] = namesOf(state);
    const { writeSgf } = await import('../rules/sgf.js');
    const text = writeSgf(state.tree, { black, white }, state.winrates);
    return new Blob([text], { type: 'application/x-go-sgf' });
  });
  save('svg', ({ boardSvg }) => new Blob([boardSvg(board)], { type: 'image/svg+xml' }));
  save('png', ({ boardPng }) => boardPng(board));
  el('open-sgf').addEventListener('click', () => file.click());
  /** @param {File | string | undefined} chosen */
  const open = async (chosen) => {
    if (chosen && (await page.mayLeave())) openSgf(page, chosen);
  };
  file.addEventListener('change', async () => {
    dialog('files-dialog').close();
    await open(file.files?.[0]);
    file.value = '';
  });
  const list = /** @type {HTMLSelectElement} */ (el('file-games'));
  list.addEventListener('change', async () => {
    dialog('files-dialog').close();
    if (await page.mayLeave()) openSgf(page, collection, Number(list.value));
  });
  document.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
  document.addEventListener('drop', (event) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    open(event.dataTransfer.files[0]);
  });
  document.addEventListener('paste', ({ target, clipboardData }) => {
    const text = clipboardData?.getData('text/plain').trim() ?? '';
    const isField = target instanceof Element && target.closest('input, textarea, dialog');
    if (!isField && PASTED.test(text)) open(text);
  });
  wireCopies();
}

/**
 * Fills the list of the games of a file, which is hidden where there is one at most.
 * @param {string} text @param {ReturnType<typeof import('../rules/sgf.js').gamesOf>} games
 */
function listGames(text, games) {
  const list = /** @type {HTMLSelectElement} */ (el('file-games'));
  const label = list.closest('label');
  if (label) label.hidden = games.length < 2;
  list.replaceChildren(
    ...games.map(({ begin, black, white }, index) => {
      const names = [black, white].filter(Boolean).join(' – ');
      return new Option([index + 1, names].filter(Boolean).join('. '), String(begin));
    }),
  );
  collection = games.length < 2 ? '' : text;
  return games.length;
}

/** @param {Page} page @param {File | string} chosen @param {number} [begin] of another game than the first */
async function openSgf(page, chosen, begin) {
  try {
    const { decodeSgf, gamesOf, readSgf } = await import('../rules/sgf.js');
    const text = typeof chosen === 'string' ? chosen : decodeSgf(await chosen.arrayBuffer());
    const linked = await readPasted(text);
    if (linked) {
      page.turnPage();
      page.show(linked.tree, { ...linked.seats, players: HUMANS.players });
      if (linked.problem) page.apply(showMessage, linked.problem, 'refused');
      return;
    }
    const games = begin === undefined ? listGames(text, gamesOf(text)) : 1;
    const { tree, names, winrates, problems, go } = readSgf(text, begin);
    if (go && !(await confirmed(t('sgf.as-xodd', { size: go }), t('sgf.open')))) return;
    if (games > 1) problems.unshift(t('sgf.others', { n: games }));
    page.turnPage();
    page.show(
      tree,
      { ...HUMANS, names: [names.black || t('black'), names.white || t('white')] },
      winrates,
    );
    if (problems.length) page.apply(showMessage, problems[0], 'refused');
  } catch (error) {
    page.refuse(reasonOf(error));
  }
}
