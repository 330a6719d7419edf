// The log-in of this browser to an account of the server. Its session is in a cookie that no script
// can read; the page logs in over the WebSocket with the session's ticket.
import { reasonOf } from '../base/errortext.js';
import { keep, recall } from '../base/settings.js';
import { isStatic } from '../base/site.js';
import { button, el, html, svg } from '../base/svg.js';
import { t } from '../base/texts.js';
import { tickets } from './tickets.js';

/** @typedef {{accounts: boolean, user: string | null, ticket: string | null, registration: boolean, runs: boolean, ladder: boolean, token?: string}} Session */

/** @type {Session} */
const NONE = {
  accounts: false,
  user: null,
  ticket: null,
  registration: false,
  runs: false,
  ladder: false,
};
/** The links that the last session has shown, so that they are there at once. */
const SHOWN = 'yoddd.links';

/** @param {RequestInit} [request] @param {string} [query] @returns {Promise<Session>} rejects with the server's reason */
async function fetchSession(request, query = '') {
  const reply = await fetch(`api/session${query}`, { cache: 'no-store', ...request });
  const values = await reply.json();
  if (!reply.ok) throw new Error(values.error ?? reply.statusText);
  return values;
}

/** The session of this browser; none if the server does not answer. @returns {Promise<Session>} */
export const currentSession = () =>
  isStatic ? Promise.resolve(NONE) : fetchSession().catch(() => NONE);

/** @param {string} name @param {string} token */
function logIn(name, token) {
  const words = new TextEncoder().encode(`${name}:${token}`);
  const text = btoa(String.fromCharCode(...words));
  return fetchSession({
    method: 'POST',
    headers: { authorization: `Basic ${text}`, ...playedKeys() },
  });
}

/** Makes an account; its token is in the session, this once. @param {string} name */
const register = (name) =>
  fetchSession({ method: 'POST', headers: playedKeys() }, `?register=${encodeURIComponent(name)}`);

/** The keys of the games that were played without an account, which become the account's. */
const playedKeys = () => ({
  'yoddd-keys': tickets()
    .flatMap(({ key }) => key ?? [])
    .slice(0, 40)
    .join(' '),
});

export const logOut = () => fetchSession({ method: 'DELETE' });

/** The page of an account. @param {string} name */
export const profileLink = (name) => `user.html#${encodeURIComponent(name)}`;

/** Shows the links of the menu that lead somewhere. @param {Partial<Session>} session */
function showLinks(session) {
  for (const link of document.querySelectorAll('a[data-if]'))
    if (link instanceof HTMLElement)
      link.hidden = !session[/** @type {'runs' | 'ladder'} */ (link.dataset.if)];
}

/** Shows who is logged in in the menu of the page, or a button to log in. @param {(session: Session) => void} onChange */
export async function wireAccount(onChange) {
  const menu = document.querySelector('header .menu');
  showLinks(recall('localStorage', SHOWN) ?? {});
  const session = await currentSession();
  const { runs, ladder } = session;
  showLinks({ runs, ladder });
  keep('localStorage', SHOWN, { runs, ladder });
  if (!menu || !session.accounts) return;
  const place = html('span.account');
  menu.append(place);
  /** @param {Session} found */
  const draw = ({ user }) => {
    const text = html('span', user ?? t('login.title'));
    const icon = svg(
      'svg',
      { viewBox: '0 0 24 24', 'aria-hidden': 'true' },
      svg('circle', { cx: 12, cy: 8, r: 4 }),
      svg('path', { d: 'M4 20c1-5 4-7 8-7s7 2 8 7' }),
    );
    const opener = button([icon, text], () => dialog.showModal(), { id: 'login-open' });
    place.replaceChildren(
      user ? html('a.button', { href: profileLink(user), title: user }, icon, text) : opener,
    );
  };
  const dialog = wireDialog(session.registration, (found) => {
    draw(found);
    onChange(found);
  });
  draw(session);
}

/** @param {boolean} mayRegister @param {(session: Session) => void} onLogin */
function wireDialog(mayRegister, onLogin) {
  /** @type {HTMLDialogElement} */
  const dialog = el('login-dialog');
  /** @type {HTMLFormElement} */
  const form = el('login-form');
  const { username: name, password: token } = form;
  const problem = /** @type {Element} */ (form.querySelector('.problem'));
  const quiet = /** @type {Element} */ (form.querySelector('.quiet'));
  quiet.textContent = mayRegister ? t('login.new') : t('login.operator');
  el('register').hidden = !mayRegister;
  el('register').addEventListener('click', () => attempt(() => register(name.value.trim())));
  form.querySelector('[value=cancel]')?.addEventListener('click', () => dialog.close());
  /** @param {() => Promise<Session>} enter */
  const attempt = async (enter) => {
    problem.textContent = '';
    try {
      const session = await enter();
      token.value = '';
      if (session.token) showToken(dialog, session);
      else dialog.close();
      onLogin(session);
    } catch (error) {
      const text = reasonOf(error);
      problem.textContent = text.replace(/^not permitted: /, '');
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    attempt(() => logIn(name.value.trim(), token.value.trim()));
  });
  return dialog;
}

/** Shows the token of a new account, this once. @param {HTMLDialogElement} dialog @param {Session} session */
function showToken(dialog, { user, token = '' }) {
  const field = html('input', { id: 'new-token', readonly: '', value: token });
  const copy = button(t('share.copy'), () => navigator.clipboard.writeText(token));
  dialog.replaceChildren(
    html('h2', { id: 'login-title' }, t('login.you-are', { name: user ?? '' })),
    html('p', t('login.keep')),
    html('div.field.share', html('label', html('span', t('login.token')), field), copy),
    html(
      'div.row.end',
      button(t('login.kept'), () => dialog.close(), { class: 'solid' }),
    ),
  );
}
