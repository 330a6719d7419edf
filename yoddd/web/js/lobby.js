// The lobby: a link for a friend, games by one tap, offers to accept, games to watch, and a form.
import { controlText } from './clock.js';
import { EXPIRIES, expiresOf } from './invite.js';
import { drawMine, drawReturn, findMine, isAwaited, takeSeat } from './mygames.js';
import { nameProblem, suggestName } from './names.js';
import { boardChoices, drawGames, drawOptions, readOptions } from './newgame.js';
import { reasonOf } from './reason.js';
import { drawTerms, readTerms, termsText } from './terms.js';
import { boardText, capital, chosenOptions, gameTitle, makeRules } from './rules.js';
import { keep, recall } from './settings.js';
import { button, el, field, html } from './svg.js';
import { t } from './texts.js';
import { keepTicket, spectator, ticketOf } from './tickets.js';

/** @typedef {import('./game.js').Ticket} Ticket */
/** @typedef {Pick<import('./server.js').Server, 'isConnected' | 'features' | 'ask' | 'user'>} Server */
/** @typedef {{id: string, state: string, game: string, board: string, black: string, white: string, turns: string, more: string[]}} Entry */

const ANYONE = t('lobby.anyone');
/** Boards and clocks that are offered, or accepted, by one tap. @type {[string, string][]} */
const QUICK = [
  ['hex4', '180+2'],
  ['hex5', '300+3'],
  ['hex6', '600+5'],
  ['hex8', '1800+15'],
];
/** Seconds for which the link for a friend is valid. */
const FRIEND = '86400';
/** Finished games in the list. */
const OVER_SHOWN = 6;
/** Milliseconds between two updates of the list. */
const UPDATE = 1500;

