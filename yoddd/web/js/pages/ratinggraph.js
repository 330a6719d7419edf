// Ratings as players read them, and the course of one as a drawing.
import { svg } from '../base/svg.js';
import { t } from '../base/texts.js';

/** @typedef {{games: number, elo: number, error: number}} Point */

const [WIDTH, HEIGHT, EDGE] = [640, 180, 8];

/** The rating of a player without a game, where the model has 0. */
const START = 1500;
/** The standard deviation of players in Elo, before any game is known. */
const SPREAD = 350;

/** A rating to show: few games do not throw it far. @template {{elo: number, error: number | null}} Rated @param {Rated} one with half of its 95 % interval */
export function shown(one) {
  const error = one.error ?? 0;
  const weight = SPREAD ** 2 / (SPREAD ** 2 + (error / 1.96) ** 2);
  return { ...one, elo: START + weight * one.elo, error: Math.sqrt(weight) * error };
}

/** The rating over the number of games, with its 95 % interval. @param {string} label @param {readonly Point[]} course */
export function ratingGraph(label, course) {
  const points = course.map(shown);
  const most = Math.max(...points.map(({ games }) => games));
  const first = Math.min(...points.map(({ games }) => games));
  const low = Math.min(...points.map(({ elo, error }) => elo - error));
  const high = Math.max(...points.map(({ elo, error }) => elo + error));
  /** @param {number} games */
  const x = (games) => EDGE + ((WIDTH - 2 * EDGE) * (games - first)) / (most - first || 1);
  /** @param {number} elo */
  const y = (elo) => EDGE + ((HEIGHT - 2 * EDGE) * (high - elo)) / (high - low || 1);
  /** @param {(point: Point) => number} value */
  const corners = (value) => points.map((point) => `${x(point.games)},${y(value(point))}`);
  const band = [
    ...corners(({ elo, error }) => elo + error),
    ...corners(({ elo, error }) => elo - error).reverse(),
  ];
  const last = points[points.length - 1];
  const text = t('ratings.course', {
    label,
    from: points[0].elo.toFixed(0),
    to: last.elo.toFixed(0),
    n: most,
  });
  return svg(
    'svg',
    { class: 'course', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': text },
    svg('title', {}, text),
    svg('polygon', { class: 'band', points: band.join(' ') }),
    svg('polyline', { class: 'path', points: corners(({ elo }) => elo).join(' ') }),
    ...points.map(({ games, elo }) => svg('circle', { cx: x(games), cy: y(elo), r: 3 })),
  );
}
