// The engines that are attached to the server, and offers of games to them and to others.
import { clockTerm } from './offerform.js';
import { readGames } from './mygames.js';
import { expiresOf, rangeText } from './terms.js';
import { HUMAN } from '../rules/seats.js';
import { chosenOptions } from '../rules/rules.js';
import { t } from '../base/texts.js';
import { keepTicket, spectator } from '../server/tickets.js';

/** @import { Server } from './mygames.js' */
/** @import { Colour, Rules } from '../rules/rules.js' */
/** @import { Ticket } from '../server/tickets.js' */

/**
 * An attached engine.
 * @typedef {object} Engine
 * @property {string} name
 * @property {string} range what it plays, in words
 * @property {boolean} isFit whether it plays the game that was asked about for the user
 */

/** Begins the value of a choice that stands for an attached engine, as tournament files spell it. */
const ATTACHED = 'tcp:';

/** The attached engine of a choice; empty for another choice. @param {string} value */
export const engineIn = (value) => (value.startsWith(ATTACHED) ? value.slice(ATTACHED.length) : '');

/** The settings of `seek` for a game. @param {Rules} rules */
const gameWords = (rules) => [
  `game=${rules.game}`,
  `board=${rules.board.name}`,
  ...chosenOptions(rules).map(([name, value]) => `${name}=${value}`),
];

/** The names and ranges of the engines in the reply of `who`. @param {string} here @returns {[string, string][]} */
const readEngines = (here) =>
  here
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, kind]) => kind === 'engine')
    .map(([name, , ...words]) => [name, rangeText(words)]);

/**
 * The attached engines, and which of them play the game of a form; none while that is incomplete.
 * @param {Server} server @param {() => [Rules, string]} read the game, and its clock as `seek` spells it
 * @returns {Promise<Engine[]>}
 */
export async function findEngines(server, read) {
  const engines = readEngines(await server.ask('who'));
  if (!engines.length) return [];
  const askFit = async () => {
    const [rules, clock] = read();
    return server.ask(`who ${[...gameWords(rules), clock].join(' ')}`);
  };
  const fit = new Map(readEngines(await askFit().catch(() => '')));
  return engines.map(([name, range]) => ({ name, range, isFit: fit.has(name) }));
}

/**
 * The choices of engines; one cannot be chosen for a game outside its range, or is none if it is
 * not open to the user.
 * @param {readonly Engine[]} engines @param {string} [prefix] of their values
 */
export const engineChoices = (engines, prefix = ATTACHED) =>
  engines
    .filter(({ range, isFit }) => range || isFit)
    .map(({ name, range, isFit }) => {
      const text = t('lobby.engine', { name });
      const choice = new Option(range ? `${text}: ${range}` : text, prefix + name);
      choice.disabled = !isFit;
      return choice;
    });

/**
 * Fills a choice, in which what was chosen stays; a game cannot begin with an engine that does not
 * play it.
 * @param {HTMLSelectElement} field @param {() => void} fill
 */
export function refill(field, fill) {
  const chosen = field.value;
  fill();
  const found = [...field.options].find(({ value }) => value === chosen);
  if (found) field.value = chosen;
  else field.selectedIndex = 0;
  field.setCustomValidity(found?.disabled ? found.text : '');
}

/**
 * Offers a game: the ticket of the one who does, or of a spectator of two engines.
 * @param {Server} server @param {string} name of who offers it @param {Rules} rules
 * @param {string} seat `b`, `w` or `any` @param {readonly string[]} settings others of `seek`
 * @param {{against?: string, engine?: string}} [more] of the ticket
 * @returns {Promise<Ticket>}
 */
export async function seek(server, name, rules, seat, settings, more = {}) {
  const { against } = more;
  const wanted = seat === 'any' ? 'bw'[Math.floor(Math.random() * 2)] : seat;
  const words = [...gameWords(rules), `seat=${wanted}`, ...settings];
  const rival = against ? [`against=${against}`] : [];
  const offered = await server.ask(`seek ${name} ${[...words, ...rival].join(' ')}`);
  const [id, key, secret] = offered.split(' ');
  if (!key) return spectator(id);
  const [entry] = secret ? readGames(await server.ask(`games ${id}`)) : [];
  const own = /** @type {Colour} */ (wanted === 'w' ? 1 : 0);
  const invite = entry && { secret, expires: expiresOf(entry) };
  return keepTicket({ id, key, seat: own, ...more }, invite);
}

/**
 * Begins a game in which an attached engine plays: against the user, a level of the engine of this page, or
 * another attached engine.
 * @param {Server} server @param {Rules} rules @param {readonly [string, string]} players choices of the seats
 * @param {string} clock without the time for a first turn @param {string} name the user's, where no account has it
 */
export function playAttached(server, rules, players, clock, name) {
  const [black, white] = players.map(engineIn);
  if (black && white)
    return seek(server, black, rules, 'b', [`clock=${clock}`, 'as=engine'], { against: white });
  const [own, seat] = black ? [players[1], 'w'] : [players[0], 'b'];
  const more = { against: black || white };
  if (own === HUMAN)
    return seek(server, server.user ?? name, rules, seat, [clockTerm(clock)], more);
  const terms = [`clock=${clock}`];
  return seek(server, server.user ?? own, rules, seat, terms, { ...more, engine: own });
}
