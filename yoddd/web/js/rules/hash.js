// The identity of rules, SHA-256 of their facts as canonical JSON; web browsers hash by themselves only over HTTPS.

import { idleKeys } from './check.js';

/** @import { Facts } from './facts.js' */

/** The first numbers of primes' roots after the point, 32 bits of each. @param {number} count @param {(prime: number) => number} root */
function fractions(count, root) {
  /** @type {number[]} */
  const primes = [];
  for (let n = 2; primes.length < count; n++)
    if (primes.every((prime) => n % prime)) primes.push(n);
  return primes.map((prime) => ((root(prime) % 1) * 2 ** 32) | 0);
}

const START = fractions(8, Math.sqrt);
const ROUNDS = fractions(64, Math.cbrt);

/** @param {number} word @param {number} by */
const turned = (word, by) => (word >>> by) | (word << (32 - by));

/** SHA-256 (FIPS 180-4) in hexadecimal digits. @param {string} text */
function sha256(text) {
  const bytes = new TextEncoder().encode(text);
  const blocks = new Uint8Array((((bytes.length + 8) >> 6) + 1) * 64);
  blocks.set(bytes);
  blocks[bytes.length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setUint32(blocks.length - 4, bytes.length * 8);
  let sum = START;
  for (let at = 0; at < blocks.length; at += 64) {
    const words = Array.from({ length: 16 }, (_, n) => view.getInt32(at + 4 * n));
    let [a, b, c, d, e, f, g, h] = sum;
    for (let n = 0; n < 64; n++) {
      if (n > 15) {
        const [early, late] = [words[n - 15], words[n - 2]];
        const low = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
        const high = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
        words.push((words[n - 16] + low + words[n - 7] + high) | 0);
      }
      const mixed = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
      const next = (h + mixed + ((e & f) ^ (~e & g)) + ROUNDS[n] + words[n]) | 0;
      const other = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
      const most = (a & b) ^ (a & c) ^ (b & c);
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + next) | 0, c, b, a, (next + other + most) | 0];
    }
    sum = [a, b, c, d, e, f, g, h].map((one, n) => (one + sum[n]) | 0);
  }
  return sum.map((one) => (one >>> 0).toString(16).padStart(8, '0')).join('');
}

/** A value as canonical JSON (RFC 8785), for tables of words, whole numbers and truth values. @param {any} value @returns {string} */
function canonical(value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`;
}

/** The hash of rules, the same as yoddd's `rules_hash`. @param {Facts} facts */
export function rulesHash({ values }) {
  const idle = idleKeys(values);
  /** @type {Record<string, any>} */
  const table = {};
  for (const [key, value] of Object.entries(values)) {
    if (key in idle) continue;
    const [part, name] = key.split('.');
    if (name) table[part] = { ...table[part], [name]: value };
    else table[part] = value;
  }
  return sha256(canonical(table));
}
