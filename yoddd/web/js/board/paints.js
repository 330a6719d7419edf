// The paints of a board: the grain of its wood, the shading of its stones, and patterns for users
// who cannot tell colours.
import { svg } from '../base/svg.js';

/** The definitions to which the style sheet refers. */
export function paints() {
  return svg(
    'defs',
    {},
    grain(),
    shading('black'),
    shading('white'),
    pattern(
      { id: 'dots', width: 7, height: 7 },
      svg('rect', { class: 'ground', width: 7, height: 7 }),
      svg('circle', { class: 'dot-mark', cx: 3.5, cy: 3.5, r: 1 }),
    ),
    pattern(
      { id: 'stripes', width: 6, height: 6, patternTransform: 'rotate(45)' },
      svg('rect', { class: 'ink-ground', width: 6, height: 6 }),
      svg('rect', { class: 'stripe', width: 1.6, height: 6 }),
    ),
  );
}

/** @param {Record<string, string | number>} attributes @param {SVGElement[]} parts */
const pattern = (attributes, ...parts) =>
  svg('pattern', { patternUnits: 'userSpaceOnUse', ...attributes }, ...parts);

/** Two tones back and forth: the browser paints each further one for every pixel of the board. */
const grain = () =>
  svg(
    'linearGradient',
    {
      id: 'grain',
      gradientUnits: 'userSpaceOnUse',
      ...{ x1: 0, y1: 0, x2: 3, y2: 27 },
      spreadMethod: 'reflect',
    },
    svg('stop', { class: 'grain-a', offset: 0 }),
    svg('stop', { class: 'grain-b', offset: 1 }),
  );

/** The shading of a stone with the light from above and left. @param {'black' | 'white'} colour */
const shading = (colour) =>
  svg(
    'radialGradient',
    { id: `${colour}-stone`, cx: 0.36, cy: 0.3, r: 0.72 },
    svg('stop', { class: `${colour}-shine`, offset: 0 }),
    svg('stop', { class: `${colour}-body`, offset: 0.55 }),
    svg('stop', { class: `${colour}-rim`, offset: 1 }),
  );
