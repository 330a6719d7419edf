// The search of finished games, and their download.
import { FACTS } from '../base/facts.js';
import { gameTable } from './gamelist.js';
import { empty, fetchValues, show } from './pages.js';
import { reasonOf } from '../base/errortext.js';
import { GAMES, boardText, capital } from '../rules/rules.js';
import { field, html } from '../base/svg.js';
import { t } from '../base/texts.js';

/** @import { Values } from './pages.js' */

/** Games on a page, and in a file. */
const [LISTED, FILED] = [50, 200];

/** Every board. */
const boards = () =>
  Object.entries(FACTS.boards).flatMap(([shape, [least, most]]) =>
    Array.from({ length: most - least + 1 }, (_, index) => {
      const name = `${shape}${least + index}`;
      return new Option(capital(boardText(name)), name);
    }),
  );

/** @param {string} text @param {Record<string, string>} attributes */
const input = (text, attributes) =>
  field(text, html('input', { autocomplete: 'off', ...attributes }));

/** @param {string} text @param {string} name @param {HTMLOptionElement[]} options */
const choice = (text, name, options) =>
  field(text, html('select', { name }, new Option(t('archive.any'), ''), ...options));

const longest = String(FACTS.names.longest);
const games = Object.entries(GAMES).map(([name, facts]) => new Option(facts.title, name));
const form = html(
  'form.search',
  { role: 'search' },
  input(capital(t('field.player')), { name: 'player', maxlength: longest }),
  input(t('archive.against'), { name: 'opponent', maxlength: longest }),
  choice(t('archive.game'), 'game', games),
  choice(t('archive.board'), 'board', boards()),
  input(t('archive.from'), { name: 'since', type: 'date' }),
  input(t('archive.before'), { name: 'until', type: 'date' }),
  html('button.solid', { type: 'submit' }, t('archive.search')),
);

/** The search in the address. */
const wanted = () => new URLSearchParams(location.hash.slice(1));

/** @param {Record<string, string | number>} more */
const query = (more) => {
  const words = wanted();
  for (const [name, value] of Object.entries(more)) words.set(name, String(value));
  return `games?${words}`;
};

async function draw() {
  const search = wanted();
  for (const control of form.querySelectorAll('input, select')) {
    if (control instanceof HTMLInputElement || control instanceof HTMLSelectElement)
      control.value = search.get(control.name) ?? '';
  }
  try {
    const found = await fetchValues(query({ limit: LISTED }));
    draws(found, search);
  } catch (error) {
    show(title(), form, empty(t('archive.no-answer'), reasonOf(error)));
  }
}

const title = () => html('h1', t('nav.games'));

/** @param {Values | null} found @param {URLSearchParams} search */
function draws(found, search) {
  if (!found) {
    show(title(), empty(t('archive.none-kept'), t('archive.needs-store')));
    return;
  }
  const older = new URLSearchParams(search);
  older.set('before', String(found.before));
  const files = html(
    'p.pages-row',
    html('a', { href: `api/${query({ as: 'sgf', limit: FILED })}` }, t('archive.sgf')),
    html('a', { href: `api/${query({ as: 'jsonl', limit: FILED })}` }, t('archive.jsonl')),
    ...(found.before === null ? [] : [html('a', { href: `#${older}` }, t('archive.older'))]),
  );
  show(
    title(),
    form,
    ...(found.games.length
      ? [gameTable(t('nav.games'), found.games), files]
      : [empty(t('archive.empty'), t('archive.empty-text'))]),
  );
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const words = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (String(value).trim()) words.set(name, String(value).trim());
  }
  location.hash = words.toString();
});
window.addEventListener('hashchange', draw);
draw();
