// The board's own rules, notation, records and links. Run: node --test tests/web/js/
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { deflateRawSync } from 'node:zlib';
import './page.mjs';
import { facts } from './vectors.mjs';
import { heatOf, readReport, weigh } from '../../../yoddd/web/js/analysis/candidates.js';
import {
  isUniform,
  policyRows,
  policySpots,
  readPolicy,
} from '../../../yoddd/web/js/analysis/policy.js';
import { expectedOf } from '../../../yoddd/web/js/board/outlook.js';
import { settled } from '../../../yoddd/web/js/analysis/secondstones.js';
import { choiceOf } from '../../../yoddd/web/js/play/agreement.js';
import {
  chargeClock,
  clockText,
  controlText,
  firstUntil,
  makeClock,
  periodsLeft,
  remaining,
  runClock,
} from '../../../yoddd/web/js/rules/clock.js';
import { geometry } from '../../../yoddd/web/js/rules/geometry.js';
import { place, tap } from '../../../yoddd/web/js/board/input.js';
import { readLink, readStudy, writeLink } from '../../../yoddd/web/js/rules/link.js';
import { formatPosition, parsePosition, parseTurn } from '../../../yoddd/web/js/rules/notation.js';
import {
  diamondLinks,
  effectOf,
  effectSentence,
  optionsOf,
} from '../../../yoddd/web/js/rules/parity.js';
import { readGame } from '../../../yoddd/web/js/rules/description.js';
import { GAMES, Position, makeRules } from '../../../yoddd/web/js/rules/rules.js';
import { courseOf, figuresOf, verdictText } from '../../../yoddd/web/js/rules/standing.js';
import { readSgf, writeSgf } from '../../../yoddd/web/js/rules/sgf.js';
import { GameTree, playedTree } from '../../../yoddd/web/js/rules/tree.js';
import { readTerms } from '../../../yoddd/web/js/lobby/offerform.js';
import { rangeText, termsText } from '../../../yoddd/web/js/lobby/terms.js';

const start = (game, board, options) => new Position(makeRules(game, board, options));
const playAll = (position, ...tokens) =>
  tokens.reduce((at, token) => at.play(parseTurn(token, at.rules, at.player)), position);

test('geometry names cells as the protocol does', () => {
  const board = geometry('hex4');
  const around = board.neighbours[board.index.get('d4')].map((cell) => board.labels[cell]);
  assert.deepEqual(around.sort(), ['c3', 'c4', 'd3', 'd5', 'e3', 'e4']);
  assert.equal(geometry('HEX-4'), board);
  assert.throws(() => geometry('hex99'), /2 to 13/);
});

test('completions are exactly the second stones that make the turn legal', () => {
  const position = playAll(start('yodd', 'hex3'), '1c3');
  const first = { colour: 0, cell: position.rules.board.index.get('a1') };
  const { fits, completing } = optionsOf(position, [first]);
  assert.ok(completing);
  for (const second of position.candidates()) {
    const legal = second.cell !== first.cell && position.dropProblem([first, second]) === null;
    assert.equal(fits[second.cell][second.colour], legal);
  }
});

test('the helper says what a stone does', () => {
  const position = playAll(start('yodd', 'hex3'), '1c3', '1a1,2e3');
  const effect = effectOf(position, [], { colour: 0, cell: position.rules.board.index.get('b2') });
  assert.equal(
    effectSentence(effect, 'b2', true),
    'black on b2 joins two groups, total 2, even, needs a second stone',
  );
  assert.equal(effect.change, 'black 2 → 1, total 2 even');
  assert.equal(verdictText(position), 'White leads with fewer groups: 1 to 2');
  assert.equal(
    verdictText(playAll(position, 'pass', 'pass')),
    'White wins with fewer groups: 1 to 2',
  );
});

/** The helper of a position line: its figures, its title, and the verdict. */
function helper(line) {
  const position = parsePosition(line);
  const { values, captions, title, tone } = figuresOf(position);
  return { title, values, captions, tone, verdict: verdictText(position), position };
}

