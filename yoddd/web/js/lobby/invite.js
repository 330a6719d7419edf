// Invites: the dialog of a link with a Join button, and how long it is valid.
import { savedName } from './mygames.js';
import { reasonOf } from '../base/errortext.js';
import { capital, gameTitle } from '../rules/rules.js';
import { el, html } from '../base/svg.js';
import { expiresOf, expiryText, termsText } from './terms.js';
import { t } from '../base/texts.js';
import { keepTicket, readInvite } from '../server/tickets.js';

/** @import { Lobby } from './lobby.js' */
/** @import { Entry } from './mygames.js' */

/** The choices of how long an invite is valid, in seconds. @type {[string, string][]} */
export const EXPIRIES = [
  ['3600', t('invite.hour')],
  ['86400', t('invite.day')],
  ['604800', t('invite.week')],
];

/** The terms of an offer, in sentences. @param {Entry} entry */
function describe(entry) {
  const owner = entry.black === '-' ? entry.white : entry.black;
  const expires = expiresOf(entry);
  return [
    t('invite.text', { owner, game: gameTitle(entry.game, entry.board) }),
    `${capital(termsText(entry))}. ${expires ? t('invite.valid', { until: expiryText(expires) }) : ''}`,
  ];
}

/** Opens the dialog of the invite that an address names, once the server is there. @param {string} hash @param {Lobby} lobby */
export async function openInvite(hash, lobby) {
  const found = readInvite(hash);
  if (!found) return;
  const dialog = /** @type {HTMLDialogElement} */ (el('join-dialog'));
  const text = el('join-text');
  const problem = el('join-problem');
  const join = /** @type {HTMLButtonElement} */ (el('join-game'));
  const name = /** @type {HTMLInputElement} */ (el('join-name'));
  problem.textContent = '';
  join.hidden = true;
  name.value = savedName(lobby.server);
  text.replaceChildren(html('p', t('invite.looking')));
  if (!dialog.open) dialog.showModal();
  const entry = await lobby.find(found.id);
  if (entry?.state !== 'open') {
    const gone = entry ? t('invite.begun') : t('invite.gone');
    text.replaceChildren(html('p', gone));
    return;
  }
  text.replaceChildren(...describe(entry).map((line) => html('p', line)));
  join.hidden = false;
  join.onclick = async () => {
    try {
      const key = await lobby.acceptAs(name.value, found.id, found.secret);
      dialog.close();
      lobby.onEnter(keepTicket({ id: found.id, key, seat: entry.black === '-' ? 0 : 1 }));
    } catch (error) {
      problem.textContent = reasonOf(error);
    }
  };
}
