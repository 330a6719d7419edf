// The dialog that starts a game.
import { FACTS } from './facts.js';
import { focusContent } from './header.js';
import { parsePosition } from './notation.js';
import { reasonOf } from './reason.js';
import { GAMES, Position, boardText, capital, gameTitle, isSwitch, makeRules } from './rules.js';
import { HUMAN, LEVELS } from './seats.js';
import { el, html } from './svg.js';

/** @typedef {import('./seats.js').Seats} Seats */

const OPTION_TEXTS = /** @type {Record<string, string>} */ ({
  end_on_full: 'End at once on a full board',
  own_colour: 'Own colour only (Yopp)',
  min_group: 'Smallest group that counts',
  pie: 'White may swap sides',
  one_group: 'One group is enough',
  tie: 'Equal products are won by',
});

/** The game and its board, in words. @param {import('./rules.js').Rules} rules */
export const rulesTitle = ({ game, board }) => gameTitle(game, board.name);

const GOALS = /** @type {Record<string, string>} */ ({
  yodd: 'Drop one or two stones of any colours, leave an odd number of groups. Fewer groups of your colour win.',
  xodd: 'Yodd on a square board: one or two stones of any colours, an odd number of groups, fewer groups win.',
  odd: 'Drop one stone of either colour. On the full board Black wins if the large groups are odd in number.',
  yoin: 'Drop one stone of your colour. On the full board fewer groups win; among equals the smallest do not count.',
  product:
    'Drop two stones of any colours. On the full board multiply the sizes of your two largest groups: the higher product wins.',
});

/** The shapes of a game with their suggested sizes. @param {import('./facts.js').GameFacts} facts */
const suggestedOf = ({ boards }) =>
  /** @type {[import('./facts.js').Shape, import('./facts.js').Ends][]} */ (Object.entries(boards));

/** @param {string} game @returns {HTMLOptionElement[]} */
export function boardChoices(game) {
  const facts = GAMES[game];
  return suggestedOf(facts).flatMap(([shape, [low, high]]) => {
    const [least, most] = FACTS.boards[shape];
    const choices = [];
    for (let size = least; size <= most; size += 1) {
      const fit = size >= low && size <= high ? '' : size < low ? ' (small)' : ' (large)';
      const name = shape + size;
      const text = capital(boardText(name)) + fit;
      const choice = new Option(text, name, name === facts.board, name === facts.board);
      choices.push(choice);
    }
    return choices;
  });
}

/** @param {HTMLElement} box @param {string} game */
export function drawOptions(box, game) {
  const fields = Object.entries(GAMES[game].options).map(([name, option]) => {
    const text = html('span', {}, OPTION_TEXTS[name]);
    if (!isSwitch(option)) return html('label', { class: 'field' }, text, choiceOf(name, option));
    const checked = option.default === 'on' ? '' : null;
    return html(
      'label',
      { class: 'toggle' },
      html('input', { type: 'checkbox', name, checked }),
      text,
    );
  });
  box.replaceChildren(...box.querySelectorAll('legend'), ...fields);
}

/** A choice of words or of a number. @param {string} name @param {import('./facts.js').OptionFacts} option */
function choiceOf(name, { default: value, words, range }) {
  if (words)
    return html('select', { name }, ...words.map((word) => new Option(word, word, word === value)));
  return html('input', { type: 'number', name, value, min: range?.[0], max: range?.[1] });
}

/** @param {HTMLElement} box @returns {Record<string, string>} */
export function readOptions(box) {
  const fields = /** @type {NodeListOf<HTMLInputElement | HTMLSelectElement>} */ (
    box.querySelectorAll('input, select')
  );
  return Object.fromEntries(
    [...fields].map((field) => [
      field.name,
      field instanceof HTMLInputElement && field.type === 'checkbox'
        ? field.checked
          ? 'on'
          : 'off'
        : field.value,
    ]),
  );
}

/** @param {HTMLElement} box @param {(game: string) => void} onChange @param {string} group */
export function drawGames(box, onChange, group = 'game') {
  box.replaceChildren(
    ...Object.entries(GAMES).map(([name, { title }]) => {
      const input = html('input', { type: 'radio', name: group, value: name });
      input.addEventListener('change', () => onChange(name));
      return html('label', {}, input, html('span', {}, title));
    }),
  );
}

/** @param {(position: Position, seats: Seats) => Promise<boolean>} start whether the game has begun */
export function newGameDialog(start) {
  const dialog = /** @type {HTMLDialogElement} */ (el('new-dialog'));
  const form = /** @type {HTMLFormElement} */ (el('new-form'));
  const problem = /** @type {HTMLElement} */ (form.querySelector('.problem'));
  const games = /** @type {HTMLElement} */ (form.querySelector('.games'));
  /** @param {string} name */
  const field = (name) => /** @type {HTMLSelectElement} */ (form.elements.namedItem(name));

  /** @param {string} game */
  const choose = (game) => {
    field('board').replaceChildren(...boardChoices(game));
    el('goal').textContent = GOALS[game];
    drawOptions(el('options'), game);
  };
  drawGames(games, choose);
  for (const [seat, chosen] of /** @type {const} */ ([
    ['black', HUMAN],
    ['white', 'level-4'],
  ])) {
    field(seat).append(
      new Option('Human', HUMAN),
      ...LEVELS.map(({ id, name }) => new Option(name, id)),
    );
    field(seat).value = chosen;
  }
  form.addEventListener('submit', async (event) => {
    if (event.submitter?.getAttribute('value') !== 'start') return;
    event.preventDefault();
    try {
      const line = field('position').value.trim();
      const game = /** @type {RadioNodeList} */ (
        /** @type {unknown} */ (form.elements.namedItem('game'))
      ).value;
      const position = line
        ? parsePosition(line)
        : new Position(makeRules(game, field('board').value, readOptions(el('options'))));
      const seats = { clock: field('clock').value };
      const players = /** @type {[string, string]} */ ([
        field('black').value,
        field('white').value,
      ]);
      if (!(await start(position, { ...seats, players }))) return;
      field('position').value = '';
      dialog.close();
      focusContent();
    } catch (error) {
      problem.textContent = reasonOf(error);
    }
  });
  return {
    /** @param {string} game */
    open(game) {
      problem.textContent = '';
      const radio = games.querySelector(`input[value="${game}"]`);
      if (radio instanceof HTMLInputElement && !radio.checked) {
        radio.checked = true;
        choose(game);
      }
      dialog.showModal();
    },
  };
}
