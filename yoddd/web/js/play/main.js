// Where the page starts.
import '../base/unfold.js';
import { wireAgreement } from './agreement.js';
import { BoardView } from '../board/board.js';
import { Controller } from './controller.js';
import { wireControls } from './controls.js';
import { openShare, wireDialogs } from './dialogs.js';
import { hoverCell, stepTurns, tapCell } from './game.js';
import { focusContent, wireHeader } from '../server/header.js';
import { cellKey } from './keys.js';
import { keptGames } from './kept.js';
import {
  describeMine,
  drawReturn,
  findMine,
  isAwaited,
  savedName,
  takeSeat,
} from '../lobby/mygames.js';
import { wireNetwork } from '../server/network.js';
import { wireAccount } from '../server/login.js';
import { newGameDialog } from '../lobby/newgame.js';
import { notifyWaiting, wirePresence } from './presence.js';
import { makeRender } from './render.js';
import { wireCard } from './resultcard.js';
import { reasonOf } from '../base/errortext.js';
import { REVIEWED, openReviewed } from './reviewfile.js';
import { FIRST_SEATS } from '../rules/seats.js';
import { isStatic } from '../base/site.js';
import { isFirstVisit } from '../base/settings.js';
import { change, isRunning } from './state.js';
import { GAMES, Position, makeRules } from '../rules/rules.js';
import { el } from '../base/svg.js';
import { readInvite, ticketIn } from '../server/tickets.js';
import { t } from '../base/texts.js';
import { GameTree } from '../rules/tree.js';

/** @import { Ticket } from '../server/tickets.js' */

/** Milliseconds between two looks at the clocks. */
const TICK = 100;
/** Milliseconds between two looks at the games that wait for the user. */
const REMINDER = 20_000;

/** @type {BoardView} */
const view = new BoardView(/** @type {SVGSVGElement} */ (/** @type {unknown} */ (el('board'))), {
  tap: (cell, side) => app.changePending(tapCell(app.state, cell, side)),
  hover: (cell) => app.stream(hoverCell(app.state, cell)),
  key: (event, cell) => cellKey(app, event, cell),
});
view.zoom.onZoom = (/** @type {boolean} */ zoomed) => {
  el('whole-board').hidden = !zoomed;
};
view.zoom.onSwipe = (/** @type {number} */ way) => app.apply(stepTurns, way);
el('whole-board').addEventListener('click', () => view.zoom.close());
/** @type {Controller} */
export const app = new Controller(makeRender(view));
/** Shows a refereed game. @param {Ticket} ticket @param {boolean} [isInvite] whether it is an offer whose link is to be sent */
const enter = (ticket, isInvite = false) => {
  app.turnPage();
  app.refereed.enter(ticket, isInvite ? { joined: () => openShare(app) } : {});
  focusContent();
};
/** @param {import('../lobby/mygames.js').Kept} kept */
const goOn = ({ link }) => {
  location.hash = link;
};
/** @type {Promise<import('../lobby/lobby.js').Lobby> | null} */
let lobby = null;
/** The lobby, which is loaded when it is first needed. */
const loadLobby = () =>
  (lobby ??= import('../lobby/lobby.js').then(
    ({ Lobby }) => new Lobby(app.server, enter, keptGames, goOn),
  ));
/** @param {() => Promise<void>} action */
const attempt = async (action) => {
  try {
    await action();
  } catch (error) {
    lobby = null;
    app.refuse(reasonOf(error));
  }
};
/** Shows a game that is offered on the server, unless the user stays with the one that goes on. @param {() => Promise<Ticket>} offer */
const startThere = async (offer) => {
  if (!(await app.mayLeave())) return false;
  enter(await offer());
  return true;
};
/** Shows another game, unless the user stays with the one that goes on. @param {Position} position @param {import('../rules/seats.js').Seats} seats */
const start = async (position, seats) => {
  if (!(await app.mayLeave())) return false;
  app.turnPage();
  app.show(GameTree.from(position), seats);
  app.letEnginePlay();
  return true;
};
const newGame = newGameDialog(start, app.server, startThere);

