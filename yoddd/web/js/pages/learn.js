// The lessons: a list of them, and one step at a time on a board.
import * as lessons from '../rules/lesson.js';
import { loadLesson, taughtGames } from '../base/lessontexts.js';
import { withDiscs } from '../base/discs.js';
import { PASS, SWAP, drop, parseTurn, showTurn } from '../rules/notation.js';
import { fail } from './pages.js';
import { GAMES, groupsText, nameOf } from '../rules/rules.js';
import { keep, recall } from '../base/settings.js';
import { button, el, html } from '../base/svg.js';
import { t } from '../base/texts.js';
import { TurnBoard, dot } from '../board/turnboard.js';

/** @import { Lesson, Step } from '../rules/lesson.js' */
/** @import { Turn } from '../rules/rules.js' */

const KEY = 'yoddd.lessons';
/** Wrong answers before the page offers to show the right one. */
const PATIENCE = 2;

/** The steps that have been done, by game. @returns {Record<string, number[]>} */
const progress = () => recall('localStorage', KEY) ?? {};

/** @param {string} game @param {number} step */
function keepStep(game, step) {
  const done = progress();
  keep('localStorage', KEY, { ...done, [game]: [...new Set([...(done[game] ?? []), step])] });
}

/** The first step that has not been done; the first one of all if every step has. @param {Lesson} lesson */
function nextStep({ game, steps }) {
  const done = progress()[game] ?? [];
  return Math.max(
    0,
    steps.findIndex((_, index) => !done.includes(index)),
  );
}

/** @param {string} href @param {string} text @param {string} [kind] */
const link = (href, text, kind = '') => html('a', { class: `button ${kind}`.trim(), href }, text);

// -- the list -----------------------------------------------------------------------------------

async function drawList() {
  const all = await Promise.all((await taughtGames()).map(loadLesson));
  document.title = `${t('nav.learn')} – yoddd`;
  el('sheet').replaceChildren(
    html('h1', t('nav.learn')),
    html('p.quiet', t('learn.intro'), html('a', { href: './#welcome' }, t('learn.welcome'))),
    html('ul.lessons', ...all.map(card)),
  );
}

/** @param {Lesson} lesson */
function card(lesson) {
  const { game, intro, steps } = lesson;
  const done = (progress()[game] ?? []).length;
  const title = GAMES[game].title;
  const verb = t(done === 0 ? 'learn.start' : done < steps.length ? 'lobby.go-on' : 'learn.again');
  const open = link(`#${game}.${nextStep(lesson) + 1}`, verb, done < steps.length ? 'solid' : '');
  open.setAttribute('aria-label', `${verb}: ${title}`);
  const rules = link(`rules.html#${game}`, t('learn.rules'));
  rules.setAttribute('aria-label', t('rules.title', { title }));
  const label = t('learn.progress', { done, total: steps.length });
  return html(
    'li',
    html('h2', title),
    html('p', intro),
    html('progress', { max: steps.length, value: done, 'aria-label': `${title}: ${label}` }),
    html('p.quiet', label),
    html('div.row', open, rules),
  );
}

// -- a step -------------------------------------------------------------------------------------

/** One step on the page, from its task to its answer. */
class StepView {
  /** @param {Lesson} lesson @param {number} index */
  constructor(lesson, index) {
    this.lesson = lesson;
    this.index = index;
    /** @type {Step} */
    this.step = lesson.steps[index];
    this.position = lessons.positionOf(this.step);
    /** @type {string[] | null} the right turns, once they have been found */
    this.right = null;
    /** The groups that have been pointed at. @type {Set<number>} */
    this.found = new Set();
    this.misses = 0;
    this.failed = false;
    this.board = new TurnBoard({
      changed: (pending, cell) => this.tried(pending, cell),
      picked: (cell) => this.pick(cell),
    });
    this.answer = html('p.answer', { role: 'status' });
    this.controls = html('div.row.answers');
    this.actions = html('div.row.onward');
  }

  /** The tokens of the right turns. */
  get rightTokens() {
    this.right ??= lessons.rightTurns(this.step);
    return this.right;
  }

