// The texts of the page in the user's language: English is here, the others are files of texts/.
import * as catalogue from './catalogue.js';
import { EN } from './en.js';
import { loadSettings } from './settings.js';
import { dataUrl } from './site.js';

/** The languages that there are, by their codes. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español' };

/** The code of the language: the chosen one, or the first of the browser's that there is. */
export const LANGUAGE = globalThis.document?.documentElement
  ? ([loadSettings().language, ...navigator.languages.map((one) => one.split('-')[0])].find((one) =>
      Object.hasOwn(LANGUAGES, one),
    ) ?? 'en')
  : 'en';

/** The language with its region, for dates: the browser's own where it is the same language. */
export const LOCALE = globalThis.navigator?.language?.startsWith(LANGUAGE)
  ? navigator.language
  : LANGUAGE;

catalogue.addTexts(EN, LANGUAGE);
const [, MARK] = new Intl.NumberFormat(LANGUAGE).format(1.5);

/** A number with decimals, as the language writes them. @param {number} value @param {number} digits */
export const decimal = (value, digits) => value.toFixed(digits).replace('.', MARK);

// Modules that get these from here wait for the texts.
export const t = catalogue.t;
export const tOf = catalogue.tOf;
export const hasText = catalogue.hasText;

/** Fetches the texts of another language than English, and writes those of the page's shell. */
async function load() {
  if (LANGUAGE === 'en') return;
  const reply = await fetch(dataUrl(`texts/${LANGUAGE}.json`)).catch(() => null);
  if (!reply?.ok) return; // English is better than nothing
  catalogue.addTexts(await reply.json(), LANGUAGE);
  document.documentElement.lang = LANGUAGE;
  for (const element of document.querySelectorAll('[data-t]'))
    for (const part of (element.getAttribute('data-t') ?? '').split(' ')) {
      const [name, key] = part.split('=');
      if (key) element.setAttribute(name, tOf(key));
      else if (element.localName === 'title') document.title = `${tOf(name)} – yoddd`;
      else element.replaceChildren(...element.querySelectorAll(':scope > i'), tOf(name)); // an icon stays
    }
}

/** Resolves once the texts are there; every module that has texts waits for it. */
export const READY = load();
await READY;
