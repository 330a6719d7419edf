// The ladder: the standings of each game and board.
import { userLink } from './gamelist.js';
import { empty, fetchValues, keepFresh, show, table } from './pages.js';
import { shown } from './ratinggraph.js';
import { gameTitle } from '../rules/rules.js';
import { html } from '../base/svg.js';
import { t } from '../base/texts.js';

/** @typedef {{name: string, elo: number, error: number | null, games: number, won: number, anchor: boolean, provisional: boolean}} Standing */
/** @typedef {{game: string, board: string, standings: Standing[]}} Ladder */

/** @param {Ladder} ladder */
function drawLadder({ game, board, standings }) {
  const heads = ['#', t('ladder.name'), t('terms.rating'), '±', t('nav.games'), t('ladder.won')];
  /** @param {boolean} is @param {'ladder.fixed' | 'ladder.provisional'} key */
  const note = (is, key) => (is ? [html('span.quiet', t(key))] : []);
  const ranked = standings.map(shown).sort((one, other) => other.elo - one.elo);
  const rows = ranked.map(({ name, elo, error, games, won, anchor, provisional }, index) => [
    index + 1,
    [userLink(name), ...note(anchor, 'ladder.fixed'), ...note(provisional, 'ladder.provisional')],
    Math.round(elo),
    error ? error.toFixed(0) : '–',
    games,
    `${games ? Math.round((100 * won) / games) : 0} %`,
  ]);
  const title = gameTitle(game, board);
  return [html('h2', title), table(t('ladder.of', { title }), heads, ['place', 'name'], rows)];
}

keepFresh(async () => {
  const found = await fetchValues('ladder');
  const ladders = /** @type {Ladder[]} */ (found?.ladders ?? []).filter(
    ({ standings }) => standings.length,
  );
  const parts = ladders.flatMap(drawLadder);
  show(
    html('h1', t('nav.ladder')),
    ...(parts.length
      ? parts
      : [
          found?.ladders
            ? empty(t('ladder.empty'), t('ladder.empty-text'))
            : empty(t('ladder.none'), t('archive.needs-store')),
        ]),
  );
});
