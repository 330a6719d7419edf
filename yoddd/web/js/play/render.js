// Draws the page from a state. Drawing changes neither the state nor the address; each part of the
// page is drawn again only when something that it shows has changed.
import { heatOf, lineOf, readLine, rowsOf, weighed } from '../analysis/candidates.js';
import { drawAgreement } from './agreement.js';
import { clockText, periodsLeft, remaining } from '../rules/clock.js';
import { showComment } from '../base/comment.js';
import { withDiscs } from '../base/discs.js';
import {
  isMine,
  isOver,
  isRunning,
  liveTree,
  mayAnalyse,
  mayReview,
  namesOf,
  ownSeat,
  pressesOf,
  stageOf,
} from './state.js';
import { drawLegend, drawProgress, progressOf } from '../analysis/engineview.js';
import { drawGraph } from '../analysis/graph.js';
import { lineShown, missedStones } from '../analysis/judgements.js';
import { layOut } from '../board/layout.js';
import { drawLines, roomForLines } from '../analysis/lines.js';
import { memo } from '../base/memo.js';
import { hideReturn } from '../lobby/mygames.js';
import { rulesTitle } from '../lobby/newgame.js';
import { expectedOf } from '../board/outlook.js';
import { drawAim, drawCounts, drawHover } from './panel.js';
import { diamondLinks, ghostOf, hasLinks, optionsOf } from '../rules/parity.js';
import { hasNumbers } from '../rules/scoring.js';
import { policyRows, policySpots } from '../analysis/policy.js';
import { callOf, claimOf, countOf, drawAlert, drawClaim, drawNote, noteOf } from './presence.js';
import { drawRecord } from './record.js';
import { cardOf, drawCard } from './resultcard.js';
import { drawReview } from './reviewview.js';
import { nameOf } from '../rules/rules.js';
import { seatOf, seatOnTurn } from '../rules/seats.js';
import { keepEnd } from '../base/settings.js';
import { isStatic } from '../base/site.js';
import { verdictText } from '../rules/standing.js';
import { statusText } from './status.js';
import { el, write } from '../base/svg.js';
import { entriesOf, marksOf } from '../analysis/solved.js';
import { drawEntries, drawVerdict } from '../analysis/tablelist.js';
import { allowTab, openTab } from '../base/tabs.js';
import { t } from '../base/texts.js';
import { drawTip, tipOf } from './tips.js';

/** @import { BoardView } from '../board/board.js' */
/** @import { Candidate } from '../analysis/candidates.js' */
/** @import { State } from './state.js' */
/** @import { Review } from '../analysis/judgements.js' */
/** @import { Layout } from '../board/layout.js' */
/** @import { Colour, Position, Stone } from '../rules/rules.js' */
/** @typedef {import('../rules/parity.js').Options | null} Options */
/** @typedef {ReturnType<typeof previewOf>} Preview */

/** @type {readonly Stone[]} */
const NO_STONES = [];
/** @type {readonly Colour[]} */
const SEATS = [0, 1];
/** Seconds. */
const LOW = 10;

/**
 * The stones of a candidate's line that are not on the board yet, with their place in the line.
 * @param {Position} position @param {readonly Stone[]} pending @param {Candidate | undefined} candidate
 */
function previewOf(position, pending, candidate) {
  if (!candidate) return [];
  const seen = new Set(pending.map(({ cell }) => cell));
  return readLine(lineOf(candidate), position)
    .flatMap(({ stones }, index) => stones.map((stone) => ({ ...stone, step: index + 1 })))
    .filter(({ cell }) => position.isEmpty(cell) && !seen.has(cell) && seen.add(cell));
}

/** @param {string} id @param {boolean} disabled */
const disable = (id, disabled) => {
  /** @type {HTMLButtonElement} */ (el(id)).disabled = disabled;
};

/** Shows or hides what can be pressed. @param {State} state */
function drawPresses(state) {
  const { colours, ...presses } = pressesOf(state);
  for (const [id, possible] of Object.entries(presses)) {
    el(id).hidden = possible === null;
    disable(id, !possible);
  }
  for (const input of document.querySelectorAll('input[name=colour]')) {
    if (!(input instanceof HTMLInputElement)) continue;
    const colour = /** @type {Colour} */ (Number(input.value));
    input.checked = colour === state.colour;
    input.disabled = !colours?.includes(colour);
  }
  /** @type {HTMLElement} */ (document.querySelector('.switch')).hidden = colours === null;
}

