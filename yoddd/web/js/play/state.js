// The state of the page, and what follows from it. No DOM, no network; the time, in seconds, is an
// argument.
import { isByDay, makeClock } from '../rules/clock.js';
import { mayTry } from '../analysis/judgements.js';
import { memo } from '../base/memo.js';
import { PASS, SWAP, drop, formatTurn, positionLine } from '../rules/notation.js';
import { FIRST_SEATS, HUMAN, goesOn, levelOf, seatNames, seatOnTurn } from '../rules/seats.js';
import { t } from '../base/texts.js';
import { GameTree } from '../rules/tree.js';

/** @import { Watch } from '../analysis/analysis.js' */
/** @import { Insight } from '../analysis/candidates.js' */
/** @import { Likely } from '../analysis/policy.js' */
/** @import { Away } from './presence.js' */
/** @import { Request } from '../server/observer.js' */
/** @import { Colour, Position, Stone } from '../rules/rules.js' */
/** @import { Seats } from '../rules/seats.js' */
/** @import { Settings } from '../base/settings.js' */
/** @import { Ticket } from '../server/tickets.js' */
/** @import { Answer } from '../analysis/solved.js' */

/**
 * A game that the server referees, to be played or watched here.
 * @typedef {object} Refereed
 * @property {Ticket} ticket without an id for a game of an archive
 * @property {string} address the fragment that leads to it
 * @property {readonly [string, string]} names
 * @property {boolean} begun whether both participants are there
 * @property {boolean} called whether it has begun out of the user's sight, until they look
 * @property {string | null} termination how it ended, in words; null while it goes on
 * @property {Colour | null} winner the seat that has won
 * @property {string} control the time control
 * @property {string} terms of an offer, in words; empty if unknown
 * @property {readonly {seat: Colour, seconds: number}[]} times of the turns
 * @property {Request | null} request what one participant asks the other for
 * @property {string} answer what came of the last request, in words; until the next turn or request
 * @property {Ticket | null} former of the game that this is to be a rematch of
 * @property {string} rematch the id of its rematch, for a spectator who may go there; empty before
 * @property {readonly [Away | null, Away | null]} away who is not present, by seat
 */

/**
 * A question to the engine about a position.
 * @typedef {object} Question
 * @property {string} key identifies the question; empty for none
 * @property {string} line the request that sets the position up
 * @property {Stone | null} first the stone whose second stones are compared; null for any turn
 */

/**
 * @typedef {object} State
 * @property {GameTree} tree at the turn that is shown
 * @property {Position} live where the game stands, which browsing does not change
 * @property {Seats} seats who plays here
 * @property {Refereed | null} refereed null if the game is played on this page
 * @property {import('../rules/clock.js').Clock} clock
 * @property {readonly Stone[]} pending stones of the turn in the making
 * @property {{position: Position, pending: readonly Stone[]} | null} kept those of a turn that is not shown now
 * @property {Colour} colour of the next stone
 * @property {number | null} hovered the cell under the pointer
 * @property {number | null} flagged the seat whose time is up
 * @property {boolean} connected whether the server has said what it can do
 * @property {boolean} ready whether an engine can be asked for turns
 * @property {boolean} advises whether it analyses positions
 * @property {boolean} reviews whether it judges games
 * @property {boolean} hidden whether the page is out of sight
 * @property {boolean} thinking whether the engine chooses a turn
 * @property {boolean} analysing whether the user wants analysis
 * @property {Question} question what the engine is to look at
 * @property {Watch} watch how far the engine is with it
 * @property {Insight} report the engine's answer to it
 * @property {readonly Likely[]} policy of the engine for the question, the likeliest first; empty if unknown
 * @property {Answer | null} table the answer of a complete table, which then takes the place of the report
 * @property {number | null} pointed the row of the list whose line is shown on the board
 * @property {import('../analysis/judgements.js').Review | null} review of the game
 * @property {import('../analysis/judgements.js').Lesson | null} lesson in which the user looks for better turns
 * @property {import('../analysis/judgements.js').Shown | null} shown a line of turns on the board
 * @property {readonly import('../rules/tree.js').Removed[]} removed what was deleted of the tree, the latest last
 * @property {ReadonlyMap<Position, number>} winrates of Black, where known
 * @property {{text: string, kind: '' | 'refused' | 'lost'}} message
 * @property {number} waiting how many games that are not shown wait for the user
 * @property {{sound: import('../base/sound.js').Sound} | null} cue the last sound; another object each time
 * @property {number | null} replay when a record that plays itself goes on, in seconds; Infinity for a pause
 * @property {Settings} settings
 */

