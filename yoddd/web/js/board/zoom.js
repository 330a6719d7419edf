// Zooming and panning a board by touch: two fingers zoom, one finger pans what is zoomed, and swipes
// across what is not.
import { STEP } from './layout.js';

/** @import { Point } from './layout.js' */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/** Pixels from cell to cell at the strongest zoom, and those that a finger may stray in a tap. */
const [CLOSEST, STRAY] = [72, 10];
/** Pixels of a swipe, and how much longer than high it is. */
const [SWIPE, FLAT] = [48, 2];
/** Milliseconds in which the view moves to a part of the board. */
const MOVE = 180;

export class Zoom {
  /** @param {SVGSVGElement} root @param {() => void} onGesture called when a touch turns out to be no tap */
  constructor(root, onGesture) {
    this.root = root;
    this.onGesture = onGesture;
    /** The whole board. @type {Box} */
    this.whole = { x: 0, y: 0, width: 1, height: 1 };
    /** The units of the drawing to a pixel of the page, without zoom. */
    this.px = 1;
    /** The scale of the drawing against the whole board, and the point in its middle. */
    this.scale = 1;
    /** @type {Point} */
    this.centre = { x: 0, y: 0 };
    /** Changes when the view is called while it moves: the earlier move ends. */
    this.moves = 0;
    /** The touches at the last event of a gesture. @type {Point[]} */
    this.fingers = [];
    /** Whether the touch has become a gesture. */
    this.isGesture = false;
    /** Whether the zoom was opened for one tap. */
    this.isAid = false;
    /** Called after a swipe, with 1 for one to the left, which leads forward, and else -1. @type {(way: number) => void} */
    this.onSwipe = () => {};
    /** Called when the board becomes zoomed or whole. @type {(zoomed: boolean) => void} */
    this.onZoom = () => {};
    root.addEventListener('touchstart', (event) => this.start(event), { passive: false });
    root.addEventListener('touchmove', (event) => this.move(event), { passive: false });
    root.addEventListener('touchend', (event) => this.end(event));
  }

  /** Pixels from cell to cell as the board is shown. */
  get step() {
    return (STEP / this.px) * this.scale;
  }

  /** @param {Box} whole @param {number} px */
  fit(whole, px) {
    this.whole = whole;
    this.px = px;
    this.show(this.scale, this.centre);
  }

  /** Shows the cells around a point with so many pixels from one to the next. @param {Point} point @param {number} step */
  open(point, step) {
    this.isAid = true;
    this.glide((step * this.px) / STEP, point);
  }

  /** Shows the whole board. */
  close() {
    this.isAid = false;
    if (this.scale > 1) this.glide(1, middleOf(this.whole));
  }

  /** Shows the whole board again if the zoom was an aid for a tap. */
  release() {
    if (this.isAid) this.close();
  }

  /** @param {number} scale @param {Point} centre */
  glide(scale, centre) {
    const move = (this.moves += 1);
    const from = { scale: this.scale, centre: this.centre };
    const begun = performance.now();
    const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    const frame = (/** @type {number} */ now) => {
      if (move !== this.moves) return;
      const part = still ? 1 : Math.min(1, Math.max(0, (now - begun) / MOVE));
      const eased = 1 - (1 - part) ** 3;
      this.show(from.scale + (scale - from.scale) * eased, {
        x: from.centre.x + (centre.x - from.centre.x) * eased,
        y: from.centre.y + (centre.y - from.centre.y) * eased,
      });
      if (part < 1) requestAnimationFrame(frame);
    };
    frame(still ? begun + MOVE : begun);
    if (!still) requestAnimationFrame(frame);
  }

  /** Shows a part of the board; the centre moves so that no more than needed lies outside. @param {number} scale @param {Point} centre */
  show(scale, centre) {
    const { whole, px, root } = this;
    const was = this.scale > 1;
    this.scale = Math.min(Math.max(1, scale), Math.max(1, (CLOSEST * px) / STEP));
    const [width, height] = [whole.width / this.scale, whole.height / this.scale];
    const x = clamp(centre.x - width / 2, whole.x, whole.x + whole.width - width);
    const y = clamp(centre.y - height / 2, whole.y, whole.y + whole.height - height);
    this.centre = { x: x + width / 2, y: y + height / 2 };
    root.setAttribute('viewBox', [x, y, width, height].map((value) => value.toFixed(2)).join(' '));
    root.style.setProperty('--px', (px / this.scale).toFixed(4));
    root.classList.toggle('zoomed', this.scale > 1);
    if (was !== this.scale > 1) this.onZoom(this.scale > 1);
  }

  /** @param {TouchEvent} event */
  start(event) {
    this.fingers = fingersOf(event);
    this.isGesture = this.fingers.length > 1;
    if (!this.isGesture) return;
    event.preventDefault();
    this.onGesture();
  }

  /** @param {TouchEvent} event */
  move(event) {
    const [before, now] = [this.fingers, fingersOf(event)];
    const [from, to] = [middleOf(boxOf(before)), middleOf(boxOf(now))];
    const isTap = !this.isGesture && Math.hypot(to.x - from.x, to.y - from.y) < STRAY;
    if (now.length === 1 && this.scale === 1) {
      if (!isTap) this.onGesture();
      return;
    }
    if (event.cancelable) event.preventDefault();
    if (isTap) return;
    if (!this.isGesture) this.onGesture();
    this.isGesture = true;
    this.fingers = now;
    if (before.length === now.length) this.follow(from, to, spreadOf(now) / spreadOf(before));
  }

  /** @param {TouchEvent} event */
  end({ changedTouches: [touch] }) {
    if (this.isGesture || this.scale > 1 || this.fingers.length !== 1) return;
    const [x, y] = [touch.clientX - this.fingers[0].x, touch.clientY - this.fingers[0].y];
    if (Math.abs(x) > Math.max(SWIPE, FLAT * Math.abs(y))) this.onSwipe(x < 0 ? 1 : -1);
  }

  /** Keeps what was under the fingers under them. @param {Point} from @param {Point} to @param {number} growth */
  follow(from, to, growth) {
    this.moves += 1;
    this.isAid = false;
    const { left, top, width, height } = this.root.getBoundingClientRect();
    const unit = this.px / this.scale;
    const held = {
      x: this.centre.x + (from.x - left - width / 2) * unit,
      y: this.centre.y + (from.y - top - height / 2) * unit,
    };
    const next = unit / growth;
    this.show(this.scale * growth, {
      x: held.x - (to.x - left - width / 2) * next,
      y: held.y - (to.y - top - height / 2) * next,
    });
  }
}

/** @param {TouchEvent} event @returns {Point[]} */
const fingersOf = ({ touches }) =>
  [...touches].map(({ clientX, clientY }) => ({ x: clientX, y: clientY }));

/** The box of one or two fingers. @param {Point[]} fingers @returns {Box} */
const boxOf = ([one, two = one]) => ({
  x: one.x,
  y: one.y,
  width: two.x - one.x,
  height: two.y - one.y,
});

/** @param {Point[]} fingers */
const spreadOf = ([one, two]) => (two ? Math.max(1, Math.hypot(two.x - one.x, two.y - one.y)) : 1);

/** @param {Box} box @returns {Point} */
const middleOf = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 });

/** @param {number} value @param {number} least @param {number} most */
const clamp = (value, least, most) => Math.min(Math.max(value, least), most);
