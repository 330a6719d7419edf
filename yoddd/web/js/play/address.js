// The address bar: the fragment that names the game shown, so that a reload or a bookmark opens it again.
import { AddressBar } from '../base/addressbar.js';
import { isStudy, packStudy, studyLink, writeLink } from '../rules/link.js';

/** @import { State } from './state.js' */

export class Address extends AddressBar {
  /** @param {() => State} current */
  constructor(current) {
    super(() => this.fragment());
    this.current = current;
    /** @type {{root: import('../rules/tree.js').Node, data: string | null} | null} the study packed last; no data if it is too long */
    this.packed = null;
    /** Whether a study is being packed. */
    this.isPacking = false;
    /** @type {import('../rules/tree.js').GameTree | null} the tree shown while another address was set, until it changes */
    this.held = null;
  }

  /** Sets an address that is not of the tree shown, such as that of a refereed game which is about to be. @param {string} fragment */
  hold(fragment) {
    this.held = this.current().tree;
    this.set(fragment);
  }

  /** The fragment to write; null if it is that of another tree, or not known yet. */
  fragment() {
    const state = this.current();
    if (state.tree === this.held && !state.refereed) return null;
    this.held = null;
    const found = this.addressOf(state);
    if (found === null && !this.isPacking) this.pack(state);
    return found;
  }

  /** The fragment that names the game of a state; null if it is not known yet. @param {State} state */
  addressOf({ refereed, tree, seats }) {
    if (refereed) return refereed.address;
    if (!isStudy(tree)) return writeLink(tree, seats);
    if (this.packed?.root !== tree.root) return null;
    const { data } = this.packed;
    return data === null ? writeLink(tree, seats) : studyLink(data, tree, seats);
  }

  /** Packs the study of a state; another change meanwhile is packed after it. @param {State} state */
  async pack({ tree, seats }) {
    this.isPacking = true;
    this.packed = { root: tree.root, data: await packStudy(tree, seats).catch(() => null) };
    this.isPacking = false;
    this.update();
  }

  /** The fragment of this page is not the one that was written last. */
  forget() {
    this.written = '';
    this.held = null;
  }
}
