// Tournaments: the list of all, and the crosstable of one with its games.
import { empty, facts, fetchValues, keepFresh, moment, show, signed, table } from './pages.js';
import { liveLink } from '../server/live.js';
import { endText } from '../rules/result.js';
import { html, svg } from '../base/svg.js';
import { decimal, t, tOf } from '../base/texts.js';

/** @import { Values } from './pages.js' */
/** @typedef {{value: number | null, low: number | null, high: number | null}} Interval */

/** @type {[string, string] | null} whose games are listed; null for all */
let chosen = null;

/** The place of a game in a tournament, in words: `r3t1p11.1` is one. @param {string} id */
const placeOf = (id) =>
  id.replace(
    /^r(\d+)t(\d+)p(\d+)\.(\d+)(?:a(\d+))?$/,
    (_, round, encounter, pair, game, attempt) =>
      // Both games of a pair have the same opening.
      t('runs.place', { round, encounter, game: 2 * (Number(pair) - 1) + Number(game) }) +
      (attempt ? t('runs.attempt', { n: attempt }) : ''),
  );

const name = () => decodeURIComponent(location.hash.slice(1));

async function drawList() {
  const found = await fetchValues('runs');
  const runs = /** @type {Values[]} */ (found?.runs ?? []);
  document.title = `${t('nav.runs')} – yoddd`;
  show(
    html('h1', t('nav.runs')),
    runs.length
      ? html(
          'ul.runs',
          ...runs.map((run) =>
            html(
              'li',
              html(
                'a',
                { href: `#${encodeURIComponent(run.name)}` },
                html('b', run.title),
                html('span', t('runs.games', { n: run.finished })),
                moment(run.updated),
              ),
            ),
          ),
        )
      : empty(t('runs.none')),
  );
}

async function drawRun() {
  const path = `runs/${encodeURIComponent(name())}`;
  const [run, live] = await Promise.all([fetchValues(path), fetchValues(`${path}/playing`)]);
  if (!run) {
    show(
      html('h1', t('nav.runs')),
      empty(t('runs.missing'), html('a', { href: '#' }, t('runs.all'))),
    );
    return;
  }
  const { report, recent } = run;
  document.title = `${report.title} – yoddd`;
  const planned = report.planned === null ? '' : t('runs.planned', { n: report.planned });
  show(
    html(
      'div.above',
      html('h1', report.title),
      html('a', { href: '#' }, t('runs.all')),
      html('p.quiet', t('runs.last'), moment(run.updated)),
    ),
    facts({
      ...(report.champion ? { [t('runs.champion')]: report.champion } : {}),
      [t('nav.games')]: `${report.games}${planned}`,
      ...(report.void ? { [t('runs.void')]: String(report.void) } : {}),
      ...(report.first_player?.score.value != null
        ? { [t('runs.black-won')]: `${decimal(100 * report.first_player.score.value, 1)} %` }
        : {}),
      ...(report.sprt
        ? {
            SPRT: `${report.sprt.llr === null ? '∞' : decimal(report.sprt.llr, 2)}, ${report.sprt.decision}`,
          }
        : {}),
    }),
    ...playing(run.name, live?.games ?? []),
    ...standings(report),
    ...(report.games
      ? [
          html('h2', t('runs.crosstable')),
          crosstable(report),
          ...apart(report),
          ...games(run.name, recent),
        ]
      : [empty(t('runs.no-game'), t('runs.fills'))]),
    ...conditions(report.conditions ?? {}),
  );
}

/** The conditions that the games are played under. @param {Record<string, string>} rows */
function conditions(rows) {
  if (!Object.keys(rows).length) return [];
  return [html('h2', t('runs.conditions')), facts(rows)];
}

/** The games in play. @param {string} run @param {Values[]} games */
function playing(run, games) {
  if (!games.length) return [];
  const heads = [t('runs.game'), t('black'), t('white'), t('runs.turns')];
  const rows = games.map(({ id, black, white, turns }) => [
    html('a', { href: `./?${liveLink(run, id).slice(1)}` }, placeOf(id)),
    black,
    white,
    turns,
  ]);
  const title = t('runs.in-play');
  return [html('h2', title), table(title, heads, ['text', 'text', 'text'], rows)];
}

/** The table of a tournament with its tie-breaks, and the bracket of a knockout. @param {Values} report */
function standings(report) {
  if (!report.standings || !report.games) return [];
  const counted = ['points', 'games', ...report.tie_breaks];
  const heads = ['#', t('ladder.name'), ...counted.map((key) => tOf(`column.${key}`))];
  const keys = ['place', 'name', ...counted];
  const rows = report.standings.map((/** @type {Values} */ one) => keys.map((key) => one[key]));
  const title = t('runs.standings');
  return [
    html('h2', title),
    table(title, heads, ['place', 'name'], rows),
    ...bracket(report.bracket),
  ];
}

/** The rounds of a knockout side by side. @param {Values[]} encounters */
function bracket(encounters) {
  if (!encounters.length) return [];
  const rounds = [...new Set(encounters.map(({ round }) => round))].sort((a, b) => a - b);
  const columns = rounds.map((number) =>
    html(
      'section',
      html('h3', t('runs.round', { n: number })),
      ...encounters.filter(({ round }) => round === number).map(meeting),
    ),
  );
  return [html('h2', t('runs.bracket')), html('div.bracket', ...columns)];
}

