// The log-in of this browser to an account of the server. Its session is in a cookie that no script
// can read; the page logs in over the WebSocket with the session's ticket.
import { FACTS } from './facts.js';
import { reasonOf } from './reason.js';
import { html, svg } from './svg.js';

/** @typedef {{accounts: boolean, user: string | null, ticket: string | null}} Session */

/** @type {Session} */
const NONE = { accounts: false, user: null, ticket: null };

/** @param {RequestInit} [request] @returns {Promise<Session>} rejects with the server's reason */
async function ask(request) {
  const reply = await fetch('api/session', { cache: 'no-store', ...request });
  const values = await reply.json();
  if (!reply.ok) throw new Error(values.error ?? reply.statusText);
  return values;
}

/** The session of this browser; none if the server does not answer. @returns {Promise<Session>} */
export const currentSession = () => ask().catch(() => NONE);

/** @param {string} name @param {string} token */
function logIn(name, token) {
  const words = new TextEncoder().encode(`${name}:${token}`);
  const text = btoa(String.fromCharCode(...words));
  return ask({ method: 'POST', headers: { authorization: `Basic ${text}` } });
}

export const logOut = () => ask({ method: 'DELETE' });

/** The page of an account. @param {string} name */
export const profileLink = (name) => `user.html#${encodeURIComponent(name)}`;

/** Shows who is logged in in the menu of the page, or a button to log in. @param {(session: Session) => void} onChange */
export async function wireAccount(onChange) {
  const menu = document.querySelector('header .menu');
  const session = await currentSession();
  if (!menu || !session.accounts) return;
  const place = html('span', { class: 'account' });
  menu.append(place);
  /** @param {Session} found */
  const draw = ({ user }) => {
    const text = html('span', {}, user ?? 'Log in');
    const icon = svg(
      'svg',
      { viewBox: '0 0 24 24', 'aria-hidden': 'true' },
      svg('circle', { cx: 12, cy: 8, r: 4 }),
      svg('path', { d: 'M4 20c1-5 4-7 8-7s7 2 8 7' }),
    );
    const button = html('button', { type: 'button', id: 'login-open' }, icon, text);
    button.addEventListener('click', () => dialog.showModal());
    place.replaceChildren(
      user
        ? html('a', { class: 'button', href: profileLink(user), title: user }, icon, text)
        : button,
    );
  };
  const dialog = loginDialog((found) => {
    draw(found);
    onChange(found);
  });
  document.body.append(dialog);
  draw(session);
}

/** @param {(session: Session) => void} onLogin */
function loginDialog(onLogin) {
  const name = /** @type {HTMLInputElement} */ (
    html('input', {
      name: 'username',
      autocomplete: 'username',
      maxlength: FACTS.names.longest,
      required: '',
    })
  );
  const token = /** @type {HTMLInputElement} */ (
    html('input', {
      name: 'password',
      type: 'password',
      autocomplete: 'current-password',
      required: '',
    })
  );
  const problem = html('p', { class: 'problem', role: 'alert' });
  const cancel = html('button', { type: 'button' }, 'Cancel');
  const form = html(
    'form',
    { method: 'dialog' },
    html('h2', { id: 'login-title' }, 'Log in'),
    html('label', { class: 'field' }, html('span', {}, 'Name'), name),
    html('label', { class: 'field' }, html('span', {}, 'Token'), token),
    html('p', { class: 'quiet' }, 'The operator of this server gives accounts and their tokens.'),
    problem,
    html('div', { class: 'row end' }, cancel, html('button', { class: 'solid' }, 'Log in')),
  );
  const dialog = /** @type {HTMLDialogElement} */ (
    html('dialog', { id: 'login-dialog', 'aria-labelledby': 'login-title' }, form)
  );
  cancel.addEventListener('click', () => dialog.close());
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    problem.textContent = '';
    try {
      onLogin(await logIn(name.value.trim(), token.value.trim()));
      token.value = '';
      dialog.close();
    } catch (error) {
      const text = reasonOf(error);
      problem.textContent = text.replace(/^not permitted: /, '');
    }
  });
  return dialog;
}
