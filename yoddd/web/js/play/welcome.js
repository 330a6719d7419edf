// The first visit: what the games are about, on a board that plays a short game, and three ways on.
import { showMessage } from './game.js';
import { change } from './state.js';
import { focusContent } from '../server/header.js';
import { loadLesson } from '../base/lessontexts.js';
import { Position, makeRules } from '../rules/rules.js';
import { HUMAN, HUMANS } from '../rules/seats.js';
import { keepVisit } from '../base/settings.js';
import { button, html } from '../base/svg.js';
import { t } from '../base/texts.js';
import { GameTree, playedTree } from '../rules/tree.js';
import { TurnBoard } from '../board/turnboard.js';

/** @typedef {Pick<import('./controller.js').Controller, 'state' | 'show' | 'turnPage' | 'letEnginePlay' | 'apply'>} Page where games are shown */
/** @typedef {{board: string, turns: string}} Game */
/** @typedef {{short: Game & {captions: {turn: number, text: string}[]}, whole: Game}} Example */

/** Milliseconds between two turns of the example. */
const PACE = 1500;
/** An engine that is easy to beat. */
const GENTLE = 'level-2';

/** The game with all its turns, at its start. @param {Game} game */
const treeOf = ({ board, turns }) =>
  playedTree(new Position(makeRules('yodd', board)), turns.split('.')).goTo(0);

/** A short game that plays itself, or by the button where motion is not wanted. */
class Scene {
  /** @param {Example['short']} game */
  constructor(game) {
    this.captions = game.captions;
    this.tree = treeOf(game);
    this.length = this.tree.line().length - 1;
    this.board = new TurnBoard({ changed: () => {} });
    this.board.root.setAttribute('inert', '');
    this.caption = html('p.caption');
    this.control = button('', () => this.press());
    /** @type {number | undefined} the timer, while the game plays itself */
    this.timer = undefined;
    this.still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (this.still) this.tree = this.tree.goTo(Infinity);
    else this.run();
    this.draw();
  }

  get isOver() {
    return this.tree.index === this.length;
  }

  run() {
    this.timer = window.setInterval(() => this.step(), PACE);
  }

  stop() {
    window.clearInterval(this.timer);
    this.timer = undefined;
  }

  step() {
    this.tree = this.tree.goTo(this.isOver ? 0 : this.tree.index + 1);
    if (this.isOver) this.stop();
    this.draw();
  }

  press() {
    if (this.still) this.step();
    else if (this.timer !== undefined) this.stop();
    else {
      this.step();
      this.run();
    }
    this.draw();
  }

  draw() {
    const { tree } = this;
    const last = tree.current.turn?.stones ?? [];
    this.board.show(tree.position, { last, mode: 'still' });
    const text = this.captions.findLast(({ turn }) => turn <= tree.index)?.text ?? '';
    this.caption.textContent = text;
    const onward = t(this.isOver ? 'welcome.again' : this.still ? 'welcome.next' : 'lobby.go-on');
    this.control.textContent = this.timer === undefined ? onward : t('welcome.pause');
  }
}

/** Opens the introduction over the board. @param {Page} page */
export async function welcome(page) {
  /** @type {Example} */
  const example = await loadLesson('example');
  const scene = new Scene(example.short);
  const dialog = html('dialog', { id: 'welcome', 'aria-labelledby': 'welcome-title' });
  /** @param {GameTree} tree @param {import('../rules/seats.js').Seats} seats */
  const show = (tree, seats) => {
    dialog.close();
    page.turnPage();
    page.show(tree, seats);
    page.letEnginePlay();
  };
  const ways = {
    [t('learn.play')]: () => {
      const start = GameTree.from(new Position(makeRules('yodd', 'hex4')));
      show(start, { players: [HUMAN, GENTLE], clock: '' });
      page.apply(showMessage, t('welcome.you'));
    },
    [t('welcome.look')]: () => {
      show(treeOf(example.whole), { ...HUMANS, names: [t('engine.name'), t('engine.name')] });
      page.apply(change, { replay: scene.still ? Infinity : 0 });
    },
  };
  const buttons = Object.entries(ways).map(([text, act]) => button(text, act));
  const close = button(t('skip.board'), () => dialog.close(), { class: 'plain' });
  dialog.append(
    html(
      'div.scene',
      scene.board.root,
      scene.board.figures,
      scene.caption,
      html('div.row', scene.control),
    ),
    html(
      'div.ways',
      html('h2', { id: 'welcome-title' }, t('welcome.title')),
      html('p', t('welcome.text')),
      html('p', t('welcome.twist')),
      html('a.button.solid', { href: 'learn.html#yodd', autofocus: '' }, t('nav.learn')),
      ...buttons,
      close,
    ),
  );
  dialog.addEventListener('close', () => {
    scene.stop();
    keepVisit();
    dialog.remove();
    focusContent();
  });
  dialog.querySelector('a')?.addEventListener('click', keepVisit);
  document.body.append(dialog);
  dialog.showModal();
  dialog.scrollTop = 0; // where the dialog is higher than the window, the link that has the focus is below
}
