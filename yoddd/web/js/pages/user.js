// The profile of an account: results, ratings with their course, and games.
import { gameTable } from './gamelist.js';
import { currentSession, logOut } from '../server/login.js';
import { empty, facts, fetchValues, keepFresh, moment, show, table } from './pages.js';
import { ratingGraph, shown } from './ratinggraph.js';
import { gameTitle } from '../rules/rules.js';
import { button, html } from '../base/svg.js';
import { t } from '../base/texts.js';

/** @import { Values } from './pages.js' */

/** Games in the list. */
const LISTED = 20;

/** @param {Values} one */
const titleOf = ({ game, board }) => gameTitle(game, board);

async function draw() {
  const session = await currentSession();
  const name = decodeURIComponent(location.hash.slice(1)) || session.user;
  const title = name ?? t('terms.user');
  document.title = `${title} – yoddd`;
  if (!name) {
    show(html('h1', title), empty(t('user.unnamed'), t('user.unnamed-text')));
    return;
  }
  const user = encodeURIComponent(name);
  const [profile, found] = await Promise.all([
    fetchValues(`user/${user}`),
    fetchValues(`games?player=${user}&limit=${LISTED}`),
  ]);
  if (!profile) {
    show(html('h1', title), empty(t('user.missing'), t('user.missing-text')));
    return;
  }
  const own = session.user === profile.name;
  show(
    html(
      'div.above',
      html('h1', profile.name),
      ...(profile.kind ? [html('span', profile.kind)] : []),
      ...(own ? [html('button', { id: 'log-out' }, t('user.log-out'))] : []),
      html('p.quiet', t('user.since'), moment(profile.created)),
    ),
    facts({
      [t('user.rated')]: String(profile.games),
      [t('ladder.won')]: String(profile.won),
      [t('runs.lost')]: String(profile.lost),
    }),
    ...ratings(profile),
    ...games(profile.name, found?.games ?? []),
    ...(own ? [html('div', { id: 'feed' })] : []),
  );
  if (own) drawFeed(await feed());
}

/**
 * The private feed of the user: whether there is one, and its address when that was just made.
 * @param {RequestInit} [request] @returns {Promise<{exists: boolean, address: string | null}>}
 */
async function feed(request) {
  const reply = await fetch('api/feed', { cache: 'no-store', ...request });
  return reply.ok ? reply.json() : { exists: false, address: null };
}

/** The address that was made, until the page is left. */
let address = '';

/** @param {{exists: boolean, address: string | null}} found */
function drawFeed(found) {
  if (found.address) address = new URL(found.address, location.href).href;
  else if (!found.exists) address = '';
  const change = (/** @type {string} */ method) => async () => drawFeed(await feed({ method }));
  const copy = () => navigator.clipboard.writeText(address);
  const value = html('input', { id: 'feed-address', readonly: '', value: address });
  document.getElementById('feed')?.replaceChildren(
    html('h2', t('user.feed')),
    html('p', t('user.feed-text')),
    ...(address
      ? [
          html(
            'div.field.share',
            html('label', html('span', t('user.feed-address')), value),
            button(t('share.copy'), copy),
          ),
        ]
      : []),
    html(
      'div.row',
      button(t(found.exists ? 'user.feed-renew' : 'user.feed-make'), change('POST'), {
        id: 'feed-make',
      }),
      ...(found.exists ? [button(t('user.feed-end'), change('DELETE'), { id: 'feed-end' })] : []),
    ),
  );
}

/** @param {Values} profile */
function ratings({ ratings: rows, course, anchor }) {
  if (!rows.length) return [];
  const heads = [t('archive.game'), t('terms.rating'), '±', t('nav.games'), t('ladder.won')];
  const lines = rows
    .map(shown)
    .map((/** @type {Values} */ one) => [
      titleOf(one),
      `${Math.round(one.elo)}${anchor === null ? '' : t('ladder.fixed')}`,
      one.error.toFixed(0),
      one.games,
      `${one.games ? Math.round((100 * one.won) / one.games) : 0} %`,
    ]);
  const graphs = rows.flatMap((/** @type {Values} */ one) => {
    const points = course.filter(
      (/** @type {Values} */ point) => point.game === one.game && point.board === one.board,
    );
    return points.length > 1
      ? [html('h3', titleOf(one)), ratingGraph(t('user.rating', { game: titleOf(one) }), points)]
      : [];
  });
  const title = t('user.ratings');
  return [html('h2', title), table(title, heads, ['name'], lines), ...graphs];
}

/** @param {string} player @param {Values[]} rows */
function games(player, rows) {
  const all = html(
    'a',
    { href: `games.html#player=${encodeURIComponent(player)}` },
    t('user.search'),
  );
  return [
    html('div.filter', html('h2', t('user.latest')), all),
    rows.length
      ? gameTable(t('user.latest'), rows, player)
      : empty(t('runs.no-game'), t('runs.fills')),
  ];
}

const redraw = keepFresh(draw);
document.addEventListener('login', redraw);
window.addEventListener('hashchange', redraw);
document.addEventListener('click', async (event) => {
  const button = event.target instanceof Element ? event.target.closest('#log-out') : null;
  if (!button) return;
  await logOut();
  location.reload();
});
