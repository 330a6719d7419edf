// Finished games of the archive as a table.
import { profileLink } from './login.js';
import { moment, table } from './pages.js';
import { gameTitle } from './rules.js';
import { html } from './svg.js';

/** @typedef {import('./pages.js').Values} Values */

/** @param {string | null} name */
export const userLink = (name) =>
  name ? html('a', { href: profileLink(name) }, name) : html('span', {}, '–');

/** The result in words, for ``player`` if one is given. @param {Values} game @param {string} [player] */
export function resultText({ winner, reason, black, white }, player) {
  if (!winner) return `void (${reason})`;
  const name = winner === 'b' ? black : white;
  const how = reason === 'groups' ? '' : ` (${reason})`;
  if (!player) return `${name}${how}`;
  return `${name.toLowerCase() === player.toLowerCase() ? 'won' : 'lost'}${how}`;
}

/** @param {string} label @param {Values[]} games @param {string} [player] */
export function gameTable(label, games, player) {
  const heads = ['Game', 'Black', 'White', player ? 'Result' : 'Winner', 'Rated', 'Ended', 'File'];
  const head = heads.map((text) => html('th', { scope: 'col', class: 'text' }, text));
  const rows = games.map((game) => {
    const title = gameTitle(game.game, game.board);
    return html(
      'tr',
      {},
      html('td', { class: 'text' }, html('a', { href: `./?archive=${game.id}` }, title)),
      html('td', { class: 'text' }, userLink(game.black)),
      html('td', { class: 'text' }, userLink(game.white)),
      html('td', { class: 'text' }, resultText(game, player)),
      html('td', { class: 'text' }, game.rated ? 'yes' : 'no'),
      html('td', { class: 'text' }, moment(game.ended)),
      html(
        'td',
        { class: 'text' },
        html('a', { href: `api/game/${game.id}?as=sgf`, 'aria-label': `SGF of ${game.id}` }, 'SGF'),
      ),
    );
  });
  return table(label, head, rows);
}
