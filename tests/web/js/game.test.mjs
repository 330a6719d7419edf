// The model of the page: intents on states. Run: node --test tests/web/js/
import assert from 'node:assert/strict';
import test from 'node:test';
import './page.mjs';
import { progressOf } from '../../../yoddd/web/js/analysis/engineview.js';
import { remaining } from '../../../yoddd/web/js/rules/clock.js';
import * as analysing from '../../../yoddd/web/js/play/analysing.js';
import * as game from '../../../yoddd/web/js/play/game.js';
import {
  change,
  engineOnTurn,
  isAway,
  isBranch,
  isMine,
  isRunning,
  liveTree,
  makeState,
  mayAnalyse,
  mayAskBack,
  mayHint,
  mayResign,
  opponentOf,
  playsAtOnce,
  riskOfPass,
} from '../../../yoddd/web/js/play/state.js';
import { readLink, readRecord, writeLink } from '../../../yoddd/web/js/rules/link.js';
import {
  drop,
  formatPosition,
  parsePosition,
  parseTurn,
  PASS,
} from '../../../yoddd/web/js/rules/notation.js';
import { HUMANS } from '../../../yoddd/web/js/rules/seats.js';
import { showRecord } from '../../../yoddd/web/js/play/archived.js';
import { loadSettings } from '../../../yoddd/web/js/base/settings.js';
import { callOf, noteOf } from '../../../yoddd/web/js/play/presence.js';
import { statusText } from '../../../yoddd/web/js/play/status.js';
import {
  entriesOf,
  marksOf,
  readAnswer,
  verdictText,
} from '../../../yoddd/web/js/analysis/solved.js';
import { answerTip, tipOf } from '../../../yoddd/web/js/play/tips.js';
import { GameTree, playedTree } from '../../../yoddd/web/js/rules/tree.js';

