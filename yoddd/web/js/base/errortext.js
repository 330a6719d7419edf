// What has gone wrong, in words for the user.
import { LANGUAGE, hasText, t, tOf } from './texts.js';

/** The code that an error of the server begins with; programs compare it. */
const CODE =
  /^(?:unknown command|syntax error|illegal move|cannot undo|unacceptable size|cannot score|cannot load file|no table|engine failed|login required|busy|not permitted|internal error): /;

/** The messages of browsers on a script that is not loaded. */
const UNLOADED = /imported module|importing a module/i;

/** The text of what was thrown, without the code of the server. @param {unknown} error */
export function reasonOf(error) {
  const key = `error.${Object(error).subcode}`;
  // The server's own words are English, and say more than its code.
  if (LANGUAGE !== 'en' && hasText(key)) return tOf(key);
  const text = error instanceof Error ? error.message : String(error);
  return UNLOADED.test(text) ? t('site.unloaded') : text.replace(CODE, '');
}