/** The rest of the bar under the board. @param {Position} position @param {readonly Stone[]} pending */
function drawTurnBar(position, pending) {
  const problem = pending.length ? position.dropProblem(pending) : t('turn.none');
  el('play').title = problem ?? t('turn.play-title');
  el('shade-label').hidden = position.facts.parity === null;
  el('links-label').hidden = !hasLinks(position);
  write(el('number-text'), t(hasNumbers(position.facts) ? 'board.numbers' : 'board.sizes'));
}

/** @param {number} seat @param {string} name @param {Colour} colour @param {boolean} onTurn */
function drawPlayer(seat, name, colour, onTurn) {
  const card = el(`player-${seat}`);
  card.classList.toggle('turn', onTurn);
  const dot = /** @type {Element} */ (card.querySelector('.dot'));
  dot.className = `dot ${colour ? 'white' : 'black'}`;
  dot.setAttribute('aria-label', nameOf(colour));
  card.setAttribute('aria-label', `${nameOf(colour)}: ${name}`);
  const who = /** @type {HTMLElement} */ (card.querySelector('.who'));
  who.textContent = name;
  who.title = name;
}

/** @param {number} seat @param {string} text @param {boolean} low */
function drawClock(seat, text, low) {
  const clock = /** @type {Element} */ (el(`player-${seat}`).querySelector('.clock'));
  clock.textContent = text;
  clock.classList.toggle('low', low);
}

/** Whether the game is the user's own. @param {State} state */
const isPlayer = ({ refereed, seats }) => (refereed ? refereed.ticket.key !== null : !seats.names);

/** @param {string} text @param {string} kind */
function drawStatus(text, kind) {
  const status = el('status');
  status.replaceChildren(...withDiscs(text));
  status.className = kind;
}

/** @param {number} index @param {number} last */
function drawSlider(index, last) {
  const slider = /** @type {HTMLInputElement} */ (el('slider'));
  slider.max = String(last);
  slider.value = String(index);
  slider.setAttribute('aria-valuetext', t('record.at', { n: index, total: last }));
}

/** @param {boolean} allowed @param {boolean} analysing */
function drawAnalysis(allowed, analysing) {
  allowTab('analysis', allowed);
  if (allowed && analysing) openTab('analysis');
  el('analyse-label').hidden = !allowed;
  /** @type {HTMLInputElement} */ (el('analyse')).checked = analysing;
}

/**
 * @param {State['table']} table @param {Picture['entries']} entries @param {Position} position
 * @param {boolean} beginning whether the entries begin a turn that may have two stones
 */
function drawTable(table, entries, position, beginning) {
  el('engine-view').hidden = table !== null;
  el('table-view').hidden = table === null;
  drawEntries(el('table'), entries, position, beginning);
  if (table) drawVerdict(el('table-value'), table, position);
}

/** @param {string} text */
function drawComment(text) {
  const comment = /** @type {HTMLTextAreaElement} */ (el('comment'));
  if (document.activeElement === comment) return;
  comment.value = text;
  showComment(text !== '');
}

/** @param {import('../rules/rules.js').Rules} rules @param {string} call @param {number} count of games that wait for the user */
function drawTitle(rules, call, count) {
  const title = rulesTitle(rules);
  el('title').textContent = title;
  drawAlert(title, call, count);
}

/** @param {import('../base/settings.js').Settings} settings */
function drawSettings(settings) {
  document.documentElement.dataset.theme = settings.theme;
  for (const name of /** @type {const} */ (['theme', 'coordinates', 'confirm'])) {
    /** @type {HTMLSelectElement} */ (el(name)).value = settings[name];
  }
  /** @type {HTMLSelectElement} */ (el('engine-place')).value = settings.engine;
  for (const name of /** @type {const} */ (['shade', 'number', 'links', 'sound'])) {
    /** @type {HTMLInputElement} */ (el(name)).checked = settings[name];
  }
}