test('the helper of Yoin names the counts by size that decide', () => {
  const first = helper('yoin hex3 bwb/4/5/4/3 w 0 4');
  assert.deepEqual([first.values, first.title], [['2', '1', '+1'], 'Groups']);
  assert.equal(first.verdict, 'White leads with fewer groups: 1 to 2');
  const second = helper('yoin hex3 bb1/4/w4/4/3 b 0 5');
  assert.equal(second.title, 'Groups of 2 stones or more');
  assert.deepEqual(second.values, ['1', '0', '+1']);
  assert.equal(
    second.verdict,
    'White leads: groups, 1 each; fewer groups of 2 stones or more, 0 to 1',
  );
});

test('the helper of Product shows the two largest groups and their product', () => {
  const { title, values, captions, verdict, position } = helper(
    'product hex3 bb1/bb2/3bw/w3/ww1 b 0 6',
  );
  assert.equal(title, 'Two largest groups, multiplied');
  assert.deepEqual(values, ['4', '3', '+1']);
  assert.deepEqual(captions, ['4 × 1', '3 × 1', 'Black']);
  assert.deepEqual(courseOf(position), [4, 3]);
  assert.equal(verdict, 'Black leads: two largest groups, multiplied, 4 × 1 = 4 to 3 × 1 = 3');
  const stone = { colour: 0, cell: position.rules.board.index.get('c3') };
  assert.equal(effectOf(position, [], stone).change, 'black: 4 × 1 = 4 → 6 × 0 = 0');
  assert.match(
    effectSentence(effectOf(position, [], stone), 'c3', false),
    /joins two groups, black/,
  );
  const level = helper('product hex3 3/4/bww2/4/3 b 0 4').verdict;
  assert.equal(level, 'Black leads: two largest groups, multiplied, 0 each; fewer stones, 1 to 2');
  const named = helper('product hex3 3/4/bww2/4/3 b 0 4 tie=white').verdict;
  assert.equal(named, 'White leads: two largest groups, multiplied, 0 each; a tie is for White');
});

test('where most stones complete a turn the few that do not are counted', () => {
  const position = playAll(start('yodd', 'hex4'), '1d4');
  const first = { colour: 1, cell: position.rules.board.index.get('a1') };
  const { count, misfits } = optionsOf(position, [first]);
  assert.equal(count + misfits, 2 * (37 - 2));
  assert.ok(misfits < count);
});

test('a diamond is safe against an even number of groups', () => {
  const link = (text) => diamondLinks(parsePosition(text)).map(({ safe }) => safe);
  const alone = parsePosition('yodd hex4 4/5/2b3/2b4/6/5/4 b 0 1');
  assert.deepEqual(diamondLinks(alone), [], 'neighbours need no link');
  assert.deepEqual(link('yodd hex4 4/5/2b3/7/2b3/5/4 b 0 1'), [true]);
  assert.deepEqual(link('yodd hex4 4/5/2b3/1w5/2b3/5/4 w 0 2'), [false]);
  assert.deepEqual(link('yodd hex4 4/5/2b3/1w2w2/2b3/5/4 b 0 1'), [true]);
  const four = diamondLinks(parsePosition('yodd hex5 w4/6/7/8/3wbw3/8/2wbw2/6/5 w 0 9'));
  assert.deepEqual(
    four.filter(({ colour }) => colour === 0).map(({ safe }) => safe),
    [true],
  );
});

test('a tap drops, changes, and takes back', () => {
  const position = playAll(start('yodd', 'hex3'), '1c3');
  let pending = tap(position, [], 0, 0);
  assert.deepEqual(pending, [{ cell: 0, colour: 0 }]);
  pending = tap(position, pending, 0, 0);
  assert.deepEqual(pending, [{ cell: 0, colour: 1 }]);
  pending = tap(position, pending, 0, 0);
  assert.deepEqual(pending, []);
  pending = tap(position, tap(position, tap(position, [], 0, 0), 1, 1), 2, 1);
  assert.deepEqual(
    pending,
    [
      { cell: 0, colour: 0 },
      { cell: 2, colour: 1 },
    ],
    'a third stone moves the second',
  );
  assert.deepEqual(place(position, pending, 2, 0)[1], { cell: 2, colour: 0 });
  const occupied = position.rules.board.index.get('c3');
  assert.equal(tap(position, pending, occupied, 0), pending);
});

