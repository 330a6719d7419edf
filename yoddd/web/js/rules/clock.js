// The two clocks of a game, under the time controls of the server. Times are seconds; a clock never
// changes.
import { t } from '../base/texts.js';

/**
 * A time control; null where it has no such part.
 * @typedef {object} Control
 * @property {number | null} main for the whole game
 * @property {boolean} hourglass whether what a turn takes is added to the time of the opponent
 * @property {number} increment after each turn
 * @property {number | null} move for one turn
 * @property {number | null} moves turns after which the main time is given again
 * @property {number | null} period of byo-yomi: a turn within it costs nothing
 * @property {number} periods of byo-yomi
 * @property {number} lag of each turn, not charged
 * @property {number | null} start for the first turn, which costs nothing
 * @property {number | null} days for one turn, of a game by the day
 */

/**
 * @typedef {object} Clock
 * @property {Control} control
 * @property {readonly [Purse, Purse]} purses by seat, when the clock was last changed
 * @property {number | null} seat whose time runs
 * @property {number} since when it has run
 * @property {number} resumes the end of a pause, until which it stands still
 */

/** The time that a seat has left. @typedef {{left: number | null, periods: number, turns: number}} Purse */

/** Seconds of a day. */
const DAY = 86400;

/** Whether a control is one of games by the day. @param {string} text */
export const isByDay = (text) => readControl(text).days !== null;

/** Now, in seconds. */
export const clockTime = () => performance.now() / 1000;

/** @param {string} text such as 600+5, 40/60 or 600,byoyomi=5x30; empty for none @returns {Control} */
export function readControl(text) {
  const words = text.split(',');
  const [, moves, main, increment] =
    words.map((word) => /^(?:(\d+)\/)?([\d.]+)(?:\+([\d.]+))?$/.exec(word)).find(Boolean) ?? [];
  const keyed = new Map(words.map((word) => /** @type {[string, string]} */ (word.split('='))));
  const [, periods, period] = /^(?:(\d+)x)?([\d.]+)$/.exec(keyed.get('byoyomi') ?? '') ?? [];
  /** @param {string | undefined} number */
  const known = (number) => (Number(number) > 0 ? Number(number) : null);
  const days = known(keyed.get('days'));
  return {
    main: known(main ?? keyed.get('hourglass')) ?? (period ? 0 : null),
    hourglass: keyed.has('hourglass'),
    increment: Number(increment ?? 0),
    move: days ? days * DAY : known(keyed.get('move')),
    moves: known(moves),
    period: known(period),
    periods: period ? Number(periods ?? 1) : 0,
    lag: Number(keyed.get('lag') ?? 0),
    start: known(keyed.get('start')),
    days,
  };
}

/** @param {string} text of the control @returns {Clock} */
export function makeClock(text) {
  const control = readControl(text);
  const purse = { left: control.main, periods: control.periods, turns: 0 };
  return { control, purses: [purse, purse], seat: null, since: 0, resumes: 0 };
}

/** Whether there is a limit at all. @param {Clock} clock */
export const isLimited = ({ control: { main, move } }) => main !== null || move !== null;

/** A purse after some seconds of a turn. @param {Control} control @param {Purse} purse @param {number} seconds @returns {Purse} */
function spend({ lag, period }, purse, seconds) {
  if (purse.left === null) return purse;
  const left = purse.left - Math.max(0, seconds - lag);
  if (left >= 0 || !period) return { ...purse, left: Math.max(0, left) };
  const used = Math.ceil(-left / period) - 1;
  return { ...purse, left: 0, periods: Math.max(1, purse.periods - used) };
}

/** A purse at the end of a turn: the increment, or the main time again. @param {Control} control @param {Purse} purse @returns {Purse} */
function refill({ increment, moves, main }, purse) {
  const turns = purse.turns + 1;
  if (purse.left === null) return { ...purse, turns };
  const again = moves && turns % moves === 0 ? (main ?? 0) : 0;
  return { ...purse, left: purse.left + increment + again, turns };
}

/** Whether the next turn of a seat is its first one, and costs nothing. @param {Clock} clock @param {number} seat */
const isFree = ({ control, purses }, seat) => control.start !== null && purses[seat].turns === 0;

/** Until when the seat to move has to play its first turn, where that costs nothing; null for another turn. @param {Clock} clock @param {number} seat */
export const firstUntil = (clock, seat) =>
  clock.seat === seat && isFree(clock, seat)
    ? clock.since + Number(clock.control.start) + clock.control.lag
    : null;

/** All seconds of the turn so far. @param {Clock} clock @param {number} now */
const taken = ({ since, resumes }, now) => Math.max(now, resumes) - since;

/** The seconds of the turn so far that count. @param {Clock} clock @param {number} seat @param {number} now */
const elapsed = (clock, seat, now) =>
  clock.seat === seat && !isFree(clock, seat) ? taken(clock, now) : 0;

/** The clock that stands still for some seconds. @param {Clock} clock @param {number} seconds @param {number} now @returns {Clock} */
export const pauseClock = (clock, seconds, now) => ({
  ...clock,
  since: now + seconds - taken(clock, now),
  resumes: now + seconds,
});

