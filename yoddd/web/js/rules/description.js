// Reads descriptions of games, TOML or JSON, with the refusals of yoddd/rules/description.py.
import { FACTS, FACT_VALUES } from '../base/facts.js';
import { t } from '../base/catalogue.js';
import { RulesError } from '../base/errors.js';
import { FactError, checkDrawless, checkFacts, checkValue, shown } from './check.js';
import { settle } from './facts.js';
import { geometry } from './geometry.js';
import { GAMES, anyOf, checkBy } from './rules.js';
import { SyntaxProblem, isTable, parseTable } from './toml.js';

/** @import { Game, OptionFacts, Shape } from '../base/facts.js' */
/** @import { OwnGame } from './rules.js' */
/** @import { Table } from './toml.js' */

/**
 * A game in the format of descriptions.
 * @typedef {object} Description
 * @property {number} format
 * @property {string} name
 * @property {string} title
 * @property {string} designer
 * @property {string} [source]
 * @property {number} [date]
 * @property {{hex?: number[], square?: number[]}} boards
 * @property {string} board
 * @property {boolean} [pie]
 * @property {Record<string, string | number | boolean | number[]>} turn
 * @property {Record<string, string | number | string[]>} score
 * @property {Record<string, {sets: string | string[], words?: Record<string, unknown>, range?: number[], help?: string}>} [options]
 */

checkBy(({ title, options }, board, given, chosen) => {
  try {
    checkFacts(given);
    checkDrawless(settle(given), board.cells);
  } catch (error) {
    if (!(error instanceof FactError)) throw error;
    const { key, message } = error;
    const about = Object.keys(chosen).find((name) => options[name].sets.includes(key)) ?? 'board';
    throw new RulesError(`${title}, ${board.name}: ${message}`, about);
  }
});

const FORMAT = 1;
/** Bytes of a description. */
const LARGEST = 1 << 14;
/** The keys of the commands `seek` and `match`. */
const RESERVED =
  'accept,adjudication,against,as,board,clock,concurrency,each,engine,first,game,games,invite,limits,opening,options,pairs,rated,seat,seed,wait'.split(
    ',',
  );
const TOP = 'format,name,title,designer,source,date,boards,board,pie,turn,score,options'.split(',');
const LONGEST = { line: 60, help: 200 };

/** A key that is refused, before its line is known. */
class Refused extends Error {
  /** @param {string[]} path @param {string} reason */
  constructor(path, reason) {
    super(reason);
    this.path = path;
  }
}

/** @param {string[]} path @param {string} reason @returns {never} */
function refuse(path, reason) {
  throw new Refused(path, reason);
}

/** @param {string[]} path @param {unknown} value @param {string} expected @returns {never} */
const expect = (path, value, expected) =>
  refuse(
    path,
    value === undefined
      ? t('describe.missing', { expected })
      : t('describe.expected', { what: shown(value), expected }),
  );

/**
 * The game that a description describes, as text or as the table; throws a `RulesError` that names the key.
 * @param {string | Table | Description} given
 * @returns {OwnGame}
 */
export function readGame(given) {
  /** @type {Map<string, number>} */
  let lines = new Map();
  try {
    const text = typeof given === 'string' ? given : JSON.stringify(given);
    if (new TextEncoder().encode(text).length > LARGEST)
      refuse([], t('describe.long', { most: LARGEST }));
    const read = parseTable(text);
    if (typeof given === 'string') ({ lines } = read);
    return gameOf(read.table);
  } catch (error) {
    if (error instanceof SyntaxProblem)
      throw new RulesError(placed(error.line, error.message), 'game');
    if (!(error instanceof Refused)) throw error;
    const { path, message } = error;
    const key = path.join('.');
    let [line, at] = [lines.get(key), path];
    while (line === undefined && at.length) {
      at = at.slice(0, -1);
      line = lines.get(at.join('.'));
    }
    const reason = key ? `${key}: ${message}` : message;
    throw new RulesError(lines.size ? placed(line ?? 1, reason) : reason, 'game');
  }
}

/** @param {number} line @param {string} reason */
const placed = (line, reason) => t('describe.place', { line, reason });

/** Blames a key for what a fact is refused for. @template T @param {() => T} work @param {string[]} [path] in place of the fact's key @returns {T} */
function blaming(work, path) {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof FactError)) throw error;
    return refuse(path ?? error.key.split('.'), path ? error.message : error.reason);
  }
}

