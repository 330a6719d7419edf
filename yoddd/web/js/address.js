// The address bar: the fragment that names the game shown, so that a reload or a bookmark opens it again.
import { isStudy, packStudy, studyLink, writeLink } from './link.js';

/** @typedef {import('./game.js').State} State */

/**
 * Milliseconds a write is charged with at least, and how many may be owed. A reload asks for the address
 * as it was written, so a write waits only where many came before it: browsers refuse pages that change
 * their address all the time, and the address of a long game takes a while to make.
 */
const PACE = 300;
const CREDIT = 6000;
/** The charge for a millisecond that it took to make the address. */
const DEAR = 100;

export class Address {
  /** @param {() => State} current */
  constructor(current) {
    this.current = current;
    /** The fragment written last. */
    this.written = '';
    /** @type {number | undefined} of the next write */
    this.timer = undefined;
    /** The time at which all writes are paid for. */
    this.paid = -Infinity;
    /** @type {{root: import('./tree.js').Node, data: string | null} | null} the study packed last; no data if it is too long */
    this.packed = null;
    /** @type {import('./tree.js').GameTree | null} the tree shown while another address was set, until it changes */
    this.held = null;
    window.addEventListener('pagehide', () => this.flush());
  }

  /** Sets an address that is not of the tree shown, such as that of a refereed game which is about to be. @param {string} fragment */
  set(fragment) {
    window.clearTimeout(this.timer);
    this.timer = undefined;
    this.held = this.current().tree;
    this.written = fragment;
    history.replaceState(null, '', fragment);
  }

  /** Writes the fragment of the state, soon if another one was written a moment ago. */
  update() {
    if (this.timer !== undefined) return;
    const pause = this.paid - CREDIT - performance.now();
    if (pause > 0) this.timer = window.setTimeout(() => this.flush(), pause);
    else this.flush();
  }

  /** Writes it now, unless it is a study that is to be packed first. */
  flush() {
    window.clearTimeout(this.timer);
    this.timer = undefined;
    const state = this.current();
    if (state.tree === this.held && !state.refereed) return;
    this.held = null;
    const begun = performance.now();
    const address = this.addressOf(state);
    if (address === null) this.pack(state);
    const now = performance.now();
    this.paid = Math.max(this.paid, now) + DEAR * (now - begun);
    if (address === null || address === this.written) return;
    this.written = address;
    this.paid += PACE;
    history.replaceState(null, '', address);
  }

  /** The fragment that names the game of a state; null if it is not known yet. @param {State} state */
  addressOf({ refereed, tree, seats }) {
    if (refereed) return `#table=${refereed.ticket.id}`;
    if (!isStudy(tree)) return writeLink(tree, seats);
    if (this.packed?.root !== tree.root) return null;
    const { data } = this.packed;
    return data === null ? writeLink(tree, seats) : studyLink(data, tree, seats);
  }

  /** Packs the study of a state; another change meanwhile is packed after it. @param {State} state */
  async pack({ tree, seats }) {
    this.timer = -1;
    this.packed = { root: tree.root, data: await packStudy(tree, seats).catch(() => null) };
    this.timer = undefined;
    this.update();
  }

  /** The fragment of this page is not the one that was written last. */
  forget() {
    this.written = '';
    this.held = null;
  }
}
