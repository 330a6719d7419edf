// The intents that change the state of the page. A state never changes: an intent takes one and
// returns the next, or the same one if there is nothing to do. No DOM, no network; the time, in
// seconds, is an argument.
import { chargeClock, makeClock, pauseClock, remaining, runClock } from '../rules/clock.js';
import { place, tap } from '../board/input.js';
import { parseTurn, showTurn } from '../rules/notation.js';
import { effectOf, effectSentence } from '../rules/parity.js';
import { nameOf, other } from '../rules/rules.js';
import { HUMAN, HUMANS, goesOn, levelOf, seatOf, seatOnTurn } from '../rules/seats.js';
import { summaryText } from '../rules/standing.js';
import {
  SILENCE,
  change,
  isBranch,
  isFree,
  isMine,
  liveTree,
  mayEdit,
  namesOf,
  opponentOf,
  stageOf,
} from './state.js';
import { t, tOf } from '../base/texts.js';
import { GameTree, sizeOf } from '../rules/tree.js';

/** @import { Away } from './presence.js' */
/** @import { Request } from '../server/observer.js' */
/** @import { Colour, Position, Stone, Turn } from '../rules/rules.js' */
/** @import { Seats } from '../rules/seats.js' */
/** @import { Refereed, State } from './state.js' */
/** @import { Settings } from '../base/settings.js' */
/** @import { Ticket } from '../server/tickets.js' */

/** Seconds between two turns of a record that plays itself. */
const PACE = 1;
/** @type {readonly [null, null]} */
const ALL_HERE = [null, null];

/**
 * The state with something else of its refereed game; the same one where there is none.
 * @param {State} state @param {Partial<Refereed>} changes @param {Partial<State>} [others]
 */
const amend = (state, changes, others = {}) =>
  state.refereed
    ? change(state, { ...others, refereed: { ...state.refereed, ...changes } })
    : state;

/** @param {import('../base/sound.js').Sound} sound */
const cue = (sound) => ({ sound });

/** @param {string} text */
const message = (text) => ({ text, kind: /** @type {const} */ ('') });

// -- games --------------------------------------------------------------------------------------

/** The state with the colour chosen that is the user's own, if the user has one. @param {State} state */
function withOwnColour(state) {
  const { refereed, seats, tree } = state;
  const human = seats.players.filter((player) => player === HUMAN).length === 1;
  const own = human ? seats.players.indexOf(HUMAN) : null;
  const seat = /** @type {Colour | null} */ (refereed ? refereed.ticket.seat : own);
  return seat === null ? state : chooseColour(state, seatOf(tree, seat));
}

/**
 * Another game on this page.
 * @param {State} state @param {GameTree} tree @param {Seats} seats @param {State['winrates']} [winrates]
 */
export const showGame = (state, tree, seats, winrates = new Map()) =>
  withOwnColour(
    change(state, {
      tree,
      live: (goesOn(seats) ? tree.goTo(Infinity) : tree).position,
      seats,
      winrates,
      removed: [],
      refereed: null,
      clock: makeClock(seats.clock),
      pending: [],
      kept: null,
      flagged: null,
      review: null,
      lesson: null,
      shown: null,
      replay: null,
      message: SILENCE,
    }),
  );

/** A refereed game in which nothing has happened yet. @param {Ticket} ticket @param {string} address @param {Ticket | null} former @returns {Refereed} */
export const newRefereed = (ticket, address, former) => ({
  ticket,
  address,
  names: ['–', '–'],
  begun: false,
  called: false,
  termination: null,
  winner: null,
  control: '',
  terms: '',
  times: [],
  request: null,
  answer: '',
  former,
  rematch: '',
  away: ALL_HERE,
});

/**
 * A refereed game from its start.
 * @param {State} state @param {Ticket} ticket @param {Position} start
 * @param {Ticket | null} [former] of the game that it is to be a rematch of
 */
export const joinGame = (state, ticket, start, former = null) =>
  withOwnColour(
    change(showGame(state, GameTree.from(start), HUMANS), {
      refereed: newRefereed(ticket, `#table=${ticket.id}`, former),
    }),
  );

/** The clocks go on with what they had left. @param {State} state @param {State['clock']['purses']} purses @param {number} now */
export const resumeClocks = (state, purses, now) =>
  change(state, {
    clock: {
      ...state.clock,
      purses,
      seat: isEngineOnTurn(state) ? null : seatOnTurn(liveTree(state)),
      since: now,
    },
  });

