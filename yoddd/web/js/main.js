// Where the page starts.
import { wireAgreement } from './agreement.js';
import { BoardView } from './board.js';
import { Controller } from './controller.js';
import { wireControls } from './controls.js';
import { wireDialogs } from './dialogs.js';
import { hover, tapCell } from './game.js';
import { cellKey } from './keys.js';
import { Lobby, keepTicket, ticketIn } from './lobby.js';
import { wireNetwork } from './network.js';
import { wireAccount } from './login.js';
import { newGameDialog } from './newgame.js';
import { makeRender } from './render.js';
import { FIRST_SEATS } from './seats.js';
import { Position, makeRules } from './rules.js';
import { el } from './svg.js';
import { GameTree } from './tree.js';

/** Milliseconds between two looks at the clocks. */
const TICK = 100;

/** @type {BoardView} */
const view = new BoardView(/** @type {SVGSVGElement} */ (/** @type {unknown} */ (el('board'))), {
  tap: (cell, side) => app.pend(tapCell(app.state, cell, side)),
  hover: (cell) => app.change(hover(app.state, cell)),
  key: (event, cell) => cellKey(app, event, cell),
});
/** @type {Controller} */
export const app = new Controller(makeRender(view));
const lobby = new Lobby(app.server, (ticket) => {
  app.turnPage();
  app.enter(ticket);
});
/** Shows another game, unless the user stays with the one that goes on. @param {Position} position @param {import('./seats.js').Seats} seats */
const start = async (position, seats) => {
  if (!(await app.mayLeave())) return false;
  app.turnPage();
  app.show(GameTree.from(position), seats);
  app.moveOn();
  return true;
};
const newGame = newGameDialog(start);

wireControls(app);
wireAgreement(app, keepTicket);
wireDialogs(app);
wireAccount((session) => app.server.logIn(session));
wireNetwork(app.server.connection);
el('lobby-open').addEventListener('click', () => lobby.open());
el('new').addEventListener('click', () => newGame.open(app.state.tree.rules.game));
el('brand').addEventListener('click', (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  start(new Position(makeRules('yodd')), FIRST_SEATS);
});
// The page itself changes its address without this event: the user has edited it.
window.addEventListener('hashchange', () => app.open(ticketIn));
app.server.connection.start();
app.open(ticketIn);
window.setInterval(() => app.tick(), TICK);
