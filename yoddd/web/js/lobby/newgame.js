// The dialog that starts a game.
import { controlText } from '../rules/clock.js';
import { FACTS } from '../base/facts.js';
import { focusContent } from '../server/header.js';
import { reasonOf } from '../base/reason.js';
import {
  GAMES,
  Position,
  boardText,
  capital,
  gameTitle,
  isSwitch,
  makeRules,
} from '../rules/rules.js';
import { HUMAN, LEVELS } from '../rules/seats.js';
import { aimOf } from '../rules/standing.js';
import { el, field, html } from '../base/svg.js';
import { t, tOf } from '../base/texts.js';

/** @import { Seats } from '../rules/seats.js' */

/** The clocks to choose from. */
const CLOCKS = ['none', '180+2', '600+5', '1800+15'];

/** The game and its board, in words. @param {import('../rules/rules.js').Rules} rules */
export const rulesTitle = ({ game, board }) => gameTitle(game, board.name);

/** The shapes of a game with their suggested sizes. @param {import('../base/facts.js').GameFacts} facts */
const suggestedOf = ({ boards }) =>
  /** @type {[import('../base/facts.js').Shape, import('../base/facts.js').Ends][]} */ (
    Object.entries(boards)
  );

/** The boards of a game; very small and very large ones come last. @param {string} game @returns {HTMLElement[]} */
export function boardChoices(game) {
  const facts = GAMES[game];
  /** @type {HTMLElement[]} */
  const usual = [];
  const more = html('optgroup', { label: t('new.more') });
  for (const [shape, [low, high]] of suggestedOf(facts)) {
    const [least, most] = FACTS.boards[shape];
    for (let size = least; size <= most; size += 1) {
      const name = shape + size;
      const choice = new Option(capital(boardText(name)), name, name === facts.board);
      if (size >= low && size <= high) usual.push(choice);
      else more.append(choice);
    }
  }
  return [...usual, more];
}

/** The participants that may play here. */
export const playerChoices = () => [
  new Option(t('seat.human'), HUMAN),
  ...LEVELS.map(({ id, name }) => new Option(name, id)),
];

/** @param {HTMLElement} box @param {string} game */
export function drawOptions(box, game) {
  const fields = Object.entries(GAMES[game].options).map(([name, option]) => {
    const text = tOf(`option.${name}`);
    if (!isSwitch(option)) return field(text, choiceOf(name, option));
    const checked = option.default === 'on' ? '' : null;
    return html(
      'label.toggle',
      html('input', { type: 'checkbox', name, checked }),
      html('span', text),
    );
  });
  box.replaceChildren(...box.querySelectorAll('legend'), ...fields);
}

/** A choice of words or of a number. @param {string} name @param {import('../base/facts.js').OptionFacts} option */
function choiceOf(name, { default: value, words, range }) {
  if (words)
    return html(
      'select',
      { name },
      ...words.map((word) => new Option(tOf(`choice.${word}`), word, word === value)),
    );
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
      return html('label', input, html('span', title));
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
    const { turn, goal } = aimOf(makeRules(game));
    el('goal').textContent = `${turn} ${goal}`;
    drawOptions(el('options'), game);
  };
  drawGames(games, choose);
  for (const [seat, chosen] of /** @type {const} */ ([
    ['black', HUMAN],
    ['white', 'level-4'],
  ])) {
    field(seat).append(...playerChoices());
    field(seat).value = chosen;
  }
  field('clock').append(
    ...CLOCKS.map((text) => new Option(capital(controlText(text)), text === 'none' ? '' : text)),
  );
  form.addEventListener('submit', async (event) => {
    if (event.submitter?.getAttribute('value') !== 'start') return;
    event.preventDefault();
    try {
      const game = /** @type {RadioNodeList} */ (
        /** @type {unknown} */ (form.elements.namedItem('game'))
      ).value;
      const rules = makeRules(game, field('board').value, readOptions(el('options')));
      const players = /** @type {[string, string]} */ ([
        field('black').value,
        field('white').value,
      ]);
      if (!(await start(new Position(rules), { players, clock: field('clock').value }))) return;
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