/** The names and terms of an offer that waits. @param {State} state @param {string} id @param {[string, string]} names @param {string} terms */
export const showOffer = (state, id, names, terms) =>
  state.refereed?.ticket.id === id && !state.refereed.begun
    ? amend(state, { names, terms })
    : state;

/** The clock of a refereed game, with the seat running that is to move at its end. @param {State} state @param {number} now */
const restarted = (state, now) => ({
  ...state.clock,
  seat: seatOnTurn(liveTree(state)),
  since: now,
  resumes: 0,
});

/**
 * A refereed game begins, or is reported again over a new connection.
 * @param {State} state @param {[string, string]} names @param {string} control @param {number} now
 */
export function beginGame(state, names, control, now) {
  const { refereed, hidden } = state;
  if (!refereed) return state;
  const called = hidden && !refereed.begun && refereed.ticket.key !== null;
  const changes = { names, begun: true, called, control, times: [], request: null, away: ALL_HERE };
  const others = { message: SILENCE, cue: called ? cue('over') : state.cue };
  const begun = amend(state, changes, { ...others, clock: makeClock(control) });
  return change(begun, { clock: restarted(begun, now) });
}

/** Tells the user that the opponent has accepted their offer. @param {State} state */
export const announceOpponent = (state) =>
  change(state, {
    message: message(t('game.come', { name: opponentOf(state) })),
    cue: cue('over'),
  });

/**
 * A turn of a refereed game. The view follows it unless an earlier turn is shown.
 * @param {State} state
 * @param {{seat: Colour, seconds: number, token: string | null}} turn without a token if it is on the board already
 * @param {number} now
 */
export function receiveTurn(state, { seat, seconds, token }, now) {
  if (!state.refereed) return state;
  const times = [...state.refereed.times, { seat, seconds }];
  const clock = chargeClock(state.clock, seat, seconds, now);
  const charged = amend(state, { times, request: null, answer: '' }, { clock });
  if (token === null) return change(charged, { clock: restarted(charged, now) });
  const { tree } = state;
  const turn = parseTurn(token, tree.rules, liveTree(state).position.player);
  const played = change(extended(charged, turn), {
    message: message(showTurn(turn, tree.rules)),
    cue: cue('turn'),
  });
  return change(played, { clock: restarted(played, now) });
}

/**
 * Sets the time that the running turn of a refereed game has taken, by the server's clock.
 * @param {State} state
 * @param {Colour | null} seat null if no clock runs
 * @param {number} seconds
 * @param {number} now
 */
export const setTurnTime = (state, seat, seconds, now) =>
  change(state, { clock: { ...state.clock, seat, since: now - seconds, resumes: 0 } });

/** The clock of a refereed game stands still. @param {State} state @param {number} seconds @param {number} now */
export const pauseGame = (state, seconds, now) =>
  amend(
    state,
    { request: null, answer: '' },
    { clock: pauseClock(state.clock, seconds, now), cue: cue('turn') },
  );

/** Turns of a refereed game are taken back: the first `length` count. @param {State} state @param {number} length @param {number} now */
export function rewindGame(state, length, now) {
  const { refereed } = state;
  if (!refereed) return state;
  const times = refereed.times.slice(0, length);
  const clock = times.reduce(
    (before, { seat, seconds }) => chargeClock(before, seat, seconds, now),
    makeClock(refereed.control),
  );
  const live = liveTree(state).truncate(length);
  const shown = live.pathTo(state.tree.position);
  const rewound = amend(
    state,
    { times, request: null, answer: '' },
    {
      tree: shown ? live.visit(shown) : live,
      live: live.position,
      pending: [],
      clock,
      message: message(t('game.rewound')),
      cue: cue('turn'),
    },
  );
  return change(rewound, { clock: restarted(rewound, now) });
}

/** One participant asks the other for something. @param {State} state @param {Request} request */
export const receiveRequest = (state, request) => amend(state, { request, answer: '' });

/** The answer to a request, in words. @param {State} state @param {string} answer */
export const answerRequest = (state, answer) => amend(state, { request: null, answer });

/** The rematch of a watched game has begun. @param {State} state @param {string} rematch its id */
export const announceRematch = (state, rematch) => amend(state, { rematch });

/** A participant declines a request, or asks no longer. @param {State} state @param {Colour} seat @param {Request['what']} what */
export function declineRequest(state, seat, what) {
  const { refereed } = state;
  if (!refereed) return state;
  const isOwn = seat === refereed.ticket.seat;
  const verb = seat === refereed.request?.seat ? 'withdraws' : 'declines';
  const text = tOf(`game.${verb}-${what}`, { name: refereed.names[seat] });
  return answerRequest(state, isOwn ? '' : text);
}

