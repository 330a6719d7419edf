// The lobby: offers to accept, games to watch, and a form to offer a game.
import { boardChoices, drawGames, drawOptions, readOptions } from './newgame.js';
import { drawTerms, readTerms, termsText } from './terms.js';
import { GAMES, chosenOptions, makeRules } from './rules.js';
import { keep, recall } from './settings.js';
import { el, html } from './svg.js';

/** @typedef {import('./game.js').Ticket} Ticket */
/** @typedef {Pick<import('./server.js').Server, 'isConnected' | 'features' | 'ask' | 'user'>} Server */
/** @typedef {{id: string, state: string, game: string, board: string, black: string, white: string, turns: string, more: string[]}} Entry */

const ANYONE = 'Any opponent';
/** Finished games in the list. */
const OVER_SHOWN = 6;
/** Milliseconds between two updates of the list. */
const UPDATE = 1500;

/** The state kept in the browser: the user's name, and the ticket of each of the user's games. */
const [NAME, TICKET] = ['yoddd.name', 'yoddd.ticket.'];

/** @param {string} id @returns {Ticket | null} */
const ticketOf = (id) => recall('sessionStorage', TICKET + id);

/** @param {Ticket} ticket */
export function keepTicket(ticket) {
  keep('sessionStorage', TICKET + ticket.id, ticket);
  return ticket;
}

/** @param {string} id @returns {Ticket} */
const spectator = (id) => ({ id, key: null, seat: null });

/** The user's ticket for the refereed game that an address names; null if it names none. @param {string} hash */
export function ticketIn(hash) {
  const id = /^#table=([\w.:-]+)$/.exec(hash)?.[1];
  return id ? (ticketOf(id) ?? spectator(id)) : null;
}

/** The server's list of games, one a line. @param {string} text @returns {Entry[]} */
function readGames(text) {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [id, state, game, board, black, white, turns, ...more] = line.split(' ');
      return { id, state, game, board, black, white, turns, more };
    });
}

export class Lobby {
  /** @param {Server} server @param {(ticket: Ticket) => void} onEnter */
  constructor(server, onEnter) {
    this.server = server;
    this.onEnter = onEnter;
    this.dialog = /** @type {HTMLDialogElement} */ (el('lobby-dialog'));
    /** @type {number | undefined} while the dialog is open */
    this.timer = undefined;
    /** @type {string | null} what the list shows, as the server sent it; null before the first answer */
    this.drawn = null;
    this.form = this.drawForm();
    this.list = html('div', { class: 'games-list' });
    el('lobby-body').replaceChildren(this.list, this.form);
    this.dialog.addEventListener('close', () => window.clearInterval(this.timer));
  }

  open() {
    this.dialog.showModal();
    const refresh = () => {
      this.refresh().catch(() => {});
    }; // the next one shows a lost connection
    refresh();
    this.timer = window.setInterval(refresh, UPDATE);
  }

  async refresh() {
    const { server } = this;
    // Features are unknown until the server has listed them.
    if (!server.isConnected || server.features.size === 0) {
      this.drawNothing('The server is not connected.');
      return;
    }
    this.form.hidden = !server.features.has('observe');
    if (this.form.hidden) {
      this.drawNothing('This server has no lobby.');
      return;
    }
    this.showUser(server.user);
    this.terms?.showAccounts(server.features.has('login'));
    const [games, attached] = await Promise.all([server.ask('games'), server.ask('attached')]);
    // Drawn again only when something has changed: a button must not vanish under the pointer.
    if (games + attached === this.drawn) return;
    this.drawn = games + attached;
    const entries = readGames(games);
    const over = entries.filter(({ state }) => state === 'over').slice(0, OVER_SHOWN);
    this.drawGames([...entries.filter(({ state }) => state !== 'over'), ...over]);
    this.fillOpponents(attached.split('\n').filter(Boolean));
  }

  /** @param {string} reason */
  drawNothing(reason) {
    this.drawn = reason;
    this.list.replaceChildren(html('p', {}, reason));
  }

  /** @param {Entry[]} games */
  drawGames(games) {
    const rows = games.map((entry) => {
      const title = `${GAMES[entry.game]?.title ?? entry.game} ${entry.board}`;
      const who =
        entry.state === 'open'
          ? `${[entry.black, entry.white].find((name) => name !== '-')} waits`
          : `${entry.black} – ${entry.white}`;
      const own = ticketOf(entry.id);
      const verb = own ? 'Go on' : entry.state === 'open' ? 'Join' : 'Watch';
      const button = html('button', { type: 'button', 'aria-label': `${verb}: ${who}` }, verb);
      button.addEventListener('click', () =>
        verb === 'Join' ? this.accept(entry) : this.enter(own ?? spectator(entry.id)),
      );
      const note =
        entry.state === 'open'
          ? 'open'
          : `${entry.turns} turn${entry.turns === '1' ? '' : 's'}${entry.state === 'over' ? ', over' : ''}`;
      return html(
        'tr',
        {},
        html('th', { scope: 'row' }, who),
        html('td', {}, title, html('br', {}), html('span', { class: 'terms' }, termsText(entry))),
        html('td', {}, note),
        html('td', {}, button),
      );
    });
    this.list.replaceChildren(
      rows.length
        ? html('table', { class: 'lobby' }, html('tbody', {}, ...rows))
        : html('p', { class: 'none' }, 'No games at the moment.'),
    );
  }