export const SILENCE = /** @type {const} */ ({ text: '', kind: '' });
const NO_QUESTION = /** @type {Question} */ ({ key: '', line: '', first: null });
/** @type {Watch} */
const SEARCHING = { kind: 'searching', reason: '' };
/** @type {Insight} */
const NO_REPORT = { candidates: [], visits: 0, lead: null, spread: null, ownership: [] };
/** @type {readonly Likely[]} */
const NO_POLICY = [];

/** @param {Position} start @param {Settings} settings @returns {State} */
export const makeState = (start, settings) =>
  settle({
    tree: GameTree.from(start),
    live: start,
    seats: FIRST_SEATS,
    refereed: null,
    clock: makeClock(''),
    pending: [],
    kept: null,
    colour: 0,
    hovered: null,
    flagged: null,
    connected: false,
    ready: false,
    advises: false,
    reviews: false,
    hidden: false,
    thinking: false,
    analysing: false,
    question: NO_QUESTION,
    watch: SEARCHING,
    report: NO_REPORT,
    policy: NO_POLICY,
    table: null,
    pointed: null,
    review: null,
    lesson: null,
    shown: null,
    removed: [],
    winrates: new Map(),
    message: SILENCE,
    waiting: 0,
    cue: null,
    replay: null,
    settings,
  });

/**
 * What every change ends with: the colour is one that may be dropped, and the report belongs to the
 * question.
 * @param {State} state
 * @returns {State}
 */
function settle(state) {
  const { colours } = state.tree.position;
  const colour = colours.includes(state.colour) ? state.colour : colours[0];
  const question = questionOf(state);
  if (question.key === state.question.key)
    return colour === state.colour ? state : { ...state, colour };
  return {
    ...state,
    colour,
    question,
    watch: SEARCHING,
    report: NO_REPORT,
    policy: NO_POLICY,
    table: null,
  };
}

/** @param {State} state @param {Partial<State>} changes */
export const change = (state, changes) => settle({ ...state, ...changes });

/** The game at its latest turn, which need not be shown. @param {Pick<State, 'tree' | 'live'>} state */
export const liveTree = ({ tree, live }) =>
  tree.position === live ? tree : tree.visit(tree.pathTo(live) ?? tree.path);

/** Whether turns of both sides may be tried, as variations: the game is over, or others play it. @param {State} state */
export function isFree(state) {
  const { refereed, seats } = state;
  if (!refereed) return Boolean(seats.watched) || isOver(state);
  return refereed.termination !== null || (refereed.begun && refereed.ticket.key === null);
}

/**
 * The turn that is shown, as it is to the user: a place of the `lesson`; the `end` of the game, or of a
 * variation; `free`, for turns of both sides; the user's own `turn`; or one to `wait` at.
 * @typedef {'lesson' | 'end' | 'free' | 'turn' | 'wait'} Stage
 */

/** @param {State} state @returns {Stage} */
export function stageOf(state) {
  const { tree, live, refereed, seats, lesson, analysing } = state;
  if (lesson) return 'lesson';
  const isLive = tree.position === live;
  // Who analyses a game may go on where it was broken off.
  if (tree.position.isOver || (isLive && isOver(state) && !analysing)) return 'end';
  if (isFree(state)) return 'free';
  // Against the clock no other turn can be tried.
  const isShown = isLive || !(refereed || seats.clock);
  const seat = seatOnTurn(tree);
  const isOwn = refereed
    ? refereed.begun && seat === refereed.ticket.seat && !refereed.ticket.engine
    : seats.players[seat] === HUMAN;
  return isShown && isOwn ? 'turn' : 'wait';
}

