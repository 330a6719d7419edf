// The ladder: the standings of each game and board.
import { userLink } from './gamelist.js';
import { wireAccount } from './login.js';
import { ask, empty, keepFresh, show, table } from './pages.js';
import { gameTitle } from './rules.js';
import { html } from './svg.js';
import { t } from './texts.js';

/** @typedef {{name: string, elo: number, error: number | null, games: number, won: number, anchor: boolean, provisional: boolean}} Standing */
/** @typedef {{game: string, board: string, standings: Standing[]}} Ladder */

/** @param {Ladder} ladder */
function drawLadder({ game, board, standings }) {
  const head = ['#', t('ladder.name'), 'Elo', '±', t('archive.games'), t('ladder.won')].map(
    (text, index) => html('th', { scope: 'col', class: index === 1 ? 'name' : null }, text),
  );
  const rows = standings.map(({ name, elo, error, games, won, anchor, provisional }, index) =>
    html(
      'tr',
      {},
      html('td', { class: 'place' }, String(index + 1)),
      html(
        'th',
        { scope: 'row', class: 'name' },
        userLink(name),
        ...(anchor ? [html('span', { class: 'quiet' }, t('ladder.fixed'))] : []),
        ...(provisional ? [html('span', { class: 'quiet' }, t('ladder.provisional'))] : []),
      ),
      html('td', {}, String(Math.round(elo) || 0)),
      html('td', {}, error === null ? '–' : error.toFixed(0)),
      html('td', {}, String(games)),
      html('td', {}, `${games ? Math.round((100 * won) / games) : 0} %`),
    ),
  );
  const title = gameTitle(game, board);
  return [html('h2', {}, title), table(t('ladder.of', { title }), head, rows)];
}

wireAccount(() => {});
keepFresh(async () => {
  const found = await ask('ladder');
  const ladders = /** @type {Ladder[]} */ (found?.ladders ?? []).filter(
    ({ standings }) => standings.length,
  );
  const parts = ladders.flatMap(drawLadder);
  show(
    html('h1', {}, t('ladder.title')),
    ...(parts.length
      ? parts
      : [
          found?.ladders
            ? empty(t('ladder.empty'), t('ladder.empty-text'))
            : empty(t('ladder.none'), t('ladder.none-text')),
        ]),
  );
});
