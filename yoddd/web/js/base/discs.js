// Stones in a line of text: as drawn discs, since ● is white on a dark page.
import { html } from './svg.js';

/** The texts that elements say with drawn discs. @type {WeakMap<Element, string>} */
const said = new WeakMap();

/** Has an element say a text with ● and ○ drawn, if it does not yet. @param {Element} element @param {string} text */
export function writeDiscs(element, text) {
  if (said.get(element) === text) return;
  said.set(element, text);
  const parts = withDiscs(text);
  // In lists that change several times a second another text takes the place of the one before.
  parts.forEach((part, at) => {
    const before = element.childNodes[at];
    if (before instanceof Text && typeof part === 'string') before.data = part;
    else if (before) before.replaceWith(part);
    else element.append(part);
  });
  while (element.childNodes.length > parts.length) element.lastChild?.remove();
}

/** Text with ● and ○ drawn. @param {string} text @returns {(Element | string)[]} */
export function withDiscs(text) {
  return text
    .split(/([●○])/)
    .filter(Boolean)
    .map((part) => {
      const colour = { '●': 'black', '○': 'white' }[part];
      return colour
        ? html('i', { class: `dot ${colour}`, role: 'img', 'aria-label': colour })
        : part;
    });
}