/** The user's name, kept in the browser. */
const NAME = 'yoddd.name';

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
  /** @param {Server} server @param {(ticket: Ticket) => void} onEnter @param {(ticket: Ticket) => void} [onInvite] */
  constructor(server, onEnter, onInvite = () => {}) {
    this.server = server;
    this.onEnter = onEnter;
    this.onInvite = onInvite;
    this.dialog = /** @type {HTMLDialogElement} */ (el('lobby-dialog'));
    /** @type {number | undefined} while the dialog is open */
    this.timer = undefined;
    /** @type {string | null} what the list shows, as the server sent it; null before the first answer */
    this.drawn = null;
    this.form = this.drawForm();
    this.quick = this.drawQuick();
    this.list = html('div', { class: 'games-list' });
    this.mine = html('div', { class: 'games-list' });
    el('lobby-body').replaceChildren(this.mine, this.quick, this.list, this.form);
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
      this.drawNothing(t('lobby.unconnected'));
      return;
    }
    this.form.hidden = this.quick.hidden = !server.features.has('observe');
    if (this.form.hidden) {
      this.drawNothing(t('lobby.none'));
      return;
    }
    this.showUser(server.user);
    this.terms?.showAccounts(server.features.has('login'), server.user !== null);
    const [games, attached, mine] = await Promise.all([
      server.ask('games'),
      server.ask('attached'),
      findMine(server, readGames),
    ]);
    // Drawn again only when something has changed: a button must not vanish under the pointer.
    const drawn = games + attached + server.user + JSON.stringify(mine);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.mine.replaceChildren(...drawMine(mine, this.savedName, (one) => this.goOn(one)));
    const entries = readGames(games).filter(({ id }) => !mine.some(({ entry }) => entry.id === id));
    const over = entries.filter(({ state }) => state === 'over').slice(0, OVER_SHOWN);
    this.drawGames([...entries.filter(({ state }) => state !== 'over'), ...over]);
    this.fillOpponents(attached.split('\n').filter(Boolean));
  }

  /** Says on the button of the lobby how many games wait for the user. @param {string | undefined} shown the id of the game that is on the page */
  async remind(shown) {
    const mine = await findMine(this.server, readGames);
    const waiting = mine.filter((one) => one.entry.id !== shown && isAwaited(one, this.savedName));
    el('lobby-open').textContent = waiting.length
      ? t('lobby.waiting', { n: waiting.length })
      : t('lobby.title');
    const others = mine.filter(({ entry }) => entry.id !== shown && entry.state === 'playing');
    drawReturn(others, this.savedName, (one) => this.goOn(one));
  }

  /** @param {string} reason */
  drawNothing(reason) {
    this.drawn = reason;
    this.mine.replaceChildren();
    this.list.replaceChildren(html('p', {}, reason));
  }

  /** @param {Entry[]} games */
  drawGames(games) {
    const rows = games.map((entry) => {
      const title = gameTitle(entry.game, entry.board);
      const who =
        entry.state === 'open'
          ? t('lobby.waits', {
              name: [entry.black, entry.white].find((name) => name !== '-') ?? '',
            })
          : `${entry.black} – ${entry.white}`;
      const own = ticketOf(entry.id);
      const isOver = entry.state === 'over';
      const isOpen = !isOver && !own && entry.state === 'open';
      const verb = isOver
        ? t('lobby.look')
        : own
          ? t('lobby.go-on')
          : t(isOpen ? 'lobby.join' : 'agreement.watch');
      const button = html('button', { type: 'button', 'aria-label': `${verb}: ${who}` }, verb);
      const isClosed = isOpen && !this.server.user && forAccounts(entry);
      button.toggleAttribute('disabled', isClosed);
      button.addEventListener('click', () =>
        isOpen ? this.accept(entry) : this.enter(own ?? spectator(entry.id)),
      );
      const turns = Number(entry.turns);
      const note = isClosed
        ? t('lobby.for-accounts')
        : entry.state === 'open'
          ? t('lobby.open')
          : isOver
            ? t('lobby.over', { n: turns })
            : t('turns', { n: turns });
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
        : html('p', { class: 'none' }, t('lobby.empty')),
    );
  }

  /** The part for one tap: a link for a friend, and a game on each board of `QUICK`. */
  drawQuick() {
    this.name = /** @type {HTMLInputElement} */ (
      html('input', {
        name: 'name',
        autocomplete: 'nickname',
        value: recall('localStorage', NAME) ?? '',
      })
    );
    this.problem = html('p', { class: 'problem', role: 'alert' });
    const friend = button(t('lobby.friend'), () => this.offer(FRIEND), { class: 'solid' });
    const tiles = QUICK.map(([board, clock]) => {
      const parts = [
        html('b', {}, capital(boardText(board))),
        html('span', {}, controlText(clock)),
      ];
      const tile = html('button', { type: 'button', 'data-board': board }, ...parts);
      tile.addEventListener('click', () => this.pair(board, clock));
      return tile;
    });
    return html(
      'section',
      { class: 'quick' },
      html('div', { class: 'grid' }, field(t('lobby.your-name'), this.name), friend),
      this.problem,
      html('h3', {}, t('lobby.quick')),
      html('div', { class: 'tiles' }, ...tiles),
    );
  }

  drawForm() {
    const games = html('div', {
      class: 'games',
      role: 'radiogroup',
      'aria-label': t('lobby.offered'),
    });
    const board = html('select', { name: 'board' });
    const options = html('fieldset', {}, html('legend', {}, t('options')));
    drawGames(
      games,
      (game) => {
        board.replaceChildren(...boardChoices(game));
        drawOptions(options, game);
      },
      'offer',
    );
    this.opponent = /** @type {HTMLSelectElement} */ (
      html('select', { name: 'opponent' }, new Option(ANYONE, ''))
    );
    const seat = html(
      'select',
      { name: 'seat' },
      new Option(t('lobby.either'), 'any'),
      new Option(t('lobby.as-black'), 'b'),
      new Option(t('lobby.as-white'), 'w'),
    );
    const invite = html(
      'select',
      { name: 'invite' },
      new Option(t('lobby.listed'), ''),
      ...EXPIRIES.map(([seconds, text]) => new Option(t('lobby.by-link', { time: text }), seconds)),
    );
    const terms = drawTerms();
    this.terms = terms;
    const offer = html('button', { class: 'solid', type: 'submit' }, t('lobby.offer'));
    const close = html('button', { type: 'button' }, t('close'));
    close.addEventListener('click', () => this.dialog.close());
    const form = html(
      'form',
      {},
      html(
        'details',
        {},
        html('summary', {}, t('lobby.another')),
        games,
        html(
          'div',
          { class: 'grid three' },
          field(t('archive.board'), board),
          field(t('lobby.colour'), seat),
          terms.clock,
        ),
        terms.custom,
        terms.accounts,
        html(
          'div',
          { class: 'grid' },
          field(t('archive.against'), this.opponent),
          field(t('lobby.invitation'), invite),
        ),
        options,
        html('div', { class: 'row end' }, offer),
      ),
      html('div', { class: 'row end' }, close),
    );
    const first = /** @type {HTMLInputElement} */ (games.querySelector('input'));
    first.checked = true;
    first.dispatchEvent(new Event('change'));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.offer();
    });
    this.options = options;
    return /** @type {HTMLFormElement} */ (form);
  }

  /** Offers the game of the form. @param {string} [friend] seconds for which a link is valid, for a friend */
  offer(friend) {
    const data = new FormData(this.form);
    const [game, board] = ['offer', 'board'].map((name) => String(data.get(name)));
    const invite = friend ?? data.get('invite');
    const rival = friend ? '' : data.get('opponent');
    return this.seek(
      makeRules(game, board, readOptions(/** @type {HTMLElement} */ (this.options))),
      [
        `seat=${data.get('seat')}`,
        ...readTerms(data),
        ...(invite ? [`invite=${invite}`] : []),
        ...(rival ? [`against=${rival}`] : []),
      ],
    );
  }

  /** Accepts a listed offer of this game by anyone else, or makes it. @param {string} board @param {string} clock */
  pair(board, clock) {
    return this.attempt(async () => {
      const terms = `clock=${clock}`;
      const fit = readGames(await this.server.ask('games')).find(
        (one) =>
          `${one.state} ${one.game} ${one.board} ${one.more.join(' ')}` ===
            `open yodd ${board} ${terms}` && ![one.black, one.white].includes(this.myName()),
      );
      await (fit ? this.accept(fit) : this.seek(makeRules('yodd', board), ['seat=any', terms]));
    });
  }

  /** @param {string[]} names */
  fillOpponents(names) {
    const { opponent } = this;
    if (!opponent) return;
    const chosen = opponent.value;
    opponent.replaceChildren(
      new Option(ANYONE, ''),
      ...names.map((name) => new Option(t('lobby.engine', { name }), name)),
    );
    opponent.value = names.includes(chosen) ? chosen : '';
  }

  /** The name of the account, or the one that the user has played under. @returns {string} */
  get savedName() {
    return this.server.user ?? recall('localStorage', NAME) ?? '';
  }

  /** A game as the server lists it, an invite too. @param {string} id @returns {Promise<Entry | undefined>} */
  async find(id) {
    return readGames(await this.server.ask(`games ${id}`))[0];
  }

  /** The key of a seat that is taken. @param {string} name @param {string} id @param {string} [secret] of an invite */
  acceptAs(name, id, secret = '') {
    if (this.name) this.name.value = name;
    return this.server.ask(`accept ${id} ${this.myName()} ${secret}`.trim());
  }

  /** @param {import('./mygames.js').Mine} mine */
  async goOn(mine) {
    await this.attempt(async () => this.enter(await takeSeat(this.server, mine, this.savedName)));
  }

  /** Puts a name into the form that can be used in the place of the one there. @param {string} name */
  suggest(name) {
    if (!this.name) return;
    if (name) this.name.value = name;
    this.name.focus();
  }

  /** The name of an account cannot be changed here. @param {string | null} user */
  showUser(user) {
    if (!this.name) return;
    this.name.disabled = user !== null;
    if (user !== null) this.name.value = user;
  }

  /** The name in the form, or of the account; an Error with the reason if it cannot be used. */
  myName() {
    if (this.server.user) return this.server.user;
    const name = (this.name?.value ?? '').trim();
    const problem = nameProblem(name);
    if (problem) {
      this.suggest(suggestName(name));
      throw new Error(problem);
    }
    keep('localStorage', NAME, name);
    return name;
  }

  /** @param {import('./rules.js').Rules} rules @param {string[]} settings */
  async seek(rules, settings) {
    await this.attempt(async () => {
      const options = chosenOptions(rules).map(([name, value]) => `${name}=${value}`);
      const words = [`game=${rules.game}`, `board=${rules.board.name}`, ...settings, ...options];
      const offered = await this.server.ask(`seek ${this.myName()} ${words.join(' ')}`);
      const [id, key, secret] = offered.split(' ');
      const entry = await this.find(id);
      /** @type {Ticket} */
      const ticket = { id, key, seat: entry?.black === this.myName() ? 0 : 1 };
      keepTicket(ticket, secret && entry ? { secret, expires: expiresOf(entry) } : undefined);
      this.enter(ticket);
      if (secret) this.onInvite(ticket);
    });
  }

  /** @param {Entry} entry */
  async accept(entry) {
    await this.attempt(async () => {
      const key = await this.acceptAs(this.name?.value ?? '', entry.id);
      this.enter(keepTicket({ id: entry.id, key, seat: entry.black === '-' ? 0 : 1 }));
    });
  }

  /** @param {() => Promise<void>} action */
  async attempt(action) {
    try {
      if (this.problem) this.problem.textContent = '';
      await action();
    } catch (error) {
      if (!this.problem) return;
      this.problem.textContent = reasonOf(error);
      this.problem.scrollIntoView({ block: 'center' });
    }
  }

  /** @param {Ticket} ticket */
  enter(ticket) {
    this.dialog.close();
    this.onEnter(ticket);
  }
}

/** Whether only users with an account may accept an offer. @param {Entry} entry */
const forAccounts = ({ more }) => more.includes('rated=yes') || more.includes('accept=users');