/** @param {Table} table @returns {OwnGame} */
function gameOf(table) {
  const { format, name, date } = table;
  if (!Number.isInteger(format) || format < 1) expect(['format'], format, String(FORMAT));
  if (format > FORMAT) refuse(['format'], t('describe.newer', { format, known: FORMAT }));
  checkKeys([], table, TOP);
  textOf(table, ['name'], (text) => /^[a-z][a-z0-9]{0,30}$/.test(text), t('describe.name'));
  const known = Object.hasOwn(GAMES, name) ? GAMES[/** @type {Game} */ (name)] : null;
  if ((known && !known.description) || name === 'startpos')
    refuse(['name'], t('describe.taken', { what: name }));
  const wanted = t('describe.line', { most: LONGEST.line });
  const [title, designer] = ['title', 'designer'].map((key) =>
    textOf(table, [key], (text) => isLine(text, LONGEST.line), wanted),
  );
  if ('source' in table)
    textOf(table, ['source'], (text) => /^https:\/\/[!-~]{1,300}$/.test(text), t('describe.url'));
  if ('date' in table && !(Number.isInteger(date) && date >= 1 && date <= 9999))
    expect(['date'], date, t('describe.year'));
  const boards = boardsOf(table);
  const given = factsIn(table);
  blaming(() => checkFacts(given));
  const facts = settle(given);
  const options = optionsOf(table.options ?? {}, given);
  textOf(table, ['board'], Boolean, 'hex6');
  const where = geometryOf(table.board);
  if (!(where.shape in boards)) expect(['board'], table.board, anyOf(Object.keys(boards)));
  blaming(() => checkDrawless(facts, where.cells));
  const description = JSON.parse(JSON.stringify(table));
  if (JSON.stringify(known?.description) === JSON.stringify(description))
    return /** @type {OwnGame} */ (known);
  return {
    ...{ name, title, designer, board: where.name, boards, given, options },
    own_colour: facts.own && facts.firstOwn,
    description,
  };
}

/** @param {string} name */
function geometryOf(name) {
  try {
    return geometry(name);
  } catch (error) {
    return refuse(['board'], /** @type {Error} */ (error).message);
  }
}

/** @param {string[]} path @param {unknown} table @param {string[]} keys @returns {Table} */
function checkKeys(path, table, keys) {
  const known = keys.join(' ');
  if (!isTable(table)) return expect(path, table, t('describe.table', { known }));
  for (const key of Object.keys(table))
    if (!keys.includes(key)) refuse([...path, key], t('describe.no-key', { known }));
  return table;
}

/** @param {Table} table @param {string[]} path the last part is the key @param {(text: string) => boolean} fits @param {string} wanted @returns {string} */
function textOf(table, path, fits, wanted) {
  const value = table[path[path.length - 1]];
  return typeof value === 'string' && fits(value) ? value : expect(path, value, wanted);
}

/** Whether a text is one line of printable characters, none of which changes its direction. @param {string} text @param {number} most */
const isLine = (text, most) =>
  text.trim() !== '' && /^(?: |[^\p{C}\p{Z}])+$/u.test(text) && [...text].length <= most;

/** @param {Table} table */
function boardsOf(table) {
  const boards = checkKeys(['boards'], table.boards, Object.keys(FACTS.boards));
  for (const [shape, ends] of Object.entries(boards)) {
    const [least, most] = FACTS.boards[/** @type {Shape} */ (shape)];
    const isRange = isEnds(ends) && least <= ends[0] && ends[0] <= ends[1] && ends[1] <= most;
    if (!isRange) expect(['boards', shape], ends, t('describe.sizes', { least, most }));
  }
  if (!Object.keys(boards).length) expect(['boards'], boards, '{ hex = [4, 10] }');
  return boards;
}

/** @param {unknown} ends @returns {ends is [number, number]} */
const isEnds = (ends) => Array.isArray(ends) && ends.length === 2 && ends.every(Number.isInteger);

/** The facts that a table has, by key. @param {Table} table */
function factsIn(table) {
  const { keys } = FACT_VALUES;
  /** @type {Table} */
  const given = 'pie' in table ? { pie: table.pie } : {};
  for (const part of ['turn', 'score']) {
    const known = keys.filter((key) => key.startsWith(`${part}.`)).map((key) => key.split('.')[1]);
    const found = checkKeys([part], table[part], known);
    for (const [key, value] of Object.entries(found)) given[`${part}.${key}`] = value;
  }
  for (const key of keys) if (key in given) blaming(() => checkValue(key, given[key]));
  return given;
}

// -- options ---------------------------------------------------------------------------------------

