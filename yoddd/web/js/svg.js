// Small helpers for SVG and HTML elements.

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @param {string} tag
 * @param {Record<string, string | number | null | undefined>} [attributes]
 * @param {(Element | string)[]} children
 */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | null | undefined>} [attributes]
 * @param {(Element | string)[]} children
 */
export function html(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * A button that acts when it is pressed.
 * @param {string} text
 * @param {() => void} act
 * @param {Record<string, string | null>} [attributes]
 */
export function button(text, act, attributes = {}) {
  const made = html('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', act);
  return made;
}

/** An input with its label. @param {string} text @param {Element} input */
export const field = (text, input) =>
  html('label', { class: 'field' }, html('span', {}, text), input);

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
 * @param {Record<string, string | number | null | undefined>} attributes
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
