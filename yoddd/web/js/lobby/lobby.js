// The lobby: a link for a friend, games by one tap, offers to accept, games to watch, and a form.
import { controlText } from '../rules/clock.js';
import { engineChoices, findEngines, refill, seek } from './engines.js';
import { EXPIRIES } from './invite.js';
import {
  describeMine,
  findMine,
  isAwaited,
  myName,
  readGames,
  savedName,
  takeSeat,
} from './mygames.js';
import { boardChoices, drawGames, drawOptions, readOptions } from './newgame.js';
import { reasonOf } from '../base/errortext.js';
import { CLOCKS, clockTerm, fieldOf, readTerms, wireTerms } from './offerform.js';
import { termsText, wordsOf } from './terms.js';
import { boardText, capital, gameTitle, makeRules } from '../rules/rules.js';
import { button, el, field, html } from '../base/svg.js';
import { t, tOf } from '../base/texts.js';
import { inviteOf, keepTicket, spectator, ticketOf } from '../server/tickets.js';

/** @import { Ticket } from '../server/tickets.js' */
/** @typedef {Pick<import('../server/server.js').Server, 'isConnected' | 'features' | 'ask' | 'user'>} Server */
/** @import { Entry, Kept, Mine } from './mygames.js' */

/** Boards and clocks that are offered, or accepted, by one tap. @type {[string, string][]} */
const QUICK = [
  ['hex4', '180+2'],
  ['hex5', '300+3'],
  ['hex6', '600+5'],
  ['hex8', '1800+15'],
];
/** Seconds for which the link for a friend is valid. */
const FRIEND = '86400';
/** The fields of such a game: text, name and choices. @type {[string, string, () => HTMLElement[]][]} */
const FRIEND_FIELDS = [
  ['archive.board', 'link-board', () => boardChoices(makeRules('yodd'))],
  [
    'lobby.colour',
    'link-seat',
    () => [
      new Option(t('lobby.either'), 'any'),
      new Option(t('lobby.as-black'), 'b'),
      new Option(t('lobby.as-white'), 'w'),
    ],
  ],
  [
    'terms.clock',
    'link-clock',
    () =>
      CLOCKS.filter((clock) => clock !== 'custom').map(
        (clock) => new Option(capital(controlText(clock)), clock),
      ),
  ],
];
/** Finished games in the list. */
const OVER_SHOWN = 6;
/** Milliseconds between two updates of the list. */
const UPDATE = 1500;

/** A row of the user's games. @param {string} text @param {string} title @param {string} verb @param {boolean} awaited @param {() => void} enter */
const ownRow = (text, title, verb, awaited, enter) =>
  html(
    'tr',
    { class: awaited ? 'awaited' : '' },
    html('th', { scope: 'row' }, text),
    html('td', title),
    html('td', button(verb, enter, { 'aria-label': `${verb}: ${text}` })),
  );

export class Lobby {
  /**
   * @param {Server} server @param {(ticket: Ticket, isInvite?: boolean) => void} onEnter
   * @param {() => readonly Kept[]} keptGames @param {(kept: Kept) => void} onKept
   */
  constructor(server, onEnter, keptGames, onKept) {
    this.server = server;
    this.onEnter = onEnter;
    this.keptGames = keptGames;
    this.onKept = onKept;
    this.dialog = /** @type {HTMLDialogElement} */ (el('lobby-dialog'));
    /** @type {number | undefined} while the dialog is open */
    this.timer = undefined;
    /** @type {string | null} what the list shows, as the server sent it; null before the first answer */
    this.drawn = null;
    /** @type {HTMLFormElement} */
    this.form = el('offer');
    this.quick = el('lobby-quick');
    this.list = el('lobby-games');
    this.mine = el('lobby-mine');
    /** @type {HTMLInputElement} */
    this.name = el('lobby-name');
    this.problem = el('lobby-problem');
    this.options = el('offer-options');
    this.showAccounts = wireTerms(this.form);
    this.wire();
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
      this.drawNothing(`${capital(t('network.unconnected'))}.`);
      return;
    }
    this.form.hidden = this.quick.hidden = !server.features.has('observe');
    if (this.form.hidden) {
      this.drawNothing(t('lobby.none'));
      return;
    }
    this.showUser(server.user);
    this.showAccounts(server.features.has('login'), server.user !== null);
    const read = () => {
      const { rules, terms } = this.terms();
      return /** @type {[typeof rules, string]} */ ([rules, terms[0]]);
    };
    const [games, engines, mine] = await Promise.all([
      server.ask('games'),
      findEngines(server, read),
      findMine(server),
    ]);
    // Drawn again only when something has changed: a button must not vanish under the pointer.
    const kept = this.keptGames();
    const rival = fieldOf(this.form, 'opponent').value;
    const drawn = games + server.user + JSON.stringify([mine, kept, engines, rival]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.mine.replaceChildren(...this.drawMine(mine, kept));
    const entries = readGames(games).filter(({ id }) => !mine.some(({ entry }) => entry.id === id));
    const over = entries.filter(({ state }) => state === 'over').slice(0, OVER_SHOWN);
    this.drawGames([...entries.filter(({ state }) => state !== 'over'), ...over]);
    // An offer to anyone must not take the place of one to an engine that does not play the game.
    const opponent = fieldOf(this.form, 'opponent');
    refill(opponent, () =>
      opponent.replaceChildren(new Option(t('lobby.anyone'), ''), ...engineChoices(engines, '')),
    );
  }