/** Whether the user may place stones in the position that is shown. @param {State} state */
export function isMine(state) {
  const stage = stageOf(state);
  return stage === 'lesson' ? mayTry(state) : stage === 'free' || stage === 'turn';
}

/**
 * The controls that can be pressed now. One that is null has no place in the position that is shown, and is hidden.
 * @param {State} state
 */
export function pressesOf(state) {
  const { position } = state.tree;
  const isEnd = stageOf(state) === 'end';
  const mine = isMine(state);
  const legal = legalOf(position, state.pending);
  return {
    colours: isEnd ? null : position.colours,
    back: isEnd ? null : state.pending.length > 0,
    play: isEnd ? null : mine && legal.drop,
    pass: isEnd || position.facts.parity === null ? null : mine && legal.pass,
    swap: (mine && legal.swap) || null,
    undo: mayUndo(state),
    hint: mayHint(state),
    pause: mayPause(state) || null,
    resign: mayResign(state),
  };
}

/**
 * Which turns are legal, with the stones that are pending.
 * @type {(position: Position, pending: readonly Stone[]) => Record<'drop' | 'pass' | 'swap', boolean>}
 */
const findLegal = (position, pending) => ({
  drop: pending.length > 0 && position.dropProblem(pending) === null,
  pass: position.illegality(PASS) === null,
  swap: position.illegality(SWAP) === null,
});
const legalOf = memo(findLegal);

/** Whether a turn, or stones of it, can be taken back or asked for. @param {State} state */
export const mayUndo = (state) =>
  mayAskBack(state) ||
  (!state.refereed &&
    (state.pending.length > 0 || (!state.seats.names && liveTree(state).index > 0)));

/** The engine that is to move; null if none is. @param {State} state */
export function engineOnTurn(state) {
  const { seats, refereed, thinking, flagged, ready } = state;
  if (thinking || !ready || flagged !== null) return null;
  const tree = liveTree(state);
  if (tree.position.isOver || tree.current.children.length) return null;
  const seat = seatOnTurn(tree);
  if (!refereed) return levelOf(seats.players[seat])?.id ?? null;
  const { begun, termination, ticket } = refereed;
  return (begun && termination === null && seat === ticket.seat && ticket.engine) || null;
}

/** Whether a game goes on that another one would take the place of. @param {State} state */
export function isRunning(state) {
  const { refereed, seats, flagged } = state;
  if (refereed) return refereed.ticket.key !== null && refereed.termination === null;
  const live = liveTree(state);
  return live.index > 0 && !live.position.isOver && flagged === null && !seats.names;
}

/** Whether the user may resign now: in a refereed game on the other's turn too. @param {State} state */
export function mayResign(state) {
  const { refereed } = state;
  if (!refereed) return isMine(state) && !state.seats.names && !isOver(state);
  return refereed.begun && refereed.termination === null && refereed.ticket.key !== null;
}

/** Whether the user may ask the opponent, who is no engine, for a pause. @param {State} state */
const mayPause = (state) =>
  state.refereed !== null &&
  !state.refereed.ticket.against &&
  isByDay(state.refereed.control) &&
  mayResign(state);

/** Whether a turn is shown that was only tried. @param {State} state */
export function isBranch(state) {
  if (!isFree(state)) return false;
  const played = liveTree(state).path;
  return !state.tree.path.every((child, index) => played[index] === child);
}

/** Whether a game is left for another of its turns, or for one that was only tried. @param {State} state */
export const isAway = (state) =>
  isFree(state) &&
  state.tree.position !== state.live &&
  (state.refereed !== null || goesOn(state.seats));

/** The name of the other participant of a refereed game. @param {State} state */
export const opponentOf = ({ refereed }) =>
  refereed && refereed.ticket.seat !== null ? refereed.names[1 - refereed.ticket.seat] : '';

