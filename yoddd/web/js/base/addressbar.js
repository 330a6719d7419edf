// The fragment of the address, written at once unless many writes came before.

/**
 * Milliseconds a write is charged with at least, and how many may be owed. A reload asks for the address
 * as it was written, so a write waits only where many came before it: browsers refuse pages that change
 * their address all the time, and the address of a long game takes a while to make.
 */
const PACE = 300;
const CREDIT = 6000;
/** The charge for a millisecond that it took to make the address. */
const DEAR = 100;

export class AddressBar {
  /** @param {() => string | null} make the fragment; null if there is none to write */
  constructor(make) {
    this.make = make;
    /** The fragment written last. */
    this.written = '';
    /** @type {number | undefined} of the next write */
    this.timer = undefined;
    /** The time at which all writes are paid for. */
    this.paid = -Infinity;
    window.addEventListener('pagehide', () => {
      if (this.timer !== undefined) this.flush();
    });
  }

  /** Writes the fragment, soon if others were written a moment ago. */
  update() {
    if (this.timer !== undefined) return;
    const pause = this.paid - CREDIT - performance.now();
    if (pause > 0) this.timer = window.setTimeout(() => this.flush(), pause);
    else this.flush();
  }

  /** Writes it now. */
  flush() {
    this.cancel();
    const begun = performance.now();
    const fragment = this.make();
    const now = performance.now();
    this.paid = Math.max(this.paid, now) + DEAR * (now - begun);
    if (fragment === null || fragment === this.written) return;
    this.paid += PACE;
    this.set(fragment);
  }

  /** Writes another fragment. @param {string} fragment */
  set(fragment) {
    this.cancel();
    this.written = fragment;
    history.replaceState(null, '', fragment);
  }

  cancel() {
    window.clearTimeout(this.timer);
    this.timer = undefined;
  }
}