/**
 * What is drawn: a state and what follows from it.
 * @typedef {object} Picture
 * @property {State} state
 * @property {number} now seconds
 * @property {Position} position
 * @property {Position} shown with the pending stones
 * @property {boolean} mine whether the user is to move
 * @property {Options} options
 * @property {ReturnType<typeof heatWith>} heat
 * @property {readonly import('../analysis/candidates.js').Row[]} rows beside the board
 * @property {Preview} preview
 * @property {import('../analysis/solved.js').Entry[]} entries of the table, for the stones that may follow
 * @property {Layout} layout
 * @property {ReturnType<State['tree']['line']>} line
 */

/**
 * A part of the page, drawn again when one of the values that it shows has changed.
 * @type {<A extends unknown[]>(select: (picture: Picture) => [...A], draw: (...values: A) => void) => (picture: Picture) => void}
 */
const part = (select, draw) => {
  const drawChanged = memo(draw);
  return (picture) => drawChanged(...select(picture));
};

/** @param {number | null} replay */
function drawReplay(replay) {
  const button = el('autoplay');
  button.hidden = replay === null;
  button.textContent = t(replay === Infinity ? 'lobby.go-on' : 'welcome.pause');
}

const PARTS = [
  part(({ state }) => [state.replay], drawReplay),
  part(({ state }) => [tipOf(state)], drawTip),
  part(({ state }) => [isOver(state) && isPlayer(state)], keepEnd),
  part(({ state }) => [state.settings], drawSettings),
  part(
    ({ state }) => [state.connected || isStatic],
    (connected) => document.body.classList.toggle('offline', !connected),
  ),
  part(({ state, now }) => [state.tree.rules, callOf(state, now), countOf(state, now)], drawTitle),
  part(({ state }) => [state.tree.rules], drawAim),
  part(({ state, shown }) => [shown, isEnd(state) ? '' : verdictText(shown)], drawCounts),
  part(
    ({ position, state, options }) => [
      position,
      state.pending,
      state.hovered,
      options,
      stageOf(state) === 'end',
    ],
    drawHover,
  ),
  part(({ state }) => [state], drawPresses),
  part(({ position, state }) => [position, state.pending], drawTurnBar),
  part(({ state }) => [state.refereed], drawAgreement),
  part(({ state, now }) => claimOf(state, now), drawClaim),
  part(
    ({ state }) => [state.refereed?.ticket.id ?? '', !state.refereed && isRunning(state)],
    hideReturn,
  ),
  ...SEATS.flatMap((seat) => [
    part(
      ({ state }) => [seat, namesOf(state)[seat], seatOf(state.tree, seat), seat === turnOf(state)],
      drawPlayer,
    ),
    part(({ state, now }) => [seat, ...clockOf(state, seat, now)], drawClock),
    part(({ state, now }) => [seat, noteOf(state, seat, now)], drawNote),
  ]),
  part(({ state }) => statusText(state), drawStatus),
  part(
    ({ state }) => [state.tree, judgedIn(state)],
    (tree, judged) => drawRecord(el('moves'), tree, judged),
  ),
  part(({ state, line }) => [line, state.tree.index, state.winrates, judgedIn(state)], drawGraph),
  part(
    ({ state: { review, lesson, shown, tree, ...state } }) => [
      review,
      lesson,
      shown,
      tree,
      mayReview({ ...state, tree }),
      ownSeat(state),
    ],
    drawReview,
  ),
  part(({ state }) => {
    const { title = '', tone = '', actions = [] } = cardOf(state) ?? {};
    return [title, tone, actions.join(' ')];
  }, drawCard),
  part(({ state, line }) => [state.tree.index, line.length - 1], drawSlider),
  part(({ state }) => [state.tree.current.comment], drawComment),
  part(({ state }) => [mayAnalyse(state), state.analysing], drawAnalysis),
  part(
    ({ rows }) => [rows],
    (rows) => drawLines(el('lines'), rows),
  ),
  part(({ state }) => {
    const { text, action } = progressOf(state);
    return [text, action];
  }, drawProgress),
  part(
    ({ state, position }) => [state.settings.view, state.report, state.policy, position],
    drawLegend,
  ),
  part(
    ({ state, position, entries }) => [
      state.table,
      entries,
      position,
      position.maxStones > 1 && state.pending.length === 0,
    ],
    drawTable,
  ),
];