/** The risk of a pass in words; empty if it loses nothing. @param {State} state */
export function riskOfPass(state) {
  const { position } = state.tree;
  if (isFree(state)) return '';
  if (state.pending.length) return t('game.risk-stones');
  if (position.illegality(PASS) !== null || position.isFull) return '';
  const passed = position.play(PASS);
  const ended = passed.isOver ? passed : passed.play(PASS);
  const outcome = ended.outcome();
  if (!outcome || outcome.winner === position.player) return '';
  return passed.isOver ? t('game.risk-end') : t('game.risk-pass');
}

/** Whether the user may ask the engine for a turn. @param {State} state */
export const mayHint = (state) =>
  isMine(state) && !state.thinking && !state.refereed && state.ready;

/** Whether the user may ask for analysis: of a refereed game only when it is over. @param {Pick<State, 'advises' | 'refereed'>} state */
export const mayAnalyse = ({ advises, refereed }) => advises && refereed?.termination !== null;

/** Whether the game that is shown has ended. @param {State} state */
export const isOver = (state) =>
  state.flagged !== null ||
  (state.refereed?.termination ?? liveTree(state).position.outcome()) !== null;

/** Whether the user may have the game judged. @param {Pick<State, 'advises' | 'refereed' | 'reviews' | 'tree'>} state */
export const mayReview = (state) =>
  state.reviews && mayAnalyse(state) && state.tree.line().length > 1;

/**
 * The seat of the user of this page; null for a spectator, and where one user has both.
 * @param {Pick<State, 'refereed' | 'seats'>} state @returns {Colour | null}
 */
export function ownSeat({ refereed, seats: { players } }) {
  if (refereed) return refereed.ticket.engine ? null : refereed.ticket.seat;
  const human = /** @type {Colour} */ (players.indexOf(HUMAN));
  return players.filter((player) => player === HUMAN).length === 1 ? human : null;
}

/** @param {State} state @returns {readonly [string, string]} */
export const namesOf = ({ refereed, seats }) => refereed?.names ?? seatNames(seats);

/** Whether the stones make a whole turn that the settings play without confirmation. @param {State} state */
export function playsAtOnce({ tree: { position }, pending, settings }) {
  const waits =
    settings.confirm === 'always' || (settings.confirm === 'two' && position.facts.stones[1] > 1);
  return pending.length === position.maxStones && !waits && position.dropProblem(pending) === null;
}

/** @param {State} state @returns {Question} */
function questionOf(state) {
  const { tree, pending, question } = state;
  // The server may have a single thread for searches: one for a turn goes first.
  const asked =
    state.analysing &&
    mayAnalyse(state) &&
    !tree.position.isOver &&
    !state.thinking &&
    !state.lesson &&
    !state.hidden;
  if (!asked) return NO_QUESTION;
  // The question about all turns, or about all second stones, covers a whole turn in the making.
  if (pending.length === 2) return question;
  const line = positionLine(tree);
  // A table has answered for every stone and every completion.
  if (state.table?.line === line) return question;
  if (tree.position.maxStones < 2 || !pending.length) return { key: line, line, first: null };
  const [first] = pending;
  return { key: `${line} + ${formatTurn(drop(first), tree.rules)}`, line, first };
}

/** The turns of two stones that begin with `first`, as tokens. @param {Position} position @param {Stone} first */
export const turnsFrom = (position, first) =>
  position.completions(first).map((second) => formatTurn(drop(first, second), position.rules));

/** Whether this user may ask to take a turn back. @param {State} state */
export function mayAskBack({ refereed }) {
  if (!refereed?.begun || refereed.termination !== null) return false;
  const { ticket, times } = refereed;
  // An engine takes no turn back.
  return ticket.key !== null && !ticket.against && times.some(({ seat }) => seat === ticket.seat);
}

/** Whether this user may ask for a rematch. @param {State} state */
export const mayRematch = ({ refereed }) =>
  Boolean(refereed?.ticket.key && refereed.termination !== null);

/** Whether lines may be moved and deleted: not while the user plays a refereed game. @param {State} state */
export const mayEdit = (state) => !state.refereed || isFree(state);
