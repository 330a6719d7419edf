// Shared by the pages beside the board.
import { wirePage } from '../server/header.js';
import { reasonOf } from '../base/errortext.js';
import { el, html } from '../base/svg.js';
import { LOCALE, t } from '../base/texts.js';

wirePage();

/** @typedef {Record<string, any>} Values from the server, as docs/reference/http.md has them */

/**
 * The server's answer under `api/`; null if there is no such thing.
 * @param {string} path @returns {Promise<Values | null>}
 */
export async function fetchValues(path) {
  const reply = await fetch(`api/${path}`);
  if (reply.status === 404) return null;
  const values = await reply.json();
  if (!reply.ok) throw new Error(values.error ?? reply.statusText);
  return values;
}

let shown = '';

/** Draws the page, unless it is unchanged: a button must not vanish under the pointer. @param {(Element | string)[]} parts */
export function show(...parts) {
  const fresh = html('main', ...parts);
  if (fresh.innerHTML === shown) return;
  shown = fresh.innerHTML;
  const focused = document.activeElement?.getAttribute('aria-label');
  el('sheet').replaceChildren(...fresh.childNodes);
  if (focused)
    /** @type {HTMLElement | null} */ (
      document.querySelector(`[aria-label="${CSS.escape(focused)}"]`)
    )?.focus();
}

/** @param {string} title @param {(Element | string)[]} words */
export const empty = (title, ...words) => html('div.empty', html('b', title), html('p', ...words));

/** Says in the place of the page why it cannot be shown. @param {unknown} error */
export const fail = (error) =>
  el('sheet').replaceChildren(
    html('div.empty', { role: 'alert' }, html('b', t('pages.failed')), html('p', reasonOf(error))),
  );

/** The content of a cell; an element of a cell has other attributes than its column. @typedef {string | number | Element | (Element | string)[]} Cell */

/**
 * A table that can be moved sideways where it is too wide.
 * @param {string} label
 * @param {(string | Element)[]} heads
 * @param {(string | null)[]} kinds the class of each column; one that is `name` heads its rows
 * @param {Cell[][]} rows
 */
export function table(label, heads, kinds, rows) {
  const head = heads.map((text, at) =>
    typeof text === 'string' ? html('th', { scope: 'col', class: kinds[at] }, text) : text,
  );
  /** @param {Cell} content @param {number} at */
  const cell = (content, at) => {
    if (content instanceof HTMLTableCellElement) return content;
    const parts = [content].flat().map((one) => (one instanceof Element ? one : String(one)));
    return kinds[at] === 'name'
      ? html('th', { scope: 'row', class: 'name' }, ...parts)
      : html('td', { class: kinds[at] }, ...parts);
  };
  const body = rows.map((row) => html('tr', ...row.map(cell)));
  return html(
    'div.wide',
    { tabindex: 0, role: 'region', 'aria-label': label },
    html('table', html('thead', html('tr', ...head)), html('tbody', ...body)),
  );
}

/** Some values with their names. @param {Record<string, string>} values */
export const facts = (values) =>
  html(
    'dl.facts',
    ...Object.entries(values).map(([key, value]) =>
      html('div', html('dt', key), html('dd', value)),
    ),
  );

/** A rounded number with its sign. @param {number | null} value */
export const signed = (value) => {
  if (value === null) return '∞';
  const text = Math.abs(value).toFixed(0);
  return text === '0' ? '0' : `${value < 0 ? '−' : '+'}${text}`;
};

/** @param {string} iso */
export const moment = (iso) =>
  html(
    'time',
    { datetime: iso },
    new Date(iso).toLocaleString(LOCALE, { dateStyle: 'medium', timeStyle: 'short' }),
  );

/** Draws now, and every few seconds while the page is visible. @param {() => Promise<void>} draw */
export function keepFresh(draw) {
  const turn = async () => {
    try {
      if (!document.hidden) await draw();
    } catch (error) {
      show(empty(t('pages.failed'), reasonOf(error)));
    }
    window.setTimeout(turn, 4000);
  };
  turn();
  return () => draw().catch(() => {});
}
