// Finished games of the archive as a table.
import { profileLink } from '../server/login.js';
import { moment, table } from './pages.js';
import { endText } from '../rules/result.js';
import { gameTitle } from '../rules/rules.js';
import { html } from '../base/svg.js';
import { t } from '../base/texts.js';

/** @import { Values } from './pages.js' */

/** @param {string | null} name */
export const userLink = (name) =>
  name ? html('a', { href: profileLink(name) }, name) : html('span', '–');

/** The result in words, for ``player`` if one is given. @param {Values} game @param {string} [player] */
export function resultText({ winner, reason, black, white }, player) {
  if (!winner) return t('games.void', { reason });
  const name = winner === 'b' ? black : white;
  const how = reason === 'groups' ? '' : ` (${endText(reason)})`;
  if (!player) return `${name}${how}`;
  return `${t(name.toLowerCase() === player.toLowerCase() ? 'games.won' : 'games.lost')}${how}`;
}

/** @param {string} label @param {Values[]} games @param {string} [player] */
export function gameTable(label, games, player) {
  const heads = [
    t('archive.game'),
    t('black'),
    t('white'),
    t(player ? 'games.result' : 'games.winner'),
    t('terms.rated'),
    t('games.ended'),
    t('games.file'),
  ];
  const rows = games.map((game) => {
    const sgf = {
      href: `api/game/${game.id}?as=sgf`,
      'aria-label': t('games.sgf-of', { id: game.id }),
    };
    return [
      html('a', { href: `./?archive=${game.id}` }, gameTitle(game.game, game.board)),
      userLink(game.black),
      userLink(game.white),
      resultText(game, player),
      t(game.rated ? 'lesson.yes' : 'lesson.no').toLowerCase(),
      moment(game.ended),
      html('a', sgf, 'SGF'),
    ];
  });
  return table(label, heads, Array(heads.length).fill('text'), rows);
}
