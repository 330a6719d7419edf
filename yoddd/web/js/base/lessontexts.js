// The files of lessons/ in the user's language: English is in them, the others beside the other texts.
import { load } from './data.js';
import { LANGUAGE } from './texts.js';

/** @type {Promise<any> | null} the texts of all files, by name */
let translated = null;

/** A value with the texts of another one in place of its own. @param {any} value @param {any} texts @returns {any} */
function withTexts(value, texts) {
  if (texts === undefined) return value;
  if (typeof value !== 'object') return texts;
  const made = Array.isArray(value) ? [...value] : { ...value };
  for (const key of Object.keys(texts)) made[key] = withTexts(value[key], texts[key]);
  return made;
}

/** @param {string} path */
const read = async (path) => (await load(path)).json();

/** The games that have a lesson, and their rules on boards. @returns {Promise<string[]>} */
export const taughtGames = async () => Object.keys(await read('lessons/rules.json'));

/** The contents of a file of lessons/. @param {string} name @returns {Promise<any>} */
export async function loadLesson(name) {
  const lesson = read(`lessons/${name}.json`);
  if (LANGUAGE === 'en') return lesson;
  translated ??= read(`texts/lessons.${LANGUAGE}.json`).catch(() => ({})); // English is better than nothing
  return withTexts(await lesson, (await translated)[name]);
}
