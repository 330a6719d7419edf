// Stones in a line of text: as drawn discs, since ● is white on a dark page.
import { html } from './svg.js';

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
