// The two clocks of a game: main time and an increment. Times are seconds; a clock never changes.

/**
 * @typedef {object} Clock
 * @property {readonly [number, number] | null} left by seat, when the clock was last changed; null without a clock
 * @property {number} increment
 * @property {number | null} seat whose time runs
 * @property {number} since when it has run
 */

/** @param {string} control such as 600+5; empty for none @returns {Clock} */
export function makeClock(control) {
  const [, main, increment] = /^([\d.]+)(?:\+([\d.]+))?/.exec(control) ?? [];
  const left = Number(main) > 0 ? /** @type {const} */ ([Number(main), Number(main)]) : null;
  return { left, increment: Number(increment ?? 0), seat: null, since: 0 };
}

/** Time left to a seat; null without a clock. @param {Clock} clock @param {number} seat @param {number} now */
export function remaining({ left, seat: running, since }, seat, now) {
  return left && Math.max(0, left[seat] - (running === seat ? now - since : 0));
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
  if (!clock.left || seat === clock.seat) return clock;
  const left = bothLeft(
    (one) =>
      (remaining(clock, one, now) ?? 0) + (moved && one === clock.seat ? clock.increment : 0),
  );
  return { ...clock, left, seat, since: now };
}

/**
 * The clock after a turn of `seat` that took some seconds by the server's clock.
 * @param {Clock} clock
 * @param {number} seat
 * @param {number} seconds
 * @param {number} now
 * @returns {Clock}
 */
export function chargeClock(clock, seat, seconds, now) {
  const { left, increment } = clock;
  if (!left) return clock;
  return {
    ...clock,
    left: bothLeft((one) =>
      one === seat ? Math.max(0, left[one] - seconds) + increment : left[one],
    ),
    since: now,
  };
}

/** @param {(seat: number) => number} of @returns {[number, number]} */
const bothLeft = (of) => [of(0), of(1)];

/** @param {number | null} seconds */
export function clockText(seconds) {
  if (seconds === null) return '';
  const whole = Math.floor(seconds);
  // Cut, not rounded: a clock never shows more than there is.
  if (seconds < 10) return `0:0${(Math.floor(seconds * 10) / 10).toFixed(1)}`;
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
