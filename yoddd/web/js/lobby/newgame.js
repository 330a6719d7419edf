// The dialog that starts a game.
import { controlText } from '../rules/clock.js';
import { engineChoices, engineIn, findEngines, playAttached, refill } from './engines.js';
import { FACTS } from '../base/facts.js';
import { focusContent } from '../server/header.js';
import { reasonOf } from '../base/errortext.js';
import {
  GAMES,
  Position,
  boardText,
  capital,
  gameOf,
  isSwitch,
  makeRules,
} from '../rules/rules.js';
import { HUMAN, LEVELS } from '../rules/seats.js';
import { aimOf } from '../rules/standing.js';
import { myName, savedName } from './mygames.js';
import { el, field, html } from '../base/svg.js';
import { hasText, t, tOf } from '../base/texts.js';

/** @import { Seats } from '../rules/seats.js' */

/** Milliseconds between two looks at the engines that are attached. */
const UPDATE = 1500;
/** The clocks to choose from. */
const CLOCKS = ['none', '180+2', '600+5', '1800+15'];

/** @import { OwnGame, Rules } from '../rules/rules.js' */

/** The game and its board, in words. @param {Rules} rules */
export const rulesTitle = ({ definition, board }) =>
  `${definition.title}, ${boardText(board.name)}`;

/** The shapes of a game with their suggested sizes. @param {import('../base/facts.js').GameFacts} facts */
const suggestedOf = ({ boards }) =>
  /** @type {[import('../base/facts.js').Shape, import('../base/facts.js').Ends][]} */ (
    Object.entries(boards)
  );

