// The rules of the games, each part with a board on which both players' turns can be tried.
import { factsOf, fill } from '../rules/lesson.js';
import { loadLesson } from '../base/lessontexts.js';
import { PASS, SWAP, drop, parsePosition } from '../rules/notation.js';
import { fail } from './pages.js';
import { effectOf, effectSentence } from '../rules/parity.js';
import { GAMES, makeRules, nameOf } from '../rules/rules.js';
import { aimOf, verdictText, wonText } from '../rules/standing.js';
import { button, el, html } from '../base/svg.js';
import { t } from '../base/texts.js';
import { TurnBoard } from '../board/turnboard.js';

/** @import { Position, Turn } from '../rules/rules.js' */
/** @typedef {{title: string, text: string[], position: string, try: string}} Part */

/** A board for both players, without an engine. */
class Trial {
  /** @param {Position} start @param {string} label */
  constructor(start, label) {
    this.start = start;
    this.position = start;
    this.board = new TurnBoard({ changed: (pending, cell) => this.tried(pending, cell) });
    this.text = html('p.answer', { role: 'status' });
    this.playButton = button(t('turn.play'), () => this.play(drop(...this.board.pending)));
    this.passButton = button(t('turn.pass-button'), () => this.play(PASS));
    this.swapButton = button(t('turn.swap-button'), () => this.play(SWAP));
    const again = button(t('rules.again'), () => this.show(this.start, []));
    const buttons = [this.playButton, this.passButton, this.swapButton, again];
    this.root = html(
      'div.trial',
      { role: 'group', 'aria-label': label },
      this.board.root,
      this.board.figures,
      html('div.row.answers', this.board.switch, ...buttons),
      this.text,
    );
    this.show(start, []);
  }

  /** @param {Turn} turn */
  play(turn) {
    const problem = this.position.illegality(turn);
    if (problem) this.text.textContent = t('turn.refused', { reason: problem });
    else this.show(this.position.play(turn), turn.stones);
  }

  /** @param {Position} position @param {Turn['stones']} last */
  show(position, last) {
    this.position = position;
    this.board.show(position, { last, mode: position.isOver ? 'still' : 'turn' });
    this.text.textContent =
      wonText(position) ||
      `${t('status.to-move', { name: nameOf(position.player) })}. ${verdictText(position)}.`;
    this.drawButtons();
  }

  /** @param {readonly import('../rules/rules.js').Stone[]} pending @param {number} cell */
  tried(pending, cell) {
    const stone = pending.find((one) => one.cell === cell);
    const before = pending.filter((one) => one !== stone);
    const { facts, rules } = this.position;
    this.text.textContent = stone
      ? effectSentence(
          effectOf(this.position, before, stone),
          rules.board.labels[cell],
          facts.parity !== null,
        )
      : `${t('status.to-move', { name: nameOf(this.position.player) })}.`;
    this.drawButtons();
  }

  drawButtons() {
    const { position, board } = this;
    this.playButton.disabled =
      !board.pending.length || position.dropProblem(board.pending) !== null;
    this.passButton.hidden = position.facts.parity === null;
    this.passButton.disabled = position.illegality(PASS) !== null;
    this.swapButton.hidden = position.illegality(SWAP) !== null;
  }
}

/** @param {Part} part */
function section({ title, text, position, try: task }) {
  const start = parsePosition(position);
  const paragraphs = text.map((one) => html('p', fill(one, factsOf(start))));
  return html(
    'section.rule',
    html('div', html('h2', title), ...paragraphs, html('p.try', task)),
    new Trial(start, t('rules.board', { title })).root,
  );
}

/** @param {string} current */
const tabs = (current) =>
  html(
    'nav.titles',
    { 'aria-label': t('rules.games') },
    ...Object.entries(GAMES).map(([game, { title }]) =>
      html('a', { href: `#${game}`, 'aria-current': game === current ? 'page' : null }, title),
    ),
  );

async function draw() {
  const wanted = location.hash.slice(1);
  const game = Object.hasOwn(GAMES, wanted) ? wanted : 'yodd';
  const { title, designer, board } = GAMES[game];
  document.title = `${t('rules.title', { title })} – yoddd`;
  /** @type {Record<string, Part[]>} */
  const parts = await loadLesson('rules');
  el('sheet').replaceChildren(
    tabs(game),
    html('h1', { tabindex: -1 }, t('rules.title', { title })),
    html('p.quiet', t('rules.by', { designer })),
    ...(parts[game]?.map(section) ??
      Object.values(aimOf(makeRules(game))).map((text) => html('p', text))),
    html(
      'div.row',
      ...(game in parts
        ? [html('a.button.solid', { href: `learn.html#${game}` }, t('learn.next', { title }))]
        : []),
      html(
        'a.button',
        { href: `./#game=${game}&board=${board}&black=person&white=level-4` },
        t('nav.play'),
      ),
    ),
  );
}

/** Draws the page, or why it cannot be drawn. */
const tryToDraw = () => draw().catch(fail);

window.addEventListener('hashchange', tryToDraw);
tryToDraw();