test('a game tree survives SGF with its variations, comments and unknown properties', () => {
  const tree = playedTree(start('yodd', 'hex3', { own_colour: 'off' }), ['1c3', '1a1,2e3']).comment(
    'brackets ] and \\ survive',
  );
  const forked = tree
    .goTo(1)
    .play(parseTurn('pass', tree.rules, 1))
    .goTo(0)
    .changed(() => ({ extra: new Map([['XX', ['1', '2']]]) }));
  const winrates = new Map([
    [tree.position, 0.25],
    [tree.goTo(1).position, 0.75],
  ]);
  const text = writeSgf(forked, { black: 'Ann', white: 'Bob' }, winrates);
  const back = readSgf(text);
  assert.deepEqual(back.problems, []);
  assert.equal(back.names.black, 'Ann');
  assert.equal(writeSgf(back.tree, back.names, back.winrates), text);
  assert.equal(back.tree.root.children[0].children[0].comment, 'brackets ] and \\ survive');
});

test('a broken SGF file says what is wrong and keeps what can be read', () => {
  assert.throws(() => readSgf('nothing'), /no SGF file/);
  assert.throws(() => readSgf('(;FF[4]GM[1];B[dd])'), /a game of Go on 19×19/);
  const { tree, problems } = readSgf('(;YGAME[yodd]YBOARD[hex3];B[1c3];W[1c3])');
  assert.equal(tree.line().length, 2);
  assert.deepEqual(problems, ['turn 2, 1c3: c3 is occupied']);
});

test('a link holds the whole game and where one looks', async () => {
  const tree = playedTree(start('odd', 'hex3', { min_group: '3' }), ['1c3', '2a1']).goTo(1);
  const { tree: back, seats } = await readLink(
    writeLink(tree, { players: ['person', 'level-2'], clock: '60+1' }),
  );
  assert.equal(back.index, 1);
  assert.deepEqual(back.line().length, 3);
  assert.deepEqual(back.rules.options, { min_group: '3' });
  assert.equal(seats.players[1], 'level-2');
  assert.equal(await readLink(''), null);
  const { tree: legal, problem } = await readLink('#game=yodd&board=hex3&turns=1c3.1c3.pass');
  assert.deepEqual(legal.tokens(), ['1c3']);
  assert.match(problem, /breaks off at turn 2, 1c3: ./);
  const wrong = deflateRawSync('(;YGAME[yodd]YBOARD[hex3];B[1c3];W[1c3])').toString('base64url');
  const study = await readStudy(`#study=${wrong}&at=1`);
  assert.deepEqual(study.tree.tokens(), ['1c3']);
  assert.equal(study.problem, 'turn 2, 1c3: c3 is occupied');
  const set = parsePosition('yodd hex4 4/5/6/3b3/6/5/4 w 0 2');
  assert.equal(
    formatPosition((await readLink(writeLink(GameTree.from(set), null))).tree.position),
    formatPosition(set),
  );
});

test('links and files carry a game that one server offers to others', async () => {
  const own = readGame(readFileSync('docs/examples/games/elea.toml', 'utf8'));
  GAMES[own.name] = own;
  const tree = GameTree.from(new Position(makeRules(own.name)));
  const [link, sgf] = [writeLink(tree, null), writeSgf(tree)];
  const read = async () => [(await readLink(link)).tree, readSgf(sgf).tree];
  for (const { rules } of await read()) assert.equal(rules.definition, own);
  delete GAMES[own.name];
  for (const { rules } of await read()) assert.deepEqual(rules.definition, own);
});

test('a link that looks at no turn there is shows the end of the game', async () => {
  for (const at of ['x', '1.5', '', '9']) {
    const { tree } = await readLink(`#game=odd&board=hex3&turns=1c3.2a1&at=${at}`);
    assert.equal(tree.current.children.length, 0, at);
    assert.equal(tree.index, 2, at);
  }
});

test('a clock shows tenths at the end, and nothing where the control is none', () => {
  const shown = [200_000, 7200, 600, 59.99, 10, 9.97, 0.04, 0].map((seconds) => clockText(seconds));
  assert.deepEqual(shown, [
    '2 d 7 h',
    '2 h',
    '10:00',
    '0:59',
    '0:10',
    '0:09.9',
    '0:00.0',
    '0:00.0',
  ]);
  assert.equal(clockText(null), '');
  for (const control of ['', 'none'])
    assert.equal(remaining(makeClock(control), 0, 0), null, control);
  assert.equal(remaining(makeClock('60+5'), 1, 9), 60);
});

