// The lobby: games that can be watched or joined, engines that can be played, and matches.
import { boardChoices, drawGames, drawOptions, readOptions } from './newgame.js';
import { GAMES, chosenOptions, makeRules } from './rules.js';
import { keep, recall } from './settings.js';
import { el, html } from './svg.js';
import { Table } from './table.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {{id: string, state: string, game: string, board: string, black: string, white: string, turns: string, more: string[]}} Entry */

const OVER_SHOWN = 6;

/** What the browser keeps: one's name, and the key of each of one's games. */
const [NAME, TICKET] = ['yoddd.name', 'yoddd.ticket.'];

/** The server's list of games, one a line. @param {string} text @returns {Entry[]} */
function readGames(text) {
  return text.split('\n').filter(Boolean).map((line) => {
    const [id, state, game, board, black, white, turns, ...more] = line.split(' ');
    return { id, state, game, board, black, white, turns, more };
  });
}

export class Lobby {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.dialog = /** @type {HTMLDialogElement} */ (el('watch-dialog'));
    /** @type {number | undefined} */
    this.timer = undefined;
    this.drawn = 'nothing yet';
    this.form = this.drawForm();
    this.list = html('div', { class: 'games-list' });
    el('watch-body').replaceChildren(this.list, this.form);
    this.dialog.addEventListener('close', () => window.clearInterval(this.timer));
  }

  open() {
    this.dialog.showModal();
    const refresh = () => { this.refresh().catch(() => {}); };  // the next one tells why
    refresh();
    this.timer = window.setInterval(refresh, 1500);
  }

  async refresh() {
    const { engine } = this.app;
    // Until the server has said what it can do, there is nothing to conclude from what it lacks.
    if (!engine.isConnected || engine.features.size === 0) {
      this.drawNothing('The server is not connected.');
      return;
    }
    this.form.hidden = !engine.features.has('observe');
    if (this.form.hidden) {
      this.drawNothing('This server has no lobby.');
      return;
    }
    const [games, attached] = await Promise.all([engine.ask('games'), engine.ask('attached')]);
    // Drawn anew only when something has changed: a button must not vanish under a finger.
    if (games + attached === this.drawn) return;
    this.drawn = games + attached;
    const entries = readGames(games);
    const over = entries.filter(({ state }) => state === 'over').slice(0, OVER_SHOWN);
    this.drawGames([...entries.filter(({ state }) => state !== 'over'), ...over]);
    this.fillRivals(attached.split('\n').filter(Boolean));
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
      const who = entry.state === 'open'
        ? `${[entry.black, entry.white].find((name) => name !== '-')} waits`
        : `${entry.black} – ${entry.white}`;
      const mine = this.ticketOf(entry.id);
      const verb = mine ? 'Go on' : entry.state === 'open' ? 'Join' : 'Watch';
      const button = html('button', { type: 'button', 'aria-label': `${verb}: ${who}` }, verb);
      button.addEventListener('click', () => (verb === 'Join' ? this.accept(entry) : this.enter(mine ?? { id: entry.id, key: null, seat: null })));
      const note = entry.state === 'open' ? 'open' : `${entry.turns} turn${entry.turns === '1' ? '' : 's'}${entry.state === 'over' ? ', over' : ''}`;
      return html('tr', {}, html('th', { scope: 'row' }, who), html('td', {}, title), html('td', {}, note), html('td', {}, button));
    });
    this.list.replaceChildren(rows.length
      ? html('table', { class: 'lobby' }, html('tbody', {}, ...rows))
      : html('p', { class: 'none' }, 'Nobody plays at the moment.'));
  }

  drawForm() {
    const games = html('div', { class: 'games', role: 'radiogroup', 'aria-label': 'Game to offer' });
    const board = html('select', { name: 'board' });
    const options = html('fieldset', {}, html('legend', {}, 'Options'));
    drawGames(games, (game) => {
      board.replaceChildren(...boardChoices(game));
      drawOptions(options, game);
    }, 'offer');
    this.name = /** @type {HTMLInputElement} */ (html('input', { name: 'name', maxlength: 32, autocomplete: 'nickname', value: recall('localStorage', NAME) ?? '' }));
    this.rival = /** @type {HTMLSelectElement} */ (html('select', { name: 'rival' }, new Option('Anybody', '')));
    const seat = html('select', { name: 'seat' }, new Option('Either colour', 'any'), new Option('I begin as Black', 'b'), new Option('I begin as White', 'w'));
    const clock = html('select', { name: 'clock' }, new Option('No clock', 'none'), new Option('3 min + 2 s', '180+2'), new Option('10 min + 5 s', '600+5'));
    this.problem = html('p', { class: 'problem', role: 'alert' });
    const offer = html('button', { class: 'solid', type: 'submit' }, 'Offer the game');
    const close = html('button', { type: 'button' }, 'Close');
    close.addEventListener('click', () => this.dialog.close());
    const form = html('form', {}, html('h3', {}, 'Offer a game'), games,
      html('div', { class: 'grid' }, field('Your name', this.name), field('Against', this.rival)),
      html('div', { class: 'grid three' }, field('Board', board), field('Colour', seat), field('Clock', clock)),
      options, this.problem, html('div', { class: 'row end' }, close, offer));
    const first = /** @type {HTMLInputElement} */ (games.querySelector('input'));
    first.checked = true;
    first.dispatchEvent(new Event('change'));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const data = new FormData(/** @type {HTMLFormElement} */ (form));
      const rules = makeRules(String(data.get('offer')), String(data.get('board')), readOptions(options));
      this.seek(rules, [`seat=${data.get('seat')}`, `clock=${data.get('clock')}`, ...(data.get('rival') ? [`against=${data.get('rival')}`] : [])]);
    });
    return /** @type {HTMLFormElement} */ (form);
  }

  /** @param {string[]} names */
  fillRivals(names) {
    const { rival } = this;
    if (!rival) return;
    const chosen = rival.value;
    rival.replaceChildren(new Option('Anybody', ''), ...names.map((name) => new Option(`${name} (engine)`, name)));
    rival.value = names.includes(chosen) ? chosen : '';
  }

  /** The name typed in, as the protocol takes it. */
  myName() {
    const name = (this.name?.value ?? '').trim().replace(/\s+/g, '-');
    if (!name) throw new Error('Say who you are first');
    keep('localStorage', NAME, name);
    return name;
  }

  /** @param {import('./rules.js').Rules} rules @param {string[]} settings */
  async seek(rules, settings) {
    await this.attempt(async () => {
      const options = chosenOptions(rules).map(([name, value]) => `${name}=${value}`);
      const words = [`game=${rules.game}`, `board=${rules.board.name}`, ...settings, ...options];
      const [id, key] = (await this.app.engine.ask(`seek ${this.myName()} ${words.join(' ')}`)).split(' ');
      const entry = readGames(await this.app.engine.ask('games')).find((one) => one.id === id);
      this.enter(this.keep({ id, key, seat: entry?.black === this.myName() ? 0 : 1 }));
    });
  }

  /** @param {Entry} entry */
  async accept(entry) {
    await this.attempt(async () => {
      const key = await this.app.engine.ask(`accept ${entry.id} ${this.myName()}`);
      this.enter(this.keep({ id: entry.id, key, seat: entry.black === '-' ? 0 : 1 }));
    });
  }

  /** @param {() => Promise<void>} action */
  async attempt(action) {
    try {
      if (this.problem) this.problem.textContent = '';
      await action();
    } catch (error) {
      if (this.problem) this.problem.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /** @param {import('./table.js').Ticket} ticket */
  keep(ticket) {
    keep('sessionStorage', TICKET + ticket.id, ticket);
    return ticket;
  }

  /** @param {string} id @returns {import('./table.js').Ticket | null} */
  ticketOf(id) { return recall('sessionStorage', TICKET + id); }

  /** @param {import('./table.js').Ticket} ticket */
  enter(ticket) {
    this.dialog.close();
    history.replaceState(null, '', `#table=${ticket.id}`);
    const { app } = this;
    /** @param {Table} table @param {string} text @param {string} [kind] */
    const tell = (table, text, kind) => {
      if (app.table && app.table !== table) return;
      app.say(text, kind);
      app.refresh();
    };
    new Table(ticket, {
      shown: (table) => (app.table === table ? tell(table, '') : app.join(table)),
      turn: (table, follow) => app.tableTurn(table, follow),
      over: (table) => tell(table, ''),
      notice: (table, text) => tell(table, text),
      away: (table) => tell(table, 'The connection is lost; trying again', 'refused'),
      lost: (table, error) => tell(table, `The game is no longer there: ${error.message}`, 'refused'),
    });
  }

  /** Goes back to the table that an address names. @param {string} hash */
  resume(hash) {
    const id = /^#table=([\w.:-]+)$/.exec(hash)?.[1];
    if (id) this.enter(this.ticketOf(id) ?? { id, key: null, seat: null });
    return Boolean(id);
  }
}

/** @param {string} text @param {Element} input */
const field = (text, input) => html('label', { class: 'field' }, html('span', {}, text), input);
