// The tables of descriptions as text: JSON, and as much of TOML as descriptions take.
import { t } from '../base/catalogue.js';

/** Text that is no such table. */
export class SyntaxProblem extends Error {
  /** @param {number} line @param {string} reason */
  constructor(line, reason) {
    super(reason);
    this.line = line;
  }
}

/** A table, which has no properties but its keys. @typedef {Record<string, any>} Table */

/** @returns {Table} */
const makeTable = () => Object.create(null);
const DEEPEST = 8;
const BARE = /[\w-]+/y;
const NUMBER = /[+-]?(?:0|[1-9](?:_?\d)*)(?![\w.:+-])/y;
const STRING = /"((?:[^"\\\n\r]|\\.)*)"/y;
const LITERAL = /'([^'\n\r]*)'/y;
const WORDS = /(true|false)(?![\w-])/y;
const GAP = /[ \t]*/y;
const COMMENTS = /(?:[ \t\r\n]|#[^\n]*)*/y;
const SPACE = /[ \t\r\n]*/y;
const LINE_END = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y;
const ESCAPE = /\\(?:u([\da-f]{4})|U([\da-f]{8})|(.))/gi;
const ESCAPES = /** @type {Record<string, string>} */ ({
  ...{ b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', '"': '"', '\\': '\\', '/': '/' },
});

/**
 * The table of a text, and the line of each key by its path; throws a `SyntaxProblem`.
 * @param {string} text @returns {{table: Table, lines: Map<string, number>}}
 */
export function parseTable(text) {
  const parser = new Parser(text);
  return { table: parser.parse(), lines: parser.lines };
}

class Parser {
  /** @param {string} text */
  constructor(text) {
    this.text = text.replace(/^\uFEFF/, '');
    this.at = 0;
    this.isJson = /^\s*\{/.test(this.text);
    /** @type {Map<string, number>} */
    this.lines = new Map();
  }

  /** @returns {Table} */
  parse() {
    if (!this.isJson) return this.document();
    this.skip();
    const table = this.table([]);
    this.skip();
    if (this.at < this.text.length) this.fail(t('describe.end'));
    return table;
  }

  get line() {
    return this.text.slice(0, this.at).split('\n').length;
  }

  /** @param {string} expected @returns {never} */
  fail(expected) {
    const [near] = /.{0,12}/.exec(this.text.slice(this.at)) ?? [''];
    const what = near ? JSON.stringify(near) : t('describe.nothing');
    throw new SyntaxProblem(this.line, t('describe.expected', { what, expected }));
  }

  /** The match of a pattern here, which is passed; null without one. @param {RegExp} pattern */
  take(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at += found[0].length;
    return found;
  }

  /** @param {string} sign */
  takeSign(sign) {
    if (this.text[this.at] !== sign) return false;
    this.at += 1;
    return true;
  }

  skip() {
    this.take(this.isJson ? SPACE : COMMENTS);
  }

  document() {
    const root = makeTable();
    let table = root;
    /** @type {string[]} */
    let path = [];
    const begun = new Set([root]);
    for (this.skip(); this.at < this.text.length; this.skip()) {
      if (this.takeSign('[')) {
        path = this.path();
        if (!this.takeSign(']')) this.fail(']');
        table = this.inside(root, path, []);
        if (begun.has(table)) this.fail(t('describe.once'));
        begun.add(table);
      } else {
        this.pair(table, path);
      }
      if (!this.take(LINE_END)) this.fail(t('describe.line-end'));
    }
    return root;
  }

  /** A key, of which dots part the tables. */
  path() {
    const path = [];
    do {
      this.take(GAP);
      path.push(this.key());
      this.take(GAP);
      if (path.length > DEEPEST) this.fail(t('describe.shallow'));
    } while (this.takeSign('.'));
    return path;
  }

  key() {
    return (
      this.string() ?? (this.isJson ? null : this.take(BARE)?.[0]) ?? this.fail(t('describe.key'))
    );
  }

  /** The table at a path, which is made where there is none. @param {Table} table @param {string[]} path @param {string[]} above @returns {Table} */
  inside(table, path, above) {
    return path.reduce((at, key, n) => {
      at[key] ??= this.noted([...above, ...path.slice(0, n + 1)], makeTable());
      if (!isTable(at[key]) || Object.isFrozen(at[key])) this.fail(t('describe.once'));
      return at[key];
    }, table);
  }

  /** @template T @param {string[]} path @param {T} value @returns {T} */
  noted(path, value) {
    this.lines.set(path.join('.'), this.line);
    return value;
  }

  /** @param {Table} table @param {string[]} above */
  pair(table, above) {
    const path = this.isJson ? [this.key()] : this.path();
    const whole = [...above, ...path];
    this.noted(whole, null);
    if (this.isJson) this.skip();
    const sign = this.isJson ? ':' : '=';
    if (!this.takeSign(sign)) this.fail(sign);
    if (this.isJson) this.skip();
    else this.take(GAP);
    const last = path.pop() ?? '';
    const place = this.inside(table, path, above);
    if (last in place) this.fail(t('describe.once'));
    place[last] = this.value(whole);
  }

  /** @param {string[]} path @returns {unknown} */
  value(path) {
    if (path.length > DEEPEST) this.fail(t('describe.shallow'));
    const text = this.string();
    if (text !== null) return text;
    const word = this.take(WORDS);
    if (word) return word[1] === 'true';
    const number = this.take(NUMBER);
    if (number) return Number(number[0].replaceAll('_', ''));
    if (this.text[this.at] === '[') return this.list(path);
    if (this.text[this.at] === '{') return this.table(path);
    return this.fail(t('describe.value'));
  }

  string() {
    if (!this.isJson && /^("""|''')/.test(this.text.slice(this.at, this.at + 3)))
      this.fail(t('describe.string'));
    const literal = this.isJson ? null : this.take(LITERAL);
    if (literal) return literal[1];
    const found = this.take(STRING);
    return (
      found &&
      found[1].replace(ESCAPE, (_, short, long, sign) => {
        const point = parseInt(short ?? long, 16);
        if (point > 0x10ffff) this.fail(t('describe.string'));
        return sign
          ? (ESCAPES[sign] ?? this.fail(t('describe.string')))
          : String.fromCodePoint(point);
      })
    );
  }

  /** @param {string[]} path */
  list(path) {
    const values = [];
    this.takeSign('[');
    for (this.skip(); !this.takeSign(']'); this.skip()) {
      values.push(this.value([...path, '']));
      this.skip();
      if (this.takeSign(',')) continue;
      if (this.text[this.at] !== ']') this.fail(']');
    }
    return values;
  }

  /** @param {string[]} path */
  table(path) {
    const table = makeTable();
    const skip = () => (this.isJson ? this.skip() : this.take(GAP));
    this.takeSign('{');
    skip();
    while (!this.takeSign('}')) {
      this.pair(table, path);
      skip();
      if (this.takeSign(',')) skip();
      else if (this.text[this.at] !== '}') this.fail('}');
    }
    return Object.freeze(table);
  }
}

/** Whether a value is a table. @param {unknown} value @returns {value is Table} */
export const isTable = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