  drawForm() {
    const games = html('div', {
      class: 'games',
      role: 'radiogroup',
      'aria-label': 'Game to offer',
    });
    const board = html('select', { name: 'board' });
    const options = html('fieldset', {}, html('legend', {}, 'Options'));
    drawGames(
      games,
      (game) => {
        board.replaceChildren(...boardChoices(game));
        drawOptions(options, game);
      },
      'offer',
    );
    this.name = /** @type {HTMLInputElement} */ (
      html('input', {
        name: 'name',
        maxlength: 32,
        autocomplete: 'nickname',
        value: recall('localStorage', NAME) ?? '',
      })
    );
    this.opponent = /** @type {HTMLSelectElement} */ (
      html('select', { name: 'opponent' }, new Option(ANYONE, ''))
    );
    const seat = html(
      'select',
      { name: 'seat' },
      new Option('Either colour', 'any'),
      new Option('I begin as Black', 'b'),
      new Option('I begin as White', 'w'),
    );
    const terms = drawTerms();
    this.terms = terms;
    this.problem = html('p', { class: 'problem', role: 'alert' });
    const offer = html('button', { class: 'solid', type: 'submit' }, 'Offer the game');
    const close = html('button', { type: 'button' }, 'Close');
    close.addEventListener('click', () => this.dialog.close());
    const form = html(
      'form',
      {},
      html('h3', {}, 'Offer a game'),
      games,
      html(
        'div',
        { class: 'grid' },
        field('Your name', this.name),
        field('Against', this.opponent),
      ),
      html(
        'div',
        { class: 'grid three' },
        field('Board', board),
        field('Colour', seat),
        terms.clock,
      ),
      terms.custom,
      terms.accounts,
      options,
      this.problem,
      html('div', { class: 'row end' }, close, offer),
    );
    const first = /** @type {HTMLInputElement} */ (games.querySelector('input'));
    first.checked = true;
    first.dispatchEvent(new Event('change'));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const data = new FormData(/** @type {HTMLFormElement} */ (form));
      const rules = makeRules(
        String(data.get('offer')),
        String(data.get('board')),
        readOptions(options),
      );
      this.seek(rules, [
        `seat=${data.get('seat')}`,
        ...readTerms(data),
        ...(data.get('opponent') ? [`against=${data.get('opponent')}`] : []),
      ]);
    });
    return /** @type {HTMLFormElement} */ (form);
  }

  /** @param {string[]} names */
  fillOpponents(names) {
    const { opponent } = this;
    if (!opponent) return;
    const chosen = opponent.value;
    opponent.replaceChildren(
      new Option(ANYONE, ''),
      ...names.map((name) => new Option(`${name} (engine)`, name)),
    );
    opponent.value = names.includes(chosen) ? chosen : '';
  }

  /** The name of an account cannot be changed here. @param {string | null} user */
  showUser(user) {
    if (!this.name) return;
    this.name.disabled = user !== null;
    if (user !== null) this.name.value = user;
  }

  /** The name in the form, as the protocol spells it. */
  myName() {
    if (this.server.user) return this.server.user;
    const name = (this.name?.value ?? '').trim().replace(/\s+/g, '-');
    if (!name) throw new Error('Enter your name first');
    keep('localStorage', NAME, name);
    return name;
  }

  /** @param {import('./rules.js').Rules} rules @param {string[]} settings */
  async seek(rules, settings) {
    await this.attempt(async () => {
      const options = chosenOptions(rules).map(([name, value]) => `${name}=${value}`);
      const words = [`game=${rules.game}`, `board=${rules.board.name}`, ...settings, ...options];
      const [id, key] = (await this.server.ask(`seek ${this.myName()} ${words.join(' ')}`)).split(
        ' ',
      );
      const entry = readGames(await this.server.ask('games')).find((one) => one.id === id);
      this.enter(keepTicket({ id, key, seat: entry?.black === this.myName() ? 0 : 1 }));
    });
  }

  /** @param {Entry} entry */
  async accept(entry) {
    await this.attempt(async () => {
      const key = await this.server.ask(`accept ${entry.id} ${this.myName()}`);
      this.enter(keepTicket({ id: entry.id, key, seat: entry.black === '-' ? 0 : 1 }));
    });
  }

  /** @param {() => Promise<void>} action */
  async attempt(action) {
    try {
      if (this.problem) this.problem.textContent = '';
      await action();
    } catch (error) {
      if (this.problem)
        this.problem.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /** @param {Ticket} ticket */
  enter(ticket) {
    this.dialog.close();
    this.onEnter(ticket);
  }
}

/** @param {string} text @param {Element} input */
const field = (text, input) => html('label', { class: 'field' }, html('span', {}, text), input);