/** Freezes a state with everything in it, so that an intent that changes it throws. */
function frozen(value) {
  if (value && typeof value === 'object' && !ArrayBuffer.isView(value) && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

const EMPTY = parsePosition('yodd hex3 3/4/5/4/3 b 0 1');

/** A game between two humans on this page after some turns. */
function stateAfter(...tokens) {
  const state = game.setConnection(makeState(EMPTY, loadSettings()), true, true);
  return frozen(game.showGame(state, playedTree(EMPTY, tokens), HUMANS));
}

const cell = (label) => EMPTY.rules.board.index.get(label);
const stone = (label, colour = 0) => ({ cell: cell(label), colour });
const REPORT = {
  candidates: [{ token: 'pass', visits: 1, winrate: 0.25, pv: [] }],
  visits: 1,
  lead: null,
  spread: null,
  ownership: [],
};
const POLICY = [{ token: 'pass', share: 1 }];
const TICKET = { id: 'g1', key: 'secret', seat: 0 };

/** A refereed game in which this user is Black. */
function joined() {
  return frozen(
    game.beginGame(game.joinGame(stateAfter(), TICKET, EMPTY), ['ann', 'bob'], '60+5', 0),
  );
}

const INTENTS = {
  tapCell: (state) => game.tapCell(state, cell('a1'), 'other'),
  placeStone: (state) => game.placeStone(state, cell('a1'), 1),
  setPending: (state) => game.setPending(state, [stone('a1')], cell('a1')),
  chooseColour: (state) => game.chooseColour(state, 1),
  playTurn: (state) => game.playTurn(state, drop(stone('a1'), stone('e3')), 1),
  suggestTurn: (state) => game.suggestTurn(state, drop(stone('a1'), stone('e3'))),
  refuseTurn: (state) => game.refuseTurn(state, 'no'),
  removeRefusedTurn: (state) => game.removeRefusedTurn(state, state.tree.position, 'no'),
  takeBack: (state) => game.takeBack(state, 1),
  goToTurn: (state) => game.goToTurn(state, 0),
  stepTurns: (state) => game.stepTurns(state, -1),
  goToPath: (state) => game.goToPath(state, []),
  commentTurn: (state) => game.commentTurn(state, 'quiet'),
  setConnection: (state) => game.setConnection(state, false, false),
  setThinking: (state) => game.setThinking(state, true),
  setAnalysing: (state) => analysing.setAnalysing(state, true),
  setWinrate: (state) => analysing.setWinrate(state, state.tree.position, { winrate: 0.25 }),
  setReport: (state) => analysing.setReport(state, REPORT),
  setWatch: (state) => analysing.setWatch(state, 'ended'),
  hoverCell: (state) => game.hoverCell(state, 3),
  showMessage: (state) => game.showMessage(state, 'well'),
  changeSettings: (state) => game.changeSettings(state, { theme: 'dark' }),
  showGame: (state) => game.showGame(state, GameTree.from(EMPTY), HUMANS),
  joinGame: (state) => game.joinGame(state, TICKET, EMPTY),
};

for (const [name, intent] of Object.entries(INTENTS)) {
  test(`${name} returns another state and leaves the given one as it was`, () => {
    const state = stateAfter('1c3');
    const before = structuredClone({ ...state, tree: writeLink(state.tree, state.seats) });
    assert.notEqual(intent(state), state);
    assert.deepEqual(
      structuredClone({ ...state, tree: writeLink(state.tree, state.seats) }),
      before,
    );
  });
}

test('an intent without effect returns the same state', () => {
  const state = stateAfter('1c3');
  assert.equal(game.hoverCell(state, null), state);
  assert.equal(game.passTime(state, 1e9), state, 'no clock');
  const refereed = joined();
  assert.equal(game.takeBack(refereed, 1), refereed, 'a refereed turn stands');
});

test('a stone that cannot be placed says why', () => {
  const said = (state) => statusText(state)[0];
  const state = stateAfter('1c3');
  assert.match(said(game.tapCell(state, cell('c3'), 'main')), /c3 has a black stone already/);
  assert.match(said(game.placeStone(state, cell('c3'), 1)), /c3 has a black stone already/);
  const seats = { ...HUMANS, players: ['person', 'level-4'] };
  const engine = game.showGame(state, state.tree, seats);
  assert.match(said(game.tapCell(engine, cell('a1'), 'main')), /it is the turn of the engine/);
  const turn = { seat: 0, seconds: 1, token: '1c3' };
  const rival = game.receiveTurn(joined(), turn, 2);
  assert.match(said(game.tapCell(rival, cell('a1'), 'main')), /it is the turn of bob/);
});

test('a spectator tries turns of both sides while the game goes on', () => {
  const turn = (state, token) => parseTurn(token, state.tree.rules, state.tree.position.player);
  let state = game.joinGame(stateAfter(), { id: 'g1', key: null, seat: null }, EMPTY);
  state = frozen(game.beginGame(state, ['ann', 'bob'], '60+5', 0));
  state = game.playTurn(state, turn(state, '1a1'), 1);
  state = game.playTurn(state, turn(state, '2a3,2e1'), 2);
  assert.deepEqual(state.tree.tokens(), ['1a1', '2a3,2e1']);
  assert.ok(isBranch(state) && isAway(state));
  state = frozen(game.receiveTurn(state, { seat: 0, seconds: 1, token: '1c3' }, 3));
  assert.deepEqual(state.tree.tokens(), ['1a1', '2a3,2e1'], 'the view stays');
  state = game.goToLive(state);
  assert.deepEqual(state.tree.tokens(), ['1c3']);
  assert.ok(state.tree.isMain, 'what is played is the main line');
  state = game.receiveTurn(game.goToTurn(state, 0), { seat: 1, seconds: 1, token: '1a1,2e3' }, 5);
  state = frozen(game.rewindGame(state, 1, 6));
  assert.deepEqual(liveTree(state).tokens(), ['1c3']);
  assert.equal(state.tree.root.children.length, 2);
  state = frozen(game.endGame(state, 'ann wins', 0, 7));
  assert.deepEqual(statusText(game.goToLive(state)), ['ann wins', 'over']);
});

test('a game with the engine that is over is a free board', () => {
  const seats = { ...HUMANS, players: ['person', 'level-4'] };
  const over = stateAfter('1c3', 'pass', 'pass');
  let state = frozen(game.goToTurn(game.showGame(over, over.tree, seats), 1));
  assert.ok(isMine(state), "the engine's turn is the user's to try");
  const { live } = state;
  state = game.playTurn(state, parseTurn('1a1,2a2', EMPTY.rules, 1), 1);
  assert.equal(state.live, live);
  assert.equal(engineOnTurn(state), null);
  assert.ok(isMine(state));
  assert.equal(game.goToLive(state).tree.position, live);
});

test('pending stones are played as one turn', () => {
  let state = game.tapCell(stateAfter('1c3'), cell('a1'), 'main');
  assert.match(
    statusText(state)[0],
    /black on a1 makes a new group, total 2, even, needs a second stone/,
  );
  state = game.tapCell(state, cell('e3'), 'other');
  assert.deepEqual(state.pending, [stone('a1'), stone('e3', 1)]);
  state = game.playTurn(state, drop(...state.pending), 0);
  assert.deepEqual(state.pending, []);
  assert.deepEqual(state.tree.tokens(), ['1c3', '1a1,2e3']);
});

test('a refereed game that the count has decided says who has won and why', () => {
  let state = joined();
  for (const token of ['1c3', 'pass', 'pass'])
    state = game.receiveTurn(state, { seat: 0, seconds: 1, token }, 1);
  state = game.endGame(state, 'bob wins', 1, 0);
  assert.deepEqual(statusText(state), ['bob wins with fewer groups: 0 to 1', 'over']);
  const resigned = game.endGame(joined(), 'bob wins by resignation', 1, 0);
  assert.deepEqual(statusText(resigned), ['bob wins by resignation', 'over']);
});

test('a full turn is played at once only if the settings say so', () => {
  const full = game.tapCell(
    game.tapCell(stateAfter('1c3'), cell('a1'), 'main'),
    cell('e3'),
    'main',
  );
  for (const [confirm, expected] of [
    ['always', false],
    ['two', false],
    ['never', true],
  ]) {
    assert.equal(playsAtOnce(game.changeSettings(full, { confirm })), expected, confirm);
  }
});

test('undo goes back to a turn of the human', () => {
  const state = game.showGame(stateAfter(), stateAfter('1c3', '1a1,2e3').tree, {
    players: ['person', 'level-1'],
    clock: '',
  });
  assert.equal(game.takeBack(state, 0).tree.index, 0);
  assert.equal(
    game.takeBack(game.setPending(state, [stone('b2')], cell('b2')), 0).tree.index,
    2,
    'pending stones go first',
  );
});

test('a refused turn goes with the turns after it', () => {
  const state = stateAfter('1c3', '1a1,2e3', 'pass');
  const overruled = game.removeRefusedTurn(state, state.tree.goTo(2).position, 'even');
  assert.deepEqual(overruled.tree.tokens(), ['1c3']);
  assert.deepEqual(statusText(overruled), ['Not allowed: even', 'refused']);
});

test('a clock that runs out ends the game', () => {
  const timed = game.showGame(stateAfter(), GameTree.from(EMPTY), { ...HUMANS, clock: '10+1' });
  const running = game.playTurn(timed, drop(stone('c3')), 0);
  assert.equal(game.passTime(running, 9), running);
  const flagged = game.passTime(running, 10);
  assert.equal(flagged.flagged, 1);
  assert.equal(mayResign(flagged), false);
  assert.deepEqual(statusText(flagged), ['Time is up: Black wins', 'over']);
});

test('browsing changes neither the game nor its clock, and keeps the stones in the making', () => {
  const seats = { players: ['person', 'level-1'], clock: '60+5' };
  let state = game.setConnection(
    game.showGame(stateAfter(), GameTree.from(EMPTY), seats),
    true,
    true,
  );
  state = game.playTurn(state, drop(stone('c3')), 0);
  const back = game.goToTurn(state, 0);
  assert.deepEqual(back.clock, state.clock);
  assert.equal(engineOnTurn(back), 'level-1', 'the engine goes on');
  assert.equal(isMine(back), false, 'no other turn is tried against the clock');
  const played = game.playLiveTurn(back, drop(stone('a1'), stone('a3', 1)), 5);
  assert.equal(played.tree.index, 0, 'the view stays');
  assert.deepEqual(liveTree(played).tokens(), ['1c3', '1a1,2a3']);
  assert.equal(remaining(played.clock, 1, 5), 60, 'the increment is given');
  const end = game.goToTurn(played, Infinity);
  const pending = game.setPending(end, [stone('b2')], cell('b2'));
  const returned = game.goToTurn(game.goToTurn(pending, 0), Infinity);
  assert.deepEqual(returned.pending, pending.pending);
  assert.equal(game.takeBack(game.goToTurn(end, 0), 6).tree.index, 0, 'undo is of the game');
});

test('where no game goes on, play goes on from the turn that is shown', () => {
  const state = game.goToTurn(stateAfter('1c3', '1a1,2e3'), 1);
  assert.equal(liveTree(state).index, 1);
  assert.equal(game.takeBack(state, 0).tree.index, 0);
});

test('a pass that could lose the game says so', () => {
  assert.equal(riskOfPass(stateAfter()), '');
  const pending = game.setPending(stateAfter('1c3'), [stone('a1')], cell('a1'));
  assert.match(riskOfPass(pending), /stones/);
  assert.match(riskOfPass(stateAfter('1c3', '1a1,2a3')), /passes too/);
  assert.match(riskOfPass(stateAfter('1c3', '1a1,2a3', '1e3,1e1', 'pass')), /game ends/);
});

test('a game runs from its first turn to its end, and records do not', () => {
  assert.equal(isRunning(stateAfter()), false);
  assert.equal(isRunning(stateAfter('1c3')), true);
  assert.equal(isRunning(stateAfter('1c3', 'pass', 'pass')), false);
  const names = ['ann', 'bob'];
  const record = game.showGame(stateAfter(), stateAfter('1c3').tree, { ...HUMANS, names });
  assert.equal(isRunning(record), false);
  assert.equal(isRunning(joined()), true);
  assert.equal(opponentOf(joined()), 'bob');
});

test('a record plays itself, pauses where the user looks, and ends', () => {
  const record = { ...HUMANS, names: ['ann', 'bob'] };
  const { tree } = stateAfter('1c3', '1a1,2e3', 'pass');
  const start = game.showGame(stateAfter(), tree.goTo(0), record);
  assert.equal(game.passTime(start, 5).tree.index, 0);
  const first = game.passTime(change(start, { replay: 0 }), 5);
  assert.deepEqual([first.tree.index, first.replay], [1, 6]);
  assert.equal(game.passTime(first, 5.9), first);
  assert.equal(game.passTime({ ...first, hidden: true }, 9).tree.index, 1, 'it is not seen');
  const paused = game.stepTurns(first, -1);
  assert.deepEqual([paused.tree.index, paused.replay], [0, Infinity]);
  assert.equal(game.passTime(paused, 1e9).tree.index, 0);
  assert.equal(game.tapCell(paused, cell('c3'), 'main').replay, null, 'the user plays');
  const second = game.passTime(game.toggleReplay(paused), 20);
  const end = game.passTime(game.passTime(second, 21), 22);
  assert.deepEqual([end.tree.index, end.replay], [3, null]);
});

test('a mark is offered once, when it has something to show', () => {
  const state = game.changeSettings(stateAfter('1c3', '1a1,2e3'), {
    offers: ['shade', 'links'],
    shade: false,
  });
  assert.equal(tipOf(state), '');
  const begun = game.tapCell(state, cell('b2'), 'main');
  assert.equal(tipOf(begun), 'shade');
  const marked = answerTip(begun, true);
  assert.deepEqual([marked.settings.shade, marked.settings.offers], [true, ['links']]);
  assert.equal(tipOf(marked), '');
  assert.equal(answerTip(begun, false).settings.shade, false);
  const linked = parsePosition('yodd hex4 4/5/2b3/7/2b3/5/4 b 0 1');
  assert.equal(tipOf(makeState(linked, marked.settings)), 'links');
});

test('a refereed game takes turns from the referee, and the view follows unless it is elsewhere', () => {
  let state = joined();
  assert.ok(isMine(state));
  assert.equal(mayHint(state), false);
  assert.equal(mayAnalyse(state), false);
  state = game.receiveTurn(state, { seat: 0, seconds: 10, token: '1c3' }, 20);
  assert.equal(state.tree.index, 1);
  assert.deepEqual([state.clock.seat, state.clock.since], [1, 20]);
  assert.deepEqual(
    [0, 1].map((seat) => remaining(state.clock, seat, 20)),
    [55, 60],
  );
  assert.equal(isMine(state), false);
  const back = game.goToTurn(state, 0);
  state = game.receiveTurn(back, { seat: 1, seconds: 1, token: '1a1,2e3' }, 22);
  assert.equal(state.tree.index, 0, 'an earlier turn stays in view');
  assert.equal(state.tree.line().length, 3);
  state = game.endGame(state, 'ann wins', 0, 0);
  assert.ok(mayAnalyse(state));
  assert.deepEqual(statusText(state), ['ann wins', 'over']);
});

test('turns of a refereed game are taken back with the clocks', () => {
  let state = game.receiveTurn(joined(), { seat: 0, seconds: 10, token: '1c3' }, 20);
  state = game.receiveTurn(state, { seat: 1, seconds: 7, token: '1a1,2e3' }, 27);
  assert.ok(mayAskBack(state));
  state = game.receiveRequest(state, { seat: 0, what: 'takeback', detail: '0' });
  state = frozen(game.rewindGame(state, 0, 30));
  assert.deepEqual(state.tree.goTo(Infinity).tokens(), []);
  assert.deepEqual(
    [0, 1].map((seat) => remaining(state.clock, seat, 30)),
    [60, 60],
  );
  assert.equal(state.refereed.request, null);
  assert.ok(isMine(state));
  assert.equal(mayAskBack(state), false);
  state = game.setTurnTime(state, 0, 12, 30);
  assert.equal(remaining(state.clock, 0, 30), 48, 'a late spectator sees the true time');
});

test('in a pause the clock stands still until it is over or the next turn comes', () => {
  let state = game.beginGame(joined(), ['ann', 'bob'], 'days=1', 0);
  state = game.receiveRequest(game.setTurnTime(state, 0, 3600, 10), {
    seat: 1,
    what: 'pause',
    detail: '2',
  });
  state = frozen(game.pauseGame(state, 2 * 86400, 10));
  assert.equal(state.refereed.request, null);
  const left = (/** @type {number} */ now) => remaining(state.clock, 0, now);
  assert.deepEqual([10, 86400, 10 + 2 * 86400].map(left), [82800, 82800, 82800]);
  assert.equal(noteOf(state, 0, 10), 'pause, 2 d 0 h left');
  assert.deepEqual([callOf(state, 10), callOf(state, 11 + 2 * 86400)], ['', 'Your turn']);
  assert.equal(left(3610 + 2 * 86400), 79200);
  state = game.receiveTurn(state, { seat: 0, seconds: 3600, token: '1c3' }, 20);
  assert.equal(remaining(state.clock, 1, 30), 86390);
});

test('the question to the engine follows the position, and its answer goes with it', () => {
  let state = analysing.setAnalysing(stateAfter('1c3'), true);
  const { key } = state.question;
  assert.match(key, /^position .* moves 1c3$/);
  state = analysing.setReport(state, REPORT);
  assert.equal(state.winrates.get(state.tree.position), 0.75, "Black's winrate");
  assert.equal(game.hoverCell(state, 3).report, REPORT);
  const one = game.setPending(state, [stone('a1')], cell('a1'));
  assert.deepEqual([one.question.first, one.report.candidates], [stone('a1'), []]);
  const two = game.setPending(one, [stone('a1'), stone('e3')], cell('e3'));
  assert.equal(two.question, one.question, 'a whole turn is covered by the question before');
  for (const other of [game.setThinking(state, true), game.setHidden(state, true)]) {
    assert.equal(other.question.key, '');
  }
});

test('a policy belongs to its question', () => {
  const state = analysing.setPolicy(analysing.setAnalysing(stateAfter('1c3'), true), POLICY);
  assert.equal(state.policy, POLICY);
  assert.equal(game.hoverCell(state, 3).policy, POLICY);
  assert.deepEqual(game.goToTurn(state, 0).policy, []);
  assert.deepEqual(analysing.setAnalysing(state, false).policy, []);
});

test('an analysis that ends says why, and how to go on', () => {
  const state = analysing.setAnalysing(stateAfter('1c3'), true);
  assert.deepEqual(progressOf(state), { text: 'Searching…', action: '' });
  const seen = (...watch) =>
    progressOf(analysing.setWatch(analysing.setReport(state, REPORT), ...watch));
  assert.deepEqual(seen('ended'), { text: 'Stopped after 1 visits.', action: 'Continue' });
  assert.match(seen('lost').text, /connection is lost/);
  assert.equal(seen('lost').action, 'Try now');
  assert.match(seen('refused', 'busy: many').text, /busy: many/);
  assert.equal(seen('refused', 'busy').action, 'Try again');
  const later = game.goToTurn(analysing.setWatch(state, 'ended'), 0);
  assert.equal(later.watch.kind, 'searching', 'another question begins again');
});

test('the chosen colour is one that may be dropped', () => {
  const start = parsePosition('yoin hex3 3/4/5/4/3 b 0 1');
  const state = game.showGame(game.chooseColour(stateAfter(), 0), GameTree.from(start), HUMANS);
  assert.equal(game.playTurn(state, drop({ cell: 0, colour: 0 }), 0).colour, 1);
});

test('a tree keeps its variations and finds the turns beside one', async () => {
  const { tree } = stateAfter('1c3', '1a1,2e3');
  const forked = tree.goTo(1).play(PASS);
  assert.deepEqual(forked.tokens(), ['1c3', 'pass']);
  assert.deepEqual(forked.sibling(-1).tokens(), ['1c3', '1a1,2e3']);
  assert.equal(forked.sibling(1), forked);
  assert.deepEqual(forked.goTo(0).linePath(), [0, 0], 'first children are the main line');
  assert.deepEqual(forked.remove().line().length, 3);
  assert.equal(
    formatPosition((await readLink(writeLink(forked, null))).tree.position),
    formatPosition(forked.position),
  );
});

const PROBED = `won 5
1a1,2b2 won 5
1a1,2c1 won 7
2b2 lost 6
1a1 lost 4
pass lost 2`;

test('a table answers for every first stone with its best turn and counts those that win', () => {
  const { tree } = stateAfter('1c3');
  const answer = readAnswer('line', PROBED);
  assert.deepEqual(answer.value, { won: true, turns: 5 });
  const entries = entriesOf(answer, tree.position, []);
  assert.deepEqual(
    entries.map(({ stone: one, turn, value, winning, total }) => [
      one ? tree.rules.board.labels[one.cell] : turn.kind,
      value.won,
      value.turns,
      `${winning}/${total}`,
    ]),
    [
      ['a1', true, 5, '2/3'],
      ['b2', true, 5, '1/2'],
      ['c1', true, 7, '1/1'],
      ['pass', false, 2, '0/1'],
    ],
  );
  assert.deepEqual(marksOf(entries).get(cell('b2')), [null, { won: true, turns: 5 }]);
});

test('a table answers for every completion of the stones that are pending', () => {
  const { tree } = stateAfter('1c3');
  const answer = readAnswer('line', PROBED);
  const after = entriesOf(answer, tree.position, [stone('a1')]);
  assert.deepEqual(
    after.map(({ stone: one, value }) => [one, value.turns]),
    [
      [stone('b2', 1), 5],
      [stone('c1', 1), 7],
      [null, 4],
    ],
  );
  const whole = entriesOf(answer, tree.position, [stone('b2', 1), stone('a1')]);
  assert.deepEqual(
    whole.map(({ stone: one, value }) => [one, value.won]),
    [[null, true]],
  );
});

test('a table without distances tells the winner alone', () => {
  const { value, turns } = readAnswer('line', 'lost\npass lost');
  assert.deepEqual(value, { won: false, turns: null });
  assert.equal(turns[0].turns, null);
  assert.equal(verdictText('Black', value), 'Black to move loses');
  assert.equal(verdictText('White', { won: true, turns: 1 }), 'White to move wins in 1 turn');
});

test('a table that has answered keeps the question while stones are pending', () => {
  const asked = frozen(analysing.setAnalysing(stateAfter('1c3'), true));
  const told = frozen(analysing.setTable(asked, readAnswer(asked.question.line, PROBED)));
  const pending = game.setPending(told, [stone('a1')], cell('a1'));
  assert.equal(pending.question, told.question);
  assert.equal(pending.table, told.table);
  assert.equal(told.winrates.get(told.tree.position), 0);
  const played = game.playTurn(told, parseTurn('1a1,2b2', told.tree.rules, 1), 0);
  assert.equal(played.table, null);
  assert.equal(analysing.setAnalysing(told, false).table, null);
});

test('who has lost for certain is told once, by a table or on a full board', () => {
  const proven = (state) =>
    analysing.setTable(state, readAnswer(state.question.line, 'lost 4\npass lost 4'));
  const asked = analysing.setAnalysing(stateAfter('1c3'), true);
  const sentence = /^White to move · Black can't be caught: resign or play on$/;
  assert.match(statusText(proven(asked))[0], sentence);
  assert.doesNotMatch(statusText(asked)[0], /caught/);
  const won = analysing.setTable(asked, readAnswer(asked.question.line, 'won 4\npass won 4'));
  assert.doesNotMatch(statusText(won)[0], /caught/);
  const watched = game.showGame(asked, asked.tree, { ...HUMANS, names: ['ann', 'bob'] });
  assert.doesNotMatch(statusText(proven(watched))[0], /caught/, 'a record');
  const engine = game.showGame(asked, asked.tree, { ...HUMANS, players: ['person', 'level-4'] });
  assert.doesNotMatch(statusText(proven(engine))[0], /caught/, 'the turn of the engine');
  const full = ['b', 'w'].map((player) => parsePosition(`yodd hex2 bb/bbb/bb ${player} 1 9`));
  const [loses, wins] = full.map(
    (start) => statusText(game.showGame(asked, GameTree.from(start), HUMANS))[0],
  );
  assert.equal(loses, 'Black to move · Only passes are left: White has won');
  assert.equal(wins, 'White to move');
});

test('a level plays in the place of the user of a refereed game, who only resigns', () => {
  const ticket = { ...TICKET, against: 'bot', engine: 'level-4' };
  const begun = game.beginGame(
    game.joinGame(stateAfter(), ticket, EMPTY),
    ['Engine 4', 'bot'],
    '',
    0,
  );
  const state = frozen(game.setConnection(begun, true, true));
  assert.deepEqual(
    [engineOnTurn(state), isMine(state), mayHint(state), mayResign(state), mayAskBack(state)],
    ['level-4', false, false, true, false],
  );
  const played = game.receiveTurn(state, { seat: 0, seconds: 1, token: '1c3' }, 1);
  assert.equal(engineOnTurn(played), null);
  assert.equal(engineOnTurn(game.endGame(state, 'bot wins', 1, 1)), null);
});

test('a record opens at its end with what its clocks had left', async () => {
  const rules = { game: 'yodd', board: 'hex3', options: {} };
  const record = { ...rules, turns: ['1c3', '2c5,1e2'], times: [10, 20], clock: '60+5' };
  const ended = { ...record, black: 'ann', white: 'bob', winner: 'w', reason: 'time' };
  const { tree } = await readRecord(ended);
  const state = frozen(showRecord(stateAfter(), tree, ended, '#archive=7'));
  assert.deepEqual(
    [0, 1].map((seat) => remaining(state.clock, seat, 99)),
    [0, 45],
  );
  assert.equal(state.tree.index, 2);
  assert.deepEqual([isMine(state), isRunning(state), mayResign(state)], [false, false, false]);
  assert.equal(isMine(game.goToTurn(state, 0)), true, 'variations');
  assert.equal(mayAnalyse({ ...state, advises: true }), true);
});

test('the clocks of a game that goes on have what was left', () => {
  const seats = { players: ['person', 'level-4'], clock: '60+5' };
  const purses = [10, 20].map((left) => ({ left, periods: 0, turns: 1 }));
  const clocks = (...tokens) => {
    const state = game.showGame(stateAfter(), playedTree(EMPTY, tokens), seats);
    const { clock } = game.resumeClocks(frozen(state), purses, 100);
    return [clock.seat, ...[0, 1].map((seat) => remaining(clock, seat, 103))];
  };
  assert.deepEqual(clocks('1c3', 'pass'), [0, 7, 20]);
  assert.deepEqual(clocks('1c3'), [null, 10, 20], 'the engine has to be there first');
});

test('a record opens with a sentence on who won and why', async () => {
  const rules = { game: 'yodd', board: 'hex3', options: {} };
  const record = { ...rules, turns: ['1c3'], black: 'ann', white: 'bob' };
  const comment = async (changes) =>
    (await readRecord({ ...record, ...changes })).tree.goTo(1).current.comment;
  assert.equal(
    await comment({ winner: 'b', reason: 'illegal', detail: '1a1: taken' }),
    'ann wins: bob played an illegal turn: 1a1: taken',
  );
  assert.equal(await comment({ winner: 'w', reason: 'groups' }), 'bob wins by groups');
  assert.equal(await comment({ winner: null, reason: 'void' }), 'No winner: void');
});