/** @param {unknown} table @param {Table} given @returns {Record<string, OptionFacts>} */
function optionsOf(table, given) {
  if (!isTable(table)) return expect(['options'], table, t('describe.table', { known: '…' }));
  const taken = new Set();
  const found = Object.entries(table).map(([name, one]) => {
    const path = ['options', name];
    if (!/^[a-z][a-z_]{0,30}$/.test(name)) refuse(path, t('describe.option-name'));
    if (RESERVED.includes(name)) refuse(path, t('describe.reserved'));
    checkKeys(path, one, ['sets', 'words', 'range', 'help']);
    const sets = setsOf(path, one.sets);
    for (const key of sets) {
      if (taken.has(key)) refuse([...path, 'sets'], t('describe.set-twice', { what: key }));
      taken.add(key);
    }
    return [name, optionOf(path, one, sets, given)];
  });
  return Object.fromEntries(found);
}

/** @param {string[]} path @param {unknown} given @returns {string[]} */
function setsOf(path, given) {
  const { keys } = FACT_VALUES;
  const sets = typeof given === 'string' ? [given] : given;
  const isKnown = Array.isArray(sets) && sets.length && sets.every((key) => keys.includes(key));
  return isKnown
    ? sets
    : expect([...path, 'sets'], given, t('describe.sets', { keys: keys.join(' ') }));
}

/** @param {string[]} path @param {Table} table @param {string[]} sets @param {Table} given @returns {OptionFacts} */
function optionOf(path, table, sets, given) {
  const most = LONGEST.help;
  const wanted = t('describe.line', { most });
  const line =
    'help' in table && textOf(table, [...path, 'help'], (one) => isLine(one, most), wanted);
  if ('words' in table === 'range' in table) refuse(path, t('describe.either'));
  const kind = 'words' in table ? 'words' : 'range';
  const place = [...path, kind];
  const usual = sets.map((key) => given[key] ?? defaultOf(key, given));
  const missing = sets.find((_, n) => usual[n] === undefined);
  if (missing) refuse([...path, 'sets'], t('describe.no-default', { key: missing }));
  const option = { help: line || '', sets };
  if (kind === 'range') {
    const range = rangeOf(place, table.range, sets);
    const [value] = usual;
    if (!(value >= range[0] && value <= range[1])) refuseDefault(place, sets, usual);
    return { ...option, default: String(value), range };
  }
  const values = wordsOf(place, table.words, sets);
  const isUsual = (/** @type {string} */ word) =>
    JSON.stringify(values[word]) === JSON.stringify(usual);
  const found = Object.keys(values).find(isUsual) ?? refuseDefault(place, sets, usual);
  const names = Object.keys(values);
  const words = [...names].sort().join() === 'off,on' ? ['on', 'off'] : names;
  return { ...option, default: found, words, values };
}

/** A fact that is not given. @param {string} key @param {Table} given */
const defaultOf = (key, given) =>
  key === 'turn.first_colour' ? given['turn.colour'] : FACTS.facts.defaults[key];

/** @param {string[]} place @param {string[]} sets @param {unknown[]} usual @returns {never} */
const refuseDefault = (place, sets, usual) =>
  refuse(
    place,
    t('describe.default', { what: sets.map((key, n) => `${key} = ${shown(usual[n])}`).join(', ') }),
  );

/** @param {string[]} path @param {unknown} words @param {string[]} sets */
function wordsOf(path, words, sets) {
  if (!isTable(words) || !Object.keys(words).length)
    return expect(path, words, t('describe.table', { known: '…' }));
  /** @type {Record<string, any[]>} */
  const found = {};
  for (const [word, value] of Object.entries(words)) {
    const place = [...path, word];
    if (!/^[a-z0-9][a-z0-9_-]{0,30}$/.test(word)) refuse(place, t('describe.word'));
    const values = sets.length === 1 ? [value] : value;
    if (!Array.isArray(values) || values.length !== sets.length)
      expect(place, value, t('describe.values', { n: sets.length }));
    found[word] = values.map((/** @type {unknown} */ one, /** @type {number} */ n) =>
      blaming(() => checkValue(sets[n], one), place),
    );
  }
  return found;
}

/** @param {string[]} path @param {unknown} ends @param {string[]} sets @returns {[number, number]} */
function rangeOf(path, ends, sets) {
  if (!isEnds(ends)) return expect(path, ends, t('describe.ends'));
  if (sets.length > 1) refuse(path, t('describe.one-key'));
  for (const end of ends) blaming(() => checkValue(sets[0], end), path);
  if (ends[0] > ends[1]) expect(path, ends, t('describe.ends'));
  return ends;
}
