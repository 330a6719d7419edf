// The two clocks of a game at this board: main time and an increment.

export class Clocks {
  /** @param {string} control such as 600+5; empty for none @param {(seat: number) => void} onFlag */
  constructor(control, onFlag) {
    const [main, increment] = control.split('+').map(Number);
    this.increment = increment || 0;
    this.left = main > 0 ? [main, main] : null;
    this.onFlag = onFlag;
    /** @type {number | null} */
    this.seat = null;
    this.since = 0;
  }

  /** Seconds left to a seat; null without a clock. @param {number} seat */
  remaining(seat) {
    if (!this.left) return null;
    const used = this.seat === seat ? (performance.now() - this.since) / 1000 : 0;
    return Math.max(0, this.left[seat] - used);
  }

  /** The seat on turn; null stops both. @param {number | null} seat @param {boolean} [moved] */
  run(seat, moved = false) {
    if (!this.left || seat === this.seat) return;
    if (this.seat !== null) {
      this.left[this.seat] = (this.remaining(this.seat) ?? 0) + (moved ? this.increment : 0);
    }
    this.seat = seat;
    this.since = performance.now();
  }

  /** Says so when the running clock is at its end. */
  tick() {
    if (this.seat !== null && this.remaining(this.seat) === 0) {
      const { seat } = this;
      this.run(null);
      this.onFlag(seat);
    }
  }
}

/** @param {number | null} seconds */
export function clockText(seconds) {
  if (seconds === null) return '';
  const whole = Math.floor(seconds);
  // Cut, not rounded: a clock never shows more than there is.
  if (seconds < 10) return `0:0${(Math.floor(seconds * 10) / 10).toFixed(1)}`;
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