test('clocks charge turns as the vectors say', () => {
  for (const [control, turns, black, white, limit] of facts('clocks')) {
    const seconds = turns === '-' ? [] : turns.split(' ').map(Number);
    const clock = seconds.reduce(
      (played, one, n) => chargeClock(played, n % 2, one, 0),
      makeClock(control),
    );
    const purses = clock.purses.map(({ left, periods }) =>
      left === null ? '-' : `${+left.toFixed(6)}${periods ? ` ${periods}x` : ''}`,
    );
    assert.deepEqual(purses, [black, white], `${control}: ${turns}`);
    const running = { ...clock, seat: 0, since: 0 };
    // What is left is none at the end of the time for the next turn, and not before; no page counts a
    // margin, and the first turn has a time of its own.
    const end = Number(limit) - Number(/margin=([\d.]+)/.exec(control)?.[1] ?? 0);
    const left = [0, end - 0.001, end].map((now) => remaining(running, 0, now));
    if (limit === '-') assert.equal(left[0], null, control);
    else if (firstUntil(running, 0) !== null) assert.equal(firstUntil(running, 0), end, control);
    else
      assert.deepEqual(
        left.map((one) => Number(one) > 1e-6),
        [end > 0, end > 0, false],
        control,
      );
  }
});

test('the time left runs down to that of a period, and the first turn is free', () => {
  /** @param {string} control @param {number[]} turns @param {number} spent */
  const after = (control, turns, spent) => {
    const played = turns.reduce((clock, one) => chargeClock(clock, 0, one, 0), makeClock(control));
    const clock = { ...played, seat: 0, since: 0 };
    return [remaining(clock, 0, spent), periodsLeft(clock, 0, spent)];
  };
  assert.deepEqual(after('10,byoyomi=3x5', [4], 5), [1, null]);
  assert.deepEqual(after('10,byoyomi=3x5', [12], 2), [3, 3], 'a period is given again');
  assert.deepEqual(after('10,byoyomi=3x5', [15.1], 6), [4, 1]);
  assert.deepEqual(after('10,byoyomi=3x5', [10], 15), [0, 1]);
  assert.deepEqual(after('10+2,start=60', [], 40), [10, null]);
  assert.deepEqual(after('move=5', [4], 2), [3, null]);
  assert.deepEqual(after('days=2', [90000], 3600), [169_200, null]);
  assert.deepEqual(after('60+0,lag=1', [3], 0.5), [58, null]);
});

test('a clock that is paused has spent its time, without an increment', () => {
  const clock = runClock(makeClock('60+5'), 0, 0);
  assert.equal(remaining(runClock(clock, null, 10), 0, 99), 50);
  assert.equal(remaining(runClock(clock, 1, 10, true), 0, 99), 55);
});

test('a time control is told in words', () => {
  const texts = [
    'none',
    '600+5',
    '90',
    '600,byoyomi=5x30',
    'move=5',
    '40/3600',
    'hourglass=60',
    'days=3',
  ].map(controlText);
  assert.deepEqual(texts, [
    'no clock',
    '10 min + 5 s a turn',
    '1 min 30 s',
    '10 min + 5 × 30 s',
    '5 s for each turn',
    '40 turns in 60 min',
    'hourglass of 1 min',
    '3 days for each turn',
  ]);
});

test('the terms of an offer are read from the form and told in the list', () => {
  const own = new Map([
    ['clock', 'custom'],
    ['kind', 'byoyomi'],
    ['minutes', '1.5'],
    ['periods', '3'],
    ['seconds', '20'],
    ['rated', 'yes'],
    ['accept', 'users'],
  ]);
  assert.deepEqual(readTerms(own), [
    'clock=90,byoyomi=3x20,start=300',
    'rated=yes',
    'accept=users',
  ]);
  const simple = new Map([
    ...own,
    ['kind', 'absolute'],
    ['rated', 'no'],
    ['accept', 'one'],
    ['rival', 'bob'],
  ]);
  assert.deepEqual(readTerms(simple), ['clock=90,start=300', 'against=bob']);
  const more = ['clock=600+0,byoyomi=5x30', 'rated=yes', 'for=bob', 'own_colour=on'];
  assert.equal(
    termsText({ state: 'open', black: 'ann', more }),
    'you play White · 10 min + 5 × 30 s · rated · for bob · own colour on',
  );
});