/** A part of the board, drawn again when the layout has changed too. @type {typeof part} */
const boardPart = (select, draw) => {
  const drawChanged = memo((/** @type {Layout} */ _layout, /** @type {any[]} */ ...values) =>
    draw(.../** @type {Parameters<typeof draw>} */ (values)),
  );
  return (picture) => drawChanged(picture.layout, ...select(picture));
};

/** The parts of the board. @param {BoardView} view */
const boardParts = (view) => [
  boardPart(
    ({ state: { tree }, layout }) => [tree.rules.board, layout],
    (board, layout) => view.setBoard(board, layout),
  ),
  boardPart(
    ({ state, shown, preview, options, mine }) => [
      modelOf(
        shown,
        state.pending,
        preview,
        options,
        state.tree.current.turn?.stones ?? NO_STONES,
        state.tree.current.glyph,
        mine,
        state.settings,
      ),
    ],
    (model) => view.show(model),
  ),
  boardPart(
    ({ state, heat, shown, preview }) => [
      state.settings.view === 'ownership' ? null : heat,
      previewed(shown, preview),
    ],
    (heat, position) => view.showHeat(heat, position),
  ),
  boardPart(
    ({ state, position, shown, preview }) => [
      state.settings.view === 'ownership'
        ? expectedWith(state.report.ownership, position, previewed(shown, preview))
        : NOTHING_EXPECTED,
    ],
    (expected) => view.showExpected(expected),
  ),
  boardPart(
    ({ entries }) => [marksWith(entries)],
    (marks) => view.showValues(marks),
  ),
  boardPart(
    ({ state: { review, tree, lesson, shown } }) => [review, tree, lesson, shown],
    (review, tree, lesson, shown) => view.showMissed(missedStones({ review, tree, lesson, shown })),
  ),
  boardPart(
    ({ state, position, mine, preview }) => [
      // The line that begins on the cell shows its stones itself.
      mine && !preview.length,
      position,
      state.pending,
      state.hovered,
      state.colour,
    ],
    (wanted, position, pending, cell, colour) =>
      view.ghost(wanted ? ghostOf(position, pending, cell, colour) : null),
  ),
];

const linksIn = memo(diamondLinks);
/**
 * @type {(
 *   shown: Position, pending: readonly Stone[], preview: Preview, options: Options,
 *   last: readonly Stone[], glyph: import('../rules/tree.js').Glyph, active: boolean,
 *   settings: State['settings'],
 * ) => import('../board/board.js').Model}
 */
const makeModel = (shown, pending, preview, options, last, glyph, active, { links, number }) => ({
  position: previewed(shown, preview),
  pending,
  last,
  glyph,
  options,
  active,
  links: links ? linksIn(previewed(shown, preview)) : [],
  numbered: number,
  steps: new Map(preview.map(({ cell, step }) => [cell, String(step)])),
});
const modelOf = memo(makeModel);

/** @typedef {[position: Position, pending: readonly Stone[]]} Turning */
/**
 * @typedef {[candidates: readonly Candidate[], policy: State['policy'], position: Position,
 *   pending: readonly Stone[], view: import('../analysis/candidates.js').View]} Findings
 */

const heatWith = memo((/** @type {Findings} */ ...found) => {
  const [candidates, policy, position, pending, view] = found;
  if (view === 'policy')
    return policy.length ? policySpots(policy, weighed(candidates), position, pending) : null;
  return candidates.length ? heatOf(weighed(candidates), position, pending, view) : null;
});
const rowsWith = memo((/** @type {number} */ most, /** @type {Findings} */ ...found) => {
  const [candidates, policy, position, pending, view] = found;
  if (view === 'policy') return policyRows(policy, weighed(candidates), position, pending, most);
  return rowsOf(weighed(candidates), position, most);
});

/** @type {readonly import('../board/outlook.js').Expected[]} */
const NOTHING_EXPECTED = [];
/** @param {readonly number[]} ownership @param {Position} position @param {Position} shown */
const expectedOn = (ownership, position, shown) =>
  expectedOf(ownership, position).filter(({ cell }) => shown.isEmpty(cell));
