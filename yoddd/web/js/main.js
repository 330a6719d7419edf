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
const lobby = new Lobby(app.server, (ticket) => app.enter(ticket));
const newGame = newGameDialog((position, seats) => {
  app.show(GameTree.from(position), seats);
  app.moveOn();
});

wireControls(app);
wireAgreement(app, keepTicket);
wireDialogs(app);
wireAccount((session) => app.server.logIn(session));
wireNetwork(app.server.connection);
el('lobby-open').addEventListener('click', () => lobby.open());
el('new').addEventListener('click', () => newGame.open(app.state.tree.rules.game));
// The page itself changes its address without this event: the user has edited it.
window.addEventListener('hashchange', () => app.open(ticketIn));
app.server.connection.start();
app.open(ticketIn);
window.setInterval(() => app.tick(), TICK);