  draw() {
    const { step, lesson, index } = this;
    const { game, steps } = lesson;
    const title = `${index + 1}. ${step.title}`;
    document.title = `${title} – ${GAMES[game].title} – yoddd`;
    const player = html('p.you', dot(this.position.player));
    player.append(t('status.to-move', { name: nameOf(this.position.player) }));
    player.hidden = !step.ask.turn;
    el('sheet').replaceChildren(
      html(
        'div.lesson',
        html(
          'div.task',
          html('p.above', html('a', { href: '#' }, t('learn.all')), ` · ${GAMES[game].title}`),
          stepLinks(game, steps, index),
          html('h1', { id: 'step-title', tabindex: -1 }, title),
          html('p.text', lessons.promptOf(step)),
          player,
        ),
        html('div.place', this.board.root),
        html('div.reply', this.board.figures, this.controls, this.answer, this.actions),
      ),
    );
    document
      .querySelector('.steps [aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
    this.begin();
    // The search for the right turns takes a moment on larger boards.
    window.setTimeout(() => this.rightTokens);
  }

  /** Sets the task up, also after a wrong answer. */
  begin() {
    const { ask } = this.step;
    const mode = ask.turn ? 'turn' : ask.groups ? 'pick' : 'still';
    this.board.show(this.position, { begun: lessons.begunOf(this.step), mode });
    this.board.figures.hidden = !ask.turn;
    this.controls.replaceChildren(...this.controlsOf(ask));
    this.actions.replaceChildren();
    this.say('', '');
  }

  /** @param {import('../rules/lesson.js').Ask} ask */
  controlsOf(ask) {
    if (ask.groups) return [];
    if (!ask.turn)
      return lessons
        .choicesOf(this.step)
        .map((choice) => button(lessons.choiceText(choice), () => this.choose(choice)));
    const { facts, colours } = this.position;
    return [
      ...(colours.length > 1 ? [this.board.switch] : []),
      ...(facts.parity !== null && this.position.number > 1
        ? [button(t('turn.pass-button'), () => this.judge(PASS))]
        : []),
      ...(facts.pie ? [button(t('turn.swap-button'), () => this.judge(SWAP))] : []),
    ];
  }

  /** @param {readonly import('../rules/rules.js').Stone[]} pending @param {number} cell */
  tried(pending, cell) {
    const { begun } = this.board;
    if (pending.length <= begun.length) {
      this.say('', '');
      return;
    }
    const latest = pending.filter((stone) => stone.cell === cell);
    // A stone after a wrong answer begins the turn again.
    if (this.failed && latest.length && pending.length > begun.length + 1) {
      this.failed = false;
      this.board.setPending([...begun, ...latest]);
    }
    this.judge(drop(...this.board.pending));
  }

  /** @param {Turn} turn */
  judge(turn) {
    const { verdict, text, position } = lessons.judgeTurn(this.step, this.rightTokens, turn);
    if (verdict === 'right') {
      this.board.show(position, { last: turn.stones, mode: 'still' });
      this.succeed(text);
    } else if (verdict === 'wrong') this.fail(text);
    else this.say(text, '');
  }

  /** @param {import('../rules/lesson.js').Fact} choice */
  choose(choice) {
    const right = choice === lessons.rightAnswer(this.step);
    const text = lessons.answerText(this.step, right);
    if (right) this.succeed(text);
    else this.fail(text);
  }

  /** @param {number} cell */
  pick(cell) {
    const { owner, groups } = this.position.census();
    const group = owner[cell];
    if (group < 0) return;
    const asked = lessons.askedGroups(this.step);
    if (this.found.has(group) || !asked.includes(group)) {
      this.fail(lessons.answerText(this.step, false));
      return;
    }
    this.found.add(group);
    const last = [...this.found].flatMap((one) =>
      groups[one].cells.map((member) => ({ cell: member, colour: groups[one].colour })),
    );
    const all = this.found.size === asked.length;
    this.board.show(this.position, { last, mode: all ? 'still' : 'pick' });
    if (all) this.succeed(lessons.answerText(this.step, true));
    else this.say(t('learn.so-far', { groups: groupsText(this.found.size) }), '');
  }

  /** @param {string} text */
  succeed(text) {
    const { lesson, index } = this;
    keepStep(lesson.game, index);
    this.controls.replaceChildren();
    this.board.figures.hidden = false;
    this.say(text, 'right');
    const last = index + 1 === lesson.steps.length;
    const onward = last
      ? link(`#${lesson.game}.done`, t('learn.finish'), 'solid')
      : link(`#${lesson.game}.${index + 2}`, t('review.next'), 'solid');
    this.actions.replaceChildren(
      onward,
      button(t('learn.again'), () => this.repeat()),
    );
    onward.focus({ preventScroll: true });
    drawLinks(lesson, index);
  }

  /** @param {string} text */
  fail(text) {
    this.failed = true;
    this.misses += 1;
    this.say(text, 'wrong');
    this.actions.replaceChildren(
      ...(this.board.mode === 'turn' ? [button(t('learn.take-back'), () => this.begin())] : []),
      ...(this.misses >= PATIENCE && this.step.ask.turn
        ? [button(t('learn.show'), () => this.reveal())]
        : []),
    );
  }

  /** Plays a right turn. */
  reveal() {
    const { rules, player } = this.position;
    const turn = parseTurn(this.rightTokens[0], rules, player);
    this.judge(turn);
    this.answer.prepend(...withDiscs(`${showTurn(turn, rules)}: `));
  }

  repeat() {
    this.found.clear();
    this.begin();
  }

  /** @param {string} text @param {'' | 'right' | 'wrong'} kind */
  say(text, kind) {
    if (kind !== 'wrong') this.failed = false;
    this.answer.textContent = text;
    this.answer.className = `answer ${kind}`.trim();
  }
}

/** @param {string} game @param {Step[]} steps @param {number} current */
function stepLinks(game, steps, current) {
  const done = progress()[game] ?? [];
  const items = steps.map(({ title }, index) => {
    const isDone = done.includes(index);
    const one = html(
      'a',
      {
        href: `#${game}.${index + 1}`,
        class: isDone ? 'done' : null,
        title,
        'aria-label': t(isDone ? 'learn.step-done' : 'learn.step', { n: index + 1, title }),
        'aria-current': index === current ? 'step' : null,
      },
      String(index + 1),
    );
    return html('li', one);
  });
  return html('nav.steps', { 'aria-label': t('learn.steps') }, html('ol', ...items));
}

/** Marks the steps that have been done. @param {Lesson} lesson @param {number} index */
function drawLinks({ game, steps }, index) {
  document.querySelector('.steps')?.replaceWith(stepLinks(game, steps, index));
}

/** @param {Lesson} lesson */
async function drawEnd({ game, steps }) {
  const { title, board } = GAMES[game];
  const games = await taughtGames();
  const next = games[games.indexOf(game) + 1];
  const small = board.startsWith('hex') ? 'hex4' : 'square5';
  const done = (progress()[game] ?? []).length;
  document.title = `${t('learn.learnt', { title })} – yoddd`;
  const text = t('learn.done', { done, total: steps.length, title });
  const play = `./#game=${game}&board=${small}&black=person&white=level-2`;
  el('sheet').replaceChildren(
    html('h1', { tabindex: -1 }, t(done === steps.length ? 'learn.well' : 'learn.nearly')),
    html('p', text),
    html(
      'div.row',
      link(play, t('learn.play'), 'solid'),
      link(`rules.html#${game}`, t('learn.read')),
      ...(next ? [link(`#${next}`, t('learn.next', { title: GAMES[next].title }))] : []),
      link('#', t('learn.all')),
    ),
  );
}

async function draw() {
  const [game, place] = location.hash.slice(1).split('.');
  try {
    if (!(await taughtGames()).includes(game)) {
      await drawList();
      return;
    }
    /** @type {Lesson} */
    const lesson = await loadLesson(game);
    const wanted = place ? Number(place) - 1 : nextStep(lesson);
    if (place === 'done') await drawEnd(lesson);
    else new StepView(lesson, lesson.steps[wanted] ? wanted : 0).draw();
  } catch (error) {
    fail(error);
  }
}

window.addEventListener('hashchange', async () => {
  await draw();
  document.querySelector('h1')?.focus();
});
draw();