/** A participant is away, or back. @param {State} state @param {Colour} seat @param {Away | null} away null for back */
export function setAway(state, seat, away) {
  const [black, white] = state.refereed?.away ?? ALL_HERE;
  return amend(state, { away: seat === 0 ? [away, white] : [black, away] });
}

/**
 * A refereed game has ended; its clocks show what was left.
 * @param {State} state @param {string} termination @param {Colour | null} winner the seat
 * @param {number} now
 */
export const endGame = (state, termination, winner, now) =>
  amend(
    state,
    { termination, winner, request: null },
    { clock: runClock(state.clock, null, now), message: SILENCE, pending: [], analysing: false },
  );

// -- turns --------------------------------------------------------------------------------------

/**
 * Other stones in the turn in the making; `cell` is that of the stone that has changed.
 * @param {State} state @param {readonly Stone[]} pending @param {number} [cell]
 */
export function setPending(state, pending, cell) {
  if (pending === state.pending) return state;
  const stone = pending.find((one) => one.cell === cell);
  const text = stone ? sentence(state.tree.position, pending, stone) : t('game.stone-back');
  const next = { pending, shown: null, replay: null, message: message(text), cue: cue('stone') };
  return change(state, next);
}

/** @param {Position} position @param {readonly Stone[]} pending @param {Stone} stone */
function sentence(position, pending, stone) {
  const effect = effectOf(
    position,
    pending.filter((one) => one !== stone),
    stone,
  );
  return effectSentence(
    effect,
    position.rules.board.labels[stone.cell],
    position.facts.parity !== null,
  );
}

/** Why the user may not place a stone where the game is not over; empty if they may. @param {State} state */
function waitText(state) {
  const { tree, live, refereed, seats } = state;
  if (stageOf(state) !== 'wait') return '';
  if (refereed && !refereed.begun) return t('error.not-begun');
  if (tree.position !== live && (refereed || seats.clock)) return t('game.played');
  const seat = seatOnTurn(tree);
  const name = levelOf(seats.players[seat]) ? t('after.engine') : namesOf(state)[seat];
  return t('game.turn-of', { name });
}

/**
 * Why no stone can be placed on a cell, in words, which are empty where the page says it already;
 * null if one can.
 * @param {State} state @param {number} cell
 */
function problemOn(state, cell) {
  if (!isMine(state)) return waitText(state);
  const { position, rules } = state.tree;
  if (position.isEmpty(cell)) return null;
  const values = { cell: rules.board.labels[cell] };
  return t(position.cells[cell] ? 'game.has-white' : 'game.has-black', values);
}

/** A tap on a cell with the chosen colour or the other one. @param {State} state @param {number} cell @param {'main' | 'other'} side */
export function tapCell(state, cell, side) {
  const problem = problemOn(state, cell);
  if (problem !== null) return problem ? refuseTurn(state, problem) : state;
  const colour = side === 'main' ? state.colour : other(state.colour);
  return setPending(state, tap(state.tree.position, state.pending, cell, colour), cell);
}

/** A stone of a colour on a cell, the chosen one unless given. @param {State} state @param {number} cell @param {Colour} [colour] */
export function placeStone(state, cell, colour = state.colour) {
  const problem = problemOn(state, cell);
  if (problem !== null) return problem ? refuseTurn(state, problem) : state;
  return setPending(state, place(state.tree.position, state.pending, cell, colour), cell);
}

/** @param {State} state @param {Colour} colour */
export const chooseColour = (state, colour) => change(state, { colour });

/** The state with a turn at the end of the game; the view follows unless it is elsewhere. @param {State} state @param {Turn} turn */
function extended(state, turn) {
  const live = liveTree(state);
  // What others play is the main line, whatever the user has tried.
  const tree =
    state.refereed || state.seats.watched ? live.play(turn).promote(true) : live.play(turn);
  const follows = state.tree.position === live.position;
  const next = change(state, {
    tree: follows ? tree : tree.visit(tree.pathTo(state.tree.position) ?? tree.path),
    live: tree.position,
    pending: follows ? [] : state.pending,
    kept: null,
  });
  return turn.kind === 'swap' ? withOwnColour(next) : next;
}

/**
 * A legal turn of the user in the position that is shown: the game goes on from there, or it is a
 * variation.
 * @param {State} state @param {Turn} turn @param {number} now
 */
export function playTurn(state, turn, now) {
  if (!isFree(state)) return playLiveTurn({ ...state, live: state.tree.position }, turn, now);
  const tree = state.tree.play(turn);
  const text = playedText(state.tree.position.player, turn, tree);
  return change(state, { tree, pending: [], kept: null, message: message(text), cue: cue('turn') });
}