const expectedWith = memo(expectedOn);

/** @type {import('../analysis/solved.js').Entry[]} */
const NO_ENTRIES = [];
const entriesWith = memo((/** @type {State['table']} */ table, /** @type {Turning} */ ...turn) =>
  table ? entriesOf(table, ...turn) : NO_ENTRIES,
);
const marksWith = memo(marksOf);

/** @type {Review['judged']} */
const NOT_JUDGED = new Map();
/** @param {State} state */
const judgedIn = ({ review }) => review?.judged ?? NOT_JUDGED;

/** The text of a clock and whether it is low. @param {State} state @param {Colour} seat @param {number} now @returns {[string, boolean]} */
function clockOf({ clock }, seat, now) {
  const left = remaining(clock, seat, now);
  const periods = periodsLeft(clock, seat, now);
  const text = clockText(left);
  return [periods === null ? text : `${text} ×${periods}`, left !== null && left < LOW];
}

/** Whether the game that is shown ends here: the status line says how. @param {State} state */
const isEnd = (state) =>
  state.tree.position.isOver || (state.tree.position === state.live && isOver(state));

/** The seat to move; -1 if the game is over. @param {State} state */
const turnOf = (state) => (isOver(state) ? -1 : seatOnTurn(liveTree(state)));

/**
 * A function that draws the page from a state and the time.
 * @param {BoardView} view
 * @returns {(state: State, now: number, canWait: boolean) => void} draws what is beside the board after it if that can wait
 */
export function makeRender(view) {
  const parts = boardParts(view);
  /** @type {Picture} the latest one */
  let picture;
  const drawPage = () => {
    for (const draw of PARTS) draw(picture);
  };
  return (state, now, canWait) => {
    picture = pictureOf(state, now);
    for (const draw of parts) draw(picture);
    view.defer(drawPage, canWait);
  };
}

/**
 * The line that is shown, or that of the candidate in the list or on the board that the user points at.
 * @param {State} state
 * @param {ReturnType<typeof heatWith>} heat
 * @param {Picture['rows']} rows
 */
function pointedAt({ pointed, hovered, shown, tree }, heat, rows) {
  const line = lineShown(shown, tree.position);
  if (line) return line;
  if (pointed !== null) return rows[pointed]?.candidate;
  return hovered === null ? undefined : heat?.get(hovered)?.candidate;
}

/** @type {(state: State, now: number) => Picture} */
const pictureOf = (state, now) => {
  const { tree, pending, settings } = state;
  const { position } = tree;
  const mine = isMine(state);
  const open = mine && pending.length < position.maxStones;
  /** @type {Findings} */
  const found = [state.report.candidates, state.policy, position, pending, settings.view];
  const heat = heatWith(...found);
  const rows = rowsWith(roomForLines(), ...found);
  return {
    state,
    now,
    position,
    mine,
    shown: shownWith(position, pending),
    entries: entriesWith(state.table, position, pending),
    // The marks of the table say what fits as well.
    options: optionsIf(
      settings.shade && position.facts.parity !== null && open && !state.table,
      position,
      pending,
    ),
    heat,
    rows,
    preview: previewWith(position, pending, pointedAt(state, heat, rows)),
    layout: layoutFor(tree.rules.board, settings.turns, settings.mirrored, settings.coordinates),
    line: lineThrough(tree),
  };
};

/** @param {Position} position @param {readonly Stone[]} stones */
const withStones = (position, stones) => position.withStones(stones);
const previewed = memo(withStones);
const shownWith = memo(withStones);
const optionsIf = memo((/** @type {boolean} */ wanted, /** @type {Turning} */ ...turn) =>
  wanted ? optionsOf(...turn) : null,
);
const previewWith = memo(previewOf);
const lineThrough = memo((/** @type {State['tree']} */ tree) => tree.line());
/** @type {(board: Position['rules']['board'], turns: number, mirrored: boolean, coordinates: import('../board/layout.js').View['coordinates']) => Layout} */
const makeLayout = (board, turns, mirrored, coordinates) =>
  layOut(board, { turns, mirrored, coordinates });
const layoutFor = memo(makeLayout);