wireHeader();
wireControls(app);
wireAgreement(app.refereed);
wireCard(app);
wireDialogs(app);
wirePresence(app.refereed);

/**
 * The user's games on the server that are not shown, and how many wait for the user on the button
 * of the lobby.
 * @returns {Promise<import('../lobby/mygames.js').Way[]>}
 */
async function findWays() {
  const { refereed, server, state } = app;
  if (isStatic || !server.isConnected) return [];
  const name = savedName(server);
  const shown = state.refereed?.ticket.id ?? ticketIn(location.hash)?.id;
  const mine = (await findMine(server)).filter(({ entry }) => entry.id !== shown);
  const awaited = mine.filter((one) => isAwaited(one, name));
  const n = awaited.length;
  if (n !== state.waiting) app.apply(change, { waiting: n });
  notifyWaiting(
    awaited.map((one) => ({
      id: one.entry.id,
      turns: one.entry.turns,
      text: describeMine(one, name),
    })),
  );
  el('lobby-open').textContent = n ? t('lobby.waiting', { n }) : t('lobby.title');
  const kept = refereed.waiting?.ticket.id;
  return mine
    .filter(({ entry }) => entry.state === 'playing' || entry.id === kept)
    .map((one) => ({
      id: one.entry.id,
      text: t('mygames.yours', { what: describeMine(one, name) }),
      isAwaited: isAwaited(one, name),
      enter: () => attempt(async () => enter(await takeSeat(server, one, name))),
    }));
}

/** Leads back to a game of the user's that is not shown. */
async function remind() {
  const ways = await findWays().catch(() => []); // the next one does
  const own = isRunning(app.state) || app.state.refereed ? [] : keptGames();
  drawReturn([
    ...ways,
    ...own.map((kept) => ({
      id: kept.link,
      text: t('mygames.yours', { what: kept.text }),
      isAwaited: false,
      enter: () => goOn(kept),
    })),
  ]);
}

/** Shows the invite that the address names, once the server is there. */
async function awaitInvite() {
  const { hash } = location;
  if (!readInvite(hash)) return;
  await app.server.connection.whenOnline();
  await attempt(async () => {
    const { openInvite } = await import('../lobby/invite.js');
    openInvite(hash, await loadLobby());
  });
}

el('new').addEventListener('click', () => newGame.open(app.state.tree.rules));
el('brand').addEventListener('click', (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  start(new Position(makeRules('yodd')), FIRST_SEATS);
});
// The page itself changes its address without this event: the user has edited it.
window.addEventListener('hashchange', () => {
  if (!isStatic) awaitInvite();
  app.open(isStatic ? () => null : ticketIn);
});
// The games that the server describes have options that may go ill together.
if (Object.values(GAMES).some(({ description }) => description)) import('../rules/description.js');
// An address that names something leads there at once.
if (
  !REVIEWED.length &&
  (location.hash === '#welcome' || (location.hash.length < 2 && isFirstVisit()))
)
  import('./welcome.js').then(({ welcome }) => welcome(app)).catch(() => {}); // the board is there
app.meetEngine();
if (REVIEWED.length) {
  openReviewed(app);
} else if (isStatic) {
  app.open(() => null);
} else {
  wireAccount((session) => app.server.logIn(session));
  wireNetwork(app.server.connection);
  el('lobby-open').addEventListener('click', () => attempt(async () => (await loadLobby()).open()));
  awaitInvite();
  app.server.connection.start();
  app.open(ticketIn);
  app.refereed.onWait = remind;
  window.setInterval(remind, REMINDER);
  app.server.connection.watch(remind);
}
if (!REVIEWED.length) remind();
window.setInterval(() => app.tick(), TICK);
for (const end of ['pagehide', 'visibilitychange']) window.addEventListener(end, () => app.keep());