/** The boards of a game; very small and very large ones come last. @param {Rules} rules @returns {HTMLElement[]} */
export function boardChoices({ definition: facts }) {
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

/** @param {HTMLElement} box @param {Rules} rules */
export function drawOptions(box, { definition: { description, options } }) {
  /** The text of a key, or what a description of the game says. @param {string} key @param {string} own */
  const textOf = (key, own) => (!description && hasText(key) ? tOf(key) : own);
  const fields = Object.entries(options).map(([name, option]) => {
    const text = textOf(`option.${name}`, option.help || capital(name.replaceAll('_', ' ')));
    if (!isSwitch(option)) return field(text, choiceOf(name, option, textOf));
    const checked = option.default === 'on' ? '' : null;
    return html(
      'label.toggle',
      html('input', { type: 'checkbox', name, checked }),
      html('span', text),
    );
  });
  box.replaceChildren(...box.querySelectorAll('legend'), ...fields);
}

/**
 * A choice of words or of a number.
 * @param {string} name @param {import('../base/facts.js').OptionFacts} option
 * @param {(key: string, own: string) => string} textOf
 */
function choiceOf(name, { default: value, words, range }, textOf) {
  if (words)
    return html(
      'select',
      { name },
      ...words.map((word) => new Option(textOf(`choice.${word}`, word), word, word === value)),
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
    ...Object.entries(GAMES).map(([name, { title }]) =>
      gameChoice(group, name, title, () => onChange(name)),
    ),
  );
}

/** @param {string} group @param {string} name @param {string} title @param {() => void} onChange */
function gameChoice(group, name, title, onChange) {
  const input = html('input', { type: 'radio', name: group, value: name });
  input.addEventListener('change', onChange);
  return html('label', input, html('span', title));
}

/**
 * @param {(position: Position, seats: Seats) => Promise<boolean>} start begins a game here; whether it has begun
 * @param {import('./mygames.js').Server} server
 * @param {(offer: () => Promise<import('../server/tickets.js').Ticket>) => Promise<boolean>} startThere begins one on the server
 */
export function newGameDialog(start, server, startThere) {
  const dialog = /** @type {HTMLDialogElement} */ (el('new-dialog'));
  const form = /** @type {HTMLFormElement} */ (el('new-form'));
  const problem = /** @type {HTMLElement} */ (form.querySelector('.problem'));
  const games = /** @type {HTMLElement} */ (form.querySelector('.games'));
  /** @param {string} name */
  const field = (name) => /** @type {HTMLSelectElement} */ (form.elements.namedItem(name));

  /** The game that the user has described. @type {OwnGame | undefined} */
  let own;

  /** @param {string} game */
  const choose = (game) => {
    const rules = makeRules(gameOf(game, own));
    field('board').replaceChildren(...boardChoices(rules));
    const { turn, goal } = aimOf(rules);
    el('goal').textContent = `${turn} ${goal}`;
    drawOptions(el('options'), rules);
  };
  /** @param {string} game */
  const check = (game) => {
    const radio = /** @type {NodeListOf<HTMLInputElement>} */ (games.querySelectorAll('input'));
    const found = [...radio].find(({ value }) => value === game);
    if (!found || found.checked) return;
    found.checked = true;
    choose(game);
  };
  /** Adds the user's game to the others, and chooses it. @param {OwnGame} game */
  const takeOwn = (game) => {
    own = game;
    games.querySelector('[data-own]')?.remove();
    if (game === GAMES[game.name]) return check(game.name);
    const choice = gameChoice('game', game.name, game.title, () => choose(game.name));
    choice.dataset.own = '';
    games.append(choice);
    check(game.name);
  };
  const read = async () => {
    problem.textContent = '';
    try {
      const { readGame } = await import('../rules/description.js');
      takeOwn(readGame(field('description').value));
      update();
    } catch (error) {
      problem.textContent = reasonOf(error);
    }
  };
  drawGames(games, choose);
  field('description').addEventListener('input', read);
  const file = /** @type {HTMLInputElement} */ (el('description-file'));
  el('open-description').addEventListener('click', () => file.click());
  file.addEventListener('change', async () => {
    field('description').value = (await file.files?.[0]?.text()) ?? '';
    file.value = ''; // the same file may be chosen again
    read();
  });
  for (const [seat, chosen] of /** @type {const} */ ([
    ['black', HUMAN],
    ['white', 'level-4'],
  ])) {
    field(seat).append(...playerChoices(), html('optgroup', { label: t('new.attached') }));
    field(seat).value = chosen;
  }
  const players = () =>
    /** @type {[string, string]} */ (['black', 'white'].map((seat) => field(seat).value));
  const clock = () => field('clock').value || 'none';
  const readRules = () => {
    const game = /** @type {RadioNodeList} */ (
      /** @type {unknown} */ (form.elements.namedItem('game'))
    ).value;
    return makeRules(gameOf(game, own), field('board').value, readOptions(el('options')));
  };
  /** The choices of engines that are shown, and the number of the latest request for them. */
  let [shown, latest] = ['', 0];
  const fillEngines = async () => {
    latest += 1;
    const mine = latest;
    const engines = server.features.has('observe')
      ? await findEngines(server, () => [readRules(), `clock=${clock()}`]).catch(() => [])
      : [];
    // A choice must not change under the pointer.
    const drawn = JSON.stringify([engines, players()]);
    if (drawn === shown || mine !== latest) return;
    shown = drawn;
    for (const seat of ['black', 'white']) {
      const group = /** @type {HTMLElement} */ (field(seat).querySelector('optgroup'));
      group.hidden = !engines.length;
      refill(field(seat), () => group.replaceChildren(...engineChoices(engines)));
    }
  };
  const name = /** @type {HTMLInputElement} */ (form.querySelector('[name=name]'));
  const update = () => {
    const isChallenge = players().includes(HUMAN) && players().some(engineIn);
    name.required = isChallenge && !server.user;
    /** @type {HTMLElement} */ (name.closest('label')).hidden = !name.required;
    fillEngines();
  };
  form.addEventListener('change', update);
  field('clock').append(
    ...CLOCKS.map((text) => new Option(capital(controlText(text)), text === 'none' ? '' : text)),
  );
  form.addEventListener('submit', async (event) => {
    if (event.submitter?.getAttribute('value') !== 'start') return;
    event.preventDefault();
    try {
      const rules = readRules();
      const userName = name.required ? myName(server, name) : '';
      const begun = players().some(engineIn)
        ? await startThere(() => playAttached(server, rules, players(), clock(), userName))
        : await start(new Position(rules), { players: players(), clock: field('clock').value });
      if (!begun) return;
      dialog.close();
      focusContent();
    } catch (error) {
      problem.textContent = reasonOf(error);
    }
  });
  return {
    /** @param {Rules} rules those of the game that is shown */
    open({ game, definition }) {
      problem.textContent = '';
      if (definition.description) takeOwn(/** @type {OwnGame} */ (definition));
      check(game);
      name.value = savedName(server);
      update();
      dialog.showModal();
      const timer = window.setInterval(fillEngines, UPDATE);
      dialog.addEventListener('close', () => window.clearInterval(timer), { once: true });
    },
  };
}