  /** @param {readonly Mine[]} games @param {readonly Kept[]} kept */
  drawMine(games, kept) {
    const name = savedName(this.server);
    const rows = [
      ...games.map((mine) => {
        const { entry } = mine;
        const verb = t(entry.state === 'over' ? 'lobby.look' : 'lobby.go-on');
        const title = gameTitle(entry.game, entry.board);
        const text = describeMine(mine, name);
        return ownRow(text, title, verb, isAwaited(mine, name), () => this.goOn(mine));
      }),
      ...kept.map((one) =>
        ownRow(one.text, one.title, t('lobby.go-on'), false, () => {
          this.dialog.close();
          this.onKept(one);
        }),
      ),
    ];
    if (!rows.length) return [];
    return [
      html('h3', t('mygames.title')),
      html('table.lobby', { id: 'my-games' }, html('tbody', ...rows)),
    ];
  }

  /** @param {string} reason */
  drawNothing(reason) {
    this.drawn = reason;
    this.mine.replaceChildren();
    this.list.replaceChildren(html('p', reason));
  }

  /** @param {Entry[]} games */
  drawGames(games) {
    const rows = games.map((entry) => {
      const title = gameTitle(entry.game, entry.board);
      const names = [entry.black, entry.white];
      const isOffer = names.includes('-') || wordsOf(entry.more).has('for'); // else to an engine
      const who =
        entry.state === 'open' && isOffer
          ? t('lobby.waits', { name: names.find((name) => name !== '-') ?? '' })
          : names.join(' – ');
      const own = ticketOf(entry.id);
      const isOver = entry.state === 'over';
      const isOpen = !isOver && !own && isOffer && entry.state === 'open';
      const verb = isOver
        ? t('lobby.look')
        : own
          ? t('lobby.go-on')
          : t(isOpen ? 'lobby.join' : 'agreement.watch');
      const isClosed = isOpen && !this.server.user && forAccounts(entry);
      const enter = button(
        verb,
        () => (isOpen ? this.accept(entry) : this.enter(own ?? spectator(entry.id))),
        { 'aria-label': `${verb}: ${who}`, disabled: isClosed ? '' : null },
      );
      const turns = Number(entry.turns);
      const note = isClosed
        ? t('lobby.for-accounts')
        : entry.state === 'open'
          ? t('lobby.open')
          : isOver
            ? overText(entry, turns)
            : t('turns', { n: turns });
      return html(
        'tr',
        html('th', { scope: 'row' }, who),
        html('td', title, html('br'), html('span.terms', termsText(entry))),
        html('td', note),
        html('td', enter),
      );
    });
    this.list.replaceChildren(
      rows.length ? html('table.lobby', html('tbody', ...rows)) : html('p.none', t('lobby.empty')),
    );
  }

