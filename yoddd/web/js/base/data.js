// Loads the data of the page.
import { dataUrl, isStatic } from './site.js';
import { t } from './texts.js';

/** Rejects with the reason. @param {string} path */
export async function load(path) {
  const reply = await fetch(dataUrl(path));
  if (reply.ok) return reply;
  throw new Error(isStatic && reply.status === 404 ? t('site.changed') : reply.statusText);
}
