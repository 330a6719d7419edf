// The dialog that starts a game.
import { SIZES } from './geometry.js';
import { parsePosition } from './notation.js';
import { reasonOf } from './reason.js';
import { GAMES, OPTION_WORDS, Position, makeRules } from './rules.js';
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
export function rulesTitle(rules) {
  const { shape, size } = rules.board;
  const board = shape === 'hex' ? `hexagon of ${size}` : `${size} × ${size}`;
  return `${GAMES[rules.game].title}, ${board}`;
}

/** @param {string} game @returns {HTMLOptionElement[]} */
export function boardChoices(game) {
  const facts = GAMES[game];
  return facts.shapes.flatMap((shape) => {
    const [least, most] = SIZES[shape];
    const [low, high] = facts.suggested[shape];
    const choices = [];
    for (let size = least; size <= most; size += 1) {
      const fit = size >= low && size <= high ? '' : size < low ? ' (small)' : ' (large)';
      const name = shape + size;
      const text = shape === 'hex' ? `Hexagon of ${size}${fit}` : `${size} × ${size}${fit}`;
      const choice = new Option(text, name, name === facts.board, name === facts.board);
      choices.push(choice);
    }
    return choices;
  });
}

/** @param {HTMLElement} box @param {string} game */
export function drawOptions(box, game) {
  const fields = Object.entries(GAMES[game].options).map(([name, value]) => {
    if (name in OPTION_WORDS) return wordField(name, value);
    const input =
      name === 'min_group'
        ? html('input', { type: 'number', name, value, min: 1, max: 99 })
        : html('input', { type: 'checkbox', name });
    if (value === 'on') input.setAttribute('checked', '');
    const text = html('span', {}, OPTION_TEXTS[name]);
    return name === 'min_group'
      ? html('label', { class: 'field' }, text, input)
      : html('label', { class: 'toggle' }, input, text);
  });
  box.replaceChildren(...box.querySelectorAll('legend'), ...fields);
}

/** A choice of words. @param {string} name @param {string} value */
function wordField(name, value) {
  const select = /** @type {HTMLSelectElement} */ (html('select', { name }));
  const choices = OPTION_WORDS[name].map((word) => new Option(word, word, word === value));
  select.append(...choices);
  return html('label', { class: 'field' }, html('span', {}, OPTION_TEXTS[name]), select);
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
    el('goal').textContent = GAMES[game].goal;
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
