// Where the page starts.
import '../base/unfold.js';
import { wireAgreement } from './agreement.js';
import { BoardView } from '../board/board.js';
import { Controller } from './controller.js';
import { wireControls } from './controls.js';
import { openShare, wireDialogs } from './dialogs.js';
import { hover, step, tapCell } from './game.js';
import { focusContent, wireHeader } from '../server/header.js';
import { cellKey } from './keys.js';
import { openInvite } from '../lobby/invite.js';
import { Lobby } from '../lobby/lobby.js';
import { wireNetwork } from '../server/network.js';
import { wireAccount } from '../server/login.js';
import { newGameDialog } from '../lobby/newgame.js';
import { wirePresence } from './presence.js';
import { makeRender } from './render.js';
import { wireCard } from './resultcard.js';
import { REVIEWED, openReviewed } from './reviewfile.js';
import { FIRST_SEATS } from '../rules/seats.js';
import { isStatic } from '../base/site.js';
import { isFirstVisit } from '../base/settings.js';
import { Position, makeRules } from '../rules/rules.js';
import { el } from '../base/svg.js';
import { readInvite, ticketIn } from '../server/tickets.js';
import { GameTree } from '../rules/tree.js';

/** Milliseconds between two looks at the clocks. */
const TICK = 100;
/** Milliseconds between two looks at the games that wait for the user. */
const REMINDER = 20_000;

/** @type {BoardView} */
const view = new BoardView(/** @type {SVGSVGElement} */ (/** @type {unknown} */ (el('board'))), {
  tap: (cell, side) => app.pend(tapCell(app.state, cell, side)),
  hover: (cell) => app.apply(hover, cell),
  key: (event, cell) => cellKey(app, event, cell),
});
view.zoom.onZoom = (/** @type {boolean} */ zoomed) => {
  el('whole-board').hidden = !zoomed;
};
view.zoom.onSwipe = (/** @type {number} */ way) => app.apply(step, way);
el('whole-board').addEventListener('click', () => view.zoom.close());
/** @type {Controller} */
export const app = new Controller(makeRender(view));
const lobby = new Lobby(
  app.server,
  (ticket) => {
    app.turnPage();
    app.refereed.enter(ticket);
    focusContent();
  },
  (ticket) => openShare(app, ticket),
);
/** Shows another game, unless the user stays with the one that goes on. @param {Position} position @param {import('../rules/seats.js').Seats} seats */
const start = async (position, seats) => {
  if (!(await app.mayLeave())) return false;
  app.turnPage();
  app.show(GameTree.from(position), seats);
  app.moveOn();
  return true;
};
const newGame = newGameDialog(start);

wireHeader();
wireControls(app);
wireAgreement(app.refereed);
wireCard(app);
wireDialogs(app);
wirePresence(app.refereed);

/** Says how many games wait for the user, if the server is there. */
function remind() {
  const shown = app.state.refereed?.ticket.id ?? ticketIn(location.hash)?.id;
  if (app.server.isConnected) lobby.remind(shown, app.refereed.waiting?.ticket.id).catch(() => {}); // the next one does
}

/** Shows the invite that the address names, once the server is there. */
async function awaitInvite() {
  const { hash } = location;
  if (!readInvite(hash)) return;
  await app.server.connection.whenOnline();
  openInvite(hash, lobby);
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
  el('lobby-open').addEventListener('click', () => lobby.open());
  awaitInvite();
  app.server.connection.start();
  app.open(ticketIn);
  window.setInterval(remind, REMINDER);
  app.server.connection.watch(remind);
}
window.setInterval(() => app.tick(), TICK);