/** The record of a game that others play now: the turns that are new. @param {State} state @param {GameTree} record */
export const appendTurns = (state, record) =>
  record
    .goTo(Infinity)
    .nodes()
    .slice(liveTree(state).index + 1)
    .reduce((at, { turn }) => (turn ? extended(at, turn) : at), state);

/** @param {Colour} player @param {Turn} turn @param {GameTree} tree after it */
const playedText = (player, turn, tree) =>
  `${nameOf(player)}: ${showTurn(turn, tree.rules)}. ${summaryText(tree.position)}`;

/** A legal turn where the game stands. @param {State} state @param {Turn} turn @param {number} now */
export function playLiveTurn(state, turn, now) {
  const mover = liveTree(state).position.player;
  const played = extended(state, turn);
  const tree = liveTree(played);
  const over = tree.position.outcome() !== null;
  const waits = over || (!state.ready && isEngineOnTurn(played));
  return change(played, {
    clock: runClock(state.clock, waits ? null : seatOnTurn(tree), now, true),
    message: message(playedText(mover, turn, tree)),
    cue: cue(over ? 'over' : 'turn'),
  });
}

/** A turn in a refereed game: it is on the board once the referee accepts it. @param {State} state */
export const submitTurn = (state) => change(state, { pending: [] });

/** A turn that cannot be made. @param {State} state @param {string} reason */
export const refuseTurn = (state, reason) =>
  change(state, {
    message: { text: t('turn.refused', { reason }), kind: 'refused' },
    cue: cue('refused'),
  });

/**
 * The server refuses a turn that this page has accepted: it goes, and what was played after it.
 * @param {State} state @param {Position} position after the turn @param {string} reason
 */
export function removeRefusedTurn(state, position, reason) {
  const index = state.tree.nodes().findIndex((node) => node.position === position);
  const tree = index < 0 ? state.tree : state.tree.goTo(index).remove();
  const live = tree.pathTo(state.live) ? state.live : tree.position;
  return refuseTurn({ ...state, tree, live }, reason);
}

/** A turn that the engine suggests. @param {State} state @param {Turn} turn */
export const suggestTurn = (state, turn) =>
  change(state, {
    pending: turn.stones,
    message: message(t('game.suggests', { turn: showTurn(turn, state.tree.rules) })),
  });

/** Plays a record by itself, or pauses it. @param {State} state */
export const toggleReplay = (state) =>
  change(state, { replay: state.replay === Infinity ? 0 : Infinity });

/** Shows the next turn of a record that plays itself; stops the game if the time of the seat to move is up. @param {State} state @param {number} now */
export function passTime(state, now) {
  const { clock, refereed, replay, hidden } = state;
  if (replay !== null && now >= replay && !hidden) {
    const next = stepTurns(state, 1);
    const goesOn = next.tree.current.children.length > 0;
    return change(next, { replay: goesOn ? now + PACE : null, cue: cue('turn') });
  }
  if (refereed || clock.seat === null || remaining(clock, clock.seat, now) !== 0) return state;
  return change(state, {
    flagged: clock.seat,
    clock: runClock(clock, null, now),
    pending: [],
    analysing: false,
    cue: cue('over'),
  });
}

/** Takes back the pending stones, or turns until a human was to move. @param {State} state @param {number} now */
export function takeBack(state, now) {
  if (state.refereed) return state;
  if (state.pending.length)
    return change(state, { pending: [], message: message(t('game.stone-back')) });
  if (isBranch(state)) return stepTurns(state, -1);
  let tree = liveTree(state);
  do tree = tree.goTo(tree.index - 1);
  while (tree.index > 0 && state.seats.players[seatOnTurn(tree)] !== HUMAN);
  return change(state, {
    flagged: null,
    pending: [],
    message: message(t('game.taken-back')),
    tree,
    live: tree.position,
    clock: runClock(state.clock, null, now),
  });
}

// -- the record ---------------------------------------------------------------------------------

/** Another turn is shown. The game does not change; where none goes on, it is played on from here. @param {State} state @param {GameTree} tree */
function showTree(state, tree) {
  const { position } = tree;
  if (position === state.tree.position) return state;
  const kept = state.pending.length
    ? { position: state.tree.position, pending: state.pending }
    : state.kept;
  return change(state, {
    tree,
    live: state.refereed || goesOn(state.seats) ? state.live : position,
    pending: kept?.position === position ? kept.pending : [],
    kept,
    replay: state.replay === null ? null : Infinity,
    message: message(t('game.at', { n: position.number, summary: summaryText(position) })),
  });
}