  /** Fills the part for one tap, a game on each board of `QUICK`, and the form. */
  wire() {
    this.name.value = savedName(this.server);
    const friend = html(
      'form.grid.three',
      ...FRIEND_FIELDS.map(([text, name, choices]) =>
        field(tOf(text), html('select', { name }, ...choices())),
      ),
      html('button.solid', { id: 'friend', type: 'submit' }, t('lobby.friend')),
    );
    friend.addEventListener('submit', (event) => {
      event.preventDefault();
      this.invite(new FormData(friend));
    });
    this.name.closest('.grid')?.after(friend);
    const tiles = QUICK.map(([board, clock]) => {
      const words = [html('b', capital(boardText(board))), html('span', controlText(clock))];
      return button(words, () => this.pair(board, clock), { 'data-board': board });
    });
    this.quick.querySelector('.tiles')?.replaceChildren(...tiles);
    const games = /** @type {HTMLElement} */ (this.form.querySelector('.games'));
    const choose = (/** @type {string} */ game) => {
      const rules = makeRules(game);
      fieldOf(this.form, 'board').replaceChildren(...boardChoices(rules));
      drawOptions(this.options, rules);
    };
    drawGames(games, choose, 'offer');
    /** @type {HTMLInputElement} */ (games.querySelector('input')).click();
    fieldOf(this.form, 'invite').append(
      ...EXPIRIES.map(([seconds, text]) => new Option(t('lobby.by-link', { time: text }), seconds)),
    );
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.offer();
    });
    this.form.addEventListener('change', () => this.refresh().catch(() => {}));
  }

  /** Makes a game to which a link leads. @param {FormData} chosen */
  invite(chosen) {
    const [board, seat, clock] = ['board', 'seat', 'clock'].map((name) =>
      chosen.get(`link-${name}`),
    );
    const terms = [clockTerm(String(clock)), `invite=${FRIEND}`];
    return this.seek(makeRules('yodd', String(board)), String(seat), terms);
  }

  /** The game of the form, and the terms of the offer. */
  terms() {
    const data = new FormData(this.form);
    const [game, board] = ['offer', 'board'].map((name) => String(data.get(name)));
    return {
      data,
      rules: makeRules(game, board, readOptions(this.options)),
      terms: readTerms(data),
    };
  }

  /** Offers the game of the form. */
  offer() {
    const { data, rules, terms } = this.terms();
    const [invite, rival] = [data.get('invite'), data.get('opponent')];
    return this.seek(
      rules,
      String(data.get('seat')),
      [...terms, ...(invite ? [`invite=${invite}`] : [])],
      rival ? { against: String(rival) } : {},
    );
  }

  /** Accepts a listed offer of this game by anyone else, or makes it. @param {string} board @param {string} clock */
  pair(board, clock) {
    return this.attempt(async () => {
      const terms = clockTerm(clock);
      const fit = readGames(await this.server.ask('games')).find(
        (one) =>
          `${one.state} ${one.game} ${one.board} ${one.more.join(' ')}` ===
            `open yodd ${board} ${terms}` && ![one.black, one.white].includes(this.myName()),
      );
      await (fit ? this.accept(fit) : this.seek(makeRules('yodd', board), 'any', [terms]));
    });
  }

  /** A game as the server lists it, an invite too. @param {string} id @returns {Promise<Entry | undefined>} */
  async find(id) {
    return readGames(await this.server.ask(`games ${id}`))[0];
  }

  /** The key of a seat that is taken. @param {string} name @param {string} id @param {string} [secret] of an invite */
  acceptAs(name, id, secret = '') {
    this.name.value = name;
    return this.server.ask(`accept ${id} ${this.myName()} ${secret}`.trim());
  }

  /** @param {import('./mygames.js').Mine} mine */
  async goOn(mine) {
    await this.attempt(async () =>
      this.enter(await takeSeat(this.server, mine, savedName(this.server))),
    );
  }

  /** The name of an account cannot be changed here. @param {string | null} user */
  showUser(user) {
    this.name.disabled = user !== null;
    if (user !== null) this.name.value = user;
  }

  /** The name in the form, or of the account; an Error with the reason if it cannot be used. */
  myName() {
    return myName(this.server, this.name);
  }

  /** @param {import('../rules/rules.js').Rules} rules @param {string} seat @param {string[]} settings @param {{against?: string}} [more] */
  async seek(rules, seat, settings, more) {
    await this.attempt(async () => {
      const ticket = await seek(this.server, this.myName(), rules, seat, settings, more);
      this.enter(ticket, Boolean(inviteOf(ticket.id)));
    });
  }

  /** @param {Entry} entry */
  async accept(entry) {
    await this.attempt(async () => {
      const key = await this.acceptAs(this.name.value, entry.id);
      this.enter(keepTicket({ id: entry.id, key, seat: entry.black === '-' ? 0 : 1 }));
    });
  }

  /** @param {() => Promise<void>} action */
  async attempt(action) {
    try {
      this.problem.textContent = '';
      await action();
    } catch (error) {
      this.problem.textContent = reasonOf(error);
      this.problem.scrollIntoView({ block: 'center' });
    }
  }

  /** @param {Ticket} ticket @param {boolean} [isInvite] whether it is an offer with a link */
  enter(ticket, isInvite) {
    this.dialog.close();
    this.onEnter(ticket, isInvite);
  }
}

/** The winner of a listed game, or how long it was where none is known. @param {Entry} entry @param {number} turns */
function overText({ black, white, more }, turns) {
  const winner = wordsOf(more).get('winner');
  if (!winner) return t('lobby.over', { n: turns });
  return t('standing.wins', { name: winner === 'b' ? black : white });
}

/** Whether only users with an account may accept an offer. @param {Entry} entry */
const forAccounts = ({ more }) =>
  wordsOf(more).get('rated') === 'yes' || wordsOf(more).get('accept') === 'users';