test('the range of an engine is told in words', () => {
  const words = ['games=odd', 'boards=hex3..hex5,square4', 'clock=..600+5', 'copies=3'];
  assert.equal(
    rangeText([...words, 'closed=Down,_see_9..10']),
    'Odd · hexagon of 3 – hexagon of 5, 4 × 4 · ≤ 10 min + 5 s a turn · Down, see 9..10',
  );
  assert.equal(rangeText(['clock=10+0..']), '≥ 10 s');
  assert.equal(rangeText([]), '');
});

test('an agreement is asked for, answered or withdrawn by the participants alone', () => {
  const refereed = {
    ticket: { id: 't1', key: 'k', seat: 0 },
    names: ['ann', 'bob'],
    begun: true,
    termination: null,
    control: '',
    times: [],
    request: null,
  };
  /** @param {object} changes */
  const labels = (changes) =>
    choiceOf({ ...refereed, ...changes })?.buttons.map(({ label }) => label) ?? null;
  assert.equal(labels({}), null);
  const offered = ['Play the engine meanwhile', 'Invite link', 'Cancel'];
  assert.deepEqual(labels({ begun: false }), offered);
  assert.deepEqual(labels({ answer: 'bob declines a rematch.' }), []);
  const request = { seat: 1, what: 'takeback', detail: '0' };
  assert.deepEqual(labels({ request }), ['Agree', 'Decline']);
  assert.deepEqual(labels({ request: { ...request, seat: 0 } }), ['Withdraw']);
  assert.equal(labels({ request, ticket: { id: 't1', key: null, seat: null } }), null);
});

test('analysis lines become a heat map of first and of second stones', () => {
  const position = playAll(start('yodd', 'hex3'), '1c3');
  const line =
    'info move 1a1,2a2 visits 30 winrate 0.6 order 0 pv 1a1,2a2 pass info move 1a1,1a3 visits 10 winrate 0.4 order 1 pv 1a1,1a3 rootInfo visits 41 winrate 0.55 scoreLead -0.4 scoreStdev 1.7 ownership 1.000 -0.250';
  const { candidates, visits, lead, spread, ownership } = readReport(line);
  assert.deepEqual([visits, lead, spread, ownership], [41, -0.4, 1.7, [1, -0.25]]);
  assert.deepEqual(
    candidates.map(({ token }) => token),
    ['1a1,2a2', '1a1,1a3'],
  );
  assert.deepEqual(candidates[0].pv, ['1a1,2a2', 'pass']);
  const cell = (label) => position.rules.board.index.get(label);
  assert.deepEqual(candidates[1].pv, ['1a1,1a3']);
  const shown = weigh(candidates);
  const first = heatOf(shown, position, []);
  assert.equal(first.get(cell('a1')).candidate, shown[0], 'the best turn with the stone');
  assert.equal(first.get(cell('a1')).text, '57.1', 'a few visits shrink to the mean, 55');
  const second = heatOf(shown, position, [{ colour: 0, cell: cell('a1') }]);
  assert.deepEqual([...second.keys()], [cell('a2'), cell('a3')]);
  const part = heatOf(shown, position, [], 'visits');
  assert.deepEqual([part.get(cell('a1')).text, part.get(cell('a3')).text], ['100', '25']);
});

const turn = (token, visits, winrate, more = {}) => ({ token, visits, winrate, pv: [], ...more });

test('no turn is darker than the best one, nor seems better, however few its visits are', () => {
  for (const flat of [false, true]) {
    const found = weigh([
      turn('1a1,2a2', 600, 0.555, { flat }),
      turn('1a1,1a3', 120, 0.61, { flat }),
      turn('1a1,2a4', 24, 0.66, { flat }),
      turn('1a1,2a5', 1, 1, { flat }),
    ]);
    const [best, ...others] = found;
    assert.ok(Math.abs(best.chance - 0.555) < 0.01);
    for (const { chance, share } of others) {
      assert.ok(chance <= best.chance);
      assert.ok(share < best.share);
    }
  }
  assert.ok(weigh([turn('pass', 3, 0.9)])[0].share < 0.1, 'few visits are pale');
  assert.equal(weigh([turn('pass', 0, 1, { proven: true })])[0].share, 1, 'a proof is not');
});