/** @param {State} state @param {number} index of the turn */
export const goToTurn = (state, index) => showTree(state, state.tree.goTo(index));

/** @param {State} state @param {number} count turns forward */
export const stepTurns = (state, count) => goToTurn(state, state.tree.index + count);

/** Back to where the game stands. @param {State} state */
export const goToLive = (state) => showTree(state, liveTree(state));

/** Another turn in place of the current one. @param {State} state @param {number} count */
export const goToSibling = (state, count) => showTree(state, state.tree.sibling(count));

/** @param {State} state @param {readonly number[]} path to a turn */
export const goToPath = (state, path) => showTree(state, state.tree.visit(path));

/** To where the variation that is shown began. @param {State} state */
export const goToFork = (state) => showTree(state, state.tree.toFork());

/** On to the next position with several turns. @param {State} state */
export const goToNextFork = (state) => showTree(state, state.tree.toNextFork());

/** @param {State} state @param {string} text */
export const commentTurn = (state, text) => change(state, { tree: state.tree.comment(text) });

/** A judgement of the turn that is shown. @param {State} state @param {import('../rules/tree.js').Glyph} glyph */
export const annotateTurn = (state, glyph) =>
  state.tree.current.turn ? change(state, { tree: state.tree.annotate(glyph) }) : state;

/** The variation that is shown comes before others, or is the main line. @param {State} state @param {boolean} [entirely] */
export const promoteVariation = (state, entirely) =>
  mayEdit(state) && !state.tree.isMain
    ? change(state, { tree: state.tree.promote(entirely), message: message(t('game.promoted')) })
    : state;

/** The turn that is shown goes, with what follows it, unless the game goes on after it. @param {State} state */
export function deleteTurn(state) {
  const { tree, refereed, seats } = state;
  if (!tree.index || !mayEdit(state)) return state;
  const played = refereed || goesOn(seats) ? state.live : null;
  if (played && new GameTree(tree.current).pathTo(played))
    return refuseTurn(state, t('game.in-play'));
  const count = sizeOf(tree.current);
  const left = showTree(state, tree.remove());
  return change(left, {
    live: left.tree.pathTo(left.live) ? left.live : left.tree.position,
    removed: [...state.removed, tree.removable],
    message: message(t('game.deleted', { n: count })),
  });
}

/** Brings back the latest deletion. @param {State} state */
export function restoreDeleted(state) {
  const last = state.removed.at(-1);
  if (!last || !mayEdit(state)) return state;
  const tree = state.tree.restore(last);
  // The same position may be shown as before, with more after it.
  return change(showTree(state, tree), { tree, removed: state.removed.slice(0, -1) });
}

// -- the engine ---------------------------------------------------------------------------------

/** @param {State} state @param {boolean} connected @param {boolean} advises @param {boolean} [reviews] @param {boolean} [ready] */
export const setConnection = (state, connected, advises, reviews = false, ready = connected) =>
  change(state, { connected, advises, reviews, ready });

/**
 * The server is away: the clocks that wait for it stop, unless a user of this page is to move in a
 * game without it.
 * @param {State} state @param {number} now
 */
export function stopClocks(state, now) {
  const { refereed, clock } = state;
  const waits = refereed ? refereed.termination === null : !state.ready && isEngineOnTurn(state);
  return waits ? change(state, { clock: runClock(clock, null, now) }) : state;
}

/** @param {State} state */
const isEngineOnTurn = (state) =>
  levelOf(state.seats.players[seatOnTurn(liveTree(state))]) !== null;

/** The engine begins or ends the choice of a turn. @param {State} state @param {boolean} thinking */
export const setThinking = (state, thinking) => change(state, { thinking });

/** The clock of the seat to move runs. @param {State} state @param {number} now */
export const startClock = (state, now) =>
  change(state, { clock: runClock(state.clock, seatOnTurn(liveTree(state)), now) });

// -- the page -----------------------------------------------------------------------------------

/** @param {State} state @param {boolean} hidden */
export const setHidden = (state, hidden) => amend(change(state, { hidden }), { called: false });

/** @param {State} state @param {number | null} hovered */
export const hoverCell = (state, hovered) =>
  hovered === state.hovered ? state : change(state, { hovered });

/** @param {State} state @param {string} text @param {State['message']['kind']} [kind] */
export const showMessage = (state, text, kind = '') => change(state, { message: { text, kind } });

/** @param {State} state @param {Partial<Settings>} settings */
export const changeSettings = (state, settings) =>
  change(state, { settings: { ...state.settings, ...settings } });
