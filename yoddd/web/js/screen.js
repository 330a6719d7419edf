// What is drawn around the board, from the state of the page.
import { clockText } from './clock.js';
import { withDiscs } from './discs.js';
import { drawGraph } from './graph.js';
import { writeLink } from './link.js';
import { PASS, SWAP } from './notation.js';
import { drawRecord } from './record.js';
import { nameOf } from './rules.js';
import { seatOf } from './seats.js';
import { el } from './svg.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./rules.js').Colour} Colour */

/** The bar under the board: what can be done now, and what is to be said. @param {App} app */
export function drawTurn(app) {
  const { position, pending, mine } = app;
  for (const input of document.querySelectorAll('input[name=colour]')) {
    if (!(input instanceof HTMLInputElement)) continue;
    input.checked = Number(input.value) === app.colour;
    input.disabled = !position.colours.includes(/** @type {Colour} */ (Number(input.value)));
  }
  const playButton = /** @type {HTMLButtonElement} */ (el('play'));
  const problem = pending.length ? position.dropProblem(pending) : 'no stone yet';
  playButton.disabled = !mine || !pending.length;
  playButton.title = problem ?? 'Play the turn (Enter)';
  /** @type {HTMLButtonElement} */ (el('back')).disabled = !pending.length;
  el('pass').hidden = !position.facts.odd;
  /** @type {HTMLButtonElement} */ (el('pass')).disabled = !mine || position.illegality(PASS) !== null;
  el('swap').hidden = !mine || position.illegality(SWAP) !== null;
  el('shade-label').hidden = !position.facts.odd;
  el('links-label').hidden = app.tree.rules.game !== 'yodd';
  /** @type {HTMLButtonElement} */ (el('undo')).disabled = Boolean(app.table) || (!pending.length && app.tree.index === 0);
  /** @type {HTMLButtonElement} */ (el('hint')).disabled = !mine || app.thinking || Boolean(app.table) || !app.engine.isConnected;
  /** @type {HTMLButtonElement} */ (el('resign')).disabled = !mine;
  drawPlayers(app);
  const status = el('status');
  const [text, kind] = statusText(app);
  if (status.dataset.said !== text) {
    status.dataset.said = text;
    status.replaceChildren(...withDiscs(text));
  }
  status.className = kind;
}

/** @param {App} app @returns {[string, string]} */
function statusText(app) {
  const { position } = app;
  if (app.message.kind === 'refused') return [app.message.text, 'refused'];
  if (app.table && !app.table.begun) return ['Waiting for an opponent…', ''];
  const ending = app.table?.ending ?? null;
  if (ending) return [ending, 'over'];
  if (app.flagged !== null) return [`Time is up: ${app.names()[1 - app.flagged]} wins`, 'over'];
  const outcome = position.outcome();
  if (outcome) {
    const how = outcome.reason === 'resign' ? 'by resignation' : margin(app, outcome.score);
    return [`${nameOf(outcome.winner)} wins ${how}`, 'over'];
  }
  const turn = `${nameOf(position.player)} to move`;
  if (app.thinking) return [`${turn}: the engine is thinking…`, ''];
  if (!app.engine.isConnected) return [`${turn} (no connection to the server)`, ''];
  return [app.message.text ? `${turn} · ${app.message.text}` : turn, ''];
}

/** @param {App} app @param {number} score */
function margin(app, score) {
  const { black, white } = app.position.census();
  if (app.position.facts.odd) return `with ${Math.min(black, white)} groups to ${Math.max(black, white)}`;
  return app.tree.rules.game === 'odd' ? '' : `by ${score}`;
}

/** @param {App} app */
function drawPlayers(app) {
  const names = app.names();
  const turn = app.position.isOver || app.flagged !== null ? -1 : app.seat;
  for (const seat of [0, 1]) {
    const card = el(`player-${seat}`);
    const colour = seatOf(app.tree, /** @type {Colour} */ (seat));
    card.classList.toggle('turn', seat === turn);
    /** @type {Element} */ (card.querySelector('.dot')).className = `dot ${colour ? 'white' : 'black'}`;
    /** @type {Element} */ (card.querySelector('.who')).textContent = names[seat];
  }
  drawClocks(app);
}

/** @param {App} app */
export function drawClocks(app) {
  for (const seat of [0, 1]) {
    const left = app.table ? app.table.remaining(seat) : app.clocks.remaining(seat);
    const clock = /** @type {Element} */ (el(`player-${seat}`).querySelector('.clock'));
    clock.textContent = clockText(left);
    clock.classList.toggle('low', left !== null && left < 10);
  }
}

/** Groups and winrates over the game. @param {App} app */
export function drawCurves(app) {
  drawGraph(/** @type {SVGElement} */ (/** @type {unknown} */ (el('graph'))), app.tree.line(), app.tree.index);
}

/** The record, its graph and its slider; and the address, which tells the game too. @param {App} app */
export function drawGame(app) {
  const line = app.tree.line();
  drawRecord(el('moves'), app.tree, (node) => {
    app.tree.current = node;
    app.goTo(app.tree.index);
  });
  drawCurves(app);
  const slider = /** @type {HTMLInputElement} */ (el('slider'));
  slider.max = String(line.length - 1);
  slider.value = String(app.tree.index);
  slider.setAttribute('aria-valuetext', `turn ${app.tree.index} of ${line.length - 1}`);
  const comment = /** @type {HTMLTextAreaElement} */ (el('comment'));
  if (document.activeElement !== comment) comment.value = app.tree.current.comment;
  if (!app.table) history.replaceState(null, '', writeLink(app.tree, app.seats));
}
