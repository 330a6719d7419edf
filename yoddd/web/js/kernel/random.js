// The random numbers of Python's `random.Random`, so that the same seed draws the same here: MT19937,
// M. Matsumoto and T. Nishimura, "Mersenne Twister" (ACM TOMACS 8, 1998).

const SIZE = 624;
const SHIFT = 397;

/** @param {number} one @param {number} two */
const times = (one, two) => Math.imul(one, two) >>> 0;

export class Random {
  #state = new Uint32Array(SIZE);
  #at = SIZE;

  /** @param {bigint} seed its sign does not count */
  constructor(seed) {
    const key = [];
    for (let rest = seed < 0n ? -seed : seed; rest > 0n; rest >>= 32n)
      key.push(Number(rest & 0xffffffffn));
    this.#begin(key.length ? key : [0]);
  }

  /** @param {number[]} key */
  #begin(key) {
    const mt = this.#state;
    mt[0] = 19650218;
    for (let i = 1; i < SIZE; i += 1) mt[i] = times(1812433253, mt[i - 1] ^ (mt[i - 1] >>> 30)) + i;
    let i = 1;
    let j = 0;
    const step = () => {
      i += 1;
      if (i < SIZE) return;
      mt[0] = mt[SIZE - 1];
      i = 1;
    };
    for (let left = Math.max(SIZE, key.length); left; left -= 1) {
      mt[i] = (mt[i] ^ times(mt[i - 1] ^ (mt[i - 1] >>> 30), 1664525)) + key[j] + j;
      step();
      j = (j + 1) % key.length;
    }
    for (let left = SIZE - 1; left; left -= 1) {
      mt[i] = (mt[i] ^ times(mt[i - 1] ^ (mt[i - 1] >>> 30), 1566083941)) - i;
      step();
    }
    mt[0] = 0x80000000;
  }

  /** 32 bits. */
  #next() {
    const mt = this.#state;
    if (this.#at === SIZE) {
      for (let i = 0; i < SIZE; i += 1) {
        const y = (mt[i] & 0x80000000) | (mt[(i + 1) % SIZE] & 0x7fffffff);
        mt[i] = mt[(i + SHIFT) % SIZE] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
      }
      this.#at = 0;
    }
    let y = mt[this.#at];
    this.#at += 1;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  /** A number from 0 to 1, less than 1. */
  random() {
    return ((this.#next() >>> 5) * 67108864 + (this.#next() >>> 6)) / 9007199254740992;
  }

  /** One of `items`, each as likely as its weight. @template T @param {readonly T[]} items @param {readonly number[]} weights @returns {T} */
  choose(items, weights) {
    let sum = 0;
    const sums = weights.map((weight) => (sum += weight));
    const drawn = this.random() * sum;
    const found = sums.findIndex((upper) => drawn < upper);
    return items[found < 0 ? items.length - 1 : found];
  }
}