test('the policy is shown on the likelier stone of each cell, and as a list of half turns', () => {
  const position = playAll(start('yodd', 'hex3'), '1c3');
  const at = (label) => position.rules.board.index.get(label);
  const policy = readPolicy(
    '2a1 0.500000\n1a1 0.240000\n1a3 0.250000\npass 0.009400\n1b1 0.000100',
  );
  const [a1, a3, pass] = [turn('2a1,1a3', 30, 0.6), turn('1a3', 9, 0.5), turn('pass', 3, 0.4)];
  const shown = weigh([a1, a3, pass]);
  const spots = policySpots(policy, shown, position, []);
  assert.deepEqual([...spots.keys()], [at('a1'), at('a3')], 'too little to be written is left out');
  const { share, text, colour, candidate } = spots.get(at('a1'));
  assert.deepEqual([share, text, colour], [1, '50', 1]);
  assert.equal(candidate, shown[0]);
  const rows = policyRows(policy, shown, position, [], 6);
  assert.deepEqual(
    rows.map(({ chance, played, visits }) => [chance, played, visits]),
    [
      [0.5, '○a1', 30],
      [0.24, '●a1', 0],
      [0.25, '●a3', 30],
      [0.0094, 'pass', 3],
      [0.0001, '●b1', 0],
    ],
  );
  assert.deepEqual(rows[1].expected, []);
  assert.ok(!isUniform(policy));
});

test('the policy of second stones has the end of the turn in its list', () => {
  const position = playAll(start('yodd', 'hex3'), '1c3');
  const at = (label) => position.rules.board.index.get(label);
  const policy = readPolicy('1a3 0.500000\nend 0.500000');
  const shown = weigh([turn('2a1,1a3', 30, 0.6), turn('2a1', 9, 0.5), turn('1a3', 5, 0.5)]);
  const first = { colour: 1, cell: at('a1') };
  const spots = policySpots(policy, shown, position, [first]);
  assert.deepEqual([...spots.keys()], [at('a3')]);
  const played = (pending) =>
    policyRows(policy, shown, position, pending, 6).map((row) => [row.played, row.visits]);
  const wanted = [
    ['●a3', 30],
    ['end turn', 9],
  ];
  assert.deepEqual(played([first]), wanted);
  const second = { colour: 0, cell: at('a3') };
  assert.deepEqual(played([first, second]), wanted, 'a whole turn keeps the list');
  assert.equal(policySpots(policy, shown, position, [first, second]).size, 0);
  assert.ok(isUniform(policy));
});

test('chances that are alike are shown on one scale, with a decimal', () => {
  const position = playAll(start('yodd', 'hex3'), '1c3');
  const texts = (...chances) =>
    [
      ...heatOf(
        weigh(chances.map((chance, at) => turn(`1a1,2b${at + 1}`, 90_000, chance))),
        position,
        [{ colour: 0, cell: position.rules.board.index.get('a1') }],
      ).values(),
    ].map(({ text }) => text);
  assert.deepEqual(texts(0.97, 0.964, 0.97), ['97.0', '96.4', '97.0']);
  assert.deepEqual(texts(0.97, 0.6), ['97', '60']);
});

test('second stones of rounds of different length are comparable', () => {
  const compared = [
    { token: 'good', chances: [0.97, 0.6, 0.55], report: null },
    { token: 'next', chances: [0.98, 0.58], report: null },
    { token: 'poor', chances: [0.96], report: null },
  ];
  const found = settled(compared);
  assert.deepEqual(
    found.map(({ token }) => token),
    ['good', 'next', 'poor'],
  );
  const [good, next, poor] = found.map(({ winrate }) => winrate);
  assert.equal(good, 0.55);
  assert.ok(next < good && poor < good, `${next} ${poor}`);
});

test('an empty cell that is expected to take one colour joins the groups beside it', () => {
  const position = parsePosition('yodd hex4 4/5/6/1b1b3/2w3/5/4 b 0 3');
  const at = (label) => position.rules.board.index.get(label);
  const expected = (owned) => {
    const ownership = [...position.cells].map((_, cell) => (cell === at('d3') ? owned : 0));
    return expectedOf(ownership, position).find(({ cell }) => cell === at('d3'));
  };
  assert.deepEqual(expected(0.9), {
    cell: at('d3'),
    colour: 0,
    sure: 0.9,
    joins: [at('d2'), at('d4')],
  });
  assert.deepEqual(expected(0.4).joins, [], 'not sure enough');
  assert.deepEqual([expected(-0.9).colour, expected(-0.9).joins], [1, []]);
  assert.deepEqual(expectedOf([], position), []);
});
