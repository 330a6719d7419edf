// Small helpers for SVG and HTML elements.

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {(Element | string)[]} children
 */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** @typedef {Record<string, string | number | null | undefined>} Attributes */
/** The name before the classes. @template {string} T @typedef {T extends `${infer N}.${string}` ? N : T} NameOf */
/** @template {string} N @typedef {N extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[N] : never} Named */

/**
 * An element, as in `html('p.quiet', { id: 'note' }, 'a text', another)`; a button submits no form.
 * @template {string} T
 * @param {T} tag its name, and its classes after dots
 * @param {(Attributes | Element | string)[]} content its attributes, if it has others, and its children
 * @returns {Named<NameOf<T>>}
 */
export function html(tag, ...content) {
  const [name, ...classes] = tag.split('.');
  const [first] = content;
  const given = typeof first === 'object' && !(first instanceof Element) ? first : {};
  const attributes = name === 'button' ? { type: 'button', ...given } : given;
  const children = /** @type {(Element | string)[]} */ (content.slice(Number(first === given)));
  const made = fill(document.createElement(name), attributes, children);
  if (classes.length) made.classList.add(...classes);
  return /** @type {Named<NameOf<T>>} */ (made);
}

/**
 * A button that acts when it is pressed.
 * @param {string | (Element | string)[]} content
 * @param {() => void} act
 * @param {Record<string, string | null>} [attributes]
 */
export function button(content, act, attributes = {}) {
  const made = html('button', attributes, ...[content].flat());
  made.addEventListener('click', act);
  return made;
}

/** The attributes of a button that may be pressed, or not. @param {boolean} is whether it may not */
export const off = (is) => ({ disabled: is ? '' : null });

/** An input with its label. @param {string} text @param {Element} input */
export const field = (text, input) => html('label.field', html('span', text), input);

/** The schemes of links; a browser runs some others, such as `javascript:`. */
const SCHEMES = new Set(['http:', 'https:', 'blob:']);

/** The address of a link that comes from data; `#` in place of one that is no page or file. @param {string} address */
export function hrefOf(address) {
  try {
    return SCHEMES.has(new URL(address, document.baseURI).protocol) ? address : '#';
  } catch {
    return '#';
  }
}

/**
 * @template {Element} T
 * @param {T} element
 * @param {Attributes} attributes
 * @param {(Element | string)[]} children
 * @returns {T}
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    element.setAttribute(name, name === 'href' ? hrefOf(String(value)) : String(value));
  }
  element.append(...children);
  return element;
}

/** Has an element say a text; to the browser the same text again is a change as well. @param {Element} element @param {string} text */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * The element of the page with this id; the page is ours, so it is there.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @returns {T}
 */
export function el(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return /** @type {T} */ (found);
}