/** One encounter of a knockout; the winner is bold. @param {Values} encounter */
function meeting({ names, won, winner }) {
  const sides = names.map((/** @type {string} */ one, /** @type {number} */ index) =>
    html('div', html(one === winner ? 'b' : 'span', {}, one), html('span', String(won[index]))),
  );
  return html('div.meeting', ...sides);
}

/** @param {Values} report */
function crosstable(report) {
  const names = /** @type {string[]} */ (
    report.entrants.map((/** @type {Values} */ entrant) => entrant.name)
  );
  const ratings = /** @type {Record<string, Interval>} */ (report.ratings ?? {});
  const bounds = Object.values(ratings).flatMap(({ low, high }) => [low ?? 0, high ?? 0]);
  const [least, most] = [Math.min(...bounds), Math.max(...bounds)];
  const heads = [
    ...['#', t('ladder.name'), 'Elo', t('runs.interval'), t('ladder.won'), t('runs.lost')],
    ...names.map((title, at) => html('th', { scope: 'col', class: 'pair', title }, String(at + 1))),
  ];
  const rows = names.map((one, index) => {
    const { won, lost } = report.entrants[index];
    const rating = ratings[one];
    const elo =
      rating && rating.value !== null
        ? [signed(rating.value), spread(rating, least, most)]
        : ['', ''];
    return [
      ...[index + 1, one, ...elo, won, lost],
      ...names.map((other) => cell(report, one, other)),
    ];
  });
  return table(t('runs.crosstable'), heads, ['place', 'name', null, 'range'], rows);
}

/** The classes of engines that no ratings compare, if there are several. @param {Values} report */
function apart({ groups = [] }) {
  const classes = groups.flat().map((/** @type {string[]} */ names) => names.join(', '));
  return classes.length > 1 ? [html('p', t('runs.apart', { groups: classes.join('; ') }))] : [];
}

/** An interval on a common scale. @param {Interval} interval @param {number} least @param {number} most */
function spread({ value, low, high }, least, most) {
  /** @param {number} elo */
  const x = (elo) => 8 + (184 * (elo - least)) / (most - least || 1);
  const [from, to] = [low ?? least, high ?? most];
  const label = t('runs.spread', { low: signed(low), high: signed(high) });
  return svg(
    'svg',
    {
      class: 'spread',
      viewBox: '0 0 200 20',
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': label,
    },
    svg('title', {}, label),
    svg('line', { class: 'axis', x1: x(0), x2: x(0), y1: 1, y2: 19 }),
    svg('line', { class: 'bar', x1: x(from), x2: x(to), y1: 10, y2: 10 }),
    svg('circle', { cx: x(value ?? 0), cy: 10, r: 4.5 }),
  );
}

/** @param {Values} report @param {string} one @param {string} other */
function cell(report, one, other) {
  if (one === other) return html('td.self');
  const [won, lost] = [report.crosstable[one][other], report.crosstable[other][one]];
  if (!won && !lost) return html('td.pair');
  const lean = won / (won + lost) - 0.5;
  const pressed = chosen !== null && chosen[0] === one && chosen[1] === other;
  const button = html(
    'button',
    {
      class: lean > 0 ? 'better' : lean < 0 ? 'worse' : 'even',
      'aria-pressed': String(pressed),
      'aria-label': t('runs.pair', { one, other, won, lost }),
      'data-pair': JSON.stringify([one, other]),
    },
    `${won}–${lost}`,
  );
  button.setAttribute('data-lean', String(Math.round(Math.min(1, Math.abs(lean) / 0.4) * 38)));
  return html('td.pair', button);
}

/** @param {string} run @param {Values[]} recent */
function games(run, recent) {
  const pair = chosen;
  const shown = pair
    ? recent.filter(({ black, white }) => pair.includes(black) && pair.includes(white))
    : recent;
  const heads = [
    ...[t('runs.game'), t('black'), t('white'), t('games.winner'), t('runs.by'), t('runs.turns')],
  ];
  const rows = shown.map((game) => {
    const winner =
      { b: game.black, w: game.white }[/** @type {string} */ (game.winner)] ?? t('runs.no-winner');
    const href = `./?run=${encodeURIComponent(run)}&game=${encodeURIComponent(game.id)}`;
    const how = [game.reason && endText(game.reason), game.score].filter(Boolean).join(' ');
    return [
      html('a', { href }, placeOf(game.id)),
      game.black,
      game.white,
      winner,
      html('td.text', { title: game.detail || null }, how),
      game.turns,
    ];
  });
  const all = html('button', { id: 'all' }, t('runs.all-games'));
  const title = pair ? t('runs.versus', { one: pair[0], other: pair[1] }) : t('user.latest');
  return [
    html('div.filter', html('h2', title), ...(pair ? [all] : [])),
    table(title, heads, Array(5).fill('text'), rows),
  ];
}

const redraw = keepFresh(async () => {
  await (name() ? drawRun() : drawList());
  // Set by script: the server's Content-Security-Policy allows no style attributes.
  for (const button of document.querySelectorAll('[data-lean]')) {
    if (button instanceof HTMLElement)
      button.style.setProperty('--lean', button.dataset.lean ?? '0');
  }
});
document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('button') : null;
  if (!button) return;
  const pair = button.dataset.pair ? JSON.parse(button.dataset.pair) : null;
  chosen = pair && JSON.stringify(pair) === JSON.stringify(chosen) ? null : pair;
  redraw();
});
window.addEventListener('hashchange', () => {
  chosen = null;
  redraw();
});