/** Seconds for which the clock of a seat to move stands still. @param {Clock} clock @param {number} now */
export const pauseLeft = ({ seat, resumes }, now) =>
  seat === null ? 0 : Math.max(0, resumes - now);

/** Seconds that a turn of a seat adds to the time of the opponent. @param {Clock} clock @param {number} seat @param {number} seconds */
const received = ({ control: { hourglass, lag }, purses }, seat, seconds) =>
  hourglass ? Math.min(Number(purses[seat].left), Math.max(0, seconds - lag)) : 0;

/**
 * Time left to a seat, of its main time or of the period that runs; null without a clock.
 * @param {Clock} clock @param {number} seat @param {number} now
 */
export function remaining(clock, seat, now) {
  const { main, move, period, lag } = clock.control;
  const spent = elapsed(clock, seat, now);
  const { left, periods } = clock.purses[seat];
  let time = Infinity;
  if (main !== null && left !== null) {
    time =
      left - Math.max(0, spent - lag) + received(clock, 1 - seat, elapsed(clock, 1 - seat, now));
    if (period && time <= 0) time = time + periods * period > 0 ? period - (-time % period) : 0;
  }
  if (move !== null) time = Math.min(time, move - Math.max(0, spent - lag));
  return time === Infinity ? null : Math.max(0, time);
}

/** Periods of byo-yomi left to a seat, once its main time is used up; null before and without. @param {Clock} clock @param {number} seat @param {number} now */
export function periodsLeft(clock, seat, now) {
  if (!clock.control.period) return null;
  const { left, periods } = spend(clock.control, clock.purses[seat], elapsed(clock, seat, now));
  return left === 0 ? periods : null;
}

/**
 * The clock with the time of `seat` running; null stops both.
 * @param {Clock} clock
 * @param {number | null} seat
 * @param {number} now
 * @param {boolean} [moved] whether the seat that ran has played a turn
 * @returns {Clock}
 */
export function runClock(clock, seat, now, moved = false) {
  if (!isLimited(clock) || seat === clock.seat) return clock;
  const spent = clock.seat === null ? clock : charged(clock, clock.seat, taken(clock, now), moved);
  return { ...spent, seat, since: now, resumes: 0 };
}

/**
 * The clock after a turn of `seat` that took some seconds by the server's clock.
 * @param {Clock} clock
 * @param {number} seat
 * @param {number} seconds
 * @param {number} now
 * @returns {Clock}
 */
export const chargeClock = (clock, seat, seconds, now) => ({
  ...charged(clock, seat, seconds, true),
  since: now,
  resumes: 0,
});

/** @param {Clock} clock @param {number} seat @param {number} seconds @param {boolean} moved @returns {Clock} */
function charged(clock, seat, seconds, moved) {
  const { control, purses } = clock;
  /** @param {number} one */
  const purse = (one) => {
    const isCharged = !isFree(clock, seat);
    const { left } = purses[one];
    if (one !== seat) {
      const gained = isCharged ? received(clock, seat, seconds) : 0;
      return left === null ? purses[one] : { ...purses[one], left: left + gained };
    }
    const spent = !isCharged ? purses[one] : spend(control, purses[one], seconds);
    return moved ? refill(control, spent) : spent;
  };
  return { ...clock, purses: [purse(0), purse(1)] };
}

/** From two hours on in days and hours. @param {number | null} seconds */
export function clockText(seconds) {
  if (seconds === null) return '';
  const whole = Math.floor(seconds);
  // Cut, not rounded: a clock never shows more than there is.
  if (seconds < 10) return `0:0${(Math.floor(seconds * 10) / 10).toFixed(1)}`;
  if (seconds >= DAY / 12) {
    const [days, hours] = [Math.floor(whole / DAY), Math.floor((whole % DAY) / 3600)];
    return t(days ? 'clock.days-left' : 'clock.hours-left', { days, hours });
  }
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** A time control in words, such as "10 min + 5 s". @param {string} text */
export function controlText(text) {
  const { main, hourglass, increment, move, moves, period, periods, days } = readControl(text);
  if (days) return t('clock.days', { n: days });
  const time = spanText(main ?? 0);
  const whole = moves ? t('clock.turns-in', { n: moves, time }) : time;
  const parts = [
    main ? (hourglass ? t('clock.hourglass', { time }) : whole) : '',
    increment ? t('clock.increment', { time: spanText(increment) }) : '',
    period ? `${periods} × ${spanText(period)}` : '',
    move ? t('clock.each', { time: spanText(move) }) : '',
  ].filter(Boolean);
  return parts.join(' + ') || t('clock.none');
}

/** @param {number} seconds */
function spanText(seconds) {
  const [minutes, rest] = [Math.floor(seconds / 60), +(seconds % 60).toFixed(3)];
  const parts = [minutes && t('clock.min', { n: minutes }), rest && t('clock.s', { n: rest })];
  return parts.filter(Boolean).join(' ') || t('clock.s', { n: 0 });
}
