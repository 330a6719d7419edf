// The board as a picture, and files that are saved.
import { t } from '../base/texts.js';

const PARTS = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-linejoin',
  'stop-color',
  'opacity',
  'text-anchor',
  'dominant-baseline',
];

/** Pixels of a saved picture to one of the drawing: most screens have two. */
const SCALE = 2;

/** Pixels around the board for its shadow. */
const EDGE = 14;

/** The part of the drawing that the board takes, whatever is shown of it. @param {SVGSVGElement} board */
function around(board) {
  const plate = /** @type {SVGGElement} */ (board.querySelector('.ground-plate'));
  const { x, y, width, height } = plate.getBBox();
  const edge = EDGE * Number(board.style.getPropertyValue('--px'));
  return { x: x - edge, y: y - edge, width: width + 2 * edge, height: height + 2 * edge };
}

/** A picture that needs no style sheet. @param {SVGSVGElement} board */
export function boardSvg(board) {
  const copy = /** @type {SVGSVGElement} */ (board.cloneNode(true));
  const originals = board.querySelectorAll('*');
  copy.querySelectorAll('*').forEach((element, index) => {
    const style = getComputedStyle(originals[index]);
    for (const name of PARTS) {
      const value = style.getPropertyValue(name);
      if (value) element.setAttribute(name, value);
    }
    if (element.tagName === 'text') {
      element.setAttribute('font-size', style.fontSize);
      element.setAttribute('font-family', 'sans-serif');
    }
    for (const name of ['class', 'style', 'tabindex', 'role', 'aria-label', 'data-cell'])
      element.removeAttribute(name);
  });
  for (const name of ['class', 'style', 'id', 'role', 'aria-rowcount']) copy.removeAttribute(name);
  const { x, y, width, height } = around(board);
  copy.setAttribute('viewBox', `${x} ${y} ${width} ${height}`);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(Math.round(width)));
  copy.setAttribute('height', String(Math.round(height)));
  return new XMLSerializer().serializeToString(copy);
}

/** @param {SVGSVGElement} board @returns {Promise<Blob>} */
export async function boardPng(board) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(boardSvg(board))}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.width * SCALE;
  canvas.height = image.height * SCALE;
  const context = canvas.getContext('2d');
  if (!context) throw new Error(t('export.cannot'));
  context.fillStyle = getComputedStyle(document.documentElement).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => {
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error(t('export.cannot')))));
  });
}

/** @param {string} name @param {Blob} content */
export function download(name, content) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
